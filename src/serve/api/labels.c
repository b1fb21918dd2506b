/* SPDX-License-Identifier: Apache-2.0 */
/* labels.c - counters by a name, in fixed memory: what finds no place is "other". */
#include "serve/api/labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";

void labels_add(struct labels *l, const char *name, uint64_t n)
{
	size_t len = strlen(name), i = 0;

	if (n == 0)
		return;
	if (len == 0 || len >= LABEL_ROOM || strspn(name, plain) != len) {
		l->other += n;
		return;
	}
	while (i < l->n && strcmp(l->list[i].name, name) != 0)
		i++;
	if (i == LABELS_MAX) {
		l->other += n;
		return;
	}
	if (i == l->n)
		(void)snprintf(l->list[l->n++].name, LABEL_ROOM, "%s", name);
	l->list[i].n += n;
}

static int write_one(const char *metric, const char *labels, uint64_t n, struct buf *out,
		     struct error *err)
{
	return buf_printf(out, err, "%s{%s\"} %" PRIu64 "\n", metric, labels, n);
}

int labels_write(const struct labels *l, const char *metric, const char *before, const char *key,
		 struct buf *out, struct error *err)
{
	char labels[2 * LABEL_ROOM];

	for (size_t i = 0; i < l->n; i++) {
		(void)snprintf(labels, sizeof(labels), "%s%s=\"%s", before, key, l->list[i].name);
		if (write_one(metric, labels, l->list[i].n, out, err) < 0)
			return -1;
	}
	(void)snprintf(labels, sizeof(labels), "%s%s=\"other", before, key);
	return l->other ? write_one(metric, labels, l->other, out, err) : 0;
}
