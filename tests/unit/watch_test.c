/* SPDX-License-Identifier: Apache-2.0 */
/* watch_test.c - which limit a program passed, as made-up counters tell it. */
#include "sandbox/native/watch.h"

#include <signal.h>
#include <stdio.h>

#include "fake_group.h"
#include "tap.h"

enum { MIB = 1 << 20, START = 1000000, EARLIER_US = 3000 };

static const struct limits limits = {.wall_ms = 60000,
				     .cpu_ms = 10000,
				     .memory_bytes = 64 * MIB,
				     .disk_bytes = 100 * MIB,
				     .processes = 64};

static void begin(struct watch *w, const struct fake *f)
{
	watch_init(w);
	w->group = f->group;
	w->group_open = true;
	w->limits = limits;
	w->start_us = START;
	watch_begin(w, -1);
}

static void put_memory(const struct fake *f, unsigned private, unsigned shared, unsigned all)
{
	bool v2 = f->slot.trees[0].version == 2;
	char text[128];

	(void)snprintf(text, sizeof(text), "%s %u\nshmem %u\n", v2 ? "anon" : "rss", private * MIB,
		       shared * MIB);
	put(f, "memory.stat", text);
	(void)snprintf(text, sizeof(text), "%u\n", all * MIB);
	put(f, v2 ? "memory.current" : "memory.usage_in_bytes", text);
}

/* What a look says about so many MiB, with files among the shared ones. */
static enum kill_reason look(int version, unsigned private, unsigned shared, unsigned all,
			     unsigned files)
{
	own(fake) f;
	struct watch w;

	open_fake(&f, version);
	put_memory(&f, private, shared, all);
	begin(&w, &f);
	w.disk_now = (uint64_t)files * MIB;
	return watch_look(&w, w.next_us, -1);
}

TEST(memory_beyond_the_limit_kills)
{
	for (int version = 1; version <= 2; version++) {
		CHECK(look(version, 64, 0, 66, 0) == KILL_NONE);
		CHECK(look(version, 65, 0, 66, 0) == KILL_MEMORY);
		CHECK(look(version, 40, 30, 72, 0) == KILL_MEMORY); /* shared memory */
	}
}

TEST(files_are_not_memory)
{
	CHECK(look(2, 10, 90, 101, 90) == KILL_NONE);
	CHECK(look(2, 60, 90, 151, 90) == KILL_NONE);
	CHECK(look(2, 65, 90, 156, 90) == KILL_MEMORY);
	CHECK(look(2, 10, 0, 160, 0) == KILL_NONE);  /* page cache */
	CHECK(look(2, 10, 20, 31, 90) == KILL_NONE); /* files that were put in by others */
	CHECK(look(2, 40, 120, 161, 90) == KILL_MEMORY);
}

TEST(counters_that_lag_do_not_kill)
{
	CHECK(look(2, 70, 0, 50, 0) == KILL_NONE);
	CHECK(look(2, 10, 120, 101, 90) == KILL_NONE);
}

/* Files from before are charged to nobody in the group, so the sum does not hold them. */
TEST(files_from_before_hide_no_memory)
{
	own(fake) f;
	struct watch w;

	open_fake(&f, 2);
	put_memory(&f, 80, 0, 81);
	begin(&w, &f);
	w.disk_at_start = w.disk_now = 90 * MIB;
	CHECK(watch_look(&w, w.next_us, -1) == KILL_MEMORY);
}

/* What a program's end says that died of this signal. */
static enum kill_reason reason_of(int signal, bool disk_full)
{
	own(fake) f;
	struct watch w;
	struct outcome o = {.end = END_SIGNALLED, .signal = signal};

	open_fake(&f, 2);
	begin(&w, &f);
	w.seen.disk_full = disk_full;
	watch_finish(&w, -1, &o);
	return o.killed_for;
}

TEST(a_signal_alone_proves_no_limit)
{
	CHECK(reason_of(SIGXFSZ, false) == KILL_SIGNAL);
	CHECK(reason_of(SIGXFSZ, true) == KILL_DISK);
	CHECK(reason_of(SIGXCPU, false) == KILL_SIGNAL);
	CHECK(reason_of(SIGKILL, true) == KILL_SIGNAL);
	CHECK(reason_of(SIGSYS, false) == KILL_VIOLATION);
}

/* What the account says after a process of that size, with a group that was charged so much. */
static uint64_t peak_of(unsigned largest, const char *charged, unsigned files)
{
	own(fake) f;
	struct watch w;
	struct outcome o = {.end = END_EXITED};

	open_fake(&f, 2);
	if (charged)
		put(&f, "memory.peak", charged);
	begin(&w, &f);
	w.disk_now = (uint64_t)files * MIB;
	o.usage.memory_peak_bytes = (uint64_t)largest * MIB;
	watch_finish(&w, -1, &o);
	return o.usage.memory_peak_bytes / MIB;
}

TEST(the_peak_is_the_smaller_of_two_marks)
{
	CHECK(peak_of(10, "4194304", 0) == 4); /* mapped files are not its memory */
	CHECK(peak_of(10, "40000000", 0) == 10);
	CHECK(peak_of(10, "41943040", 36) == 4); /* nor are files in /work */
	CHECK(peak_of(10, NULL, 0) == 10);
}

static uint64_t time_to_next(unsigned private)
{
	own(fake) f;
	struct watch w;
	uint64_t now = START + 5000000;

	open_fake(&f, 2);
	put_memory(&f, private, 0, private);
	begin(&w, &f);
	CHECK(watch_look(&w, now, -1) == KILL_NONE);
	CHECK(w.seen.memory_peak_bytes == (uint64_t) private * MIB);
	return w.next_us - now;
}

TEST(the_less_is_left_the_sooner_it_looks_again)
{
	CHECK(time_to_next(0) > time_to_next(32));
	CHECK(time_to_next(32) > time_to_next(60));
	CHECK(time_to_next(32) < 10000);
	CHECK(time_to_next(64) >= EARLIER_US); /* looking has its price */
	CHECK(time_to_next(0) <= 100000);
}

/* Are the groups that waited still there for the call? */
static bool kept_for_call(int version, unsigned killed)
{
	own(fake) f;
	struct watch w;
	char text[64];

	open_fake(&f, version);
	(void)snprintf(text, sizeof(text), "oom_kill_disable 0\noom_kill %u\n", killed);
	put(&f, version == 2 ? "memory.events" : "memory.oom_control", text);
	watch_init(&w);
	w.next = f.group;
	w.next_open = true;
	watch_drop_spoiled(&w);
	return w.next_open;
}

TEST(a_kill_before_the_call_is_not_the_calls)
{
	for (int version = 1; version <= 2; version++) {
		CHECK(kept_for_call(version, 0));
		CHECK(!kept_for_call(version, 1));
	}
}
