/* SPDX-License-Identifier: Apache-2.0 */
/* ceiling_fuzz.c - the lines of a ceiling, from any bytes. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "call/limits.h"
#include "sandbox/ceiling.h"

/* What no line named is refused, whatever else stands there. */
static void check_refusals(const struct ceiling *c)
{
	struct profile p = {.n_grants = 1};
	struct limits l;
	struct error err = {0};

	limits_default(&l);
	if (!c->session_wall_ms)
		assert(ceiling_allows_limits(c, &l, true, &err) < 0);
	if (c->limits_named != (1u << limit_row_count) - 1)
		assert(ceiling_allows_limits(c, &l, false, &err) < 0);
	p.grants[0] = (struct grant){.source = "/a/../etc", .inside = "/x"};
	assert(ceiling_allows_profile(c, &p, &err) < 0);
	p.grants[0].source = "/etc";
	if (c->n_paths == 0)
		assert(ceiling_allows_profile(c, &p, &err) < 0);
	p.n_grants = 0;
	assert((ceiling_allows_profile(c, &p, &err) == 0) == c->host_root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ceiling c = {0};
	struct error err = {0};

	if (ceiling_parse((const char *)data, size, &c, &err) < 0) {
		assert(err.kind != ERR_NONE && !c.text);
		return 0;
	}
	assert(c.slots <= CEILING_SLOTS_MAX && c.n_paths <= CEILING_PATHS_MAX);
	for (size_t i = 0; i < c.n_paths; i++)
		assert(c.paths[i].path[0] == '/' && !strstr(c.paths[i].path, "/../"));
	check_refusals(&c);
	ceiling_done(&c);
	return 0;
}
