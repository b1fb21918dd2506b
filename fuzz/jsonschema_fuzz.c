/* SPDX-License-Identifier: Apache-2.0 */
/* A schema, NUL, a value.  What {"not": S} says is the opposite of what S says, unless the judging
 * was given up; then it is no, twice. */
#include "policy/jsonschema.h"

#include <assert.h>
#include <string.h>

#include "base/jsonread.h"
#include "fuzz.h"

enum { INPUT_MAX = 1 << 16 };

/* A name of its own keeps the references inside meaning what they meant. */
static json_t *wrap(json_t *schema)
{
	json_t *inner = json_is_object(schema) ? json_copy(schema) : json_incref(schema);

	if (json_is_object(inner) && !json_object_get(inner, "$id"))
		(void)json_object_set_new(inner, "$id", json_string("urn:fuzz:inner"));
	return json_pack("{s:o}", "not", inner);
}

static bool gave_up(const struct why *why)
{
	return strcmp(why->rule, "p.budget") == 0;
}

static void check_why(enum answer answer, const struct why *why)
{
	assert((answer == ANSWER_ALLOW) == (why->layer == WHY_NONE));
	if (answer == ANSWER_DENY)
		assert(why->rule[0] == 'p' && why->what[0]);
}

static void try(json_t *document, const json_t *value)
{
	own_json opposite = wrap(document);
	struct error err = {0};
	struct jsonschema *s = jsonschema_new(document, &err);
	struct jsonschema *not = jsonschema_new(opposite, &err);
	struct why why, other;

	if (s) {
		enum answer answer = jsonschema_judge(s, value, "p", &why);

		check_why(answer, &why);
		assert(!json_is_false(document) || answer == ANSWER_DENY);
		if (not ) {
			enum answer turned = jsonschema_judge(not, value, "p", &other);

			check_why(turned, &other);
			assert(answer != turned ||
			       (answer == ANSWER_DENY && (gave_up(&why) || gave_up(&other))));
		}
	} else {
		assert(err.kind != ERR_NONE && err.text[0]);
	}
	jsonschema_free(s);
	jsonschema_free(not );
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *middle = size ? memchr(text, '\0', size) : NULL;
	struct error err = {0};

	if (middle && size <= INPUT_MAX) {
		size_t len = (size_t)(middle - text);
		own_json document = jsonread(text, len, INPUT_MAX, &err);
		own_json value = jsonread(middle + 1, size - len - 1, INPUT_MAX, &err);

		if (document && value)
			try(document, value);
	}
	return 0;
}
