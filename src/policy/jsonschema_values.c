/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema_values.c - are two values the same, and does a list hold one twice? */
#include "policy/jsonschema_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/jsonnum.h"
#include "base/own.h"

static bool lists_equal(struct judging *j, const json_t *a, const json_t *b)
{
	if (json_array_size(a) != json_array_size(b))
		return false;
	for (size_t i = 0; i < json_array_size(a); i++)
		if (!values_equal(j, json_array_get(a, i), json_array_get(b, i)))
			return false;
	return true;
}

static bool objects_equal(struct judging *j, const json_t *a, const json_t *b)
{
	const char *key;
	json_t *value;

	if (json_object_size(a) != json_object_size(b))
		return false;
	json_object_foreach((json_t *)a, key, value)
	{
		const json_t *other = json_object_get(b, key);

		if (!other || !values_equal(j, value, other))
			return false;
	}
	return true;
}

static bool strings_equal(struct judging *j, const json_t *a, const json_t *b)
{
	size_t len = json_string_length(a);

	return len == json_string_length(b) && judge_spend(j, len / 64) &&
	       memcmp(json_string_value(a), json_string_value(b), len) == 0;
}

bool values_equal(struct judging *j, const json_t *a, const json_t *b)
{
	if (!judge_spend(j, 1))
		return false;
	if (json_is_number(a) && json_is_number(b))
		return jsonnum_compare(a, b) == 0;
	if (json_typeof(a) != json_typeof(b))
		return false;
	if (json_is_array(a))
		return lists_equal(j, a, b);
	if (json_is_object(a))
		return objects_equal(j, a, b);
	return json_is_string(a) ? strings_equal(j, a, b) : true;
}

static uint64_t mix(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *c = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ c[i]) * 0x100000001b3ULL;
	return hash;
}

/* Equal values have equal hashes: a number's is that of its nearest double, an object's does not
 * depend on the order of its members. */
static uint64_t hash_of(struct judging *j, const json_t *v)
{
	uint64_t hash = 0xcbf29ce484222325ULL;
	json_type type = json_typeof(v);
	double number = json_number_value(v) + 0.0; /* -0 is 0 */
	const char *key;
	json_t *part;
	size_t i;

	if (!judge_spend(j, 1 + json_string_length(v) / 64))
		return 0;
	if (json_is_number(v))
		return mix(hash, &number, sizeof(number));
	hash = mix(hash, &type, sizeof(type));
	if (json_is_string(v))
		return mix(hash, json_string_value(v), json_string_length(v));
	json_array_foreach((json_t *)v, i, part)
	{
		uint64_t of_part = hash_of(j, part);

		hash = mix(hash, &of_part, sizeof(of_part));
	}
	json_object_foreach((json_t *)v, key, part)
	{
		uint64_t of_part = hash_of(j, part);

		hash += mix(mix(0x9e3779b97f4a7c15ULL, key, strlen(key)), &of_part,
			    sizeof(of_part));
	}
	return hash;
}

struct hashed {
	uint64_t hash;
	size_t index;
};

static int by_hash(const void *a, const void *b)
{
	const struct hashed *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Only items with one hash are compared.  Whoever makes many that are not equal runs out of steps.
 */
bool values_repeat(struct judging *j, const json_t *list, size_t *ret_a, size_t *ret_b)
{
	size_t n = json_array_size(list);
	own_mem struct hashed *items = calloc(n ? n : 1, sizeof(*items));

	if (!items)
		return judge_stop(j, "memory");
	for (size_t i = 0; i < n && !j->stopped; i++)
		items[i] = (struct hashed){hash_of(j, json_array_get(list, i)), i};
	if (j->stopped)
		return false;
	qsort(items, n, sizeof(*items), by_hash);
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n && items[k].hash == items[i].hash; k++) {
			*ret_a = items[i].index;
			*ret_b = items[k].index;
			if (values_equal(j, json_array_get(list, *ret_a),
					 json_array_get(list, *ret_b)))
				return true;
			if (j->stopped)
				return false;
		}
	return false;
}
