/* SPDX-License-Identifier: Apache-2.0 */
/* tailclass_test.c - a match in a long line ends where PCRE2 says, told by its first bytes. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/own.h"
#include "pattern_sample.h"
#include "redact/redact_rule.h"
#include "redact/tailclass.h"
#include "redacting.h"
#include "tap.h"

enum { DRAWS = 12, BODY = 20000, UNDERSTOOD = 80, VALUE_BYTES = 400 << 10 };

/* One search, as cut.c makes it. */
struct trial {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
	char text[SAMPLE_ROOM + BODY + 2];
	size_t len;
};

static bool match(struct trial *t, size_t len, size_t *from, size_t *to)
{
	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(t->data);

	(void)pcre2_set_offset_limit(t->limits, 1);
	if (pcre2_match(t->code, (PCRE2_SPTR)t->text, len, 0, 0, t->data, t->limits) < 0)
		return false;
	*from = ends[0];
	*to = ends[1];
	return true;
}

/* A text that matches, or nearly, and its last character again and again, with some others. */
static void fill(struct trial *t, struct sample *s, const char *pattern)
{
	size_t odd = sample_below(s, 3) ? BODY / 2 : 0;

	sample_draw(s, pattern);
	t->text[0] = ' ';
	t->len = 1 + s->len - (sample_below(s, 4) == 0);
	memcpy(t->text + 1, s->text, t->len - 1);
	for (size_t i = 0; i < BODY; i++) {
		bool other = odd && sample_below(s, odd) == 0;

		t->text[t->len] = other ? (char)sample_random(s) : t->text[t->len - 1];
		t->len++;
	}
}

static bool agrees(struct trial *t, const struct tailclasses *all, struct tail tail)
{
	size_t from = 0, to = 0, want_from = 0, want_to = 0, enough = 1 + tail.need;
	struct tail_runs seen = {.known = 0};
	bool want = match(t, t->len, &want_from, &want_to);

	if (enough > t->len || match(t, enough, &from, &to) != want)
		return enough > t->len;
	if (want && to == enough)
		for (int again = 0; again < 2; again++)
			to = tail_end(all, tail.which, &seen, t->text,
				      (struct tail_run){enough, t->len});
	return from == want_from && to == want_to;
}

static size_t count_wrong(size_t *understood)
{
	static struct tailclasses all;
	static struct trial t;
	static struct sample s = {.seed = 11};
	size_t wrong = 0;

	t.data = pcre2_match_data_create(8, NULL);
	t.limits = pcre2_match_context_create(NULL);
	for (size_t i = 0; i < redact_rule_count(); i++) {
		const char *pattern = redact_rule_at(i)->pattern;
		struct tail tail = pattern ? tail_read(&all, pattern) : (struct tail){0};
		int why = 0;
		PCRE2_SIZE at = 0;

		if (tail.need == 0)
			continue;
		++*understood;
		t.code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
				       PCRE2_USE_OFFSET_LIMIT, &why, &at, NULL);
		for (size_t k = 0; k < DRAWS; k++) {
			fill(&t, &s, pattern);
			wrong += !agrees(&t, &all, tail);
		}
		pcre2_code_free(t.code);
	}
	pcre2_match_data_free(t.data);
	pcre2_match_context_free(t.limits);
	return wrong;
}

/* Their end is not told by a class alone. */
static const char *const others[] = {
	"a[b]{3,}c",      "a[b]{3,}?",         "x|[b]{3,}", "(x|[b]{3,})", "(?:a[b]{3,}){2}",
	"(?:ab){2}c{3,}", "(?:a){9}[b]{3,}",   "a+[b]{3,}", "a*[b]{3,}",   "(?=ab)[ab]{3,}",
	"(?<!a)[b]{3,}",  "[a]{2,}[b]{3,}",    "[a]{3}",    "[a]{3,9}",    "ab",
	"a.[b]{3,}",      "(?:(x)|([b]{3,}))", "[\\d]{3,}", "[a]{3,}$",    "",
};

static size_t count_read(void)
{
	static struct tailclasses all;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		n += tail_read(&all, others[i]).need > 0;
	return n;
}

static size_t some(void *context)
{
	(void)context;
	return 5000;
}

/* A value of several windows, in which others begin: is all of it one? */
static bool is_one(const char *unit, const char *want)
{
	static const char value[] = "x8Jq2mPz7LwTn4Rvx8Jq2mPz7LwTn4RvaBcD", more[] = " more\n";
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	struct buf text, out;
	bool same;

	buf_init(&text, (size_t)1 << 30);
	while (text.len < VALUE_BYTES) {
		redacting_sink(&text, unit, strlen(unit));
		redacting_sink(&text, value, strlen(value));
	}
	redacting_sink(&text, more, strlen(more));
	redacting_pieces(set, text.data, text.len, some, NULL, &out);
	same = out.len == strlen(want) && memcmp(out.data, want, out.len) == 0;
	if (!same)
		printf("# %.*s\n", (int)(out.len < 200 ? out.len : 200), out.data);
	buf_done(&text);
	buf_done(&out);
	redact_set_free(set);
	return same;
}

TEST(a_match_ends_where_pcre2_says)
{
	size_t understood = 0;

	CHECK(count_wrong(&understood) == 0);
	CHECK(understood >= UNDERSTOOD);
	printf("# %zu rules\n", understood);
}

TEST(what_ends_in_another_way_is_left_alone)
{
	CHECK(count_read() == 0);
}

TEST(what_begins_in_a_long_value_belongs_to_it)
{
	CHECK(is_one("_authToken=", "_authToken=[REDACTED:npmrc-token] more\n"));
	CHECK(is_one("/sntrys_", "/[REDACTED:sentry-token] more\n"));
	CHECK(is_one("$6$", "[REDACTED:password-hash] more\n"));
}
