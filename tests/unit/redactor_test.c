/* SPDX-License-Identifier: Apache-2.0 */
/* redactor_test.c - streams: the same bytes out for every way to cut them, and no secret among
 * them. */
#include "base/own.h"
#include "base/text.h"
#include "pattern_sample.h"
#include "redact/redact_rule.h"
#include "redacting.h"
#include "tap.h"

enum { PER_RULE = 16 };

static const size_t sizes[] = {1, 7, 4096, 65536};

/* Rules whose checks a random text does not pass; they have tests of their own. */
static bool can_be_drawn(const struct redact_rule *rule)
{
	static const char *const hard[] = {"ipv4",     "ipv6",          "card-number",
					   "phone",    "private-key",   "putty-key",
					   "password", "home-directory"};

	for (size_t i = 0; i < ARRAY_LEN(hard); i++)
		if (strcmp(rule->id, hard[i]) == 0)
			return false;
	return true;
}

struct planted {
	struct buf text;
	char **secrets;
	const char **rules;
	size_t n, room;
	struct sample draw;
};

static void plant(struct planted *p, const char *text, size_t begin, size_t end, const char *rule)
{
	static const char *const frames[] = {
		"2026-11-15T10:00:00Z INFO got %s\n",
		"{\"at\": 17, \"value\": \"%s\"}\n",
		"export THING='%s' # comment\n",
		"%s\n",
		"<a href=\"x\">%s</a> and more text behind it\n",
		"first line\n\t%s\nlast line\n",
	};
	struct error err = {0};
	const char *frame = frames[sample_below(&p->draw, ARRAY_LEN(frames))];
	const char *hole = strstr(frame, "%s");

	(void)buf_add(&p->text, frame, (size_t)(hole - frame), &err);
	(void)buf_add_str(&p->text, text, &err);
	(void)buf_add_str(&p->text, hole + 2, &err);
	if (p->n == p->room) {
		p->room = p->room ? p->room * 2 : 1024;
		p->secrets = realloc(p->secrets, p->room * sizeof(*p->secrets));
		p->rules = realloc(p->rules, p->room * sizeof(*p->rules));
	}
	p->rules[p->n] = rule;
	p->secrets[p->n++] = strndup(text + begin, end - begin);
}

static void plant_all(struct planted *p, uint64_t seed)
{
	*p = (struct planted){.draw.seed = seed};
	buf_init(&p->text, (size_t)1 << 30);
	for (size_t round = 0; round < PER_RULE; round++) {
		for (size_t i = 0; i < redact_rule_count(); i++) {
			const struct redact_rule *rule = redact_rule_at(i);
			struct found f = {0};

			if (!can_be_drawn(rule))
				continue;
			do { /* a value that looks like a word is none of our secrets */
				sample_draw(&p->draw, rule->pattern);
				f = (struct found){.text = p->draw.text,
						   .len = p->draw.len,
						   .to = p->draw.len,
						   .begin = p->draw.begin,
						   .end = p->draw.end};
			} while (rule->check && !rule->check(&f));
			plant(p, p->draw.text, p->draw.begin, f.end, rule->id);
		}
	}
}

static void planted_free(struct planted *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->secrets[i]);
	free(p->secrets);
	free(p->rules);
	buf_done(&p->text);
}

static size_t count_leaks(const struct planted *p, const char *out)
{
	size_t leaks = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (strlen(p->secrets[i]) < 5 || !strstr(out, p->secrets[i]))
			continue;
		printf("# leaks: %s %s\n", p->rules[i], p->secrets[i]);
		leaks++;
	}
	return leaks;
}

TEST(none_of_three_thousand_planted_secrets_leaks_at_any_chunk_size)
{
	struct redact_set *set = redacting_set(REDACT_ALL);
	struct planted p;

	plant_all(&p, 20261115);
	CHECK(p.n >= 3000);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct buf out = {0};
		size_t leaks;

		redacting_pieces(set, buf_str(&p.text), p.text.len, redacting_same,
				 (void *)&sizes[i], &out);
		leaks = count_leaks(&p, buf_str(&out));
		printf("# chunks of %zu: %zu of %zu leak\n", sizes[i], leaks, p.n);
		CHECK(leaks == 0);
		buf_done(&out);
	}
	planted_free(&p);
	redact_set_free(set);
}

static size_t any_size(void *context)
{
	return 1 + sample_below(context, sample_below(context, 3) ? 50 : 9000);
}

static void check_chunkings(struct redact_set *set, const char *text, size_t len)
{
	struct buf whole = {0};
	struct sample draw = {.seed = 7};
	size_t all = len ? len : 1;

	redacting_pieces(set, text, len, redacting_same, &all, &whole);
	for (size_t i = 0; i < ARRAY_LEN(sizes) + 4; i++) {
		struct buf out = {0};

		if (i < ARRAY_LEN(sizes))
			redacting_pieces(set, text, len, redacting_same, (void *)&sizes[i], &out);
		else
			redacting_pieces(set, text, len, any_size, &draw, &out);
		CHECK(out.len == whole.len && memcmp(buf_str(&out), buf_str(&whole), out.len) == 0);
		buf_done(&out);
	}
	CHECK(text_is_utf8(buf_str(&whole), whole.len));
	buf_done(&whole);
}

TEST(output_does_not_depend_on_how_the_input_was_cut)
{
	struct redact_set *set = redacting_set(REDACT_ALL);
	struct planted p;

	plant_all(&p, 99);
	check_chunkings(set, buf_str(&p.text), p.text.len);
	planted_free(&p);
	redact_set_free(set);
}

/* Everything in one line, megabytes long. */
TEST(a_line_without_end_is_cleaned_in_windows)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	struct planted p;
	struct buf out = {0};
	size_t chunk = 65536;

	plant_all(&p, 4711);
	for (size_t i = 0; i < p.text.len; i++)
		if (p.text.data[i] == '\n')
			p.text.data[i] = ' ';
	check_chunkings(set, buf_str(&p.text), p.text.len);
	redacting_pieces(set, buf_str(&p.text), p.text.len, redacting_same, &chunk, &out);
	for (size_t i = 0; i < p.n; i++) /* optional groups are off */
		if (strcmp(p.rules[i], "email") != 0 && strlen(p.secrets[i]) >= 5 &&
		    strstr(buf_str(&out), p.secrets[i])) {
			printf("# leaks: %s %s\n", p.rules[i], p.secrets[i]);
			CHECK(false);
		}
	buf_done(&out);
	planted_free(&p);
	redact_set_free(set);
}

TEST(a_secret_longer_than_everything_is_swallowed_whole)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	size_t len = 500000;
	own_str text = malloc(len + 64);
	own_str got = NULL;

	memset(text, 'A', len);
	memcpy(text, "see ya29.", 9);
	memcpy(text + len, " behind\n", 9);
	got = redacting_text(set, text);
	CHECK_STR(got, "see [REDACTED:gcp-oauth-token] behind\n");
	check_chunkings(set, text, len + 8);
	redact_set_free(set);
}

/* The next of them that is found is six words on: the last bytes of the one before may be its
 * begin.  So what is left at the end tells where the others were, in a line that is searched whole;
 * nothing is left if they are more than a window. */
TEST(secrets_that_begin_in_each_other_are_one_in_whatever_windows)
{
	static const char word[] = "AIza-", label[] = "see [REDACTED:gcp-api-key]";
	enum { WORD = sizeof(word) - 1, WHOLE = 39, STEP = 6 * WORD, WINDOW = 128 << 10 };
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	size_t most = 500000;
	own_str text = malloc(most + 64);

	for (size_t len = 10000 * WORD; len <= most; len += 1987 * WORD) {
		size_t left = len < WINDOW ? (len - WHOLE) / STEP * STEP + WHOLE : len;
		own_str got = NULL;

		memcpy(text, "see ", 4);
		for (size_t i = 0; i < len; i += WORD)
			memcpy(text + 4 + i, word, WORD);
		memcpy(text + 4 + len, " behind\n", 9);
		got = redacting_text(set, text);
		CHECK(strncmp(got, label, strlen(label)) == 0);
		CHECK_STR(got + strlen(label), text + 4 + left);
	}
	check_chunkings(set, text, strlen(text));
	redact_set_free(set);
}

TEST(a_secret_across_the_border_of_two_windows_is_found)
{
	static const char secret[] = "ghp_"
				     "abcdefghijklmnopqrstuvwxyz0123456789";
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	size_t len = 140000;
	own_str text = malloc(len + 1);

	for (size_t at = 90000; at < 135000; at += 13) {
		own_str got = NULL;

		memset(text, ' ', len);
		text[len] = '\0';
		memcpy(text + at, secret, strlen(secret));
		got = redacting_text(set, text);
		CHECK(!strstr(got, "ghp_") && !strstr(got, "23456789"));
		CHECK(strstr(got, "[REDACTED:github-token]") != NULL);
		at += at % 700 == 0 ? 0 : 900;
	}
	redact_set_free(set);
}

/* A window begins with the secret that was at the border of the one before. */
TEST(an_escape_before_a_window_ends_a_word_too)
{
	static const char secret[] = "ghp_"
				     "abcdefghijklmnopqrstuvwxyz0123456789";
	static const char *const befores[] = {"\\n", "a\\t", "x=1%20", " "};
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	size_t len = 140000, border = 112 << 10;
	own_str text = malloc(len + 1);

	for (size_t i = 0; i < ARRAY_LEN(befores); i++) {
		size_t n = strlen(befores[i]);

		for (size_t at = border - strlen(secret); at < border + 5; at++) {
			own_str got = NULL;

			memset(text, '.', len);
			text[len] = '\0';
			memcpy(text + at - n, befores[i], n);
			memcpy(text + at, secret, strlen(secret));
			got = redacting_text(set, text);
			CHECK(!strstr(got, "ghp_") && !strstr(got, "23456789"));
		}
	}
	redact_set_free(set);
}

/* The longest match that any built-in rule must see to know it: a token with its parts as long as
 * they may be. */
TEST(the_longest_match_is_seen_wherever_a_window_ends)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	size_t len = 300000, first = 4003, second = 8002;
	own_str text = malloc(len + 1);

	/* No other rule needs more: the sum of all that is repeated is an upper bound. */
	for (size_t i = 0; i < redact_rule_count(); i++) {
		const char *p = redact_rule_at(i)->pattern;
		size_t most = strlen(p);

		while ((p = strchr(p, '{')) != NULL) {
			char *end = NULL;
			size_t least = strtoul(p + 1, &end, 10);
			size_t last = *end == ',' ? strtoul(end + 1, &end, 10) : 0;

			most += least > last ? least : last;
			p = end;
		}
		CHECK(most < 16 << 10);
	}
	for (size_t at = 96 << 10; at < 132 << 10; at += 997) {
		own_str got = NULL;

		memset(text, ' ', len);
		text[len] = '\0';
		memset(text + at, 'a', first + 1 + second + 1 + 40);
		memcpy(text + at, "eyJ", 3);
		memcpy(text + at + first, ".ey", 3);
		text[at + first + 1 + second] = '.';
		got = redacting_text(set, text);
		CHECK(strstr(got, "[REDACTED:jwt]") != NULL && !strstr(got, "aa"));
	}
	redact_set_free(set);
}

/* The same alone as in a line that is longer than a window, with the end of what one lets out
 * anywhere in it. */
static void check_at_window_end(struct redact_set *set, const char *one, size_t *found)
{
	enum { LONG = 150 << 10, LET_OUT = 112 << 10 };
	size_t len = strlen(one);
	own_str text = malloc(LONG + 1);
	own_str alone = redacting_text(set, one);

	*found += strstr(alone, "[REDACTED:") != NULL;
	for (size_t part = 0; part <= 4; part++) {
		size_t at = LET_OUT + 1 - len * part / 4, n = strlen(alone);
		own_str got = NULL;

		memset(text, ' ', LONG);
		text[LONG] = '\0';
		memcpy(text + at, one, len);
		got = redacting_text(set, text);
		CHECK(strlen(got) == LONG - len + n && memcmp(got + at, alone, n) == 0);
	}
}

TEST(what_a_window_ends_in_is_found_in_it_or_the_next)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	size_t found = 0, rules = 0;

	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *rule = redact_rule_at(i);
		struct sample s = {.seed = i};

		if (!(rule->group & REDACT_STANDARD) || !can_be_drawn(rule))
			continue;
		sample_draw(&s, rule->pattern);
		if (s.len + 5 >= sizeof(s.text) || memchr(s.text, '\n', s.len))
			continue;
		/* Quotes behind it: an open one is not to go on into what follows. */
		memmove(s.text + 1, s.text, s.len);
		s.text[0] = ' ';
		memcpy(s.text + s.len + 1, "\"' ", sizeof("\"' "));
		rules++;
		check_at_window_end(set, s.text, &found);
	}
	CHECK(found > rules / 2);
	redact_set_free(set);
}

/* Closed it goes to its quote, however long; open it ends with a word and not with the line. */
TEST(an_open_quote_does_not_take_the_line)
{
	static const char open[] = "x \\\"password\\\": \\\"hx7Qpw93kdLm ";
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	char text[1024];

	for (size_t closed = 0; closed < 2; closed++) {
		own_str got = NULL;
		size_t len = sizeof(open) - 1;

		memcpy(text, open, sizeof(open));
		for (; len < 400; len += 5)
			memcpy(text + len, "word ", 6);
		(void)snprintf(text + len, sizeof(text) - len, "%s",
			       closed ? "\\\"} end" : "nobody");
		got = redacting_text(set, text);
		CHECK(strstr(got, "[REDACTED:escaped-password]") && !strstr(got, "hx7Q"));
		CHECK((strstr(got, "word word") == NULL) == (closed == 1));
	}
	redact_set_free(set);
}

TEST(more_than_can_be_kept_is_replaced_whole)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	size_t n = 12000;
	own_str text = malloc(n * 8 + 1);
	own_str got = NULL;

	for (size_t i = 0; i < n; i++)
		memcpy(text + i * 8, "8.8.8.8 ", 8);
	text[n * 8 - 1] = '\n';
	text[n * 8] = '\0';
	got = redacting_text(set, text);
	CHECK_STR(got, "[REDACTED:limit]\n");
	check_chunkings(set, text, n * 8);
	redact_set_free(set);
}

TEST(many_lines_with_much_in_each_are_all_cleaned)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	size_t n = 20000;
	own_str text = malloc(n * 8 + 1);
	own_str got = NULL;
	size_t labels = 0;

	for (size_t i = 0; i < n; i++)
		memcpy(text + i * 8, "8.8.8.8\n", 8);
	text[n * 8] = '\0';
	got = redacting_text(set, text);
	for (const char *p = got; (p = strstr(p, "[REDACTED:ipv4]\n")); p++)
		labels++;
	CHECK(labels == n && !strstr(got, "8.8"));
	check_chunkings(set, text, n * 8);
	redact_set_free(set);
}

TEST(counts_say_what_was_replaced)
{
	static const char text[] = "8.8.8.8 and 9.9.9.9 and /home/"
				   "jane\n";
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	struct buf out = {0};
	struct error err = {0};
	struct redact_count counts[4];
	struct redactor *r;

	buf_init(&out, 4096);
	r = redactor_new(set, redacting_sink, &out, &err);
	redactor_feed(r, text, strlen(text));
	redactor_finish(r);
	CHECK(redactor_counts(r, counts, 4) == 2);
	CHECK_STR(counts[0].id, "home-directory");
	CHECK(counts[0].count == 1);
	CHECK_STR(counts[1].id, "ipv4");
	CHECK(counts[1].count == 2 && redactor_total(r) == 3);
	CHECK(redactor_canary(r) == NULL);
	redactor_free(r);
	buf_done(&out);
	redact_set_free(set);
}

TEST(a_group_that_is_off_is_not_looked_for)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD & ~(unsigned)REDACT_ADDRESS);
	own_str got = redacting_text(set, "8.8.8.8 jane@example.com ghp_"
					  "abcdefghijklmnopqrstuvwxyz0123456789");

	CHECK_STR(got, "8.8.8.8 jane@example.com [REDACTED:github-token]");
	redact_set_free(set);
}

TEST(what_hides_in_a_secret_does_not_hide_it)
{
	static const char *const texts[] = {
		"gh\xe2\x80\x8bp_abcdefghijklmnopqrstuvwxyz0123456789",
		"ghp_\x1b[31mabcdefghijklmnop\x1b[0mqrstuvwxyz0123456789",
		"ghp_abcdefghij\xe2\x80\xaeklmnopqrstuvwxyz0123456789",
		"ghp_abcdefghij\x07\x08\x7fklmnopqrstuvwxyz0123456789",
		"ghp_abcdefghij\x1b]0;title\x07klmnopqrstuvwxyz0123456789",
		"ghp_abcdefghij\xc2\x9b;31mklmnopqrstuvwxyz0123456789",
	};
	struct redact_set *set = redacting_set(REDACT_STANDARD);

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		own_str got = redacting_text(set, texts[i]);

		CHECK_STR(got, "[REDACTED:github-token]");
		check_chunkings(set, texts[i], strlen(texts[i]));
	}
	redact_set_free(set);
}

TEST(an_escape_ends_a_word_as_what_it_stands_for_does)
{
	static const char *const befores[] = {"\\n", "a\\t", "x=1%20", "q%3D", "\"", "/"};
	struct redact_set *set = redacting_set(REDACT_STANDARD);

	for (size_t i = 0; i < ARRAY_LEN(befores); i++) {
		for (size_t shift = 0; shift < 70; shift++) {
			char text[256], want[256];
			own_str got = NULL;

			(void)snprintf(text, sizeof(text), "%.*s %sghp_%s", (int)shift,
				       "..........................................................."
				       "...........",
				       befores[i],
				       "abcdefghijklmnopqrstuvwxyz0123456789 rest of the line "
				       "that is long enough to fill a block of sixty-four bytes");
			(void)snprintf(want, sizeof(want), "%s[REDACTED:github-token] rest",
				       befores[i]);
			got = redacting_text(set, text);
			CHECK(strstr(got, want) != NULL);
		}
	}
	redact_set_free(set);
}
