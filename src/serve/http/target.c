/* SPDX-License-Identifier: Apache-2.0 */
/* target.c - the path of a request and the parameters behind it, decoded once and checked.
 *
 * Whoever looks at a path afterwards sees what was meant: there is one way to
 * write each.  "." and ".." are not resolved but refused, also when they are
 * encoded; an encoded slash stays three characters, and "%252F", which would
 * look the same once decoded, is refused.
 */
#include "serve/http/target.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

static int refuse(struct fault *fault, int status, const char *detail)
{
	*fault = (struct fault){status, detail};
	return -1;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte that "%XX" at p stands for; -1: that is none, or a control character. */
static int encoded(const char *p, const char *end)
{
	int high, low, byte;

	if (end - p < 3)
		return -1;
	high = hex(p[1]);
	low = hex(p[2]);
	if (high < 0 || low < 0)
		return -1;
	byte = high * 16 + low;
	return byte < 0x20 || byte == 0x7f ? -1 : byte;
}

static bool is_segment_for_nobody(const char *segment, size_t len)
{
	return (len == 1 && segment[0] == '.') ||
	       (len == 2 && segment[0] == '.' && segment[1] == '.');
}

static int check_path(const char *path, size_t len, struct fault *fault)
{
	const char *end = path + len;

	if (len == 0 || path[0] != '/')
		return refuse(fault, 400, "The path does not begin with a slash.");
	if (!text_is_utf8(path, len))
		return refuse(fault, 400, "The path is not UTF-8.");
	for (const char *p = path + 1;;) {
		const char *slash = memchr(p, '/', (size_t)(end - p));
		const char *stop = slash ? slash : end;

		if (slash && stop == p)
			return refuse(fault, 400, "The path has an empty segment.");
		if (is_segment_for_nobody(p, (size_t)(stop - p)))
			return refuse(fault, 400, "The path has a segment '.' or '..'.");
		if (!slash)
			return 0;
		p = slash + 1;
	}
}

/* Keeps an encoded slash as it is, in capitals. */
static int decode_path(char **out, const char *p, const char *end, struct fault *fault)
{
	char *start = *out, *to = *out;
	const char *percent = NULL; /* where a decoded one stands */

	for (; p < end; p++) {
		int byte = *p == '%' ? encoded(p, end) : (unsigned char)*p;

		if (byte < 0)
			return refuse(fault, 400, "The path has a wrong or forbidden escape.");
		if (*p == '%' && byte == '/') {
			memcpy(to, "%2F", 3);
			to += 2;
		} else {
			*to = (char)byte;
			percent = byte == '%' ? to : percent;
		}
		to++;
		p += *p == '%' ? 2 : 0;
		if (percent && to - percent == 3 && strncasecmp(percent, "%2F", 3) == 0)
			return refuse(fault, 400, "The path has an escape that is escaped again.");
	}
	*to++ = '\0';
	*out = to;
	return check_path(start, (size_t)(to - start - 1), fault);
}

static int decode_word(char **out, const char *p, const char *end, struct fault *fault)
{
	char *start = *out, *to = *out;

	while (p < end) {
		int byte = *p == '+' ? ' ' : (unsigned char)*p;
		bool escaped = byte == '%';

		if (escaped)
			byte = encoded(p, end);
		if (byte < 0)
			return refuse(fault, 400, "The query has a wrong or forbidden escape.");
		*to++ = (char)byte;
		p += escaped ? 3 : 1;
	}
	if (!text_is_utf8(start, (size_t)(to - start)))
		return refuse(fault, 400, "The query is not UTF-8.");
	*to++ = '\0';
	*out = to;
	return 0;
}

static int read_parameter(struct target *t, char **out, const char *p, const char *end,
			  struct fault *fault)
{
	const char *equals = memchr(p, '=', (size_t)(end - p));
	const char *name = *out, *value;

	if (t->n == TARGET_PARAMETERS_MAX)
		return refuse(fault, 400, "The query has too many parameters.");
	if (decode_word(out, p, equals ? equals : end, fault) < 0)
		return -1;
	value = *out;
	if (decode_word(out, equals ? equals + 1 : end, end, fault) < 0)
		return -1;
	if (target_parameter(t, name))
		return refuse(fault, 400, "A parameter of the query comes twice.");
	t->parameters[t->n].name = name;
	t->parameters[t->n++].value = value;
	return 0;
}

static int read_query(struct target *t, char **out, const char *p, const char *end,
		      struct fault *fault)
{
	while (p < end) {
		const char *and = memchr(p, '&', (size_t)(end - p));
		const char *stop = and? and : end;

		if (stop > p && read_parameter(t, out, p, stop, fault) < 0)
			return -1;
		p = stop + 1;
	}
	return 0;
}

/* What is decoded is never longer; a NUL behind the path stands where the "?" was, and one behind
 * each name and value where "=" and "&" were, but for the last value and names without "=". */
int target_read(struct target *t, const char *target, size_t len, struct fault *fault)
{
	const char *end = target + len, *question = memchr(target, '?', len);
	const char *path_end = question ? question : end;
	char *out;

	t->n = 0;
	t->text = out = malloc(len + 2 + TARGET_PARAMETERS_MAX);
	if (!out)
		return refuse(fault, 503, "There is no memory for the request.");
	t->path = out;
	if (decode_path(&out, target, path_end, fault) < 0)
		return -1;
	return question ? read_query(t, &out, question + 1, end, fault) : 0;
}

void target_done(struct target *t)
{
	free(t->text);
	t->text = NULL;
}

const char *target_parameter(const struct target *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->parameters[i].name, name) == 0)
			return t->parameters[i].value;
	return NULL;
}
