/* SPDX-License-Identifier: Apache-2.0 */
/* filterready.h - the system-call filter of a box, compiled with belljar where it can be. */
#ifndef NATIVE_FILTERREADY_H
#define NATIVE_FILTERREADY_H

#include "sandbox/native/seccomp.h"

/* Without any option; made by filter-compile. */
extern const struct sock_filter filter_standard[];
extern const unsigned short filter_standard_len;

/* As seccomp_compile(), which takes longer.  A standard one lies outside of the room. */
int filter_ready(const struct seccomp_options *options, struct seccomp_program *ret,
		 struct error *err);

#endif
