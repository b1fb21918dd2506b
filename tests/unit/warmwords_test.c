/* SPDX-License-Identifier: Apache-2.0 */
/* warmwords_test.c - what waits in a slot, as words: written, read again, and refused elsewhere. */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "cli/options.h"
#include "cli/warden.h"
#include "lib/slotwords.h"
#include "tap.h"

static const struct profile usual = {
	.warm =
		{
			.kind = WARM_PYTHON,
			.program = "/opt/v/bin/python",
			.modules = {"json", "os.path"},
			.n_modules = 2,
			.env = {"A=b c=d", "B="},
			.n_env = 2,
			.calls = 7,
			.age_ms = 1500,
		},
};

static struct run_options o;

/* As belljar slot reads them, or as belljar run would. */
static int read_words(const struct profile *p, bool for_slot, struct error *err)
{
	static struct slotwords words;

	slotwords_end(&words);
	options_done(&o);
	o = (struct run_options){0};
	options_init(&o);
	o.for_slot = for_slot;
	slotwords_add(&words, "belljar");
	if (slotwords_profile(&words, p, err) < 0 || options_parse(&o, words.words, err) < 0)
		return -1;
	return options_check_warm(&o.request.profile.warm, err);
}

TEST(what_is_written_is_read_as_it_was)
{
	const struct warm *w = &o.request.profile.warm;
	struct error err = {0};

	CHECK(read_words(&usual, true, &err) == 0);
	CHECK(w->kind == WARM_PYTHON && strcmp(w->program, "/opt/v/bin/python") == 0);
	CHECK(w->n_modules == 2 && strcmp(w->modules[1], "os.path") == 0);
	CHECK(w->n_env == 2 && strcmp(w->env[0], "A=b c=d") == 0 && strcmp(w->env[1], "B=") == 0);
	CHECK(w->calls == 7 && w->age_ms == 1500);
	CHECK(read_words(&(struct profile){0}, true, &err) == 0 && w->kind == WARM_NOT);
}

TEST(as_much_as_there_may_be_finds_room)
{
	struct profile *p = calloc(1, sizeof(*p));
	const struct warm *w = &o.request.profile.warm;
	struct error err = {0};

	*p = usual;
	for (p->warm.n_modules = 0; p->warm.n_modules < WARM_MODULES_MAX; p->warm.n_modules++)
		p->warm.modules[p->warm.n_modules] = "m";
	for (p->warm.n_env = 0; p->warm.n_env < WARM_ENV_MAX; p->warm.n_env++)
		p->warm.env[p->warm.n_env] = "A=1";
	for (; p->n_programs < PROGRAMS_MAX; p->n_programs++)
		p->programs[p->n_programs] = "x";
	for (; p->n_grants < GRANTS_MAX; p->n_grants++)
		p->grants[p->n_grants] =
			(struct grant){.source = "/a", .inside = "/b", .dev = 1, .ino = 1};
	p->allow_degraded = (1u << LAYER_COUNT) - 1;
	CHECK(read_words(p, true, &err) == 0);
	CHECK(w->n_modules == WARM_MODULES_MAX && w->n_env == WARM_ENV_MAX);
	free(p);
}

TEST(belljar_run_does_not_know_them)
{
	static const char *const names[] = {"warm",     "warm-program", "warm-module",
					    "warm-env", "warm-calls",   "warm-age"};
	enum option_use use;
	struct error err = {0};

	CHECK(read_words(&usual, false, &err) < 0 && err.kind == ERR_CALLER);
	CHECK(strstr(err.text, "there is no option --warm"));
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		CHECK(options_set(&o, names[i], "1", &use, &err) < 0 && err.kind == ERR_CALLER);
}

static int parse(const char *const *words, struct error *err)
{
	options_done(&o);
	o = (struct run_options){0};
	options_init(&o);
	o.for_slot = true;
	if (options_parse(&o, (char **)(uintptr_t)words, err) < 0)
		return -1;
	return options_check_warm(&o.request.profile.warm, err);
}

static bool refused(const char *one, const char *other)
{
	const char *words[] = {"belljar",
			       "--warm=python",
			       "--warm-program=p",
			       "--warm-calls=1",
			       "--warm-age=1s",
			       one,
			       other,
			       NULL};
	struct error err = {0};

	return parse(words, &err) < 0;
}

TEST(half_of_it_is_refused)
{
	const char *alone[] = {"belljar", "--warm-module=json", NULL};
	const char *too_few[] = {"belljar", "--warm=python", NULL};
	struct error err = {0};

	CHECK(!refused(NULL, NULL));
	CHECK(refused("--warm=ruby", NULL) && refused("--warm=no", NULL));
	CHECK(refused("--warm-calls=0", NULL) && refused("--warm-calls=1000001", NULL));
	CHECK(refused("--warm-age=0", NULL) && refused("--warm-age=2d", NULL));
	CHECK(refused("--warm-env=A", NULL) && refused("--warm-env=1=2", NULL));
	CHECK(refused("--warm-program=", NULL) && refused("--warm-module=", NULL));
	CHECK(refused("--warm=node", "--warm-module=fs"));
	CHECK(parse(alone, &err) < 0 && strstr(err.text, "--warm is missing"));
	CHECK(parse(too_few, &err) < 0 && strstr(err.text, "--warm needs"));
}
