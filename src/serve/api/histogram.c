/* SPDX-License-Identifier: Apache-2.0 */
/* histogram.c - counts durations in buckets from half a millisecond to five minutes. */
#include "serve/api/histogram.h"

#include <assert.h>
#include <inttypes.h>

#include "base/own.h"

static const uint64_t bounds_us[] = {
	500,    1000,   2000,    5000,    10000,   20000,    50000,    100000,
	200000, 500000, 1000000, 2000000, 5000000, 15000000, 60000000, 300000000,
};
static_assert(ARRAY_LEN(bounds_us) == HISTOGRAM_BUCKETS, "one count for each bound");

void histogram_add(struct histogram *h, uint64_t us)
{
	size_t at = 0;

	while (at < HISTOGRAM_BUCKETS && us > bounds_us[at])
		at++;
	h->counts[at]++;
	h->sum_us += us;
	h->n++;
}

int histogram_write(const struct histogram *h, const char *name, const char *help, struct buf *out,
		    struct error *err)
{
	uint64_t below = 0;

	if (buf_printf(out, err, "# HELP %s %s\n# TYPE %s histogram\n", name, help, name) < 0)
		return -1;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		below += h->counts[i];
		if (buf_printf(out, err, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", name,
			       (double)bounds_us[i] / 1e6, below) < 0)
			return -1;
	}
	return buf_printf(out, err,
			  "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %.6f\n%s_count %" PRIu64 "\n",
			  name, h->n, name, (double)h->sum_us / 1e6, name, h->n);
}
