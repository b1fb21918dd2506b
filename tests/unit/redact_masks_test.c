/* SPDX-License-Identifier: Apache-2.0 */
/* redact_masks_test.c - signs are looked at 64 bytes at a time: what is just long enough is found.
 *
 * Each text stands at every place of such a block, with more behind it than is looked at ahead.
 * Its twin is one byte short, or lacks what makes it a secret, and must stay.
 */
#include "base/own.h"
#include "redact/finder.h"
#include "redacting.h"
#include "tap.h"

enum { BLOCK = 64, BEFORE = 3 * BLOCK, ROOM = 8 * BLOCK };

static const struct {
	const char *text, *secret; /* the latter is a part of the former */
} rows[] = {
	/* Six bytes are a password. */
	{"password=ab1!xZ", "ab1!xZ"},
	{"password = ab1!xZ", "ab1!xZ"},
	{"password := ab1!xZ", "ab1!xZ"},
	{"password:=ab1!xZ", "ab1!xZ"},
	{"password=>ab1!xZ", "ab1!xZ"},
	{"password=\"ab1!xZ\"", "ab1!xZ"},
	/* In quotes there are blanks among them. */
	{"password=\"m Y 1 p\"", "m Y 1 p"},
	{"password: \"my 1st pw\"", "my 1st pw"},
	{"'passwd' => 'a b c 1'", "a b c 1"},
	/* Ten bytes are a secret. */
	{"token=x8Jq2mPz7L", "x8Jq2mPz7L"},
	{"token = x8Jq2mPz7L", "x8Jq2mPz7L"},
	{"token:x8Jq2mPz7L", "x8Jq2mPz7L"},
	{"token:=x8Jq2mPz7L", "x8Jq2mPz7L"},
	{"token=`x8Jq2mPz7L`", "x8Jq2mPz7L"},
	{"\"token\": \"x8Jq2mPz7L\"", "x8Jq2mPz7L"},
	{"'token' => 'x8Jq2mPz7L'", "x8Jq2mPz7L"},
	{"a=b:token=x8Jq2mPz7L", "x8Jq2mPz7L"},
	{"token1=x8Jq2mPz7L", "x8Jq2mPz7L"},
	/* A name of two letters between signs, and one before a sign of two characters. */
	{"a:cf=x8Jq2mPz7Lx8Jq2mPz7Kx8Jq2mPz7Mx8Jq2mPz7N",
	 "x8Jq2mPz7Lx8Jq2mPz7Kx8Jq2mPz7Mx8Jq2mPz7N"},
	{"vonage:=x8jq2mpz7lw5n4rv", "x8jq2mpz7lw5n4rv"},
	{"vonage := x8jq2mpz7lw5n4rv", "x8jq2mpz7lw5n4rv"},
	/* Among many signs, some of them in the value: those tell whose it can be. */
	{"aa=bb=cc=dd=ee=ff=gg=hh=vonage=x8jq2mpz7lw5n4rv", "x8jq2mpz7lw5n4rv"},
	{"aa=bb=cc=dd=ee=ff=gg=hh=_auth=x8Jq=mPz7LnW5=Rv", "x8Jq=mPz7LnW5=Rv"},
	{"aa=bb=cc=dd=ee=ff=gg=hh=_auth = x8Jq=mPz7LnW5=Rv", "x8Jq=mPz7LnW5=Rv"},
	{"aa=bb=cc=dd=ee=ff=gg=hh= _auth  =x8Jq=mPz7LnW5=Rv", "x8Jq=mPz7LnW5=Rv"},
	{"aa=bb=cc=dd=ee=ff=gg=hh=SIG=x8Jq=mPz7Lx8Jq2mPz7Kx8Jq2mPz7Mx8Jq2mPz7N5Rv",
	 "x8Jq=mPz7Lx8Jq2mPz7Kx8Jq2mPz7Mx8Jq2mPz7N5Rv"},
	/* Addresses, whose dots lie in two blocks. */
	{"203.0.113.77", "203.0.113.77"},
	{"8.8.4.4", "8.8.4.4"},
};

static const char *const harmless[] = {
	"password=ab1!x",    "password = ab1!x",  "password=\"ab 1\"", "'passwd' => 'a b 1'",
	"token=x8Jq2mPz7",   "token = x8Jq2mPz7", "token=`x8Jq2mPz7`", "passport=ab1!xZ",
	"tide = x8Jq2mPz7L", "203.0.113",
};

static void fill(char *all, const char *text, size_t at)
{
	for (size_t i = 0; i < ROOM; i++)
		all[i] = i % 8 == 7 ? ' ' : (char)('a' + i % 8);
	all[at - 1] = ' ';
	memcpy(all + at, text, strlen(text));
	all[at + strlen(text)] = ' ';
}

/* How many bytes are found in it, where it stands at this place.  The finder itself is asked: a
 * redactor would show it only what is near. */
static size_t found_in(struct finder *f, const char *text, size_t at)
{
	char all[ROOM];
	size_t n = 0;

	fill(all, text, at);
	if (finder_run(f, &(struct stretch){all, 0, 0, ROOM, 0}) < 0)
		abort();
	for (size_t i = 0; i < f->spans.n; i++)
		n += f->spans.span[i].end - f->spans.span[i].begin;
	return n;
}

static void begin(struct finder *f)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	struct error err = {0};

	if (redact_set_warm(set, &err) < 0 || finder_init(f, set, &err) < 0)
		abort();
}

static void end(struct finder *f)
{
	struct redact_set *set = f->set;

	finder_done(f);
	redact_set_free(set);
}

/* At every place, exactly so many bytes. */
static bool is_found(struct finder *f, const char *text, size_t len)
{
	for (size_t at = BEFORE; at < BEFORE + BLOCK; at++) {
		size_t n = found_in(f, text, at);

		if (n != len) {
			printf("# %s at %zu: %zu bytes\n", text, at % BLOCK, n);
			return false;
		}
	}
	return true;
}

TEST(what_is_just_long_enough_is_found_at_every_place)
{
	struct finder f;

	begin(&f);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK(is_found(&f, rows[i].text, strlen(rows[i].secret)));
	end(&f);
}

TEST(what_is_a_byte_short_stays)
{
	struct finder f;

	begin(&f);
	for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
		CHECK(is_found(&f, harmless[i], 0));
	end(&f);
}
