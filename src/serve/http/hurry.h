/* SPDX-License-Identifier: Apache-2.0 */
/* hurry.h - what a stranger has sent is thrown away, and may not hold us up.
 *
 * Descriptors come with the bytes of a Unix socket.  Where the kernel does not
 * refuse them (fd_refuse_rights), whoever throws them away closes them, and the
 * last close of a TCP socket waits for its peer as long as its owner has said
 * (SO_LINGER): hours.  A signal ends such a wait; so one comes every few
 * milliseconds while we are between hurry_begin() and hurry_end().
 */
#ifndef SERVE_HTTP_HURRY_H
#define SERVE_HTTP_HURRY_H

#include <stdbool.h>

/* Once, before the first of the others: SIGALRM is ours. */
void hurry_ready(void);
/* May what is sent to this connection hold us up? */
bool hurry_needed(int fd);
/* Both do nothing if it is not needed. */
void hurry_begin(bool needed);
void hurry_end(bool needed);
/* close() in a hurry. */
void hurry_close(int fd, bool needed);

#endif
