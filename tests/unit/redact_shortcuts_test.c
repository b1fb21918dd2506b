/* SPDX-License-Identifier: Apache-2.0 */
/* redact_shortcuts_test.c - what tells early that something is no secret never tells it of one.
 *
 * Each shortcut is compared with what it stands for, on texts that are full of near misses: names
 * and values with the functions that read them whole, rules that are found by hand with PCRE2 and
 * the rule's pattern, what may follow a beginning with the pattern, too.
 */
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "base/own.h"
#include "pattern_alone.h"
#include "pattern_sample.h"
#include "redact/finder.h"
#include "redact/signforms.h"
#include "redact/signname.h"
#include "redact/valuerun.h"
#include "redacting.h"
#include "tap.h"

enum { NAMES = 200000, VALUES = 4000, LINES = 120000, PER_WORD = 600, ROOM = 1024 };

struct drawn {
	struct sample draw;
	char text[ROOM];
	size_t len;
};

static void put(struct drawn *d, const char *text, size_t len)
{
	if (d->len + len < ROOM) {
		memcpy(d->text + d->len, text, len);
		d->len += len;
	}
}

static void put_one_of(struct drawn *d, const char *const *from, size_t n)
{
	const char *one = from[sample_below(&d->draw, n)];

	put(d, one, strlen(one));
}

/* Now and then a letter becomes a capital, another one, or goes. */
static void spoil(struct drawn *d)
{
	for (size_t n = sample_below(&d->draw, 4); n > 0 && d->len > 2; n--) {
		size_t at = sample_below(&d->draw, d->len);
		char *c = &d->text[at];

		switch (sample_below(&d->draw, 4)) {
		case 0:
			*c = *c >= 'a' && *c <= 'z' ? (char)(*c - 0x20) : *c;
			break;
		case 1:
			*c = "ekntyalosdrwp_-. 1"[sample_below(&d->draw, 18)];
			break;
		case 2:
			memmove(c, c + 1, --d->len - at);
			break;
		default:
			break;
		}
	}
}

static void draw_name(struct drawn *d)
{
	static const char *const parts[] = {
		"key",  "token", "secret", "credential", "api",     "private", "pass",
		"word", "wd",    "phrase", "pwd",        "pgpass",  "access",  "signing",
		"_",    "-",     "__",     "_-",         "k",       "e",       "y",
		"en",   "et",    "al",     "ey",         "t",       "o",       "2",
		"prod", "value", ".",      " ",          "session", "master",  "=",
	};
	static const char *const ends[] = {"", "", "", " ", "\t ", "\"", "'", "\"]", "\" ", ":"};

	d->len = 0;
	for (size_t n = 1 + sample_below(&d->draw, 7); n > 0; n--)
		put_one_of(d, parts, ARRAY_LEN(parts));
	spoil(d);
	put_one_of(d, ends, ARRAY_LEN(ends));
}

TEST(no_name_that_means_a_secret_is_passed_over)
{
	struct drawn d = {.draw.seed = 21};
	size_t lost = 0, secrets = 0, passwords = 0;

	for (size_t i = 0; i < NAMES; i++) {
		struct signname n;
		size_t sign;

		draw_name(&d);
		sign = d.len;
		put(&d, "=", 1);
		if (sign < 2 || !signname_read(d.text, sign - (d.text[sign - 1] == ':'), &n))
			continue;
		secrets += signname_secret(&n);
		passwords += signname_password(d.text, &n);
		if ((!signname_secret(&n) || signname_maybe_secret(d.text, sign)) &&
		    (!signname_password(d.text, &n) ||
		     (signname_maybe_password(d.text, sign) &&
		      signname_near_password(d.text, sign - (d.text[sign - 1] == ':')))))
			continue;
		if (lost++ == 0)
			printf("# lost: '%.*s'\n", (int)d.len, d.text);
	}
	CHECK(lost == 0);
	CHECK(secrets > NAMES / 20 && passwords > NAMES / 100);
}

/* Of few different bytes, or of just too many. */
static void draw_value(struct drawn *d)
{
	static const char all[] = "kEy=1a2B3cD4-_xQzPw9";
	size_t different = 3 + sample_below(&d->draw, sizeof(all) - 3);
	size_t len = 10 + sample_below(&d->draw, 300);

	d->len = 0;
	while (d->len < len)
		put(d, &all[sample_below(&d->draw, different)], 1);
	if (sample_below(&d->draw, 2))
		put(d, "\n", 1);
}

TEST(no_value_that_the_check_takes_has_few_different_bytes)
{
	struct drawn d = {.draw.seed = 22};
	size_t lost = 0, found = 0, few = 0;

	for (size_t i = 0; i < VALUES; i++) {
		struct valuerun run = {.text = d.text};

		draw_value(&d);
		run.high = d.len;
		for (size_t at = 0; at + 10 <= d.len; at += 1 + sample_below(&d.draw, 3)) {
			size_t end = valuerun_end(&run, at);
			struct found f = {d.text, at, end, at, end, d.len};
			bool dull = valuerun_dull(&run, at), is_few = valuerun_few(&run, at);
			bool secret = end >= at + 10 && check_assigned(&f);

			few += is_few;
			found += secret;
			lost += secret && (dull || is_few || !valuerun_secret(&run, at));
		}
	}
	CHECK(lost == 0);
	CHECK(found > 10000 && few > 10000);
}

/* "https://USER:PASSWORD@h" with one byte somewhere in user or password, so that it is looked at
 * alone as well as beside fifteen others.  The same bytes as in the rule's pattern end both. */
static bool finds_password(unsigned char byte, size_t in_user, size_t in_password, bool user)
{
	static const char some[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
	char text[200];
	size_t n = 0, colon;
	struct found f;

	memcpy(text, "https://", 8);
	memcpy(text + 8, some, in_user);
	n = 8 + in_user;
	if (user)
		text[n++] = (char)byte;
	text[n++] = ':';
	memcpy(text + n, some, in_password);
	n += in_password;
	if (!user)
		text[n++] = (char)byte;
	memcpy(text + n, "z@h", 3);
	n += 3;
	if (!signforms_url_password(text, n, 5, &f))
		return false;
	colon = 8 + in_user + (user && byte != ':');
	CHECK(f.text == text && f.from == 0 && f.begin == colon + 1 && f.end == n - 2);
	return true;
}

TEST(a_password_in_a_url_ends_where_its_pattern_says)
{
	static const char ends[] = " \t\n@/\"'<>`";

	for (unsigned byte = 0; byte < 256; byte++)
		for (size_t before = 0; before < 40; before++) {
			bool fine = !memchr(ends, (int)byte, sizeof(ends) - 1);

			if (finds_password((unsigned char)byte, before, 3, true) != fine ||
			    (byte != '@' &&
			     finds_password((unsigned char)byte, 3, before, false) != fine)) {
				printf("# byte %u behind %zu others\n", byte, before);
				tap_failures++;
			}
		}
}

static void draw_command(struct drawn *d)
{
	static const char *const parts[] = {
		"curl ",
		"curl ",
		"curl",
		"-u ",
		"-u=",
		"-u",
		"--user ",
		"--user=",
		" -u ",
		" --user ",
		" ",
		"me:pw12",
		"a:$X",
		"a:b",
		":s3cret",
		"\"",
		"'",
		"|",
		";",
		"&",
		"\n",
		"\t",
		"x",
		"scurl ",
		"https://x:1234/",
		"user:",
		"=",
		"sshpass -p ",
		"hunter22",
		"-",
		"- ",
		"--",
		"--password ",
		"\"--token\",",
		" --api-key ",
		"hx7Qpw93kdLmzQ2",
		"\",\"",
		"\\\"",
		"db-pass ",
	};
	static const char filler[] = "-s -o file --header and so on for quite a while until more "
				     "than two hundred bytes lie between the command and what ";

	d->len = 0;
	for (size_t n = 2 + sample_below(&d->draw, 14); n > 0; n--) {
		put_one_of(d, parts, ARRAY_LEN(parts));
		if (sample_below(&d->draw, 12) == 0)
			put(d, filler, sizeof(filler) - 1);
	}
}

/* Without ":=": a pattern takes its ":" for the sign if what follows is too short, and "=" for a
 * part of the value. */
static void draw_assignment(struct drawn *d)
{
	static const char *const parts[] = {
		"key",
		"token",
		"secret",
		"password",
		"pwd",
		"db_pass",
		"api_key",
		"x",
		"=",
		":",
		"=>",
		" ",
		"  ",
		"\"",
		"'",
		"=",
		": ",
		"= ",
		"\n",
		".",
		"-",
		"_",
		"://",
		"a8Kx2m",
		"hunter2!",
		"x8Jq2mPz7LwTn4Rv",
		"9f86d081884c7d65",
		"aaaaaaa",
		"(",
		"]",
		"$X",
		"environ",
		"self.",
		",",
		"kEy=",
	};

	d->len = 0;
	for (size_t n = 2 + sample_below(&d->draw, 30); n > 0; n--)
		put_one_of(d, parts, ARRAY_LEN(parts));
	spoil(d);
}

/* Values that are random, or only just not, long ones and short ones, and the same again. */
static void draw_token(struct drawn *d)
{
	static const char *const parts[] = {
		"bearer ",
		"Bearer\t",
		"sid=",
		"session_id=",
		"authorization: token ",
		"PHPSESSID=",
		" ",
		"/",
		"=",
		".",
		"xxx",
		"%",
		"&",
		"\n",
		"-",
		"bearer",
		"Your",
		"\xc3\xa9",
		"\"",
		"\\\"",
		"    ",
		"authorization: key ",
		"\\\"Authorization\\\": \\\"ApiKey ",
	};
	static const char *const alphabets[] = {"aaaaaaab1c2", "aaabcdefg1", "aabbccddeeffgg1122",
						"abcdefgh1234", "aAbBcCdDeEfFgGhHiIjJ"};
	char value[160];

	d->len = 0;
	for (size_t n = 1 + sample_below(&d->draw, 6); n > 0; n--) {
		const char *from = alphabets[sample_below(&d->draw, ARRAY_LEN(alphabets))];
		size_t len = 10 + sample_below(&d->draw, sample_below(&d->draw, 4) ? 20 : 150);

		put_one_of(d, parts, ARRAY_LEN(parts) / (1 + sample_below(&d->draw, 3)));
		for (size_t i = 0; i < len; i++)
			value[i] = from[sample_below(&d->draw, strlen(from))];
		put(d, value, len);
		/* Another one that begins, or ends, as this one does. */
		if (sample_below(&d->draw, 3) == 0) {
			put_one_of(d, parts, 6);
			value[sample_below(&d->draw, len)] = '7';
			put(d, value, len);
		}
		put_one_of(d, parts, ARRAY_LEN(parts));
	}
}

/* Quotes with backslashes before them. */
static void draw_escaped(struct drawn *d)
{
	static const char *const parts[] = {
		"key",    "token",  "password",  "db_pass",  "api_key",    "=",
		":",      "=>",     " ",         "\\\"",     "\\\"",       "\\\"",
		"\\\"",   "\\\\\"", "\\\\\\\"",  "\\u0022",  "\\\\u0022",  "\\'",
		"\\",     "\\\\",   "\"",        "\\n",      "\\/",        "\n",
		": \\\"", "=\\\"",  "\\\":\\\"", "hunter2!", "x8Jq2mPz7L", "w93kdLmzQ2",
		"aaaaaa", "$X",     ",",
	};

	d->len = 0;
	for (size_t n = 2 + sample_below(&d->draw, 30); n > 0; n--)
		put_one_of(d, parts, ARRAY_LEN(parts));
	spoil(d);
}

static size_t rule_called(const char *id)
{
	size_t i = 0;

	while (strcmp(redact_rule_at(i)->id, id) != 0)
		i++;
	return i;
}

/* Bytes that the pattern finds alone, and nobody replaces. */
static size_t lost_of(const char *id, void (*draw)(struct drawn *), size_t lines, size_t *found)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	struct drawn d = {.draw.seed = 23 + rule_called(id)};
	struct alone a = alone_new(redact_rule_at(rule_called(id)));
	struct error err = {0};
	struct finder f;
	size_t lost = 0;

	CHECK(redact_set_warm(set, &err) == 0 && finder_init(&f, set, &err) == 0);
	for (size_t i = 0; i < lines; i++) {
		bool alone[ROOM], have[ROOM] = {false};
		size_t here = 0;

		draw(&d);
		/* Of ":=" a pattern takes ":" for the sign, if what follows is too short, and "="
		 * for a part of the value. */
		if (memmem(d.text, d.len, ":=", 2))
			continue;
		alone_find(&a, d.text, d.len, alone);
		CHECK(finder_run(&f, &(struct stretch){d.text, 0, 0, d.len, 0}) == 0);
		for (size_t s = 0; s < f.spans.n; s++)
			memset(have + f.spans.span[s].begin, true,
			       f.spans.span[s].end - f.spans.span[s].begin);
		for (size_t b = 0; b < d.len; b++) {
			*found += alone[b];
			/* What ends a sentence is no loss: of two that overlap one has it not. */
			here += alone[b] && !have[b] && !check_is_trail(d.text[b]);
		}
		if (here && lost == 0)
			printf("# %zu lost: '%.*s'\n", here, (int)d.len, d.text);
		lost += here;
	}
	finder_done(&f);
	alone_free(&a);
	redact_set_free(set);
	return lost;
}

TEST(a_password_for_curl_is_found_as_its_pattern_finds_it)
{
	size_t found = 0;

	CHECK(lost_of("cli-password", draw_command, LINES, &found) == 0);
	CHECK(found > LINES / 10);
}

TEST(assignments_are_found_as_their_patterns_find_them)
{
	size_t found = 0;

	CHECK(lost_of("password", draw_assignment, LINES, &found) == 0);
	CHECK(found > LINES / 10);
	found = 0;
	CHECK(lost_of("secret-assignment", draw_assignment, LINES, &found) == 0);
	CHECK(found > LINES / 10);
}

TEST(escaped_assignments_are_found_as_their_patterns_find_them)
{
	size_t found = 0;

	CHECK(lost_of("escaped-password", draw_escaped, LINES / 4, &found) == 0);
	CHECK(found > LINES / 40);
	found = 0;
	CHECK(lost_of("escaped-secret", draw_escaped, LINES / 4, &found) == 0);
	CHECK(found > LINES / 40);
}

TEST(options_are_found_as_their_patterns_find_them)
{
	size_t found = 0;

	CHECK(lost_of("option-password", draw_command, LINES / 4, &found) == 0);
	CHECK(found > LINES / 40);
	found = 0;
	CHECK(lost_of("option-secret", draw_command, LINES / 4, &found) == 0);
	CHECK(found > LINES / 40);
}

TEST(tokens_are_found_as_their_patterns_find_them)
{
	static const char *const ids[] = {"bearer-token", "session-cookie", "authorization-token"};

	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		size_t found = 0;

		CHECK(lost_of(ids[i], draw_token, LINES / 4, &found) == 0);
		CHECK(found > LINES / 10);
	}
}

static bool note(void *context, size_t at, size_t rule, size_t *until)
{
	bool *found = context;

	*until = 0;
	found[rule] = found[rule] || at == 1;
	return true;
}

/* A word, and what a text of its pattern has behind it, spoilt a little. */
static size_t lost_behind(const struct redact_set *set, const struct start *word, struct drawn *d,
			  size_t *ret_found)
{
	struct alone a = alone_new(redact_rule_at(word->entry));
	size_t lost = 0;

	for (size_t i = 0; i < PER_WORD; i++) {
		bool found[4096] = {false}, matches;

		d->len = 0;
		do
			sample_draw(&d->draw, a.rule->pattern);
		while (strncmp(d->draw.text, word->word, word->len) != 0);
		put(d, d->draw.text + word->len, d->draw.len - word->len);
		spoil(d);
		memmove(d->text + 1 + word->len, d->text, d->len < 900 ? d->len : 900);
		memcpy(d->text + 1, word->word, word->len);
		d->text[0] = ' ';
		d->len = 1 + word->len + (d->len < 900 ? d->len : 900);
		matches = pcre2_match(a.code, (PCRE2_SPTR)d->text, d->len, 1, PCRE2_ANCHORED,
				      a.data, NULL) > 0;
		(void)starts_find(set->starts, &(struct stretch){d->text, 0, 0, d->len, 0}, note,
				  found);
		*ret_found += matches;
		lost += matches && !found[word->entry];
	}
	if (lost)
		printf("# %s: %zu lost\n", a.rule->id, lost);
	alone_free(&a);
	return lost;
}

TEST(nothing_that_may_follow_a_beginning_is_passed_over)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	struct drawn d = {.draw.seed = 24};
	struct error err = {0};
	size_t lost = 0, found = 0;

	CHECK(redact_set_warm(set, &err) == 0);
	for (size_t i = 0; i < set->starts->n; i++)
		lost += lost_behind(set, &set->starts->words[i], &d, &found);
	CHECK(lost == 0);
	CHECK(found > set->starts->n * PER_WORD / 10);
	redact_set_free(set);
}

/* What check_random() says of itself, with a logarithm for each byte. */
static bool is_random(const char *text, size_t len)
{
	size_t changes = 0, digits = 0, letters = 0, same = 1;
	unsigned counts[256] = {0};
	double bits = 0;
	char last = 0;

	while (same < len && text[same] == text[0])
		same++;
	if (same == len)
		return false;
	for (size_t i = 0; i < len && i < CHECK_ENOUGH; i++) {
		unsigned char c = (unsigned char)text[i];
		char now = 'o';

		if (c >= 'a' && c <= 'z')
			now = 'l';
		else if (c >= 'A' && c <= 'Z')
			now = 'u';
		else if (c >= '0' && c <= '9')
			now = 'd';
		changes += i > 0 && last != 'o' && now != 'o' && last != now &&
			   !(last == 'u' && now == 'l');
		digits += now == 'd';
		letters += now == 'l' || now == 'u';
		counts[c]++;
		last = now;
	}
	len = len < CHECK_ENOUGH ? len : CHECK_ENOUGH;
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		if (counts[i])
			bits -= counts[i] / (double)len * log2(counts[i] / (double)len);
	if (strchr("$%<{*", text[0]) || strncasecmp(text, "xxx", 3) == 0 ||
	    strncasecmp(text, "your", 4) == 0)
		return false;
	if (digits == 0 || letters == 0)
		return letters >= 20 && changes >= 5 && bits >= 3.5;
	return changes >= 2 && changes >= len / 12 && bits >= 2.8;
}

TEST(a_value_is_random_if_its_bits_and_changes_say_so)
{
	static const char *const alphabets[] = {
		"aaaaaaab1c2",
		"aabbccddeeffgg1122",
		"abcdefgh12345678",
		"aAbBcCdDeEfFgGhHiI",
		"abcABC._-\xb0\xb1\xe9",
		"0123456789.",
		"aaaaAAAA11111bcdefgh$x",
	};
	struct sample draw = {.seed = 11};
	size_t wrong = 0, random = 0;

	for (size_t n = 0; n < 200000; n++) {
		const char *from = alphabets[n % ARRAY_LEN(alphabets)];
		size_t len = 4 + sample_below(&draw, n % 8 == 0 ? 200 : 40);
		size_t kinds = 2 + sample_below(&draw, strlen(from) - 1);
		char text[256] = {0};
		struct found f = {text, 0, len, 0, len, len + sample_below(&draw, 40)};

		for (size_t i = 0; i < len; i++)
			text[i] = from[sample_below(&draw, kinds)];
		random += is_random(text, len);
		wrong += is_random(text, len) != check_random(&f);
	}
	CHECK(wrong == 0);
	CHECK(random > 10000);
}
