/* SPDX-License-Identifier: Apache-2.0 */
/* rolelog.h - what roles write to their standard error, line by line and harmless. */
#ifndef SERVE_ROLES_ROLELOG_H
#define SERVE_ROLES_ROLELOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "serve/loop.h"

enum { ROLELOG_LINE_MAX = 1000, ROLELOG_KEPT_MAX = 4000 };

/* Roles get a pipe and not our terminal: it could be written into, and typed on. */
struct rolelog {
	const char *name; /* whose lines they are */
	int from, to;     /* to: every process of that role has it */
	struct loop *loop;
	struct loop_watch watch;
	char line[ROLELOG_LINE_MAX];
	size_t len;
	/* One that is started again and again says the same each time: then once a minute is
	 * enough, with how often it was. */
	bool sparing;
	char said[ROLELOG_LINE_MAX];
	size_t said_len;
	uint64_t said_us, unsaid;
	struct buf kept; /* limit 0: nothing is */
};

int rolelog_open(struct rolelog *r, struct loop *l, const char *name, struct error *err);
/* From now on lines are kept, beside being printed, and those of before are not any more. */
void rolelog_keep(struct rolelog *r);
/* All that was written until now is read; what was kept, "; " between lines.  Never NULL. */
const char *rolelog_kept(struct rolelog *r);
/* Also prints what is there still. */
void rolelog_close(struct rolelog *r);

#endif
