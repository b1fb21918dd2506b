/* SPDX-License-Identifier: Apache-2.0 */
/* filterready.c - the system-call filter of a box, compiled with belljar where it can be.
 *
 * Compiling takes 45 us of every run, between the maps and the box.
 */
#include "sandbox/native/filterready.h"

static bool is_standard(const struct seccomp_options *o)
{
	return !o->programs_listed && !o->memory_by_rlimit && !o->host_writable && !o->host_sockets;
}

int filter_ready(const struct seccomp_options *o, struct seccomp_program *ret, struct error *err)
{
	if (!is_standard(o))
		return seccomp_compile(o, SECCOMP_WHOLE, ret, err);
	/* Nobody writes to it: the kernel's struct only forgot to say const. */
	ret->code = (struct sock_filter *)(uintptr_t)filter_standard;
	ret->len = filter_standard_len;
	return 0;
}

bool filter_halves(const struct seccomp_options *o, struct seccomp_halves *ret)
{
	if (!is_standard(o))
		return false;
	ret->first = (struct seccomp_half){filter_first, filter_first_len};
	ret->second = (struct seccomp_half){filter_second, filter_second_len};
	return true;
}
