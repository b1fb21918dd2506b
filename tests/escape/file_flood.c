/* SPDX-License-Identifier: Apache-2.0 */
/* file_flood.c - attacks the limit of open files.  N: so many at once. */
#include <fcntl.h>

#include "escape.h"

int main(int argc, char **argv)
{
	uint64_t want = number(need_arg(argc, argv, 1, "how many"));

	tried("%llu open files", (unsigned long long)want);
	for (uint64_t i = 0; i < want; i++)
		if (open("/dev/null", O_RDONLY) < 0)
			blocked("after %llu: %m", (unsigned long long)i);
	escaped("all of them");
}
