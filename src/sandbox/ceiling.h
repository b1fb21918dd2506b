/* SPDX-License-Identifier: Apache-2.0 */
/* ceiling.h - the most that may ever be asked for, whoever asks.
 *
 * Lines of text, one space between words, a path is the rest of its line.
 * Nothing is allowed that no line names; an empty ceiling allows nothing.
 *
 *     slots 16                  so many slots at once
 *     limit wall_ms 30000       the most of each limit, by its name in JSON; all of them are needed
 *     session_wall_ms 3600000   wall time of a box that is kept; without it there are none
 *     session_cpu_ms 600000     its processor time; without it, that of the limit
 *     root host                 boxes with the host's programs
 *     root /srv/root            boxes with this private root
 *     read /data                this path and what lies beneath it, for reading
 *     under /data               the same
 *     write /srv/out            for writing, and for reading
 *     cgroup /sys/fs/cgroup/x   control groups beneath this one
 *     loopback yes
 *     proc_full yes
 *     degraded memory           boxes without this layer
 *     warm python python3       an interpreter that waits in a slot: its program, and, in
 *     warm_module json          the lines that follow, what it imports,
 *     warm_env TZ=UTC           its variables,
 *     warm_calls 1000           when it is replaced; both are needed.
 *     warm_age_ms 600000        Exactly that may be asked for, nothing like it.
 *
 * Paths are compared as text: absolute, without //, . and .., as the names that
 * a slot opens later through no link that a program could have left
 * (trustpath.h).  An unknown line, a repeated limit or a number that is none
 * spoils the whole.
 */
#ifndef SANDBOX_CEILING_H
#define SANDBOX_CEILING_H

#include "call/call.h"

enum { CEILING_TEXT_MAX = 1 << 20, CEILING_PATHS_MAX = 4096, CEILING_SLOTS_MAX = 2048 };
enum { CEILING_WARMS_MAX = 64 };

enum ceiling_place { PLACE_NONE = 0, PLACE_ROOT, PLACE_READ, PLACE_WRITE, PLACE_CGROUP };

struct ceiling_path {
	enum ceiling_place place;
	const char *path; /* into text */
};

/* All zeros allows nothing. */
struct ceiling {
	char *text; /* a copy, cut into words */
	struct ceiling_path *paths;
	size_t n_paths;
	struct warm *warms;
	size_t n_warms;
	uint64_t slots;
	struct limits limits;
	uint32_t limits_named; /* one bit per row of call/limits.h */
	uint64_t session_wall_ms, session_cpu_ms;
	bool host_root, loopback, proc_full;
	uint32_t degraded; /* one bit per enum layer */
};

/* ret is written on success only.  err names the line. */
int ceiling_parse(const char *text, size_t len, struct ceiling *ret, struct error *err);
void ceiling_done(struct ceiling *c);
void ceiling_end(struct ceiling *c); /* for own(ceiling) */

/* ERR_REFUSED: err names the line that would be needed, or that is exceeded. */
int ceiling_allows_root(const struct ceiling *c, const char *root, struct error *err);
int ceiling_allows_profile(const struct ceiling *c, const struct profile *p, struct error *err);
int ceiling_allows_limits(const struct ceiling *c, const struct limits *l, bool session,
			  struct error *err);
/* The most that a slot may be told later, call by call. */
void ceiling_limits(const struct ceiling *c, bool session, struct limits *ret);

#endif
