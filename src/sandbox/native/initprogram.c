/* SPDX-License-Identifier: Apache-2.0 */
/* initprogram.c - the program that becomes pid 1 of a box. */
#include "sandbox/native/initprogram.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/own.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

extern const char init_blob_start[], init_blob_end[];

int initprogram_open(struct error *err)
{
	size_t len = (size_t)(init_blob_end - init_blob_start);
	own_fd fd = memfd_create("belljar-init", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

	if (fd < 0 && errno == EINVAL) /* before 6.3 */
		fd = memfd_create("belljar-init", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return fail_sys(err, "memfd for pid 1 (is vm.memfd_noexec 2 on this host?)");
	if (fd_write_all(fd, init_blob_start, len, err) < 0)
		return fail_in(err, "pid 1");
	if (fchmod(fd, 0555) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return fail_sys(err, "seal pid 1");
	return fd_lift(take_fd(&fd));
}
