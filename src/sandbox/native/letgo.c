/* SPDX-License-Identifier: Apache-2.0 */
/* letgo.c - leaves a descriptor to the kernel's garbage collector.
 *
 * Taking the mounts of a box down takes a quarter of a millisecond, in the exit
 * of whoever holds the last of them; and somebody waits for that exit.  A
 * socket that lies in its own queue, together with another descriptor, belongs
 * to nobody once it is closed.  The kernel collects such circles in a thread of
 * its own (before 6.10 in our exit, which is then as slow as without this).
 */
#include "sandbox/native/letgo.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"

void letgo_at_exit(int fd)
{
	struct error ignored = {0};
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	/* Both ends stay open: our end closes them. */
	if (fd_send(ends[1], "", 1, (int[2]){ends[0], fd}, 2, &ignored) == 0)
		return;
	(void)close(ends[0]);
	(void)close(ends[1]);
}
