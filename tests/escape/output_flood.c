/* SPDX-License-Identifier: Apache-2.0 */
/* output_flood.c - attacks whoever reads the output.  1|2 KIB: so much to stdout or stderr. */
#include "escape.h"

int main(int argc, char **argv)
{
	int fd = (int)number(need_arg(argc, argv, 1, "descriptor"));
	uint64_t kib = number(need_arg(argc, argv, 2, "KiB"));
	static char block[1024];

	tried("%llu KiB", (unsigned long long)kib);
	memset(block, 'x', sizeof(block));
	block[sizeof(block) - 1] = '\n';
	for (uint64_t i = 0; i < kib; i++)
		if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block))
			blocked("write: %m");
	return ESCAPED;
}
