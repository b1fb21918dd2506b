/* SPDX-License-Identifier: Apache-2.0 */
/* readerseal.c - the reader gives up everything that reading one log does not need. */
#include "base/own.h"
#include "reader/reader.h"
#include "sandbox/native/roleseal.h"

enum { FILES_MAX = 64, FILES_MIN = 24, DATA_MAX = 1 << 30 };

int reader_seal(int directory, int place, uint32_t allow_degraded, struct error *err)
{
	const struct role_rule rules[] = {
		{.fd = directory, .rights = LANDLOCK_READ},
		{.fd = place, .rights = LANDLOCK_READ | LANDLOCK_WRITE},
	};
	const struct role_seal seal = {
		.name = "the reader",
		.calls = {&role_messages, &role_reading, &role_writing, &role_memory},
		.rules = rules,
		.n_rules = place < 0 ? 1 : ARRAY_LEN(rules),
		.data_bytes = DATA_MAX,
		.files_most = FILES_MAX,
		.files_least = FILES_MIN,
		.allow_degraded = allow_degraded,
	};

	return role_seal(&seal, NULL, err);
}
