/* SPDX-License-Identifier: Apache-2.0 */
/* probe.h - what this host can do for a box, asked one question at a time.
 *
 * Whatever can be tried is tried, in a child that is killed after two seconds
 * and whose namespaces die with it; only what cannot be tried is read from
 * /proc.  Nothing is left behind.
 */
#ifndef NATIVE_PROBE_H
#define NATIVE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum check_state {
	CHECK_MISSING = 0, /* a layer, or the whole box, cannot be had */
	CHECK_DEGRADED,    /* works, but weaker or tighter than it could be */
	CHECK_OK,
	CHECK_INFO, /* worth knowing, decides nothing */
	CHECK_STATE_COUNT
};

struct finding {
	enum check_state state;
	char detail[240];
	char fix[720]; /* empty: nothing to do */
	/* Of an interpreter that waits: its memory, and what each process that waits for a call
	 * adds to it; 0: not measured. */
	uint64_t baseline_bytes, waiting_bytes;
};

/* What is lost when a check says missing. */
enum check_need {
	NEED_NOTHING = 0, /* a convenience */
	NEED_LAYER,       /* one layer: --allow-degraded can do without */
	NEED_BOX,         /* no box at all */
};

struct check {
	const char *id;
	const char *group;
	const char *title;
	enum check_need need;
	void (*look)(const struct check *self, struct finding *ret);
	long arg;           /* for look functions that serve several rows */
	const char *layers; /* when NEED_LAYER: as --allow-degraded wants them */
};

extern const struct check checks[];
extern const size_t check_count;

const char *check_state_name(enum check_state state);
void check_run(const struct check *check, struct finding *ret);

struct verdict_line {
	bool all_layers;
	char text[400];
};
/* Does such an interpreter wait for calls here, and what does it cost?  read: a directory of the host
 * that its boxes see, or NULL. */
struct warm;
void probe_warm(const struct warm *warm, const char *read, struct finding *ret);

/* One sentence from all findings (check_count of them). */
void probe_judge(const struct finding *findings, bool root_mode, struct verdict_line *ret);

#endif
