/* SPDX-License-Identifier: Apache-2.0 */
/* filled.c - a request in a box that was filled before it came.
 *
 * So every program that attacks a box can attack one in which somebody waited: whatever is between
 * it and the host was put up around that process.  The account says who it was.
 */
#include "filled.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "sandbox/native/slot_state.h"
#include "sandbox/serve.h"

enum { PATIENCE_US = 10000000, NO_PATIENCE_US = 300000, WORDS_MAX = 4096 };

bool filled_wanted(void)
{
	return getenv("BOX_WARM") != NULL;
}

/* A list of programs without Python has none to fork. */
bool filled_by_python(const struct request *r)
{
	const char *how = getenv("BOX_WARM");

	return how && strcmp(how, "python") == 0 && r->profile.n_programs == 0 &&
	       !r->profile.loopback;
}

char **filled_words(char **command)
{
	static char program[] = "python3", option[] = "-c",
		    text[] = "import os,sys\nos.execvp(sys.argv[1],sys.argv[1:])";
	static char *words[WORDS_MAX] = {program, option, text};
	size_t n = 3;

	while (*command && n < WORDS_MAX - 1)
		words[n++] = *command++;
	return words;
}

/* With such grants there is no warm interpreter, and none will come. */
static bool hopeless(const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_grants; i++)
		if (profile->grants[i].write || strncmp(profile->grants[i].inside, "/usr/", 5) == 0)
			return true;
	return false;
}

/* Orders are obeyed in turn: a bare process need not be waited for, an interpreter must. */
static void settle(struct slot *slot, bool python)
{
	uint64_t until = clock_us() + (hopeless(&slot->profile) ? NO_PATIENCE_US : PATIENCE_US),
		 now;

	slot_prepare(slot);
	while (python && !slot->warm && (now = clock_us()) < until && slot_is_usable(slot)) {
		struct pollfd fd = {.fd = slot_fd(slot), .events = POLLIN};

		(void)poll(&fd, 1, (int)((until - now + 999) / 1000));
		(void)slot_step(slot);
	}
}

int filled_run(struct request *r, struct account *ret, struct error *err)
{
	bool python = filled_by_python(r);
	own_slot slot = NULL;

	if (python)
		r->profile.warm = (struct warm){.kind = WARM_PYTHON, .program = "python3"};
	/* With a network that carries packets there is one slot for one call: nobody waits. */
	if (serve_prepare(r, ret, err) < 0 ||
	    slot_open(&r->profile, &r->job.limits, r->profile.loopback ? SLOT_ONCE : SLOT_RESIDENT,
		      &slot, err) < 0) {
		serve_refuse(ret, err);
		return 0;
	}
	if (!r->profile.loopback)
		settle(slot, python);
	return sandbox_run_in(slot, r, ret, err);
}
