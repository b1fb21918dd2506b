/* SPDX-License-Identifier: Apache-2.0 */
/* histogram.h - how long things took, in fixed memory. */
#ifndef SERVE_API_HISTOGRAM_H
#define SERVE_API_HISTOGRAM_H

#include <stdint.h>

#include "base/buf.h"

enum { HISTOGRAM_BUCKETS = 16 };

struct histogram {
	uint64_t counts[HISTOGRAM_BUCKETS + 1]; /* the last: longer than all bounds */
	uint64_t sum_us, n;
};

void histogram_add(struct histogram *h, uint64_t us);
/* As Prometheus reads it, in seconds. */
int histogram_write(const struct histogram *h, const char *name, const char *help, struct buf *out,
		    struct error *err);

#endif
