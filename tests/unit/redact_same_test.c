/* SPDX-License-Identifier: Apache-2.0 */
/* redact_same_test.c - whatever a rule's pattern finds in a text, the fast searches find, too.
 *
 * Texts are drawn from every pattern, changed a little, and put where the fast searches decide:
 * between names, signs, quotes and blanks, at the begin and the end of a text, and at every place
 * of the 64 bytes that are looked at together.  PCRE2 with the pattern alone says what is there.
 * A rule that is added is in it without anybody's doing.
 */
#include "base/own.h"
#include "pattern_alone.h"
#include "pattern_sample.h"
#include "redact/finder.h"
#include "redacting.h"
#include "tap.h"

enum { TEXTS = 800, TEXT_MAX = 4096 };

struct texts {
	struct sample draw;
	char text[TEXT_MAX];
	size_t len;
};

static void put(struct texts *t, const char *text, size_t len)
{
	if (t->len + len >= TEXT_MAX)
		return;
	memcpy(t->text + t->len, text, len);
	t->len += len;
}

static void put_one_of(struct texts *t, const char *const *from, size_t n)
{
	const char *one = from[sample_below(&t->draw, n)];

	put(t, one, strlen(one));
}

/* What may stand around a secret. */
static void put_junk(struct texts *t, size_t most)
{
	static const char *const junk[] = {
		" ",   "  ",    "\t",   "\n",   "\"",  "'",      "`",   "=",     ":",
		":=",  "=>",    "==",   "-",    "_",   ".",      "/",   "?",     "&",
		";",   ",",     "aws",  "okta", "x",   "a1",     "7",   "AZDO",  "AzSe",
		"-us", ":AA",   "$1$",  "$2b$", "Q~",  "cf",     "sid", "_auth", "sig",
		"key", "token", "name", "_api", "   ", "secret", "//",
	};

	for (size_t n = sample_below(&t->draw, most + 1); n > 0; n--)
		put_one_of(t, junk, ARRAY_LEN(junk));
}

/* As it is, or with a character less, another or one more, or in the other case. */
static void put_changed(struct texts *t, const char *text, size_t len)
{
	size_t at = t->len, which = len ? sample_below(&t->draw, len) : 0;

	put(t, text, len);
	if (t->len != at + len || len == 0)
		return;
	switch (sample_below(&t->draw, 8)) {
	case 0:
		t->text[at + which] = "aZ0_-. =:\"'\t"[sample_below(&t->draw, 12)];
		break;
	case 1:
		memmove(t->text + at + which, t->text + at + which + 1, len - which - 1);
		t->len--;
		break;
	case 2:
		put(t, t->text + at + which, 1);
		break;
	case 3:
		for (size_t i = at; i < t->len; i++)
			if (t->text[i] >= 'a' && t->text[i] <= 'z' && sample_below(&t->draw, 2))
				t->text[i] = (char)(t->text[i] - 0x20);
		break;
	default:
		break;
	}
}

/* What a text begins with, again and again: "sig=sig=sig=", "ghp_ghp_". */
static void put_glued(struct texts *t)
{
	size_t value = t->draw.begin, len = value ? value : 3 + sample_below(&t->draw, 10);

	len = len < t->draw.len ? len : t->draw.len;
	for (size_t n = sample_below(&t->draw, 24); n > 0; n--) {
		put(t, t->draw.text, len);
		if (sample_below(&t->draw, 8) == 0)
			put_junk(t, 1);
	}
}

static void draw_text(struct texts *t, const char *pattern)
{
	static const char filler[] = "a line of some length that says nothing at all, so that what "
				     "follows is somewhere else; ";

	t->len = 0;
	for (size_t n = sample_below(&t->draw, 3); n > 0; n--)
		put(t, filler, sample_below(&t->draw, sizeof(filler)));
	for (size_t n = 1 + sample_below(&t->draw, 3); n > 0; n--) {
		put_junk(t, 3);
		sample_draw(&t->draw, pattern);
		if (sample_below(&t->draw, 4) == 0)
			put_glued(t);
		put_changed(t, t->draw.text, t->draw.len);
	}
	put_junk(t, 2);
	if (sample_below(&t->draw, 3) == 0)
		put(t, filler, sizeof(filler) - 1);
}

/* How many bytes of it the finder has not; *found: of how many. */
static size_t lost_in(struct finder *f, size_t entry, const struct texts *t, const bool *alone,
		      size_t *found)
{
	bool have[TEXT_MAX] = {false};
	size_t lost = 0;

	/* As in a redactor: room before the text, and nothing that is known behind it. */
	if (finder_run(f, &(struct stretch){t->text, 0, 0, t->len, 0}) < 0)
		return 0; /* all of it is replaced */
	for (size_t i = 0; i < f->spans.n; i++)
		if (f->spans.span[i].rule == entry)
			memset(have + f->spans.span[i].begin, true,
			       f->spans.span[i].end - f->spans.span[i].begin);
	for (size_t i = 0; i < t->len; i++) {
		*found += alone[i];
		lost += alone[i] && !have[i];
	}
	return lost;
}

static bool try_rule(struct finder *f, size_t entry, struct texts *t)
{
	const struct redact_rule *rule = redact_rule_at(entry);
	struct alone a = alone_new(rule);
	size_t found = 0, lost = 0;

	for (size_t n = 0; n < TEXTS && lost == 0; n++) {
		bool alone[TEXT_MAX];

		draw_text(t, rule->pattern);
		alone_find(&a, t->text, t->len, alone);
		lost = lost_in(f, entry, t, alone, &found);
	}
	alone_free(&a);
	if (lost || found < TEXTS)
		printf("# %s: %zu bytes lost, %zu found, text: %.*s\n", rule->id, lost, found,
		       (int)t->len, t->text);
	return lost == 0 && found >= TEXTS;
}

TEST(what_a_pattern_finds_alone_is_found)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	struct texts t = {.draw.seed = 11};
	struct finder f;
	struct error err = {0};

	CHECK(redact_set_warm(set, &err) == 0 && finder_init(&f, set, &err) == 0);
	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *rule = redact_rule_at(i);

		/* Those that are found by hand without their pattern have tests of their own:
		 * redact_glued_test.c. */
		if ((rule->group & REDACT_STANDARD) &&
		    (!rule->hand || rule->hand >= HAND_PRIVATE_KEY))
			CHECK(try_rule(&f, i, &t));
	}
	finder_done(&f);
	redact_set_free(set);
}

/* Of all searches exactly one looks for a rule. */
TEST(every_rule_is_looked_for_by_somebody)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	struct error err = {0};
	size_t n_names = 0, n_anchors = 0;

	CHECK(redact_set_warm(set, &err) == 0);
	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *rule = redact_rule_at(i);
		int ways = rule->hand != HAND_NONE;
		bool named = false, anchored = false, begun = false;

		if (!(rule->group & REDACT_STANDARD))
			continue;
		for (size_t w = 0; w < set->names->n_words; w++)
			named = named || set->names->words[w].entry == i;
		for (size_t a = 0; a < set->anchors->n; a++)
			anchored = anchored || set->anchors->anchors[a].entry == i;
		for (size_t b = 0; b < set->starts->n; b++)
			begun = begun || set->starts->words[b].entry == i;
		ways += named + anchored + begun + (set->db[0].width[i] > 0);
		if (ways != 1)
			printf("# %s: %d ways\n", rule->id, ways);
		CHECK(ways == 1);
		n_names += named;
		n_anchors += anchored;
	}
	/* They are there to be fast: nearly all rules of their kind must be theirs. */
	CHECK(n_names >= 60 && n_anchors >= 10);
	redact_set_free(set);
}
