/* SPDX-License-Identifier: Apache-2.0 */
/* warmstandard.c - what waits for code where nobody says otherwise. */
#include "call/warmstandard.h"

#include <assert.h>

#include "base/own.h"

/* What snippets begin with most often.  Not hashlib, ssl, uuid or tempfile: they load OpenSSL,
 * which has random state of its own; and nothing that opens a file or starts a thread. */
const char *const warm_standard_modules[WARM_STANDARD_MODULES] = {
	"json",        "re",       "datetime",  "random",    "statistics", "math",
	"collections", "copy",     "itertools", "functools", "operator",   "string",
	"textwrap",    "time",     "typing",    "decimal",   "fractions",  "heapq",
	"bisect",      "calendar", "csv",       "base64",    "io",         "dataclasses",
};
static_assert(ARRAY_LEN(warm_standard_modules) <= WARM_MODULES_MAX, "all of them can be asked for");

static const char *const programs[] = {
	[WARM_PYTHON] = "python3",
	[WARM_NODE] = "node",
};
static_assert(ARRAY_LEN(programs) == WARM_COUNT, "one for each kind");

const char *warm_standard_program(enum warm_kind kind)
{
	return (unsigned)kind < WARM_COUNT ? programs[kind] : NULL;
}

void warm_standard(enum warm_kind kind, struct warm *ret)
{
	*ret = (struct warm){
		.kind = kind,
		.program = warm_standard_program(kind),
		.calls = WARM_STANDARD_CALLS,
		.age_ms = WARM_STANDARD_AGE_MS,
	};
	for (; kind == WARM_PYTHON && ret->n_modules < WARM_STANDARD_MODULES; ret->n_modules++)
		ret->modules[ret->n_modules] = warm_standard_modules[ret->n_modules];
}
