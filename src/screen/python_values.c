/* SPDX-License-Identifier: Apache-2.0 */
/* python_values.c - strings that can be worked out without running anything.
 *
 * Only what people use to hide a word: literals side by side, + and *, slices
 * backwards, chr(), join(), replace(), the usual decoders, f-strings of such,
 * and names bound once to such.  What is not understood is not a constant;
 * whoever asks must then expect anything.
 */
#include "screen/python_decode.h"

#include <ctype.h>
#include <string.h>

#include "base/own.h"

static bool fold(struct py *p, TSNode node, struct py_constant *ret, unsigned depth);

static bool add_constants(struct py *p, const struct py_constant *a, const struct py_constant *b,
			  struct py_constant *ret)
{
	struct py_maker m;

	py_make(&m, p, a->len + b->len);
	if (m.failed)
		return false;
	memcpy(m.data, a->data, a->len);
	memcpy(m.data + a->len, b->data, b->len);
	m.len = a->len + b->len;
	return py_made(&m, ret, true);
}

/* In an f-string the text between has "{{" for "{". */
static bool fold_part(struct py *p, TSNode part, bool raw, bool formatted, struct py_constant *ret)
{
	size_t len, n = 0;
	const char *text = syntax_text(p->syntax, part, &len);
	char *copy;

	if (!py_decode_escapes(p, text, len, raw, ret))
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
	uint32_t n;
	const TSNode *kids = py_children(p, node, &n);

	for (uint32_t i = 0; i < n; i++) {
		TSNode child = kids[i];
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
		return py_read_digits(text + 2, len - 2, 8, 16, ret) == len - 2;
	return py_read_digits(text, len, 9, 10, ret) == len;
}

static bool repeat(struct py *p, const struct py_constant *one, unsigned long times,
		   struct py_constant *ret)
{
	struct py_maker m;

	if (one->len > 0 && times > PY_CONSTANT_MAX / one->len)
		return false;
	py_make(&m, p, one->len * times);
	for (unsigned long i = 0; !m.failed && i < times; i++) {
		memcpy(m.data + m.len, one->data, one->len);
		m.len += one->len;
	}
	return py_made(&m, ret, true);
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
	struct py_maker m;
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
	py_make(&m, p, whole.len);
	for (size_t i = whole.len; !m.failed && i-- > 0;)
		m.data[m.len++] = whole.data[i];
	return py_made(&m, ret, true);
}

static bool fold_join(struct py *p, const struct py_constant *between, TSNode list,
		      struct py_constant *ret, unsigned depth)
{
	struct py_constant sum = {.data = ""}, part;
	enum py_kind kind = py_kind(list = py_bare(list));
	const TSNode *kids;
	uint32_t n;

	if (kind == PY_string || kind == PY_concatenated_string)
		return between->len == 0 && fold(p, list, ret, depth + 1);
	if (kind != PY_list && kind != PY_tuple)
		return false;
	kids = py_children(p, list, &n);
	for (uint32_t i = 0; i < n; i++) {
		TSNode child = kids[i];

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

/* x.replace(a, b) */
static bool fold_replace(struct py *p, const struct py_constant *in, TSNode call,
			 struct py_constant *ret, unsigned depth)
{
	struct py_constant from, to;
	struct py_maker m;

	if (!fold(p, py_argument(call, 0), &from, depth + 1) ||
	    !fold(p, py_argument(call, 1), &to, depth + 1) || from.len == 0)
		return false;
	py_make(&m, p, in->len * (to.len + 1));
	for (size_t i = 0; !m.failed && i < in->len;) {
		if (in->len - i >= from.len && memcmp(in->data + i, from.data, from.len) == 0) {
			memcpy(m.data + m.len, to.data, to.len);
			m.len += to.len;
			i += from.len;
		} else {
			m.data[m.len++] = in->data[i++];
		}
	}
	return py_made(&m, ret, true);
}

/* Methods of a string that need nothing else. */
static const struct method {
	const char *name;
	bool (*work)(struct py *p, const struct py_constant *in, struct py_constant *ret);
} methods[] = {
	{"lower", py_to_lower},    {"casefold", py_to_lower},   {"upper", py_to_upper},
	{"strip", py_to_stripped}, {"swapcase", py_to_swapped}, {"encode", py_as_it_is},
	{"decode", py_as_it_is},   {"format", py_as_it_is},
};

static const struct method functions[] = {
	{"base64.b64decode", py_from_base64},
	{"base64.urlsafe_b64decode", py_from_base64},
	{"base64.standard_b64decode", py_from_base64},
	{"base64.decodebytes", py_from_base64},
	{"binascii.a2b_base64", py_from_base64},
	{"base64.b16decode", py_from_hex},
	{"binascii.unhexlify", py_from_hex},
	{"binascii.a2b_hex", py_from_hex},
	{"builtins.bytes.fromhex", py_from_hex},
	{"builtins.bytearray.fromhex", py_from_hex},
	{"builtins.str", py_as_it_is},
	{"builtins.bytes", py_as_it_is},
	{"sys.intern", py_as_it_is},
	{"os.path.expanduser", py_as_it_is},
	{"os.path.abspath", py_as_it_is},
	{"os.fspath", py_as_it_is},
	{"pathlib.Path", py_as_it_is},
	{"pathlib.PurePath", py_as_it_is},
	{"pathlib.PosixPath", py_as_it_is},
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
		return py_from_rot13(p, &in, ret);
	if (strncasecmp(codec.data, "hex", 3) == 0)
		return py_from_hex(p, &in, ret);
	if (strncasecmp(codec.data, "base64", 6) == 0)
		return py_from_base64(p, &in, ret);
	return false;
}

static bool fold_chr(struct py *p, TSNode call, struct py_constant *ret)
{
	unsigned long value;
	struct py_maker m;

	if (!fold_integer(p, py_argument(call, 0), &value))
		return false;
	py_make(&m, p, 4);
	if (!m.failed)
		py_put_char(&m, value);
	return py_made(&m, ret, true);
}

/* bytes([111, 115]) */
static bool fold_bytes(struct py *p, TSNode list, struct py_constant *ret)
{
	struct py_maker m;
	uint32_t n;
	const TSNode *kids = py_children(p, list, &n);

	py_make(&m, p, n);
	for (uint32_t i = 0; !m.failed && i < n; i++) {
		unsigned long value;

		if (!fold_integer(p, kids[i], &value) || value > 255)
			return false;
		m.data[m.len++] = (char)value;
	}
	return py_made(&m, ret, true);
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
	uint32_t n;
	const TSNode *kids = py_children(p, node, &n);

	for (uint32_t i = 0; i < n; i++) {
		TSNode child = kids[i];

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
	if (p->fold_steps == 0 || depth > 300 || p->ended != SYNTAX_READ)
		return false;
	if (--p->fold_steps % 128 == 0 && syntax_is_late(p->syntax))
		p->ended = SYNTAX_LATE;
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
