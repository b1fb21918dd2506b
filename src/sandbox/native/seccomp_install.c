/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp_install.c - the filter comes into force; apart from its making, for who has it made. */
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "sandbox/native/seccomp.h"

int seccomp_install(const struct sock_filter *code, unsigned short len, struct error *err)
{
	/* Nobody writes to it: the kernel's struct only forgot to say const. */
	struct sock_fprog prog = {len, (struct sock_filter *)(uintptr_t)code};

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0) < 0)
		return fail_sys(err, "install the system-call filter");
	return 0;
}
