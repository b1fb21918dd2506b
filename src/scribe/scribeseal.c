/* SPDX-License-Identifier: Apache-2.0 */
/* scribeseal.c - the scribe gives up everything that writing one log does not need.
 *
 * It holds the key that the whole log's word rests on.  Whoever gets control of
 * it through a record shall find no program to start, no network, no other
 * file, and nobody shall read its memory.
 */
#include "scribe/scribeseal.h"

#include <sys/syscall.h>

#include "base/own.h"
#include "sandbox/native/roleseal.h"
#include "scribe/scribe_state.h"

enum { FILES_MIN = 4 * FILES_OWN, DATA_MAX = 512 << 20 };

/* The socket exists already. */
static const struct role_call own_calls[] = {
	{.nr = __NR_bind, .why = "its name in the log's directory"},
	{.nr = __NR_listen, .why = "callers"},
	{.nr = __NR_accept4, .why = "callers"},
	{.nr = __NR_sched_getaffinity, .why = "where it may run"},
	{.nr = __NR_sched_yield, .why = "gives way to whom it has answered"},
	{.nr = __NR_sched_setaffinity, .why = "beside its caller", .checked = true},
};
static const struct role_calls own = {own_calls, ARRAY_LEN(own_calls)};

int scribe_seal(int directory, uint32_t allow_degraded, struct layer_report *ret_layers,
		struct error *err)
{
	const struct role_rule rule = {.fd = directory, .rights = LANDLOCK_READ | LANDLOCK_WRITE};
	const struct role_seal seal = {
		.name = "the scribe",
		.calls = {&role_messages, &role_reading, &role_writing, &own},
		.rules = &rule,
		.n_rules = 1,
		.data_bytes = DATA_MAX,
		.files_most = FILES_MAX,
		.files_least = FILES_MIN,
		.allow_degraded = allow_degraded,
	};

	return role_seal(&seal, ret_layers, err);
}
