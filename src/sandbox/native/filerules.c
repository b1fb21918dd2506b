/* SPDX-License-Identifier: Apache-2.0 */
/* filerules.c - what the program of a box may do to which file, as Landlock rules.
 *
 * The same once more that the mounts say, for the case that a mount was wrong.
 */
#include "sandbox/native/filerules.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/landlock.h"

struct rules {
	const struct plan *plan;
	int ruleset, abi;
	unsigned execute; /* what may be read may be executed, unless programs are listed */
};

static int allow(const struct rules *r, const char *path, unsigned rights, struct error *err)
{
	own_fd fd = open(path, O_PATH | O_CLOEXEC);
	const struct landlock_rule rule = {.fd = fd, .rights = rights};

	if (fd < 0)
		return fail_sys(err, "open %s", path);
	return landlock_allow(r->ruleset, r->abi, &rule, err) < 0 ? fail_in(err, "%s", path) : 0;
}

static int allow_root(const struct rules *r, struct error *err)
{
	const struct needed_list *needed = &r->plan->needed;

	if (r->execute)
		return allow(r, "/", LANDLOCK_READ | LANDLOCK_EXECUTE | LANDLOCK_KNOWN, err);
	if (allow(r, "/", LANDLOCK_LIST, err) < 0 || allow(r, "/etc", LANDLOCK_READ, err) < 0)
		return -1;
	for (size_t i = 0; i < needed->n; i++)
		if (allow(r, needed->items[i].inside,
			  LANDLOCK_READ | (needed->items[i].execute ? LANDLOCK_EXECUTE : 0),
			  err) < 0)
			return -1;
	return 0;
}

static int allow_own(const struct rules *r, struct error *err)
{
	const struct {
		const char *path;
		unsigned rights;
	} rows[] = {
		{"/work", LANDLOCK_READ | LANDLOCK_WRITE | r->execute},
		{"/tmp", LANDLOCK_READ | LANDLOCK_WRITE | r->execute},
		{"/dev/shm", LANDLOCK_READ | LANDLOCK_WRITE},
		{"/proc", LANDLOCK_READ},
		/* All that is there: nobody can make more, and a rule for each would take longer.
		 */
		{"/dev", LANDLOCK_DEVICE},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (allow(r, rows[i].path, rows[i].rights | LANDLOCK_KNOWN, err) < 0)
			return -1;
	return 0;
}

static int allow_grants(const struct rules *r, struct error *err)
{
	const struct profile *profile = r->plan->profile;

	for (size_t i = 0; i < profile->n_grants; i++) {
		const struct grant *g = &profile->grants[i];
		unsigned rights = LANDLOCK_READ | r->execute | (g->write ? LANDLOCK_WRITE : 0);

		if (allow(r, g->inside, rights, err) < 0)
			return -1;
	}
	return 0;
}

int filerules_make(const struct plan *plan, struct board *board, int *ret_rules, struct error *err)
{
	int abi = 0;
	own_fd ruleset = landlock_open(plan->profile->loopback, &abi, err);
	const struct rules r = {plan, ruleset, abi,
				plan->profile->n_programs ? 0 : LANDLOCK_EXECUTE};

	*ret_rules = -1;
	if (ruleset < 0)
		return layer_missing(board, LAYER_LANDLOCK, NULL, err);
	if (allow_root(&r, err) < 0 || allow_own(&r, err) < 0 || allow_grants(&r, err) < 0)
		return -1;
	layer_stands(board, LAYER_LANDLOCK, "ABI %d", abi);
	*ret_rules = take_fd(&ruleset);
	return 0;
}
