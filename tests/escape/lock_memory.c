/* SPDX-License-Identifier: Apache-2.0 */
/* lock_memory.c - attacks memory that the kernel cannot take back.  KIB: so much locked. */
#include <sys/mman.h>

#include "escape.h"

int main(int argc, char **argv)
{
	size_t bytes = (size_t)number(need_arg(argc, argv, 1, "KiB")) << 10;
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	tried("mlock %zu bytes", bytes);
	if (pages == MAP_FAILED)
		cannot("mmap: %m");
	end_by(mlock(pages, bytes), "mlock");
}
