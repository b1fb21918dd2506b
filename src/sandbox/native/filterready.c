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

static struct seccomp_half ready_part(enum seccomp_part part)
{
	switch (part) {
	case SECCOMP_FIRST:
		return (struct seccomp_half){filter_first, filter_first_len};
	case SECCOMP_SECOND:
		return (struct seccomp_half){filter_second, filter_second_len};
	case SECCOMP_WHOLE:
		break;
	}
	return (struct seccomp_half){filter_standard, filter_standard_len};
}

int filter_ready(const struct seccomp_options *o, enum seccomp_part part,
		 struct seccomp_program *ret, struct error *err)
{
	struct seccomp_half ready = ready_part(part);

	if (!is_standard(o))
		return seccomp_compile(o, part, ret, err);
	/* Nobody writes to it: the kernel's struct only forgot to say const. */
	ret->code = (struct sock_filter *)(uintptr_t)ready.code;
	ret->len = ready.len;
	return 0;
}

bool filter_halves(const struct seccomp_options *o, struct seccomp_halves *ret)
{
	if (!is_standard(o))
		return false;
	ret->first = ready_part(SECCOMP_FIRST);
	ret->second = ready_part(SECCOMP_SECOND);
	return true;
}
