/* SPDX-License-Identifier: Apache-2.0 */
/* attack.h - escape attempts that are run inside a real box to see which walls hold.
 *
 * Every attempt can fail to be stopped: outside a box, with enough privileges,
 * it reports that the wall fell (tests/unit/attack_test.c does that).  None of
 * them does damage if it succeeds: what is dangerous is asked for with
 * arguments that cannot take effect, so that only the refusal is tested.
 */
#ifndef NATIVE_ATTACK_H
#define NATIVE_ATTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "call/call.h"

/* Zero: an attack that nobody judged got through. */
enum attack_state {
	ATTACK_FELL = 0,
	ATTACK_HELD,
	ATTACK_SKIPPED, /* cannot be tried on this machine */
	ATTACK_STATE_COUNT
};

struct attack_result {
	enum attack_state state;
	char detail[120];
};

enum { BAIT_PATHS_MAX = 16 };
/* Files that host and box both have by name; NULL-terminated. */
extern const char *const bait_paths[];

/* Things of the host's that a box must not reach, laid out before it starts. */
struct bait {
	char secret[40];  /* what the file says, and a variable of our environment */
	char file[64];    /* readable by everybody */
	char socket[56];  /* abstract, listening */
	char queue[56];   /* a POSIX message queue, open to everybody */
	char host[65];    /* the host's name */
	uint64_t port;    /* TCP on 127.0.0.1, listening */
	uint64_t segment; /* a System V shared memory id, open to everybody */
	uint64_t pid;     /* of a process outside */
	uint64_t processes, disk_bytes, inodes, files, memory_bytes; /* the box's limits */
	int held_fd, listener, stream;                               /* kept by bait_set */
	void *attached;
	int locks[BAIT_PATHS_MAX]; /* shared locks on bait_paths */
	pid_t toucher;             /* opens bait_paths all the time; its pid is the bait's */
};

int bait_set(struct bait *ret, const struct limits *limits, struct error *err);
void bait_clear(struct bait *bait);
void bait_end(struct bait *bait); /* for own(bait) */

enum { BAIT_ENV_MAX = 16 };
/* The way into the box: variables named BAIT_... */
struct bait_env {
	char text[BAIT_ENV_MAX][96];
	char *list[BAIT_ENV_MAX + 1]; /* NULL-terminated; points into text */
};
void bait_to_env(const struct bait *bait, struct bait_env *ret);
int bait_from_env(struct bait *ret, struct error *err);

enum attack_place {
	PLACE_SHARED = 0, /* one after the other in one box, each in a child */
	PLACE_RUNNER,     /* in the process that starts the others */
	PLACE_ALONE,      /* in a box of its own, which may be killed for it */
};

struct attack {
	const char *name;
	const char *wall;
	const char *what;
	void (*attempt)(const struct attack *self, const struct bait *bait,
			struct attack_result *r);
	long args[7]; /* a system call's number and arguments, for refused_call */
	enum attack_place place;
	enum kill_reason kill; /* PLACE_ALONE: being killed for this is holding */
};

extern const struct attack attacks[];
extern const size_t attack_count;
enum { ATTACK_MAX = 160 };

const char *attack_state_name(enum attack_state state);
const struct attack *attack_find(const char *name);

/* One attack, in a child unless its place is the runner. */
void attack_try(const struct attack *attack, const struct bait *bait, struct attack_result *ret);
/* Inside: tries the named one, or with NULL all that share a box; one line each on stdout. */
int attack_inside(const char *name, const struct bait *bait, struct error *err);

/* Outside: reads those lines.  Results of attacks that are not mentioned stay as they are; a line
 * that is not exactly "NAME held|FELL|skip DETAIL", an unknown name or a second report fails. */
int attack_parse(const char *text, size_t len, struct attack_result *results, struct error *err);
/* Outside: a box of its own was needed; what became of it decides. */
void attack_judge_alone(const struct attack *attack, const struct account *account,
			struct attack_result *ret);

#endif
