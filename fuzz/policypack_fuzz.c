/* SPDX-License-Identifier: Apache-2.0 */
/* policypack_fuzz.c - any bytes as the files of a policy: refused, or whole within those bytes. */
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "fuzz.h"
#include "policy/policypack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	own_fd fd = memfd_create("pack", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	own(policypack) pack = {0};
	struct error err;
	size_t total = 0;

	if (fd < 0 || fd_write_all(fd, data, size, &err) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) < 0)
		return 0;
	if (policypack_open(fd, &pack, &err) < 0)
		return 0;
	for (size_t i = 0; i < pack.n; i++) {
		assert(pack.files[i].name >= pack.data && pack.files[i].data > pack.files[i].name);
		assert(pack.files[i].data + pack.files[i].len <= pack.data + size);
		total += pack.files[i].len;
	}
	assert(total <= size);
	return 0;
}
