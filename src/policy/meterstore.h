/* SPDX-License-Identifier: Apache-2.0 */
/* meterstore.h - the state file of rates and budgets: sectors under one lock, and its own time.
 *
 * Between store_begin() and store_finish() nobody else reads or writes the file.
 */
#ifndef POLICY_METERSTORE_H
#define POLICY_METERSTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "policy/meterkey.h"

enum {
	STORE_VERSION = 1,
	SECTOR_BYTES = 512,
	SECTOR_BUCKETS = 21,
	WINDOW_SLOTS = 59,
	BUCKET_SECTORS = 2048, /* 43,008 buckets in use at the same time */
	WINDOW_SECTORS = 8192, /* three for each client with a whole budget */
	STORE_SECTORS = 1 + BUCKET_SECTORS + WINDOW_SECTORS,
	STORE_CACHE = 96,     /* sectors that one call may touch */
	STORE_WAIT_MS = 2000, /* for whoever has the lock; it is held for microseconds */
};

struct head {
	uint64_t check;
	uint64_t magic;
	uint32_t version, sector_bytes;
	uint32_t bucket_sectors, window_sectors;
	uint64_t secret[2]; /* keys are made with it; also tells files apart */
	uint64_t wall_ms;   /* what the clock said when time_ns was written */
	uint64_t time_ns;   /* never goes back */
};

/* One rate of somebody; see gcra.h. */
struct bucket {
	struct meter_key key;
	uint64_t tat_ns;
};

struct bucket_sector {
	uint64_t check;
	struct bucket bucket[SECTOR_BUCKETS];
};

/* One budget of somebody; see sliding.h. */
struct window {
	uint64_t check;
	struct meter_key key;
	uint64_t slice_ns;
	uint64_t newest; /* which slice that is: time / slice_ns */
	uint64_t used[WINDOW_SLOTS];
};

/* What is written at once: a disk, and a process that is killed, leaves the old one or the new. */
union sector {
	uint64_t word[SECTOR_BYTES / sizeof(uint64_t)];
	struct head head;
	struct bucket_sector buckets;
	struct window window;
} __attribute__((aligned(SECTOR_BYTES)));

struct store {
	int dir, file;       /* -1: in memory */
	union sector *table; /* in memory: all of it; else the sectors in use now */
	size_t sectors;      /* that table has */
	uint32_t number[STORE_CACHE];
	bool dirty[STORE_CACHE];
	size_t n_cached;
	struct head *head;  /* while begun */
	uint64_t behind_ms; /* how far the clock lies behind what it said before */
};

/* Takes dir (see meterdir.h) and opens the file in it, making it if there is none.  Failed or not,
 * store_done() follows. */
int store_open(struct store *s, int dir, struct error *err);
int store_open_memory(struct store *s, struct error *err);
void store_done(struct store *s);

/* Waits for the lock at most that long; advances head->time_ns by what has passed.  Whatever came
 * of it, store_finish() follows. */
int store_begin(struct store *s, uint64_t now_ms, uint64_t wait_ms, struct error *err);
/* Checked and kept until store_finish(); NULL: damaged or unreadable. */
union sector *store_load(struct store *s, uint32_t number, struct error *err);
/* It was changed and is to be written. */
void store_touch(struct store *s, const void *in_sector);
/* Writes what was touched.  Killed in the middle, or failing, it has charged too much, never too
 * little: whoever asked has not been let through yet. */
int store_commit(struct store *s, struct error *err);
void store_finish(struct store *s);

/* Takes (or gives back) the lock on one far byte of the file; it ends with the process. */
bool store_take_place(struct store *s, uint64_t number);
void store_leave_place(struct store *s, uint64_t number);

/* The check of a sector at that place of a file with that secret; for the fuzzer, too. */
uint64_t store_check(const union sector *x, uint32_t number, const uint64_t secret[static 2]);

#endif
