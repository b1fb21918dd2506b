/* SPDX-License-Identifier: Apache-2.0 */
/* recordread.c - reads a record: exactly what record.c can write.
 *
 * One pass from left to right over the line, the table of fields beside it: keys
 * must come in the table's order.  A verifier reads millions of these, so there
 * is no tree of values; a field is where it stands in the line.
 */
#include "audit/record.h"

#include <string.h>

#include "base/own.h"
#include "base/text.h"

enum { DEPTH_MAX = 3 };

struct cursor {
	const char *start, *at, *end;
};

/* What a byte is inside a string. */
enum { BYTE_BAD = 0, BYTE_PLAIN, BYTE_WIDE, BYTE_ESCAPE, BYTE_END };

static const unsigned char byte_class[256] = {
	[0x20 ... 0x21] = BYTE_PLAIN, ['"'] = BYTE_END,
	[0x23 ... 0x5b] = BYTE_PLAIN, ['\\'] = BYTE_ESCAPE,
	[0x5d ... 0x7e] = BYTE_PLAIN, [0x80 ... 0xff] = BYTE_WIDE,
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The control character that \u00XX stands for; 0: it is none that needs to be written so. */
static unsigned escaped_control(const char *at, const char *end)
{
	int high, low;
	unsigned c;

	if (end - at < 6 || memcmp(at, "\\u00", 4) != 0)
		return 0;
	high = hex_digit(at[4]);
	low = hex_digit(at[5]);
	if (high < 0 || low < 0)
		return 0;
	c = (unsigned)(high << 4 | low);
	return c != '\n' && (c < 0x20 || (c >= 0x7f && c < 0xa0)) ? c : 0;
}

/* How many bytes the escape or the character of several bytes at at takes; 0: it is wrong. */
static size_t special(const char *at, const char *end)
{
	size_t step;

	if (*at == '\\') {
		if (end - at >= 2 && (at[1] == '"' || at[1] == '\\' || at[1] == 'n'))
			return 2;
		return escaped_control(at, end) ? 6 : 0;
	}
	step = text_utf8_char(at, (size_t)(end - at));
	/* U+0080 to U+009F are written as escapes. */
	return step == 2 && (unsigned char)at[0] == 0xc2 && (unsigned char)at[1] < 0xa0 ? 0 : step;
}

static bool read_string(struct cursor *c, struct record_text *ret)
{
	const char *at = c->at;

	if (at == c->end || *at++ != '"')
		return false;
	ret->data = at;
	while (at < c->end) {
		unsigned char class = byte_class[(unsigned char)*at];
		size_t step = 1;

		if (class == BYTE_END) {
			ret->len = (size_t)(at - ret->data);
			c->at = at + 1;
			return true;
		}
		if (class != BYTE_PLAIN)
			step = class == BYTE_BAD ? 0 : special(at, c->end);
		if (step == 0)
			break;
		at += step;
	}
	c->at = at;
	return false;
}

static bool read_char(struct cursor *c, char want)
{
	if (c->at == c->end || *c->at != want)
		return false;
	c->at++;
	return true;
}

static bool read_uint(struct cursor *c, uint64_t *ret)
{
	const char *first = c->at;
	uint64_t value = 0;

	for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
		if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*c->at - '0'), &value))
			return false;
	*ret = value;
	return c->at > first && (*first != '0' || c->at == first + 1) && value <= INT64_MAX;
}

static bool read_int(struct cursor *c, int64_t *ret)
{
	bool minus = read_char(c, '-');
	uint64_t value;

	if (!read_uint(c, &value) || (minus && value == 0))
		return false;
	*ret = minus ? -(int64_t)value : (int64_t)value;
	return true;
}

static bool read_word(struct cursor *c, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(c->end - c->at) < len || memcmp(c->at, word, len) != 0)
		return false;
	c->at += len;
	return true;
}

static int compare_text(struct record_text a, struct record_text b)
{
	int order = memcmp(a.data, b.data, a.len < b.len ? a.len : b.len);

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static bool read_object(struct cursor *c, unsigned depth);

/* NOLINTNEXTLINE(misc-no-recursion): not deeper than DEPTH_MAX */
static bool read_value(struct cursor *c, unsigned depth)
{
	struct record_text text;
	int64_t number;

	if (c->at == c->end)
		return false;
	switch (*c->at) {
	case '"':
		return read_string(c, &text);
	case '{':
		return read_object(c, depth + 1);
	case 't':
		return read_word(c, "true");
	case 'f':
		return read_word(c, "false");
	default:
		return read_int(c, &number);
	}
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static bool read_object(struct cursor *c, unsigned depth)
{
	struct record_text key, before = {0};

	if (depth > DEPTH_MAX || !read_char(c, '{'))
		return false;
	if (read_char(c, '}'))
		return true;
	do {
		if (!read_string(c, &key) || !read_char(c, ':'))
			return false;
		if (before.data && compare_text(before, key) >= 0)
			return false;
		before = key;
		if (!read_value(c, depth))
			return false;
	} while (read_char(c, ','));
	return read_char(c, '}');
}

static bool read_hash(struct cursor *c, struct record_text *ret)
{
	struct hash h;

	return read_string(c, ret) && hash_from_hex(ret->data, ret->len, &h);
}

/* Two digits or more, already known to be digits. */
static unsigned digits(const char *at, size_t n)
{
	unsigned value = 0;

	for (size_t i = 0; i < n; i++)
		value = value * 10 + (unsigned)(at[i] - '0');
	return value;
}

static unsigned days_in(unsigned year, unsigned month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap ? 1U : 0U);
}

/* Days since 1970 of a date after it; years begin in March, so that the odd day comes last. */
static uint64_t days_since(unsigned year, unsigned month, unsigned day)
{
	uint64_t y = month <= 2 ? year - 1 : year;
	uint64_t m = month <= 2 ? month + 9 : month - 3;

	return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

static bool read_time(struct cursor *c, uint64_t *ret_ms)
{
	static const char form[] = "0000-00-00T00:00:00.000Z";
	struct record_text t;
	unsigned year, month, day, hour, minute, second;

	if (!read_string(c, &t) || t.len != sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < t.len; i++)
		if (form[i] == '0' ? t.data[i] < '0' || t.data[i] > '9' : t.data[i] != form[i])
			return false;
	year = digits(t.data, 4);
	month = digits(t.data + 5, 2);
	day = digits(t.data + 8, 2);
	hour = digits(t.data + 11, 2);
	minute = digits(t.data + 14, 2);
	second = digits(t.data + 17, 2);
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_in(year, month) ||
	    hour > 23 || minute > 59 || second > 59)
		return false;
	*ret_ms =
		(((days_since(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 +
		digits(t.data + 20, 3);
	return true;
}

static bool read_kind(struct cursor *c, enum record_kind *ret)
{
	struct record_text t;

	if (!read_string(c, &t))
		return false;
	for (int i = RECORD_NONE + 1; i < RECORD_KIND_COUNT; i++) {
		const char *name = record_kind_name((enum record_kind)i);

		if (strlen(name) == t.len && memcmp(name, t.data, t.len) == 0) {
			*ret = (enum record_kind)i;
			return true;
		}
	}
	return false;
}

enum field_type { TEXT, HASH, OBJECT, COUNT, NUMBER, UID, EXIT_CODE, TRUTH, TIME, KIND, VERSION };

struct field {
	const char *name;
	unsigned char len;
	enum field_type type;
	size_t offset; /* in struct record_view; SIZE_MAX: read and forgotten */
};

#define ROW(name, type, member)                                                    \
	{                                                                          \
		name, sizeof(name) - 1, type, offsetof(struct record_view, member) \
	}
#define SKIP(name, type)                               \
	{                                              \
		name, sizeof(name) - 1, type, SIZE_MAX \
	}

/* Sorted by name, as record.c writes them. */
static const struct field fields[] = {
	ROW("action", TEXT, action),
	ROW("args", TEXT, args),
	SKIP("args_bytes", COUNT),
	ROW("args_sha256", HASH, args_sha256),
	ROW("artifacts", OBJECT, artifacts),
	ROW("backend", TEXT, backend),
	SKIP("canary", TRUTH),
	ROW("cause", TEXT, cause),
	ROW("client", TEXT, client),
	ROW("decision", TEXT, decision),
	ROW("detail", TEXT, detail),
	ROW("exit_code", EXIT_CODE, exit_code),
	ROW("id", TEXT, id),
	ROW("kind", KIND, kind),
	ROW("layer", TEXT, layer),
	ROW("layers", OBJECT, layers),
	ROW("limits", OBJECT, limits),
	ROW("policy_sha256", HASH, policy_sha256),
	ROW("reason", TEXT, reason),
	ROW("redactions", OBJECT, redactions),
	ROW("rule", TEXT, rule),
	ROW("run_us", COUNT, run_us),
	ROW("session", TEXT, session),
	ROW("setup_us", COUNT, setup_us),
	SKIP("signal", NUMBER),
	ROW("start", TEXT, start),
	ROW("status", TEXT, status),
	ROW("stderr", OBJECT, err),
	ROW("stdout", OBJECT, out),
	ROW("time", TIME, time_ms),
	ROW("tool", TEXT, tool),
	ROW("uid", UID, uid),
	ROW("usage", OBJECT, usage),
	SKIP("v", VERSION),
	SKIP("version", TEXT),
};

static bool read_as_object(struct cursor *c, struct record_text *ret)
{
	ret->data = c->at;
	if (!read_object(c, 1))
		return false;
	ret->len = (size_t)(c->at - ret->data);
	return true;
}

static bool read_field(struct cursor *c, const struct field *f, struct record_view *view)
{
	union {
		struct record_text text;
		uint64_t count;
		int64_t number;
	} skipped;
	void *to = f->offset == SIZE_MAX ? (char *)&skipped : (char *)view + f->offset;
	uint64_t version;

	switch (f->type) {
	case TEXT:
		return read_string(c, to);
	case HASH:
		return read_hash(c, to);
	case OBJECT:
		return read_as_object(c, to);
	case COUNT:
		return read_uint(c, to);
	case NUMBER:
		return read_int(c, to);
	case UID:
		view->has_uid = true;
		return read_uint(c, to) && view->uid <= UINT32_MAX;
	case EXIT_CODE:
		view->has_exit_code = true;
		return read_int(c, to);
	case TRUTH:
		return read_word(c, "true");
	case TIME:
		return read_time(c, to);
	case KIND:
		return read_kind(c, to);
	case VERSION:
		return read_uint(c, &version) && version == RECORD_VERSION;
	}
	return false;
}

/* The row of a key at from or behind it; NULL: there is none, or it is out of order. */
static const struct field *find_field(struct record_text key, const struct field *from)
{
	for (const struct field *f = from; f < fields + ARRAY_LEN(fields); f++)
		if (f->len == key.len && memcmp(f->name, key.data, key.len) == 0)
			return f;
	return NULL;
}

static bool read_all(struct cursor *c, struct record_view *view, bool *ret_version)
{
	const struct field *next = fields;
	struct record_text key;

	if (!read_char(c, '{'))
		return false;
	do {
		const char *start = c->at;

		next = read_string(c, &key) ? find_field(key, next) : NULL;
		if (!next) {
			c->at = start;
			return false;
		}
		if (!read_char(c, ':') || !read_field(c, next, view))
			return false;
		*ret_version |= next->type == VERSION;
		next++;
	} while (read_char(c, ','));
	return read_char(c, '}') && c->at == c->end;
}

int record_read(const char *line, size_t len, struct record_view *ret, struct error *err)
{
	struct cursor c = {.start = line, .at = line, .end = line + len};
	struct record_view view = {0};
	bool version = false;

	if (len > RECORD_MAX)
		return fail(err, ERR_CALLER, "longer than %d bytes", RECORD_MAX);
	if (!read_all(&c, &view, &version))
		return fail(err, ERR_CALLER, "not a record from byte %zu on",
			    (size_t)(c.at - c.start));
	if (view.kind == RECORD_NONE || view.time_ms == 0 || !version)
		return fail(err, ERR_CALLER, "a record without kind, time or version");
	*ret = view;
	return 0;
}

/* One character of text at at, as bytes; returns how many bytes of the line it took. */
static size_t plain_char(const char *at, size_t left, char ret[static 4], size_t *ret_n)
{
	unsigned c;

	*ret_n = 1;
	ret[0] = *at;
	if (*at != '\\' || left < 2)
		return 1;
	c = escaped_control(at, at + left);
	if (c == 0) {
		ret[0] = '\n';
		if (at[1] != 'n')
			ret[0] = at[1];
		return 2;
	}
	if (c >= 0x80) {
		ret[0] = (char)0xc2;
		ret[1] = (char)c;
		*ret_n = 2;
	} else {
		ret[0] = (char)c;
	}
	return 6;
}

size_t record_text_get(struct record_text t, char *ret, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; t.data && i < t.len;) {
		char c[4];
		size_t count, step = plain_char(t.data + i, t.len - i, c, &count);

		if (n + count >= room)
			break;
		memcpy(ret + n, c, count);
		n += count;
		i += step;
	}
	n = text_utf8_floor(ret, n);
	ret[n] = '\0';
	return n;
}
