/* SPDX-License-Identifier: Apache-2.0 */
/* python_values.c - strings that can be worked out without running anything.
 *
 * Only what people use to hide a word: literals side by side, + and *, slices
 * backwards, chr(), join(), replace(), the usual decoders, f-strings of such,
 * and names bound once to such.  What is not understood is not a constant;
 * whoever asks must then expect anything.
 */
#include "screen/python.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

/* A string under construction; bounded. */
struct maker {
	struct py *p;
	char *data;
	size_t len;
	bool failed;
};

static bool fold(struct py *p, TSNode node, struct py_constant *ret, unsigned depth);

static void make(struct maker *m, struct py *p, size_t room)
{
	struct error err;

	*m = (struct maker){.p = p};
	m->data = room <= PY_CONSTANT_MAX ? arena_alloc(p->scratch, room + 1, &err) : NULL;
	m->failed = !m->data;
	if (room <= PY_CONSTANT_MAX && !m->data)
		p->failed = true;
}

static bool made(struct maker *m, struct py_constant *ret, bool composed)
{
	if (m->failed)
		return false;
	m->data[m->len] = '\0';
	*ret = (struct py_constant){m->data, m->len, composed};
	return true;
}

/* A code point as UTF-8; the caller has room for four bytes. */
static void put_char(struct maker *m, unsigned long c)
{
	if (c > 0x10ffff) {
		m->failed = true;
	} else if (c < 0x80) {
		m->data[m->len++] = (char)c;
	} else if (c < 0x800) {
		m->data[m->len++] = (char)(0xc0 | (c >> 6));
		m->data[m->len++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		m->data[m->len++] = (char)(0xe0 | (c >> 12));
		m->data[m->len++] = (char)(0x80 | ((c >> 6) & 0x3f));
		m->data[m->len++] = (char)(0x80 | (c & 0x3f));
	} else {
		m->data[m->len++] = (char)(0xf0 | (c >> 18));
		m->data[m->len++] = (char)(0x80 | ((c >> 12) & 0x3f));
		m->data[m->len++] = (char)(0x80 | ((c >> 6) & 0x3f));
		m->data[m->len++] = (char)(0x80 | (c & 0x3f));
	}
}

static size_t read_digits(const char *text, size_t left, size_t most, int base, unsigned long *ret)
{
	size_t n = 0;

	*ret = 0;
	while (n < most && n < left && isxdigit((unsigned char)text[n])) {
		int c = tolower((unsigned char)text[n]);
		int digit = isdigit(c) ? c - '0' : c - 'a' + 10;

		if (digit >= base)
			break;
		*ret = *ret * (unsigned long)base + (unsigned long)digit;
		n++;
	}
	return n;
}

static const struct plain_escape {
	char written;
	char meant;
} plain_escapes[] = {
	{'n', '\n'}, {'t', '\t'}, {'r', '\r'},  {'a', '\a'},  {'b', '\b'},
	{'f', '\f'}, {'v', '\v'}, {'\\', '\\'}, {'\'', '\''}, {'"', '"'},
};

static const struct number_escape {
	char written;
	size_t digits;
} number_escapes[] = {{'x', 2}, {'u', 4}, {'U', 8}};

/* text is behind the backslash; how much of it the escape takes. */
static size_t put_escape(struct maker *m, const char *text, size_t left)
{
	unsigned long value;
	size_t n;

	if (left == 0 || text[0] == 'N') { /* \N{LATIN SMALL LETTER S}: we know no names */
		m->failed = true;
		return left;
	}
	if (text[0] == '\n')
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(plain_escapes); i++) {
		if (plain_escapes[i].written == text[0]) {
			m->data[m->len++] = plain_escapes[i].meant;
			return 1;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(number_escapes); i++) {
		if (number_escapes[i].written == text[0]) {
			n = read_digits(text + 1, left - 1, number_escapes[i].digits, 16, &value);
			put_char(m, value);
			return n + 1;
		}
	}
	n = read_digits(text, left, 3, 8, &value);
	if (n > 0)
		put_char(m, value);
	else
		m->data[m->len++] = '\\';
	return n;
}

/* No escape makes more bytes than it takes but for \NNN and \xNN above 0x7f: twice is enough. */
static bool decode(struct py *p, const char *text, size_t len, bool raw, struct py_constant *ret)
{
	struct maker m;

	make(&m, p, 2 * len + 4);
	for (size_t i = 0; !m.failed && i < len;) {
		if (raw || text[i] != '\\') {
			m.data[m.len++] = text[i++];
			continue;
		}
		i++;
		i += put_escape(&m, text + i, len - i);
	}
	return made(&m, ret, false);
}

static bool add_constants(struct py *p, const struct py_constant *a, const struct py_constant *b,
			  struct py_constant *ret)
{
	struct maker m;

	make(&m, p, a->len + b->len);
	if (m.failed)
		return false;
	memcpy(m.data, a->data, a->len);
	memcpy(m.data + a->len, b->data, b->len);
	m.len = a->len + b->len;
	return made(&m, ret, true);
}

/* In an f-string the text between has "{{" for "{". */
static bool fold_part(struct py *p, TSNode part, bool raw, bool formatted, struct py_constant *ret)
{
	size_t len, n = 0;
	const char *text = syntax_text(p->syntax, part, &len);
	char *copy;

	if (!decode(p, text, len, raw, ret))
		return false;
	if (!formatted)
		return true;
	copy = (char *)ret->data;
	for (size_t i = 0; i < ret->len; i++) {
		if (i > 0 && (copy[i] == '{' || copy[i] == '}') && copy[i] == copy[i - 1] && n > 0)
			continue;
		copy[n++] = copy[i];
	}
	copy[n] = '\0';
	ret->len = n;
	return true;
}

static bool fold_string(struct py *p, TSNode node, struct py_constant *ret, unsigned depth)
{
	bool raw = false, formatted = false, first = true;
	struct py_constant sum = {.data = ""}, part;

	for (uint32_t i = 0; i < ts_node_named_child_count(node); i++) {
		TSNode child = ts_node_named_child(node, i);
		size_t len;
		const char *text = syntax_text(p->syntax, child, &len);

		switch ((int)py_kind(child)) {
		case PY_string_start:
			raw = memchr(text, 'r', len) || memchr(text, 'R', len);
			formatted = memchr(text, 'f', len) || memchr(text, 'F', len);
			continue;
		case PY_string_content:
			if (!fold_part(p, child, raw, formatted, &part))
				return false;
			break;
		case PY_interpolation:
			if (!fold(p, py_field(child, PY_F_expression), &part, depth + 1))
				return false;
			break;
		default:
			continue;
		}
		if (first)
			sum = part;
		else if (!add_constants(p, &sum, &part, &sum))
			return false;
		first = false;
	}
	*ret = sum;
	return true;
}

static bool fold_integer(struct py *p, TSNode node, unsigned long *ret)
{
	size_t len;
	const char *text;

	node = py_bare(node);
	if (py_kind(node) != PY_integer)
		return false;
	text = syntax_text(p->syntax, node, &len);
	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return read_digits(text + 2, len - 2, 8, 16, ret) == len - 2;
	return read_digits(text, len, 9, 10, ret) == len;
}

static bool repeat(struct py *p, const struct py_constant *one, unsigned long times,
		   struct py_constant *ret)
{
	struct maker m;

	if (one->len > 0 && times > PY_CONSTANT_MAX / one->len)
		return false;
	make(&m, p, one->len * times);
	for (unsigned long i = 0; !m.failed && i < times; i++) {
		memcpy(m.data + m.len, one->data, one->len);
		m.len += one->len;
	}
	return made(&m, ret, true);
}

/* Parts of a path; an absolute one begins anew. */
static bool join_path(struct py *p, const struct py_constant *a, const struct py_constant *b,
		      struct py_constant *ret)
{
	const struct py_constant slash = {"/", 1, false};

	if (b->len > 0 && b->data[0] == '/') {
		*ret = *b;
		return true;
	}
	return add_constants(p, a, &slash, ret) && add_constants(p, ret, b, ret);
}

/* A long sum leans to the left: walk down there, then add on the way back. */
static bool fold_sum(struct py *p, TSNode node, struct py_constant *ret, unsigned depth)
{
	struct py_constant left, right;
	TSNode op = py_field(node, PY_F_operator);
	unsigned long times;

	if (syntax_text_is(p->syntax, op, "+"))
		return fold(p, py_field(node, PY_F_left), &left, depth + 1) &&
		       fold(p, py_field(node, PY_F_right), &right, depth + 1) &&
		       add_constants(p, &left, &right, ret);
	if (syntax_text_is(p->syntax, op, "/"))
		return fold(p, py_field(node, PY_F_left), &left, depth + 1) &&
		       fold(p, py_field(node, PY_F_right), &right, depth + 1) &&
		       join_path(p, &left, &right, ret);
	if (syntax_text_is(p->syntax, op, "*"))
		return fold_integer(p, py_field(node, PY_F_right), &times) &&
		       fold(p, py_field(node, PY_F_left), &left, depth + 1) &&
		       repeat(p, &left, times, ret);
	return false;
}

/* x[::-1] */
static bool fold_reversed(struct py *p, TSNode node, struct py_constant *ret, unsigned depth)
{
	TSNode slice = py_field(node, PY_F_subscript);
	struct py_constant whole;
	struct maker m;
	size_t len, n = 0;
	const char *text;
	char shape[8];

	if (py_kind(slice) != PY_slice)
		return false;
	text = syntax_text(p->syntax, slice, &len);
	for (size_t i = 0; i < len; i++)
		if (!isspace((unsigned char)text[i]) && n < sizeof(shape) - 1)
			shape[n++] = text[i];
	shape[n] = '\0';
	if (strcmp(shape, "::-1") != 0 || !fold(p, py_field(node, PY_F_value), &whole, depth + 1))
		return false;
	make(&m, p, whole.len);
	for (size_t i = whole.len; !m.failed && i-- > 0;)
		m.data[m.len++] = whole.data[i];
	return made(&m, ret, true);
}

static bool fold_join(struct py *p, const struct py_constant *between, TSNode list,
		      struct py_constant *ret, unsigned depth)
{
	struct py_constant sum = {.data = ""}, part;
	enum py_kind kind = py_kind(list = py_bare(list));

	if (kind == PY_string || kind == PY_concatenated_string)
		return between->len == 0 && fold(p, list, ret, depth + 1);
	if (kind != PY_list && kind != PY_tuple)
		return false;
	for (uint32_t i = 0; i < ts_node_named_child_count(list); i++) {
		TSNode child = ts_node_named_child(list, i);

		if (py_kind(child) == PY_comment)
			continue;
		if (!fold(p, child, &part, depth + 1) ||
		    (i > 0 && !add_constants(p, &sum, between, &sum)) ||
		    !add_constants(p, &sum, &part, &sum))
			return false;
	}
	*ret = sum;
	ret->composed = true;
	return true;
}

static bool from_hex(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	struct maker m;

	make(&m, p, in->len);
	for (size_t i = 0; !m.failed && i < in->len;) {
		unsigned long value;

		if (isspace((unsigned char)in->data[i])) {
			i++;
		} else if (read_digits(in->data + i, in->len - i, 2, 16, &value) == 2) {
			m.data[m.len++] = (char)value;
			i += 2;
		} else {
			return false;
		}
	}
	return made(&m, ret, true);
}

static bool from_base64(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned long bits = 0;
	unsigned n = 0;
	struct maker m;

	make(&m, p, in->len);
	for (size_t i = 0; !m.failed && i < in->len && in->data[i] != '='; i++) {
		char c = in->data[i];
		const char *digit;

		c = c == '-' ? '+' : c == '_' ? '/' : c;
		digit = c ? strchr(alphabet, c) : NULL;
		if (!digit)
			continue; /* so does Python */
		bits = (bits << 6 | (unsigned long)(digit - alphabet)) & 0xffffff;
		n += 6;
		if (n >= 8) {
			n -= 8;
			m.data[m.len++] = (char)(bits >> n);
		}
	}
	return made(&m, ret, true);
}

static bool from_rot13(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	struct maker m;

	make(&m, p, in->len);
	for (size_t i = 0; !m.failed && i < in->len; i++) {
		char c = in->data[i];

		if (isalpha((unsigned char)c)) {
			char base = islower((unsigned char)c) ? 'a' : 'A';

			c = (char)(base + (c - base + 13) % 26);
		}
		m.data[m.len++] = c;
	}
	return made(&m, ret, true);
}

static bool change_case(struct py *p, const struct py_constant *in, int (*to)(int),
			struct py_constant *ret)
{
	struct maker m;

	make(&m, p, in->len);
	for (size_t i = 0; !m.failed && i < in->len; i++)
		m.data[m.len++] = (char)to((unsigned char)in->data[i]);
	return made(&m, ret, true);
}

static bool to_lower(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	return change_case(p, in, tolower, ret);
}

static bool to_upper(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	return change_case(p, in, toupper, ret);
}

static int swapped(int c)
{
	return isupper(c) ? tolower(c) : toupper(c);
}

static bool to_swapped(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	return change_case(p, in, swapped, ret);
}

static bool as_it_is(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	(void)p;
	*ret = *in;
	ret->composed = true;
	return true;
}

static bool to_stripped(struct py *p, const struct py_constant *in, struct py_constant *ret)
{
	size_t begin = 0, end = in->len;

	(void)p;
	while (begin < end && isspace((unsigned char)in->data[begin]))
		begin++;
	while (end > begin && isspace((unsigned char)in->data[end - 1]))
		end--;
	*ret = (struct py_constant){in->data + begin, end - begin, true};
	return true;
}

/* x.replace(a, b) */
static bool fold_replace(struct py *p, const struct py_constant *in, TSNode call,
			 struct py_constant *ret, unsigned depth)
{
	struct py_constant from, to;
	struct maker m;

	if (!fold(p, py_argument(call, 0), &from, depth + 1) ||
	    !fold(p, py_argument(call, 1), &to, depth + 1) || from.len == 0)
		return false;
	make(&m, p, in->len * (to.len + 1));
	for (size_t i = 0; !m.failed && i < in->len;) {
		if (in->len - i >= from.len && memcmp(in->data + i, from.data, from.len) == 0) {
			memcpy(m.data + m.len, to.data, to.len);
			m.len += to.len;
			i += from.len;
		} else {
			m.data[m.len++] = in->data[i++];
		}
	}
	return made(&m, ret, true);
}

/* Methods of a string that need nothing else. */
static const struct method {
	const char *name;
	bool (*work)(struct py *p, const struct py_constant *in, struct py_constant *ret);
} methods[] = {
	{"lower", to_lower},    {"casefold", to_lower},   {"upper", to_upper},
	{"strip", to_stripped}, {"swapcase", to_swapped}, {"encode", as_it_is},
	{"decode", as_it_is},   {"format", as_it_is},
};

static const struct method functions[] = {
	{"base64.b64decode", from_base64},
	{"base64.urlsafe_b64decode", from_base64},
	{"base64.standard_b64decode", from_base64},
	{"base64.decodebytes", from_base64},
	{"binascii.a2b_base64", from_base64},
	{"base64.b16decode", from_hex},
	{"binascii.unhexlify", from_hex},
	{"binascii.a2b_hex", from_hex},
	{"builtins.bytes.fromhex", from_hex},
	{"builtins.bytearray.fromhex", from_hex},
	{"builtins.str", as_it_is},
	{"builtins.bytes", as_it_is},
	{"sys.intern", as_it_is},
	{"os.path.expanduser", as_it_is},
	{"os.path.abspath", as_it_is},
	{"os.fspath", as_it_is},
	{"pathlib.Path", as_it_is},
	{"pathlib.PurePath", as_it_is},
	{"pathlib.PosixPath", as_it_is},
};

static bool fold_method(struct py *p, TSNode call, TSNode function, struct py_constant *ret,
			unsigned depth)
{
	const char *name = py_identifier(p, py_field(function, PY_F_attribute));
	struct py_constant object, codec;
	TSNode first = py_argument(call, 0);

	if (!name || !fold(p, py_field(function, PY_F_object), &object, depth + 1))
		return false;
	if (strcmp(name, "join") == 0)
		return fold_join(p, &object, first, ret, depth);
	if (strcmp(name, "replace") == 0)
		return fold_replace(p, &object, call, ret, depth);
	if (strcmp(name, "format") == 0 && memchr(object.data, '{', object.len))
		return false;
	/* b"...".decode("rot13") and the like */
	if (strcmp(name, "decode") == 0 && !ts_node_is_null(first) &&
	    (!fold(p, first, &codec, depth + 1) || codec.len < 3 ||
	     (strncasecmp(codec.data, "utf", 3) != 0 && strncasecmp(codec.data, "asc", 3) != 0 &&
	      strncasecmp(codec.data, "lat", 3) != 0)))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(methods); i++)
		if (strcmp(methods[i].name, name) == 0)
			return methods[i].work(p, &object, ret);
	return false;
}

/* codecs.decode(x, "rot13") */
static bool fold_codec(struct py *p, TSNode call, struct py_constant *ret, unsigned depth)
{
	struct py_constant in, codec;

	if (!fold(p, py_argument(call, 0), &in, depth + 1) ||
	    !fold(p, py_argument(call, 1), &codec, depth + 1))
		return false;
	if (strncasecmp(codec.data, "rot", 3) == 0)
		return from_rot13(p, &in, ret);
	if (strncasecmp(codec.data, "hex", 3) == 0)
		return from_hex(p, &in, ret);
	if (strncasecmp(codec.data, "base64", 6) == 0)
		return from_base64(p, &in, ret);
	return false;
}

static bool fold_chr(struct py *p, TSNode call, struct py_constant *ret)
{
	unsigned long value;
	struct maker m;

	if (!fold_integer(p, py_argument(call, 0), &value))
		return false;
	make(&m, p, 4);
	if (!m.failed)
		put_char(&m, value);
	return made(&m, ret, true);
}

/* bytes([111, 115]) */
static bool fold_bytes(struct py *p, TSNode list, struct py_constant *ret)
{
	struct maker m;

	make(&m, p, ts_node_named_child_count(list));
	for (uint32_t i = 0; !m.failed && i < ts_node_named_child_count(list); i++) {
		unsigned long value;

		if (!fold_integer(p, ts_node_named_child(list, i), &value) || value > 255)
			return false;
		m.data[m.len++] = (char)value;
	}
	return made(&m, ret, true);
}

static bool fold_path(struct py *p, TSNode call, struct py_constant *ret, unsigned depth)
{
	struct py_constant part;

	if (!fold(p, py_argument(call, 0), ret, depth + 1))
		return false;
	for (unsigned i = 1; !ts_node_is_null(py_argument(call, i)); i++)
		if (!fold(p, py_argument(call, i), &part, depth + 1) ||
		    !join_path(p, ret, &part, ret))
			return false;
	ret->composed = true;
	return true;
}

static bool fold_call(struct py *p, TSNode call, struct py_constant *ret, unsigned depth)
{
	TSNode function = py_field(call, PY_F_function), first = py_argument(call, 0);
	enum py_kind kind = py_kind(py_bare(first));
	struct py_values values;
	struct py_constant in;

	py_resolve(p, function, &values);
	if (py_values_have(&values, "builtins.chr"))
		return fold_chr(p, call, ret);
	if (py_values_have(&values, "os.path.join"))
		return fold_path(p, call, ret, depth);
	if (py_values_have(&values, "codecs.decode"))
		return fold_codec(p, call, ret, depth);
	if (py_values_have(&values, "builtins.str.join"))
		return fold(p, first, &in, depth + 1) &&
		       fold_join(p, &in, py_argument(call, 1), ret, depth);
	if (kind == PY_list && (py_values_have(&values, "builtins.bytes") ||
				py_values_have(&values, "builtins.bytearray")))
		return fold_bytes(p, py_bare(first), ret);
	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		if (py_values_have(&values, functions[i].name))
			return fold(p, first, &in, depth + 1) && functions[i].work(p, &in, ret);
	if (py_kind(function) == PY_attribute)
		return fold_method(p, call, function, ret, depth);
	return false;
}

static bool fold_name(struct py *p, TSNode node, struct py_constant *ret)
{
	const char *name = py_identifier(p, node);
	const struct py_binding *b = name ? py_binding(p, name) : NULL;

	if (!b || !b->has_constant || b->n_bound != 1)
		return false;
	*ret = b->constant;
	return true;
}

static bool fold_beside(struct py *p, TSNode node, struct py_constant *ret, unsigned depth)
{
	struct py_constant sum = {.data = ""}, part;

	for (uint32_t i = 0; i < ts_node_named_child_count(node); i++) {
		TSNode child = ts_node_named_child(node, i);

		if (py_kind(child) == PY_comment)
			continue;
		if (!fold(p, child, &part, depth + 1) || !add_constants(p, &sum, &part, &sum))
			return false;
	}
	*ret = sum;
	return true;
}

static bool fold(struct py *p, TSNode node, struct py_constant *ret, unsigned depth)
{
	node = py_bare(node);
	if (p->fold_steps == 0 || depth > 300)
		return false;
	p->fold_steps--;
	switch ((int)py_kind(node)) {
	case PY_string:
		return fold_string(p, node, ret, depth);
	case PY_concatenated_string:
		return fold_beside(p, node, ret, depth);
	case PY_binary_operator:
		return fold_sum(p, node, ret, depth);
	case PY_subscript:
		return fold_reversed(p, node, ret, depth);
	case PY_call:
		return fold_call(p, node, ret, depth);
	case PY_identifier:
		return fold_name(p, node, ret);
	case PY_named_expression:
		return fold(p, py_field(node, PY_F_value), ret, depth + 1);
	}
	return false;
}

bool py_fold(struct py *p, TSNode node, struct py_constant *ret)
{
	bool folded;

	if (ts_node_is_null(node))
		return false;
	if (p->folding++ == 0)
		p->fold_steps = 2000;
	folded = fold(p, node, ret, 0);
	p->folding--;
	return folded;
}
