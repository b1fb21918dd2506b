/* SPDX-License-Identifier: Apache-2.0 */
/* screen_plain_test.c - code that is let through without the grammar is what the grammar lets
 * through without a word. */
#include "screen_data.h"

#include "base/own.h"
#include "screen/python_plain.h"

static bool plain(const char *text)
{
	return py_is_plain(text, strlen(text));
}

/* A rule of an owner's, which speaks of nothing there is, has everything read as a whole. */
static enum answer read_whole(const char *text)
{
	static const char *nothing[] = {"nobody_calls_this"};
	struct screen_own_rule own = {
		.id = "own", .language = "python", .calls = {.word = nothing, .n = 1}};
	const struct screen_policy rules = {.own = &own, .n_own = 1};

	return screen_text("python", &rules, text, strlen(text));
}

TEST(what_most_snippets_are_is_plain)
{
	CHECK(plain("x + 2"));
	CHECK(plain("print(2+2)"));
	CHECK(plain("print(2 + 2)\n"));
	CHECK(plain("total = price(3, n) * 1.5 - (tax + -fee) % 7\nprint(total)\n"));
	CHECK(plain("a=1\n\nb = a\n"));
	CHECK(plain(""));
}

TEST(what_a_rule_may_speak_of_is_not)
{
	CHECK(!plain("eval(x)"));
	CHECK(!plain("x = eval"));
	CHECK(!plain("f(open)"));
	CHECK(!plain("getattr(x, y)(z)"));
	CHECK(!plain("__builtins__"));
	CHECK(!plain("a.b"));
	CHECK(!plain("x['a']"));
	CHECK(!plain("print('a')"));
	CHECK(!plain("import os"));
	CHECK(!plain("exec x"));
	CHECK(!plain("# coding: utf-7"));
	CHECK(!plain("\xef\xbd\x85val(x)"));
	CHECK(!plain("x = __import__"));
}

TEST(what_is_no_python_is_not)
{
	CHECK(!plain("x +"));
	CHECK(!plain(" x"));
	CHECK(!plain("x y"));
	CHECK(!plain("(x"));
	CHECK(!plain("f(x))"));
	CHECK(!plain("1if"));
	CHECK(!plain("1.2.3"));
	CHECK(!plain("x = "));
	CHECK(!plain("f(,)"));
	CHECK(!plain("x\r"));
	CHECK(!plain("((((((((((((((((((1))))))))))))))))))"));
	CHECK(!py_is_plain("x\0", 2));
}

TEST(no_hidden_way_out_is_plain)
{
	CHECK(load_snippets("python_hostile.txt") >= 60);
	for (size_t i = 0; i < n_snippets; i++)
		CHECK(!py_is_plain(snippets[i].text, snippets[i].len));
}

/* Made of what is plain, and of what is nearly so. */
static uint64_t seed = 88172645463325252u;

static unsigned below(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % n);
}

static const char *const pieces[] = {
	"x",      "print",     "total",      "f",       "len",        "rows",   "i",
	"os",     "sys",       "range",      "sum",     "cls",        "socket", "match",
	"case",   "type",      "print",      "async",   "await",      "async_", "nonlocal",
	"exec",   "eval",      "open",       "getattr", "setattr",    "vars",   "globals",
	"locals", "compile",   "object",     "chr",     "str",        "bytes",  "delattr",
	"import", "from",      "del",        "lambda",  "_",          "__x",    "a__b",
	"None",   "True",      "not",        "in",      "is",         "if",     "else",
	"for",    "while",     "return",     "yield",   "with",       "as",     "raise",
	"0",      "1",         "12",         "3.5",     "007",        "1.",     ".5",
	"1e5",    "0x1f",      "1_000",      "5j",      "'a'",        "\"b\"",  "f'{x}'",
	"[0]",    "{}",        ".os",        ".system", ".a",         "#c",     ";",
	":",      "\\\n",      "\t",         "==",      "=",          "**",     "//",
	"@",      "&",         "~",          "!",       "breakpoint", "input",  "execfile",
	"exit",   "bytearray", "memoryview", "reload",  "ctypes",
};

enum { TEXT_ROOM = 400 };

static void add(char *text, const char *piece)
{
	if (strlen(text) + strlen(piece) < TEXT_ROOM)
		strcat(text, piece);
}

static void add_operand(char *text, unsigned depth)
{
	static const char *const plain_ones[] = {"x",   "total", "n",    "rows", "1",
						 "250", "3.5",   "cost", "i9",   "print"};
	const char *piece = below(12) ? plain_ones[below(ARRAY_LEN(plain_ones))]
				      : pieces[below(ARRAY_LEN(pieces))];
	unsigned arguments = below(4);

	if (below(6) == 0)
		add(text, "-");
	if (depth < 3 && below(5) == 0) {
		add(text, "(");
		add_operand(text, depth + 1);
		add(text, below(30) ? ")" : "");
		return;
	}
	add(text, piece);
	if (depth >= 3 || below(3))
		return;
	add(text, "(");
	for (unsigned i = 0; i < arguments; i++) {
		add_operand(text, depth + 1);
		add(text, i + 1 < arguments ? ", " : "");
	}
	add(text, ")");
}

static void add_line(char *text)
{
	static const char *const operators[] = {"+", "-", "*", "/", "%", " + ", " - ", " * ", " "};
	unsigned operands = 1 + below(4);

	if (below(3) == 0) {
		add(text, below(9) ? "y" : pieces[below(ARRAY_LEN(pieces))]);
		add(text, below(2) ? " = " : "=");
	}
	for (unsigned i = 0; i < operands; i++) {
		add_operand(text, 0);
		if (i + 1 < operands)
			add(text, operators[below(ARRAY_LEN(operators) - (below(20) ? 1 : 0))]);
	}
	add(text, "\n");
}

/* One place of it is something else. */
static void spoil(char *text)
{
	size_t len = strlen(text), at = below((unsigned)len);

	if (below(2))
		text[at] = (char)(below(95) + 32);
	else
		memmove(text + at, text + at + 1, len - at);
}

TEST(nothing_is_found_in_what_is_plain)
{
	unsigned seen = 0, others = 0;
	char text[TEXT_ROOM + 8];

	for (unsigned i = 0; i < 60000; i++) {
		unsigned lines = 1 + below(3);

		text[0] = '\0';
		for (unsigned k = 0; k < lines; k++)
			add_line(text);
		if (below(3) == 0)
			spoil(text);
		if (!plain(text)) {
			others++;
			continue;
		}
		seen++;
		if (read_whole(text) != ANSWER_ALLOW || found.n > 0) {
			printf("# plain, and yet %s: %s\n",
			       found.n ? found.list[0].rule : "refused", text);
			tap_failures++;
		}
	}
	CHECK(seen > 10000);
	CHECK(others > 10000);
}
