/* SPDX-License-Identifier: Apache-2.0 */
/* aide.h - a belljar-gate beside us, for what belljar run has no parsers for.
 *
 * It is started when it is first asked something, which most runs never do.
 */
#ifndef ONESHOT_AIDE_H
#define ONESHOT_AIDE_H

#include <sys/types.h>

#include "oneshot/aidetalk.h"

struct aide {
	int (*find)(char *ret, size_t room, struct error *err); /* belljar-gate */
	const char *policy; /* the policy file; NULL: built in */
	int sock;           /* -1: not started */
	pid_t pid;
	struct aide_message *message;
};

typedef void aide_sink(void *to, const char *data, size_t len);

void aide_init(struct aide *a, int (*find)(char *ret, size_t room, struct error *err),
	       const char *policy);
void aide_close(struct aide *a);

int aide_judge(struct aide *a, const struct run_ask *ask, struct run_rules *ret, struct error *err);
/* A piece of a stream; end: it is the last one. */
struct aide_text {
	enum aide_stream stream;
	const char *data;
	size_t len;
	bool end;
};

/* Who gets clean text. */
struct aide_ear {
	aide_sink *sink;
	void *to;
};

/* Clean text goes to the ear, as far as it is known to be clean; with end all of it. */
int aide_clean(struct aide *a, const struct aide_text *text, const struct aide_ear *ear,
	       struct error *err);
/* How often each rule has replaced something; at most room of them, returns how many. */
ssize_t aide_counts(struct aide *a, struct aide_count *ret, size_t room, struct error *err);

#endif
