/* SPDX-License-Identifier: Apache-2.0 */
/* boxtest.c - one box, one program: does this host let us?
 *
 * Nobody called it, so that it is no business of the policy's and not in the log.
 */
#include "serve/roles/boxtest.h"

#include <string.h>

#include "sandbox/sandbox.h"

static int parse(char **argv, uint32_t *ret, struct error *err)
{
	for (; argv[0] && argv[1]; argv += 2) {
		int layer = strcmp(argv[0], "--allow-degraded") == 0 ? layer_by_name(argv[1]) : -1;

		if (layer < 0)
			return fail(err, ERR_CALLER, "what is %s %s?", argv[0], argv[1]);
		*ret |= 1u << layer;
	}
	return argv[0] ? fail(err, ERR_CALLER, "what is %s?", argv[0]) : 0;
}

int boxtest_run(char **argv, struct profile *ret_profile, struct error *err)
{
	static char word[] = "true", *program[] = {word, NULL}, *nothing[] = {NULL};
	static struct request r;
	struct account account = {0};
	int result = 0;

	request_init(&r);
	r.job.argv = program;
	r.job.env = nothing;
	if (parse(argv, &r.profile.allow_degraded, err) < 0)
		return -1;
	*ret_profile = r.profile;
	if (sandbox_run(&r, &account, err) < 0)
		result = -1;
	else if (account.outcome.end == END_NOT_STARTED)
		*err = account.outcome.error, result = -1;
	else if (account.status != STATUS_SUCCESS)
		result = fail(err, ERR_SYSTEM, "a program that does nothing came to: %s",
			      status_name(account.status));
	account_done(&account);
	return result;
}
