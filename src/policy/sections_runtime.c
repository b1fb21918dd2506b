/* SPDX-License-Identifier: Apache-2.0 */
/* sections_runtime.c - the rows of what runs code. */
#include <assert.h>

#include "base/own.h"
#include "policy/reader.h"

static const char *const language_words[] = {
	[WARM_PYTHON] = "python",
	[WARM_NODE] = "node",
	NULL,
};
static_assert(ARRAY_LEN(language_words) == WARM_COUNT + 1, "one word per kind");

static const struct setting rows[] = {
	{.key = "language",
	 .type = SET_WORD,
	 .offset = offsetof(struct runtime, language),
	 .required = true,
	 .words = language_words,
	 .example = "python",
	 .help = "Which language it runs."},
	{.key = "program",
	 .type = SET_TEXT,
	 .offset = offsetof(struct runtime, program),
	 .min = 1,
	 .max = 1000,
	 .example = "/opt/science/bin/python",
	 .help = "The interpreter: a name that is found in the box, or its path there, such as the "
		 "bin/python of a virtual environment that the tool may read.  Without it: "
		 "python3 or node.  It runs every call of the tools that name this runtime, warm "
		 "or not."},
	{.key = "modules",
	 .type = SET_TEXTS,
	 .offset = offsetof(struct runtime, modules),
	 .max = WARM_MODULES_MAX,
	 .example = "[json, re, numpy]",
	 .help = "For python: what is imported before a call comes.  The code has still to import "
		 "it, which then takes no time; what it may import is up to screen, not to this "
		 "list.  One that cannot be imported makes every call start cold."},
	{.key = "env",
	 .type = SET_OWN,
	 .offset = offsetof(struct runtime, env),
	 .read = own_runtime_env,
	 .form = "{\"type\": \"object\", \"maxProperties\": 32, \"additionalProperties\": "
		 "{\"type\": [\"string\", \"number\", \"boolean\"]}}",
	 .example = "{ OMP_NUM_THREADS: \"1\" }",
	 .help = "Variables for what waits, and for every call that it runs.  Those that are read "
		 "when an interpreter or its libraries start, PYTHON..., LANG, LC_..., LD_..., "
		 "MALLOC_..., belong here: a call that has others starts cold.  No secrets: they "
		 "would be there before it is known who calls, and are not cut out of output; a "
		 "tool has secrets for that."},
	{.key = "calls",
	 .type = SET_COUNT,
	 .offset = offsetof(struct runtime, calls),
	 .min = 1,
	 .max = 1000000,
	 .standard = "1000",
	 .example = "100",
	 .help = "After how many calls a new interpreter takes the place of the one they were "
		 "forked from."},
	{.key = "age",
	 .type = SET_MS,
	 .offset = offsetof(struct runtime, age_ms),
	 .min = 1000,
	 .max = 86400000,
	 .standard = "10m",
	 .example = "1h",
	 .help = "Or how old it becomes."},
};

const struct section runtime_section = {
	.name = "runtime",
	.about = "What runs the code of one language, and what of it waits for calls.  What waits "
		 "never holds anything of a caller's.",
	.rows = rows,
	.n_rows = ARRAY_LEN(rows),
	.size = sizeof(struct runtime),
	.name_offset = offsetof(struct runtime, name),
	.place_offset = offsetof(struct runtime, place),
	.finish = finish_runtime,
};
