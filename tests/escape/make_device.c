/* SPDX-License-Identifier: Apache-2.0 */
/* make_device.c - attacks the five devices: make another one and open it.
 *
 * KIND MAJOR MINOR [high]: c or b.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "escape.h"

int main(int argc, char **argv)
{
	long mode = strcmp(need_arg(argc, argv, 1, "c or b"), "c") == 0 ? S_IFCHR : S_IFBLK;
	unsigned major_nr = (unsigned)number(need_arg(argc, argv, 2, "major"));
	unsigned minor_nr = (unsigned)number(need_arg(argc, argv, 3, "minor"));
	long device = (long)makedev(major_nr, minor_nr);
	long result;

	mode |= 0666;
	if (argc > 4) {
		mode = with_bit_32(mode);
		device = with_bit_32(device);
	}
	tried("mknod %s %u:%u", argv[1], major_nr, minor_nr);
	result = syscall(SYS_mknodat, AT_FDCWD, "escape-device", mode, device);
	if (result < 0)
		blocked("mknod: %m");
	result = open("escape-device", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	(void)unlink("escape-device");
	end_by(result, "open the new device");
}
