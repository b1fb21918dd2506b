/* SPDX-License-Identifier: Apache-2.0 */
/* write_proc.c - attacks the kernel's knobs: open one for writing.
 *
 * PATH: nothing is written, so that it is harmless where there is no wall.
 */
#include <fcntl.h>

#include "escape.h"

int main(int argc, char **argv)
{
	const char *path = need_arg(argc, argv, 1, "path");

	tried("open %s for writing", path);
	end_by(open(path, O_WRONLY | O_CLOEXEC), "open for writing");
}
