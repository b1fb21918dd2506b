/* SPDX-License-Identifier: Apache-2.0 */
/* record_fuzz.c - a record from any bytes: what is read is JSON that others read the same way. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "audit/pairing.h"
#include "audit/record.h"
#include "base/jsonread.h"
#include "base/own.h"

static char room[RECORD_MAX + 1];

/* The field says what the other reader says. */
static void same_text(const json_t *record, const char *key, struct record_text t)
{
	const json_t *value = json_object_get(record, key);

	assert((value != NULL) == (t.data != NULL));
	if (!t.data)
		return;
	assert(record_text_get(t, room, sizeof(room)) == json_string_length(value));
	assert(strcmp(room, json_string_value(value)) == 0);
}

static void no_reals(const json_t *value)
{
	const json_t *member;
	const char *key;

	assert(!json_is_real(value) && !json_is_array(value) && !json_is_null(value));
	json_object_foreach((json_t *)value, key, member) no_reals(member);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *line = (const char *)data;
	struct error err = {0};
	struct record_view v;
	struct pairing calls;
	own_json other = NULL;

	if (record_read(line, size, &v, &err) < 0) {
		assert(err.text[0]);
		return 0;
	}
	assert(size <= RECORD_MAX && !memchr(line, '\n', size) && !memchr(line, '\0', size));
	other = jsonread(line, size, RECORD_MAX, &err);
	assert(json_is_object(other));
	no_reals(other);
	/* Without escapes there is one way to write it, keys sorted. */
	if (!memchr(line, '\\', size)) {
		own_str text = jsonread_text(other);

		assert(text && strlen(text) == size && memcmp(text, line, size) == 0);
	}
	same_text(other, "id", v.id);
	same_text(other, "args", v.args);
	same_text(other, "client", v.client);
	same_text(other, "reason", v.reason);
	same_text(other, "policy_sha256", v.policy_sha256);
	assert(strcmp(record_kind_name(v.kind),
		      json_string_value(json_object_get(other, "kind"))) == 0);
	record_time(v.time_ms, room);
	assert(strcmp(room, json_string_value(json_object_get(other, "time"))) == 0);
	if (v.has_exit_code)
		assert(json_integer_value(json_object_get(other, "exit_code")) == v.exit_code);
	pairing_init(&calls);
	(void)pairing_add(&calls, &v, 0);
	(void)pairing_add(&calls, &v, 1);
	pairing_done(&calls);
	return 0;
}
