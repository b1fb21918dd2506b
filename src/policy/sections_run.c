/* SPDX-License-Identifier: Apache-2.0 */
/* sections_run.c - the rows about belljar run, which calls no tool. */
#include <assert.h>
#include <stdio.h>

#include "base/own.h"
#include "call/limits.h"
#include "call/runrules.h"
#include "policy/reader.h"

enum { LIMITS_COUNT = sizeof(struct limits) / sizeof(uint64_t) };

/* Made from call/limits.c.  They have no standard: what is not said has no ceiling of ours. */
static struct setting most_settings[LIMITS_COUNT];
static char most_keys[LIMITS_COUNT][32], most_examples[LIMITS_COUNT][32];

static void make_most(const struct limit_row *from, size_t at)
{
	static const enum setting_type types[] = {
		[UNIT_MS] = SET_MS, [UNIT_BYTES] = SET_BYTES, [UNIT_COUNT] = SET_COUNT};
	char *key = most_keys[at];

	(void)snprintf(key, sizeof(most_keys[at]), "%s", from->name);
	for (; *key; key++)
		if (*key == '-')
			*key = '_';
	(void)snprintf(most_examples[at], sizeof(most_examples[at]), "%llu%s",
		       (unsigned long long)from->standard, from->unit == UNIT_MS ? "ms" : "");
	most_settings[at] = (struct setting){
		.key = most_keys[at],
		.type = types[from->unit],
		.offset = from->offset,
		.min = from->min,
		.max = from->max,
		.example = most_examples[at],
		.help = "No more than that may be asked for.",
	};
}

/* Before main(): whoever looks at the rows finds all of them. */
__attribute__((constructor)) static void make_all(void)
{
	assert(limit_row_count == LIMITS_COUNT);
	for (size_t i = 0; i < limit_row_count; i++)
		make_most(&limit_rows[i], i);
}

static const struct section most_section = {
	.name = "run limits",
	.about =
		"The most that belljar run may be asked for; what is not said is up to the caller.",
	.rows = most_settings,
	.n_rows = LIMITS_COUNT,
	.size = sizeof(struct limits),
	.place_offset = SIZE_MAX,
};

static const char *const modes[] = {"on", "off", NULL};

static const struct setting rows[] = {
	{.key = "mode",
	 .type = SET_EITHER,
	 .offset = offsetof(struct run_policy, off),
	 .words = modes,
	 .standard = "on",
	 .example = "off",
	 .help = "off: belljar run is refused; only tools can be called."},
	{.key = "limits",
	 .type = SET_SECTION,
	 .offset = offsetof(struct run_policy, most),
	 .section = &most_section,
	 .example = "{ wall: 60s, memory: 1G }",
	 .help = "The most that may be asked for, one by one."},
	{.key = "may",
	 .type = SET_TEXTS,
	 .offset = offsetof(struct run_policy, may),
	 .max = RUN_USE_COUNT,
	 .words = run_use_names,
	 .example = "[read, put, get, env, stdin]",
	 .help = "Options that may be used, of those that reach out of the box or loosen "
		 "something: "
		 "--read, --write, --put, --get, --env, --stdin, --root, --loopback, --proc, "
		 "--cgroup, degraded (--allow-degraded) and raw (--no-redact).  All of them if it "
		 "is "
		 "not said; none with an empty list."},
	{.key = "redact",
	 .type = SET_SECTION,
	 .offset = offsetof(struct run_policy, redact),
	 .section = &redact_section,
	 .example = "{ groups: [standard, email] }",
	 .help = "Redaction of what it prints, of files that come out and of what is written down; "
		 "what is not said is as in defaults."},
};

const struct section run_section = {
	.name = "run",
	.about = "belljar run, which takes its program from whoever types it.  It has that user's "
		 "rights and no more, so these rows keep people from mistakes; they do not keep "
		 "anybody out who can run programs without belljar.",
	.rows = rows,
	.n_rows = ARRAY_LEN(rows),
	.size = sizeof(struct run_policy),
	.place_offset = offsetof(struct run_policy, place),
	.finish = finish_run,
};
