/* SPDX-License-Identifier: Apache-2.0 */
/* wardenwords_fuzz.c - what a keeper sends the warden, from any bytes. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "cli/warden.h"
#include "lib/slotwords.h"

static const char lines[] = "root host\nread /data\nwrite /out\nloopback yes\n"
			    "warm python python3\nwarm_module json\nwarm_env A=1\n"
			    "warm_calls 5\nwarm_age_ms 1000\n";

/* What was allowed is what the slot will read, too. */
static void check_profile(const struct ceiling *c, const struct profile *p)
{
	own(slotwords) words = {0};
	struct error err = {0};

	assert(!p->root && !p->cgroup && !p->proc_full && !p->allow_degraded);
	for (size_t i = 0; i < p->n_grants; i++) {
		const struct grant *g = &p->grants[i];

		assert(strncmp(g->source, "/out", 4) == 0 ||
		       (!g->write && strncmp(g->source, "/data", 5) == 0));
		assert(!strstr(g->source, "/../") && !strstr(g->source, ":/"));
		assert(g->inside[0] == '/');
	}
	if (p->warm.kind != WARM_NOT)
		assert(p->warm.kind == WARM_PYTHON && strcmp(p->warm.program, "python3") == 0 &&
		       p->warm.n_modules == 1 && p->warm.n_env == 1 && p->warm.calls == 5 &&
		       strcmp(p->warm.modules[0], "json") == 0 &&
		       strcmp(p->warm.env[0], "A=1") == 0 && p->warm.age_ms == 1000);
	else
		assert(!p->warm.program && p->warm.n_modules == 0 && p->warm.n_env == 0);
	assert(ceiling_allows_profile(c, p, &err) == 0);
	assert(slotwords_profile(&words, p, &err) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ceiling c = {0};
	struct run_options *o = calloc(1, sizeof(*o));
	char *bytes = malloc(size + 1);
	struct words words = {0};
	struct error err = {0};

	if (!o || !bytes || ceiling_parse(lines, sizeof(lines) - 1, &c, &err) < 0)
		abort();
	memcpy(bytes, data, size);
	if (wardenwords_take(&c, bytes, size, o, &words, &err) == 0)
		check_profile(&c, &o->request.profile);
	else
		assert(err.kind != ERR_NONE);
	options_done(o);
	words_done(&words);
	ceiling_done(&c);
	free(bytes);
	free(o);
	return 0;
}
