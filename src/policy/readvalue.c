/* SPDX-License-Identifier: Apache-2.0 */
/* readvalue.c - the values of a policy file: texts, numbers, lists, and any JSON value.
 *
 * YAML libraries disagree about what "no", "010" or "1e3" is.  Here the setting
 * decides; where any value may stand, a word without quotes is what JSON says
 * it is, and one that some YAML reader would take for something else is
 * refused.
 */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "base/text.h"
#include "policy/reader.h"

/* "{x}" without quotes is a map with a key that has no value. */
static const char *quote_hint(const struct node *n)
{
	if (n->kind == NODE_MAP && n->n == 1 && node_is_empty(n->first))
		return "; if it is a text that begins with '{', put it in quotes";
	if (n->kind == NODE_LIST)
		return "; if it is a text that begins with '[', put it in quotes";
	return "";
}

bool read_map(struct reader *r, const struct node *n)
{
	if (n->kind == NODE_MAP)
		return true;
	reader_complain(r, n, "a map is expected here, not %s", node_kind_name(n));
	return false;
}

bool read_list(struct reader *r, const struct node *n)
{
	if (n->kind == NODE_LIST)
		return true;
	reader_complain(r, n, "a list is expected here, not %s", node_kind_name(n));
	return false;
}

bool read_text(struct reader *r, const struct node *n, const char **ret)
{
	if (n->kind != NODE_SCALAR || node_is_empty(n)) {
		reader_complain(r, n, "a text is expected here, not %s%s", node_kind_name(n),
				quote_hint(n));
		return false;
	}
	*ret = n->text; /* lives in the policy's arena, like the whole tree */
	return true;
}

bool read_texts(struct reader *r, const struct node *n, struct words *ret)
{
	struct words words = {0};
	bool fine = true;

	if (!read_list(r, n))
		return false;
	words.word = reader_alloc(r, n, n->n, sizeof(*words.word));
	if (!words.word)
		return false;
	for (const struct node *c = n->first; c; c = c->next) {
		size_t old = reader_enter(r, "[%zu]", words.n);

		fine = read_text(r, c, &words.word[words.n]) && fine;
		words.n++;
		reader_leave(r, old);
	}
	if (fine)
		*ret = words;
	return fine;
}

/* Digits without quotes, and no zero in front that some would take for base 8. */
static bool is_count(const struct node *n, uint64_t *ret)
{
	struct error err;

	return n->kind == NODE_SCALAR && n->plain && text_parse_uint(n->text, ret, &err) == 0 &&
	       (n->text[0] != '0' || !n->text[1]);
}

static void complain_count(struct reader *r, const struct node *n)
{
	if (n->kind != NODE_SCALAR || node_is_empty(n))
		reader_complain(r, n, "a whole number is expected here, not %s", node_kind_name(n));
	else if (!n->plain)
		reader_complain(r, n, "a whole number is expected here, without quotes");
	else
		reader_complain(r, n, "a whole number is expected here, not '%.60s'", n->text);
}

bool read_count(struct reader *r, const struct node *n, uint64_t min, uint64_t max, uint64_t *ret)
{
	uint64_t value;

	if (!is_count(n, &value)) {
		complain_count(r, n);
		return false;
	}
	if (value < min || value > max) {
		if (min == max)
			reader_complain(r, n, "must be %" PRIu64 ", not %" PRIu64, min, value);
		else
			reader_complain(r, n,
					"must be from %" PRIu64 " to %" PRIu64 ", not %" PRIu64,
					min, max, value);
		return false;
	}
	*ret = value;
	return true;
}

/* JSON's grammar of numbers: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool is_json_number(const char *t)
{
	static const char digits[] = "0123456789";
	size_t len;

	t += *t == '-';
	len = strspn(t, digits);
	if (len == 0 || (*t == '0' && len > 1))
		return false;
	t += len;
	if (*t == '.') {
		len = strspn(++t, digits);
		if (len == 0)
			return false;
		t += len;
	}
	if (*t == 'e' || *t == 'E') {
		t++;
		t += *t == '+' || *t == '-';
		len = strspn(t, digits);
		if (len == 0)
			return false;
		t += len;
	}
	return *t == '\0';
}

/* Would some reader of YAML take it for a number, a truth or nothing? */
static bool is_doubtful(const char *t)
{
	static const char *const words[] = {"yes",  "no",    "on",    "off",  "y",
					    "n",    "~",     "null",  "true", "false",
					    ".inf", "+.inf", "-.inf", ".nan", ""};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcasecmp(t, words[i]) == 0)
			return true;
	t += strspn(t, "+-.");
	return *t >= '0' && *t <= '9';
}

static json_t *scalar_value(struct reader *r, const struct node *n)
{
	struct error err;
	json_t *ret;

	if (!n->plain)
		return json_string(n->text);
	if (strcmp(n->text, "true") == 0 || strcmp(n->text, "false") == 0)
		return json_boolean(n->text[0] == 't');
	if (strcmp(n->text, "null") == 0)
		return json_null();
	if (is_json_number(n->text)) {
		ret = jsonread(n->text, strlen(n->text), YAML_BYTES_MAX, &err);
		if (!ret)
			reader_complain(r, n, "the number %.60s does not fit", n->text);
		return ret;
	}
	if (!is_doubtful(n->text))
		return json_string(n->text);
	reader_complain(r, n,
			"'%.60s' could mean several things: put it in quotes if it is a text, or "
			"write true, false, null or a number as in JSON",
			n->text);
	return NULL;
}

static json_t *any_value(struct reader *r, const struct node *n);

static int add_value(struct reader *r, json_t *to, const struct node *c, size_t at)
{
	size_t old = c->key ? reader_enter_key(r, c->key->text) : reader_enter(r, "[%zu]", at);
	json_t *value = any_value(r, c);

	reader_leave(r, old);
	if (!value)
		return -1;
	if (c->key)
		return json_object_set_new(to, c->key->text, value);
	return json_array_append_new(to, value);
}

/* As deep as the tree, which is YAML_DEPTH_MAX. */
static json_t *any_value(struct reader *r, const struct node *n)
{
	size_t at = 0;
	json_t *ret;

	if (n->kind == NODE_SCALAR)
		return scalar_value(r, n);
	ret = n->kind == NODE_MAP ? json_object() : json_array();
	for (const struct node *c = n->first; ret && c; c = c->next)
		if (add_value(r, ret, c, at++) < 0) {
			json_decref(ret);
			return NULL;
		}
	return ret;
}

bool read_value(struct reader *r, const struct node *n, json_t **ret)
{
	size_t before = r->complaints->n;
	bool cut = r->complaints->cut;
	json_t *value = any_value(r, n);
	struct error err;

	if (!value) {
		/* Without a complaint it was memory. */
		if (r->complaints->n == before && r->complaints->cut == cut)
			reader_complain(r, n, "this value cannot be read: out of memory");
		return false;
	}
	if (policy_keep_json(r->policy, value, &err) < 0) {
		reader_complain(r, n, "%s", err.text);
		return false;
	}
	*ret = value;
	return true;
}
