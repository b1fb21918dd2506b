/* SPDX-License-Identifier: Apache-2.0 */
/* descriptors.c - attacks the closing of descriptors: is there one that nobody gave us on purpose?
 *
 * Only 0, 1 and 2 may be open, and none of them a directory, a socket or a terminal.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "escape.h"

enum { LAST = 70000 };

int main(void)
{
	struct stat st;

	tried("fcntl(0..%d)", LAST);
	for (int fd = 0; fd <= 2; fd++) {
		if (fstat(fd, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode) || S_ISSOCK(st.st_mode))
			escaped("descriptor %d is a directory or a socket", fd);
		if (isatty(fd))
			escaped("descriptor %d is a terminal", fd);
	}
	for (int fd = 3; fd <= LAST; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			escaped("descriptor %d is open", fd);
	blocked("only 0, 1 and 2");
}
