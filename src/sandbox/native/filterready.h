/* SPDX-License-Identifier: Apache-2.0 */
/* filterready.h - the system-call filter of a box, compiled with belljar where it can be. */
#ifndef NATIVE_FILTERREADY_H
#define NATIVE_FILTERREADY_H

#include "sandbox/native/seccomp.h"

/* For all options but memory_by_rlimit, one behind the other; made by filter-compile. */
enum { FILTER_WAYS = 8, FILTER_PARTS = SECCOMP_SECOND + 1 };
struct filter_place {
	unsigned short at, len;
};
extern const struct sock_filter filter_codes[];
extern const struct filter_place filter_places[FILTER_WAYS][FILTER_PARTS];

/* The row for these options; -1: there is none. */
static inline int filter_way(const struct seccomp_options *o)
{
	return o->memory_by_rlimit
		       ? -1
		       : o->programs_listed | o->host_writable << 1 | o->host_sockets << 2;
}

/* As seccomp_compile(), which takes longer.  One that is ready lies outside of the room. */
int filter_ready(const struct seccomp_options *options, enum seccomp_part part,
		 struct seccomp_program *ret, struct error *err);
/* The same in two, where they are ready; else there are no halves, and ret is left alone. */
bool filter_halves(const struct seccomp_options *options, struct seccomp_halves *ret);

#endif
