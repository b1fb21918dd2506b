/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - each limit is one row: its option, unit, bounds, default and words. */
#include "call/limits.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

#define KIB (1ULL << 10)
#define MIB (1ULL << 20)
#define GIB (1ULL << 30)

#define ROW(member) offsetof(struct limits, member)

const struct limit_row limit_rows[] = {
	{"wall", "wall_ms", UNIT_MS, ROW(wall_ms), 1, 30000, 86400000, "TIME",
	 "wall-clock time before the call is killed"},
	{"cpu", "cpu_ms", UNIT_MS, ROW(cpu_ms), 1, 10000, 86400000, "TIME",
	 "processor time of all its processes together"},
	{"memory", "memory_bytes", UNIT_BYTES, ROW(memory_bytes), 4 * MIB, 256 * MIB, 1024 * GIB,
	 "SIZE", "memory of all its processes together, no swap"},
	{"disk", "disk_bytes", UNIT_BYTES, ROW(disk_bytes), 4 * KIB, 100 * MIB, 1024 * GIB, "SIZE",
	 "bytes in /work, /tmp and /dev/shm together"},
	{"inodes", "inodes", UNIT_COUNT, ROW(inodes), 1, 12800, 100000000, "N",
	 "files and directories in /work, /tmp and /dev/shm together"},
	{"processes", "processes", UNIT_COUNT, ROW(processes), 1, 64, 1000000, "N",
	 "processes and threads alive at once"},
	{"files", "files", UNIT_COUNT, ROW(files), 8, 1024, 1048576, "N", "open files per process"},
	{"output", "output_bytes", UNIT_BYTES, ROW(output_bytes), 0, 10000, 1 * GIB, "BYTES",
	 "bytes kept of stdout and of stderr; 64 times as much kills"},
	{"cpu-percent", "cpu_percent", UNIT_COUNT, ROW(cpu_percent), 1, 100, 100000, "N",
	 "processor share; 100 is one whole core"},
};
const size_t limit_row_count = ARRAY_LEN(limit_rows);

const struct limit_row *limits_by_key(size_t n)
{
	static const unsigned char order[] = {1, 8, 3, 6, 4, 2, 7, 5, 0};

	static_assert(ARRAY_LEN(order) == ARRAY_LEN(limit_rows), "each row has its place");
	return &limit_rows[order[n]];
}

static uint64_t *slot_of(struct limits *l, const struct limit_row *row)
{
	return (uint64_t *)((char *)l + row->offset);
}

uint64_t limits_get(const struct limits *l, const struct limit_row *row)
{
	return *(const uint64_t *)((const char *)l + row->offset);
}

void limits_default(struct limits *ret)
{
	for (size_t i = 0; i < limit_row_count; i++)
		*slot_of(ret, &limit_rows[i]) = limit_rows[i].standard;
}

const struct limit_row *limits_find(const char *name)
{
	for (size_t i = 0; i < limit_row_count; i++)
		if (strcmp(name, limit_rows[i].name) == 0)
			return &limit_rows[i];
	return NULL;
}

static const char *example_for(enum limit_unit unit)
{
	switch (unit) {
	case UNIT_MS:
		return "30s, 500ms or 2m";
	case UNIT_BYTES:
		return "4096, 100k, 256m or 2g";
	case UNIT_COUNT:
		return "a whole number such as 64";
	}
	return "";
}

static int parse_value(const struct limit_row *row, const char *text, uint64_t *ret,
		       struct error *err)
{
	switch (row->unit) {
	case UNIT_MS:
		return text_parse_ms(text, ret, err);
	case UNIT_BYTES:
		return text_parse_bytes(text, ret, err);
	case UNIT_COUNT:
		return text_parse_uint(text, ret, err);
	}
	return fail(err, ERR_INTERNAL, "limit %s has no unit", row->name);
}

static int check_bounds(const struct limit_row *row, uint64_t value, struct error *err)
{
	if (value >= row->min && value <= row->max)
		return 0;
	return fail(err, ERR_CALLER, "--%s must be from %" PRIu64 " to %" PRIu64 "%s, not %" PRIu64,
		    row->name, row->min, row->max,
		    row->unit == UNIT_MS      ? " ms"
		    : row->unit == UNIT_BYTES ? " bytes"
					      : "",
		    value);
}

int limits_set(struct limits *l, const struct limit_row *row, const char *text, struct error *err)
{
	uint64_t value;

	if (parse_value(row, text, &value, err) < 0) {
		struct error why = *err;

		return fail(err, ERR_CALLER, "--%s: %s; give %s", row->name, why.text,
			    example_for(row->unit));
	}
	if (check_bounds(row, value, err) < 0)
		return -1;
	*slot_of(l, row) = value;
	return 0;
}

int limits_check(const struct limits *l, struct error *err)
{
	for (size_t i = 0; i < limit_row_count; i++)
		if (check_bounds(&limit_rows[i], limits_get(l, &limit_rows[i]), err) < 0)
			return -1;
	return 0;
}

const struct limit_row *limits_above(const struct limits *l, const struct limits *most)
{
	for (size_t i = 0; i < limit_row_count; i++)
		if (limits_get(l, &limit_rows[i]) > limits_get(most, &limit_rows[i]))
			return &limit_rows[i];
	return NULL;
}

bool limits_same_seal(const struct limits *a, const struct limits *b)
{
	return a->cpu_ms == b->cpu_ms && a->memory_bytes == b->memory_bytes &&
	       a->disk_bytes == b->disk_bytes && a->inodes == b->inodes &&
	       a->processes == b->processes && a->files == b->files &&
	       a->cpu_percent == b->cpu_percent;
}
