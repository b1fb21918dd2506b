/* SPDX-License-Identifier: Apache-2.0 */
/* redact_glued_test.c - keywords glued to each other hide nothing, and shortcuts agree with checks.
 */
#include <stdio.h>

#include "base/own.h"
#include "pattern_sample.h"
#include "redact/redact_rule.h"
#include "redact/signname.h"
#include "redact/valuerun.h"
#include "redacting.h"
#include "tap.h"

enum { GLUED = 300, TEXTS = 3000, TEXT_MAX = 600 };

static const char *const units[] = {
	"password", "secret",       "token",    "api_key",     "key=",    "key:", "token=",
	"AKIA",     "ghp_",         "eyJ",      "eyJ.",        "://a:b",  "://",  "-----BEGIN",
	"1.2.3.",   "::",           "a=",       "password_",   "secret-", "key.", "key=a1->",
	"/home/",   "okta",         "xoxb-",    "environ",     "Key1=",   "kEy=", "passwd=://",
	"SG.",      "sk_live_",     "token: ",  "password=\"", "=",       "=>'",  "bearer ",
	"key=\\\"", "pwd:\\\\\\\"", "\\u0022:",
};

static const struct {
	const char *text, *secret;
} planted[] = {
	{" password=hunter2!x", "hunter2!x"},
	{"; DB_PASSWORD: 'correct horse'", "correct horse"},
	{" api_key = x8Jq2mPz7LwTn4Rv", "x8Jq2mPz7LwTn4Rv"},
	{" ghp_"
	 "012345678901234567890123456789abcdef",
	 "012345678901234567890123456789abcdef"},
	{" postgres://app:s3cr3tpw@db/x", "s3cr3tpw"},
	{" https://a9f0e61f137d86aa9db53465@git.example.org/x", "a9f0e61f137d86aa9db53465"},
	{" O7A2qALsuhpm0BOZPvUm"
	 "j6vh.TEJyxR.rs9T0Z6_zIi1gU5FsiSiwk8v7xL",
	 "rs9T0Z6_zIi1gU5FsiSiwk8v7xL"},
	{" 203.0.113.77", "203.0.113.77"},
	{" --password hx7Qpw93", "hx7Qpw93"},
	{"\n--password hx7Qpw93", "hx7Qpw93"},
	{" [\"--token\", \"x8Jq2mPz7LwTn4Rv\"]", "x8Jq2mPz7LwTn4Rv"},
	{" {\\\"password\\\": \\\"hx7Q pw93\\\"}", "hx7Q pw93"},
	{" {\\\\\\\"password\\\\\\\":\\\\\\\"hx7Qpw93\\\\\\\"}", "hx7Qpw93"},
	{" \\u0022api_key\\u0022 : \\u0022x8Jq2mPz7LwTn4Rv\\u0022", "x8Jq2mPz7LwTn4Rv"},
};

static size_t same_size(void *context)
{
	return *(size_t *)context;
}

/* Does the secret come out, in pieces of this size? */
static bool leaks(struct redact_set *set, const char *text, const char *secret, size_t size)
{
	struct buf out;
	bool found;

	redacting_pieces(set, text, strlen(text), same_size, &size, &out);
	found = memmem(out.data, out.len, secret, strlen(secret)) != NULL;
	buf_done(&out);
	return found;
}

static size_t leaks_behind(struct redact_set *set, const char *unit, size_t times)
{
	static const size_t sizes[] = {1, 2, 3, 7, 64, 4096};
	char text[GLUED * 16 + 256];
	size_t n = 0, len = 0;

	for (size_t i = 0; i < times; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", unit);
	for (size_t p = 0; p < ARRAY_LEN(planted); p++) {
		(void)snprintf(text + len, sizeof(text) - len, "%s\n", planted[p].text);
		for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
			if (!leaks(set, text, planted[p].secret, sizes[s]))
				continue;
			printf("# %zu times '%s' and '%s' in pieces of %zu\n", times, unit,
			       planted[p].text, sizes[s]);
			n++;
		}
	}
	return n;
}

TEST(what_follows_glued_keywords_is_found_in_pieces_of_any_size)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	static const size_t times[] = {1, 2, 5, 20, GLUED};
	size_t n = 0;

	for (size_t u = 0; u < ARRAY_LEN(units); u++)
		for (size_t t = 0; t < ARRAY_LEN(times); t++)
			n += leaks_behind(set, units[u], times[t]);
	CHECK(n == 0);
	redact_set_free(set);
}

/* Without a blank between: the value of the first name goes on to the end. */
TEST(a_name_that_is_glued_to_keywords_is_still_a_name)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	static const char *const names[] = {"password", "passwd", "db_pass", "token", "api_key"};
	size_t n = 0;

	for (size_t u = 0; u < ARRAY_LEN(units); u++) {
		for (size_t i = 0; i < ARRAY_LEN(names); i++) {
			char text[128];

			if (strchr(units[u], '"') || strchr(units[u], '\'') ||
			    strstr(units[u], "environ") || strstr(units[u], "://"))
				continue;
			(void)snprintf(text, sizeof(text), "%s%s%s_%s=x8Jq2mPz7LwTn4Rv\n", units[u],
				       units[u], units[u], names[i]);
			n += leaks(set, text, "x8Jq2mPz7LwTn4Rv", 3);
		}
	}
	CHECK(n == 0);
	redact_set_free(set);
}

/* Each word of the rule, with as much behind it as may follow it. */
TEST(a_name_may_go_on_behind_any_word_that_means_a_secret)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	static const char *const words[] = {
		"secret",      "token",      "credential", "api_key",
		"access_key",  "auth_key",   "privatekey", "encryption-key",
		"signing_key", "master_key", "secret_key", "secretkey",
	};
	static const char *const trails[] = {"", "_prod", "_production", "_2development"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		for (size_t t = 0; t < ARRAY_LEN(trails); t++) {
			char text[128];

			(void)snprintf(text, sizeof(text), "the %s%s = x8Jq2mPz7LwTn4Rv\n",
				       words[i], trails[t]);
			CHECK(!leaks(set, text, "x8Jq2mPz7LwTn4Rv", sizeof(text)));
		}
	}
	redact_set_free(set);
}

/* The value of the first is the name of the second. */
TEST(a_name_that_is_another_ones_value_is_still_a_name)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	static const char *const texts[] = {
		"passwd: secret=\"x8Jq2mPz7LwTn4Rv\"",
		"password=token: x8Jq2mPz7LwTn4Rv",
		"token=a1b2c3d4e5PASSWORD= x8Jq2mPz7LwTn4Rv",
		"key: z8Kx7q2mPASSWORD='x8Jq2mPz7LwTn4Rv'",
		"password: api_key:='x8Jq2mPz7LwTn4Rv'",
		"passwd = secret=> x8Jq2mPz7LwTn4Rv",
		/* Between quotes, of which the second opens the value that is meant. */
		"passphrase='see SECRET_KEY = 'x8Jq2mPz7LwTn4Rv'",
		"echo \"password=\" and token := \"x8Jq2mPz7LwTn4Rv\"",
		"passphrase='see passwd => 'x8Jq2mPz7LwTn4Rv'",
	};
	static const char filler[] =
		"a line that is so long that what is before this is no longer "
		"near the end of what is looked at, and so looked at in blocks, "
		"of which each has sixty-four bytes";

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		char text[512];

		CHECK(!leaks(set, texts[i], "x8Jq2mPz7LwTn4Rv", sizeof(text)));
		(void)snprintf(text, sizeof(text), "%s %s\n", texts[i], filler);
		CHECK(!leaks(set, text, "x8Jq2mPz7LwTn4Rv", sizeof(text)));
	}
	redact_set_free(set);
}

/* Behind each sign that another one of its kind can end in. */
static size_t lost_behind_another(struct redact_set *set, struct sample *draw,
				  const struct redact_rule *rule)
{
	static const char signs[] = "/+=-.@~%$:,";
	size_t lost = 0;

	for (const char *sign = signs; *sign; sign++) {
		char text[2 * SAMPLE_ROOM], last[13];
		size_t first, alone;

		sample_draw(draw, rule->pattern);
		/* Where nothing tells its begin, it is a part of the first. */
		if (!rule->begins && draw->begin == 0)
			break;
		first = (size_t)snprintf(text, sizeof(text), "%s", draw->text);
		sample_draw(draw, rule->pattern);
		if (draw->end - draw->begin < sizeof(last))
			continue;
		(void)snprintf(last, sizeof(last), "%s", draw->text + draw->end - sizeof(last) + 1);
		(void)snprintf(text + first, sizeof(text) - first, "%c%s\n", *sign, draw->text);
		alone = leaks(set, text + first, last, SAMPLE_ROOM);
		if (!alone && leaks(set, text, last, SAMPLE_ROOM)) {
			printf("# %s", text);
			lost++;
		}
	}
	return lost;
}

TEST(a_secret_that_is_glued_to_another_of_its_kind_is_found)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	struct sample draw = {.seed = 7};
	size_t lost = 0;

	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *rule = redact_rule_at(i);

		/* Of two JWTs the first may take all of the second up to its first dot. */
		if (!rule->hand && !rule->opens_block && strcmp(rule->id, "jwt") != 0)
			lost += lost_behind_another(set, &draw, rule);
	}
	CHECK(lost == 0);
	redact_set_free(set);
}

/* Text that is full of what the shortcuts look at. */
static size_t draw_text(struct sample *draw, char ret[static TEXT_MAX])
{
	static const char *const parts[] = {
		"key", "pass",    "word",    "=",   ":",    "1",       "a8Kx", "Zq",
		"->",  "://",     "self",    ".",   "...",  "!",       " ",    "\n",
		"(",   "environ", "EXAMPLE", "xxx", "your", "aaaaaaa", "7",    "Bc",
		"$",   "~/",      "lambda",  "_",   "-",    "9f86d0",  "d",    "rd",
		"ss",  "wd",      "se",      "p",   "pwd",  "\"",      "'",    "]",
	};
	size_t len = 0, end = 20 + sample_below(draw, TEXT_MAX - 40);

	while (len < end) {
		const char *part = parts[sample_below(draw, ARRAY_LEN(parts))];

		memcpy(ret + len, part, strlen(part));
		len += strlen(part);
	}
	return len;
}

static bool is_assigned(const char *text, size_t at, size_t end, size_t len)
{
	struct found f = {text, at, end, at, end, len};

	return end >= at + 10 && check_assigned(&f);
}

static bool is_password(const char *text, size_t at, size_t end, size_t len)
{
	/* Not quoted: what stands before it is no quote. */
	struct found f = {text + at, 0, end - at, 0, end - at, len - at};

	return end >= at + 6 && check_password(&f);
}

TEST(no_value_that_the_checks_take_is_passed_over)
{
	struct sample draw = {.seed = 5};
	size_t lost = 0, found = 0, known = 0;

	for (size_t n = 0; n < TEXTS; n++) {
		char text[TEXT_MAX];
		size_t len = draw_text(&draw, text), step = 1 + sample_below(&draw, 5);
		struct valuerun run = {.text = text, .high = len};

		for (size_t at = 0; at < len; at += step) {
			bool soon = valuerun_known_dull(&run, at); /* by what was read before */
			bool dull = valuerun_dull(&run, at), secret, password;
			size_t end = valuerun_end(&run, at);

			known += soon && !dull;
			lost += soon && is_assigned(text, at, end, len);
			secret = !dull && valuerun_secret(&run, at);
			password = valuerun_password(&run, at);
			found += is_assigned(text, at, end, len);
			lost += !secret && is_assigned(text, at, end, len);
			lost += !password && is_password(text, at, end, len);
		}
	}
	CHECK(lost == 0);
	CHECK(found > 1000 && known > 1000);
}

TEST(no_name_of_a_password_is_passed_over)
{
	struct sample draw = {.seed = 6};
	size_t lost = 0, found = 0;

	for (size_t n = 0; n < TEXTS; n++) {
		char text[TEXT_MAX];
		size_t len = draw_text(&draw, text);

		for (size_t sign = 1; sign < len; sign++) {
			struct signname name;
			bool password =
				signname_read(text, sign, &name) && signname_password(text, &name);

			found += password;
			lost += password && !signname_near_password(text, sign);
			lost += password && sign >= 2 && !signname_maybe_password(text, sign);
		}
	}
	CHECK(lost == 0);
	CHECK(found > 1000);
}

/* finder.c rests on it. */
TEST(no_pattern_that_has_beginnings_matches_a_blank)
{
	static const char *const blanks[] = {" ", "\t", "\\s", "\\t", "\\n", "[^", "\\W", "\\D"};
	size_t n = 0;

	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *rule = redact_rule_at(i);

		for (size_t b = 0; rule->begins && b < ARRAY_LEN(blanks); b++) {
			if (!strstr(rule->pattern, blanks[b]))
				continue;
			printf("# %s: %s\n", rule->id, rule->pattern);
			n++;
		}
	}
	CHECK(n == 0);
}
