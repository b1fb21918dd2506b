/* SPDX-License-Identifier: Apache-2.0 */
/* loopback.c - turns on `lo` in the network namespace we are in. */
#include "sandbox/native/loopback.h"

#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/own.h"

int loopback_up(struct error *err)
{
	own_fd fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {.ifr_name = "lo"};

	if (fd < 0)
		return fail_sys(err, "open a socket for lo");
	request.ifr_flags = IFF_UP | IFF_RUNNING;
	if (ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		return fail_sys(err, "turn lo on");
	return 0;
}
