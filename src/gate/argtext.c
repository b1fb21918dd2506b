/* SPDX-License-Identifier: Apache-2.0 */
/* argtext.c - arguments that are texts and nothing else, as the JSON that is written down.
 *
 * The general way copies all of it, changes the copy and writes that.  Here a
 * text is cleaned on its way into the line.
 */
#include "gate/argtext.h"

#include <string.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/text.h"

enum { FEW = 8, USUAL_BYTES = 200 };

bool argtext_fits(const json_t *args)
{
	const char *key;
	json_t *value;

	if (!json_is_object(args) || json_object_size(args) > FEW)
		return false;
	json_object_foreach((json_t *)args, key, value)
	{
		if (!json_is_string(value))
			return false;
	}
	return true;
}

static bool stands_for_itself(unsigned char c)
{
	return c >= 0x20 && c != '"' && c != '\\';
}

/* As jansson does: only what must be, and by its short name if it has one. */
static int add_escaped(struct buf *out, unsigned char c, struct error *err)
{
	static const char named[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
	static const char digits[] = "0123456789ABCDEF";
	const char *at = c ? strchr(named, c) : NULL;
	char code[] = "\\u0000";

	if (at) {
		code[1] = names[at - named];
		return buf_add(out, code, 2, err);
	}
	code[4] = digits[c >> 4];
	code[5] = digits[c & 15];
	return buf_add(out, code, 6, err);
}

static int add_text(struct buf *out, const char *text, size_t len, struct error *err)
{
	if (buf_add(out, "\"", 1, err) < 0)
		return -1;
	for (size_t i = 0, n; i < len; i += n) {
		for (n = 0; i + n < len && stands_for_itself((unsigned char)text[i + n]); n++)
			;
		if (buf_add(out, text + i, n, err) < 0)
			return -1;
		if (i + n < len && add_escaped(out, (unsigned char)text[i + n++], err) < 0)
			return -1;
	}
	return buf_add(out, "\"", 1, err);
}

static int add_clean(struct buf *out, const json_t *string, const struct cleaner *clean,
		     struct error *err)
{
	const char *text = json_string_value(string);
	size_t len = json_string_length(string);
	own_str cleaned = NULL;

	if (!clean->clean)
		return add_text(out, text, len, err);
	cleaned = clean->clean(clean->context, text, len, &len, err);
	if (!cleaned)
		return -1;
	if (!text_is_utf8(cleaned, len))
		return fail(err, ERR_INTERNAL, "cleaned text is no text any more");
	return add_text(out, cleaned, len, err);
}

struct member {
	const char *key;
	json_t *value;
};

/* Few: they are put where they belong one by one. */
static size_t sort(const json_t *args, struct member ret[static FEW])
{
	const char *key;
	json_t *value;
	size_t n = 0;

	json_object_foreach((json_t *)args, key, value)
	{
		size_t at = n++;

		for (; at > 0 && strcmp(ret[at - 1].key, key) > 0; at--)
			ret[at] = ret[at - 1];
		ret[at] = (struct member){key, value};
	}
	return n;
}

char *argtext_write(const json_t *args, const struct cleaner *clean, size_t *ret_len,
		    struct error *err)
{
	struct member members[FEW];
	size_t n = sort(args, members);
	own(buf) out;

	buf_init(&out, SIZE_MAX / 2);
	if (buf_expect(&out, USUAL_BYTES, err) < 0)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (buf_add(&out, i ? "," : "{", 1, err) < 0 ||
		    add_text(&out, members[i].key, strlen(members[i].key), err) < 0 ||
		    buf_add(&out, ":", 1, err) < 0 ||
		    add_clean(&out, members[i].value, clean, err) < 0)
			return NULL;
	if (buf_add_str(&out, n ? "}" : "{}", err) < 0)
		return NULL;
	*ret_len = out.len;
	return TAKE(out.data);
}
