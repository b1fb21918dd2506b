/* SPDX-License-Identifier: Apache-2.0 */
/* barestart.h - programs started as they are, for measuring: what the service is held against. */
#ifndef BENCH_BARESTART_H
#define BENCH_BARESTART_H

#include <stddef.h>

/* From before the start until it was reaped, in microseconds; NAN: it failed.  What it prints is
 * read, as a service would; the first room - 1 bytes of it are told, with a NUL. */
double bare_us(const char *const argv[], char *ret_text, size_t room);

/* How many a second can be started, n at a time for so long; NAN: one failed. */
double bare_per_second(const char *const argv[], size_t n, double for_us);

#endif
