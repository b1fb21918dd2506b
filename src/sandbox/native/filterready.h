/* SPDX-License-Identifier: Apache-2.0 */
/* filterready.h - the system-call filter of a box, compiled with belljar where it can be. */
#ifndef NATIVE_FILTERREADY_H
#define NATIVE_FILTERREADY_H

#include "sandbox/native/seccomp.h"

/* Without any option; made by filter-compile. */
extern const struct sock_filter filter_standard[], filter_first[], filter_second[];
extern const unsigned short filter_standard_len, filter_first_len, filter_second_len;

/* As seccomp_compile(), which takes longer.  A standard one lies outside of the room. */
int filter_ready(const struct seccomp_options *options, enum seccomp_part part,
		 struct seccomp_program *ret, struct error *err);
/* The same in two, where it is standard; else there are no halves, and ret is left alone. */
bool filter_halves(const struct seccomp_options *options, struct seccomp_halves *ret);

#endif
