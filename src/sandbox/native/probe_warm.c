/* SPDX-License-Identifier: Apache-2.0 */
/* probe_warm.c - does an interpreter wait for calls here, and what does that cost?
 *
 * A slot as the service keeps them, with what waits where nobody says otherwise;
 * a script that does nothing is run until two in a row were waited for.
 */
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/text.h"
#include "call/language.h"
#include "call/limits.h"
#include "call/warmstandard.h"
#include "sandbox/native/grants.h"
#include "sandbox/native/probe_parts.h"
#include "sandbox/native/programs.h"
#include "sandbox/native/slot.h"

enum { PATIENCE_MS = 5000, WALL_MS = 10000, BETWEEN_MS = 150, TWICE = 2, NOBODY = 5 };

struct trial {
	struct slot *slot;
	const struct job *job;
	enum warm_kind kind;
	int null;
	struct outcome outcome; /* of the last call */
	unsigned waited;        /* calls in a row that something waited for */
	unsigned nobody;        /* that nobody was meant to wait for */
};

/* Between calls the slot makes what the next one will find. */
static void let_it_work(struct trial *t, uint64_t ms)
{
	uint64_t until = clock_us() + ms * 1000, now;

	while ((now = clock_us()) < until) {
		struct pollfd fd = {.fd = slot_fd(t->slot), .events = POLLIN};

		(void)poll(&fd, 1, (int)((until - now) / 1000) + 1);
		(void)slot_step(t->slot);
	}
}

static int run_once(struct trial *t, struct error *err)
{
	const int io[3] = {t->null, t->null, t->null};
	own_fd work = -1;

	if (slot_start(t->slot, t->job, io, err) < 0)
		return -1;
	while (!slot_step(t->slot)) {
		struct pollfd fd = {.fd = slot_fd(t->slot), .events = POLLIN};

		(void)poll(&fd, 1, slot_wait_ms(t->slot));
	}
	slot_finish(t->slot, &t->outcome, &work);
	if (t->outcome.end != END_EXITED || t->outcome.exit_code != 0)
		return fail(err, ERR_SYSTEM, "a script that does nothing did not end well: %.120s",
			    t->outcome.error.text[0] ? t->outcome.error.text : "it was killed");
	t->waited = t->outcome.start.how == START_WAITING ? t->waited + 1 : 0;
	t->nobody += t->waited == 0 && !t->outcome.start.why_cold[0];
	slot_prepare(t->slot);
	return 0;
}

/* Where no group counts memory, no Python is forked for a call: what it shares with what it was
 * forked from would count as its own.  A node is started, and shares nothing. */
static bool can_wait(const struct trial *t)
{
	return (t->kind == WARM_NODE || t->outcome.layers[LAYER_MEMORY].state == LAYER_FULL) &&
	       t->nobody < NOBODY && slot_is_usable(t->slot);
}

static int try(struct trial *t, struct error *err)
{
	uint64_t until = clock_us() + PATIENCE_MS * 1000ULL;

	slot_prepare(t->slot);
	do {
		let_it_work(t, BETWEEN_MS);
		if (run_once(t, err) < 0)
			return -1;
	} while (t->waited < TWICE && clock_us() < until && can_wait(t));
	let_it_work(t, BETWEEN_MS);
	return 0;
}

static const char *const fixes[] = {
	[WARM_PYTHON] =
		"they run all the same, only later.  Python must be 3.9 or newer, and memory "
		"must be limited by a control group:\nsee the rows python3 and memory above",
	[WARM_NODE] = "they run all the same, only later; belljar run --lang node -c 0 shows how "
		      "node does in a box",
};
static_assert(ARRAY_LEN(fixes) == WARM_COUNT, "one for each kind");

static void judge(const struct trial *t, enum warm_kind kind, struct finding *ret)
{
	const struct start *s = &t->outcome.start;
	char baseline[32], waiting[32];

	if (t->waited < TWICE) {
		found(ret, CHECK_DEGRADED, "calls of %s start %s: %.90s", warm_kind_name(kind),
		      start_how_name(s->how),
		      s->why_cold[0]            ? s->why_cold
		      : s->how == START_WAITING ? "but not each of them"
						: "nothing waited for them");
		fix(ret, "%s", fixes[kind]);
		return;
	}
	ret->baseline_bytes = s->baseline_bytes;
	ret->waiting_bytes = probe_waiting_bytes();
	text_human_bytes(ret->baseline_bytes, baseline, sizeof(baseline));
	text_human_bytes(ret->waiting_bytes, waiting, sizeof(waiting));
	found(ret, CHECK_OK, "began after %.2f ms%s%s%s%s", (double)t->outcome.setup_us / 1000,
	      s->baseline_bytes ? "; each place for calls keeps an interpreter of " : "",
	      s->baseline_bytes ? baseline : "", ret->waiting_bytes ? "; what waits adds " : "",
	      ret->waiting_bytes ? waiting : "");
}

static void look(struct profile *profile, struct finding *ret)
{
	/* Python would have a fresh interpreter read what is no plain file. */
	static char script[] = "/dev/null", option[] = "-c", nothing[] = "pass";
	enum warm_kind kind = profile->warm.kind;
	const struct language *language;
	char *own[WARM_ENV_MAX + 1] = {NULL}, *env[WARM_ENV_MAX + ENVIRONMENT_OWN];
	char *argv[4] = {NULL};
	struct job job = {.argv = argv, .env = env};
	struct trial t = {.job = &job, .kind = kind};
	own_fd null = open("/dev/null", O_RDWR | O_CLOEXEC);
	own_slot slot = NULL;
	struct error err = {0};

	language = language_find(warm_kind_name(kind), &err);
	for (size_t i = 0; i < profile->warm.n_env; i++)
		own[i] = (char *)(uintptr_t)profile->warm.env[i];
	profile->allow_degraded = UINT32_MAX;
	limits_default(&job.limits);
	job.limits.wall_ms = WALL_MS;
	argv[0] = (char *)(uintptr_t)profile->warm.program;
	argv[1] = kind == WARM_PYTHON ? option : script;
	argv[2] = kind == WARM_PYTHON ? nothing : NULL;
	environment_build(language, own, env);
	t.null = null;
	if (slot_open(profile, &job.limits, SLOT_RESIDENT, &slot, &err) == 0) {
		t.slot = slot;
		if (try(&t, &err) == 0) {
			judge(&t, kind, ret);
			return;
		}
	}
	found(ret, CHECK_DEGRADED, "%.220s", err.text);
	fix(ret, "if the row box is fine: belljar run --lang %s -c 0 says more",
	    warm_kind_name(kind));
}

void look_warm(const struct check *self, struct finding *ret)
{
	enum warm_kind kind = (enum warm_kind)self->arg;
	const char *program = warm_standard_program(kind);
	own_mem struct profile *profile = calloc(1, sizeof(*profile));

	if (!programs_exist("", program)) {
		found(ret, CHECK_INFO, "there is no %s that could wait", program);
		fix(ret, "apt install %s", kind == WARM_NODE ? "nodejs" : program);
	} else if (profile) {
		warm_standard(kind, &profile->warm);
		look(profile, ret);
	}
}

void probe_warm(const struct warm *warm, const char *read, struct finding *ret)
{
	own_mem struct profile *profile = calloc(1, sizeof(*profile));

	if (!programs_exist("", warm->program)) {
		found(ret, CHECK_DEGRADED, "there is no %.120s that could wait", warm->program);
		fix(ret, "%s",
		    grants_come_late(warm->program)
			    ? "keep it elsewhere: what is beneath /tmp, /var/tmp or /work is "
			      "in a box only when a call is"
			    : "install it, or name another one in the policy's runtimes");
	} else if (profile) {
		profile->warm = *warm;
		profile->grants[0] = (struct grant){.source = read, .inside = read};
		profile->n_grants = read != NULL;
		look(profile, ret);
	}
}
