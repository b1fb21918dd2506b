/* SPDX-License-Identifier: Apache-2.0 */
/* patterns.c - databases of patterns: compiled elsewhere, loaded here. */
#include "redact/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "base/processor.h"

#ifdef VECTORSCAN_HAS_SSE42
patterns_scanner corei7_hs_scan;

patterns_scanner *patterns_scan(void)
{
	return processor_has(PROCESSOR_SSE42 | PROCESSOR_POPCNT) ? corei7_hs_scan : hs_scan;
}
#else
patterns_scanner *patterns_scan(void)
{
	return hs_scan;
}
#endif

void patterns_done(struct patterns *p)
{
	(void)hs_free_database(p->db);
	free(p->width);
	*p = (struct patterns){0};
}

int patterns_load(const void *data, size_t len, uint64_t key, struct patterns *ret,
		  struct error *err)
{
	struct patterns p = {0};
	struct patterns_head head;
	const char *at = data;

	if (len < sizeof(head))
		return fail(err, ERR_CONFIG, "pattern database: cut short");
	memcpy(&head, at, sizeof(head));
	if (memcmp(head.magic, PATTERNS_MAGIC, sizeof(head.magic)) != 0 ||
	    (key && head.key != key) || head.n > PATTERNS_MAX || head.bytes > PATTERNS_BYTES_MAX ||
	    len != sizeof(head) + head.n * sizeof(*p.width) + head.bytes)
		return fail(err, ERR_CONFIG, "pattern database: not the one that is wanted");
	p.n = head.n;
	p.width = calloc(head.n, sizeof(*p.width));
	if (!p.width)
		return fail_sys(err, "load patterns");
	memcpy(p.width, at + sizeof(head), head.n * sizeof(*p.width));
	at += sizeof(head) + head.n * sizeof(*p.width);
	if (head.bytes > 0 && hs_deserialize_database(at, head.bytes, &p.db) != HS_SUCCESS) {
		patterns_done(&p);
		return fail(err, ERR_CONFIG,
			    "pattern database: made for another machine or another vectorscan");
	}
	*ret = p;
	return 0;
}
