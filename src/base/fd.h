/* SPDX-License-Identifier: Apache-2.0 */
/* fd.h - descriptors: whole reads and writes, small files, passing them on. */
#ifndef BASE_FD_H
#define BASE_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

int fd_write_all(int fd, const void *data, size_t len, struct error *err);
/* Reads until len bytes or the end; returns how many. */
ssize_t fd_read_all(int fd, void *data, size_t len, struct error *err);

/* One write() of text to an existing file beneath dir (AT_FDCWD works): cgroup and proc files. */
int fd_put_file(int dir, const char *path, const char *text, struct error *err);
/* Reads a small file into a NUL-terminated buffer; fails if it does not fit. */
int fd_get_file(int dir, const char *path, char *ret_text, size_t room, struct error *err);

/* Takes fd (or passes -1 on) and gives back a descriptor above 2, close-on-exec: without standard
 * streams the lowest free number is one of theirs.  -1 with errno. */
int fd_lift(int fd);

enum { FD_PASS_MAX = 16 };
/* One message with descriptors over a SOCK_SEQPACKET pair. */
int fd_send(int sock, const void *data, size_t len, const int *fds, size_t n_fds,
	    struct error *err);
/* Returns the bytes received, 0 at the end of the peer (err->sys is ECONNRESET then if it went
 * without hearing all that was sent to it).  Fails unless the message has exactly
 * len bytes.  *n_fds: in the room, out the number that came (all CLOEXEC; further ones are
 * closed); 0 after a failure. */
ssize_t fd_receive(int sock, void *ret_data, size_t len, int *ret_fds, size_t *n_fds,
		   struct error *err);
/* The same for a message of at most room bytes. */
ssize_t fd_receive_any(int sock, void *ret_data, size_t room, int *ret_fds, size_t *n_fds,
		       struct error *err);

/* Nobody can send descriptors to this Unix socket, nor to what it accepts from now on.  They would
 * be closed by whoever throws them away, and somebody else's last close may take as long as he
 * likes (SO_LINGER).  False: this kernel (before 6.16) knows no such thing. */
bool fd_refuse_rights(int sock);
/* Is it so?  Of one that was accepted: since it was connected. */
bool fd_refuses_rights(int sock);

/* The kernel's own name for what fd refers to: absolute, no link in it.  The caller frees it. */
int fd_name(int fd, char **ret_name, struct error *err);

#endif
