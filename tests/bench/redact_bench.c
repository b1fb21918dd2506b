/* SPDX-License-Identifier: Apache-2.0 */
/* redact_bench.c - how fast output is cleaned, on ordinary and on hostile text.
 *
 *     redact_bench [ordinary|hostile|secrets|...]
 *
 * One core, CPU time, the standard rules, chunks of 64 KiB as the sandbox reads them; the best of
 * some rounds.  With a name it does nothing but that text, for perf.
 */
#include <stdlib.h>

#include "log_text.h"
#include "redact/redact_rule.h"

enum { TEXT = 16 << 20, ROUNDS = 7 };

/* Every word is one that rules look for, without what would make it a secret. */
static const char *const baits[] = {
	"password",    "secret",
	"token",       "api_key",
	"AKIA",        "ghp_",
	"glpat-",      "xoxb-",
	"sk-",         "sk_live_",
	"eyJ",         "Bearer",
	"://",         "::",
	"1.2.3",       "/home/",
	"hf_",         "npm_",
	"AIza",        "heroku",
	"aws",         "key-",
	"SG.",         "@",
	"-----BEGIN",  "hooks.slack.com/",
	"ya29.",       "hvs.",
	"dapi",        "00",
	"key",         "=",
	":",           "authorization: basic",
	"credential",  "auth_token",
	"private_key", "passwd",
	"session_id",
};

static void keyword_line(struct text *t)
{
	for (size_t i = 0; i < 12; i++) {
		add(t, pick(t, baits, ARRAY_LEN(baits)));
		add(t, " ");
	}
	add(t, "\n");
}

/* The same without a blank between them: one such word in six bytes. */
static void hostile_line(struct text *t)
{
	for (size_t i = 0; i < 8; i++) {
		add(t, pick(t, baits, ARRAY_LEN(baits)));
		add(t, pick(t, (const char *const[]){"", "", "=", ": "}, 4));
	}
	add(t, "\n");
}

/* A real secret of some kind in every line. */
static void secrets_line(struct text *t)
{
	const struct redact_rule *rule =
		redact_rule_at(sample_below(&t->draw, redact_rule_count()));

	if (rule->opens_block || !(rule->group & REDACT_STANDARD))
		return;
	sample_draw(&t->draw, rule->pattern);
	add(t, "got ");
	add(t, t->draw.text);
	add(t, " from the other side\n");
}

static void dense_line(struct text *t)
{
	add_format(t, "password=%08zxQz9! token=", sample_below(&t->draw, 0xffffffff));
	add_format(t, "a8%08zxK3mz 10.1.2.3 /tmp/x\n", sample_below(&t->draw, 0xffffffff));
}

static void endless_line(struct text *t)
{
	add_words(t, 12);
	add_format(t, " id=%08zx", sample_below(&t->draw, 0xffffffff));
}

/* What is behind the last one says that none of them is a password. */
static void environ_line(struct text *t)
{
	for (size_t i = 0; i < 4000; i++)
		add(t, "password=aaaaaaa");
	add(t, "environ\n");
}

/* Letters of some languages, drawn. */
static void foreign_line(struct text *t)
{
	static const char *const letters[] = {
		"\xc3\xa9",
		"\xc3\xbc",
		"\xd0\xb6",
		"\xd1\x8b",
		"\xe4\xb8\xad",
		"\xe6\x96\x87",
		"\xe3\x81\xae",
		"\xe2\x80\x94",
		"\xf0\x9f\x98\x80",
		"e",
		" ",
		"\xe0\xa4\x95",
	};

	for (size_t i = 0; i < 40; i++)
		add(t, pick(t, letters, ARRAY_LEN(letters)));
	add(t, "\n");
}

static void unit_line(struct text *t, const char *unit)
{
	for (size_t begin = t->len; t->len < begin + 4000;)
		add(t, unit);
	add(t, "\n");
}

/* Of all kinds: some are no UTF-8, some begin what a terminal would obey. */
static void random_line(struct text *t)
{
	for (size_t i = 0; i < 64; i++)
		add(t, (const char[]){(char)(1 + sample_below(&t->draw, 255)), '\0'});
}

static const struct {
	const char *name, *what;
	void (*line)(struct text *t); /* NULL: unit, again and again, in lines of 4000 bytes */
	double bar;                   /* MB/s */
	double ratio;                 /* times slower than the first */
	const char *unit;
} texts[] = {
	{"ordinary", "ordinary log text", ordinary_line, 300, 0, NULL},
	{"keywords", "hostile: nothing but keywords", keyword_line, 0, 4, NULL},
	{"hostile", "keywords, glued to each other", hostile_line, 0, 4, NULL},
	{"endless", "one line without end", endless_line, 0, 4, NULL},
	{"assigned", "key=key=key=... in long lines", NULL, 0, 4, "key="},
	{"called", "token: token: ...", NULL, 0, 4, "token: "},
	{"escaped", "key=\\\"key=\\\"...", NULL, 0, 4, "key=\\\""},
	{"inner", "\\\"token\\\":\\\"aaaaaaaaaa1", NULL, 0, 4, "\\\"token\\\":\\\"aaaaaaaaaa1"},
	{"options", "--token aaaaaaaaaa1 ...", NULL, 0, 4, "--token aaaaaaaaaa1 "},
	{"names", "password_password_...", NULL, 0, 4, "password_"},
	{"environ", "passwords that are none", environ_line, 0, 4, NULL},
	{"forge", "ghp_ghp_ghp_...", NULL, 0, 4, "ghp_"},
	{"cloud", "AKIAAKIAAKIA...", NULL, 0, 4, "AKIA"},
	{"signed", "eyJeyJ.eyJ...", NULL, 0, 4, "eyJeyJ.eyJ"},
	{"begin", "-----BEGIN-----BEGIN...", NULL, 0, 4, "-----BEGIN"},
	{"urls", "://a:b://a:b...", NULL, 0, 4, "://a:b"},
	{"dots", "1.2.3.41.2.3.4...", NULL, 0, 4, "1.2.3.4"},
	{"colons", "12:34:56:12:34:56:...", NULL, 0, 4, "12:34:56:"},
	{"paths", "/home//home//home/...", NULL, 0, 4, "/home/"},
	{"vendors", "oktaoktaokta...", NULL, 0, 4, "okta"},
	{"short", "cfcfcf..., of two letters", NULL, 0, 4, "cf"},
	{"given", "okta=okta=okta=...", NULL, 0, 4, "okta="},
	{"owned", "names, and values too short", NULL, 0, 4, "aws-ibm-okta-cf=0123456789abcdefg "},
	{"middle", "AzSeAzFuAZDO...", NULL, 0, 4, "AzSeAzFuAZDO"},
	{"commands", "curl curl curl ...", NULL, 0, 4, "curl "},
	{"places", "-us1-us1-us1...", NULL, 0, 4, "-us1"},
	{"almost", "a key with a hole in it", NULL, 0, 4,
	 "09OFqyVdfgCkasj5psjBRzkduT5Rsg6G/fkp5PV7+g!qDyKc8WGafHCbe0aO8sNfF1zqCZgZ2l06ACDbf"},
	{"gaps", "::-::-::-...", NULL, 0, 4, "::-"},
	{"joints", "_:_:_:_:...", NULL, 0, 4, "_:"},
	{"foreign", "letters of many languages", foreign_line, 200, 0, NULL},
	{"accents", "nothing but letters with accents", NULL, 200, 0, "\xc3\xa9"},
	{"broken", "bytes that are no UTF-8", NULL, 0, 4, "\xff"},
	{"random", "random bytes", random_line, 0, 4, NULL},
	{"cookies", "cookies that are not random", NULL, 0, 4, "sid=a1aaaaaaaaaaaaaa"},
	{"bearers", "tokens that are not random", NULL, 0, 4, "bearer a1aaaaaaaaaaaaaa "},
	{"hidden", "passwords that are hidden", NULL, 0, 4, "password=xxxxxx"},
	{"groups", "1:2:3:4:5:6:api_key1:2:...", NULL, 0, 4, "1:2:3:4:5:6:api_key"},
	{"secrets", "a secret in every line", secrets_line, 0, 0, NULL},
	{"dense", "four secrets in every line", dense_line, 0, 0, NULL},
};

static double speed(struct redact_set *set, size_t kind, uint64_t *ret_found)
{
	static char room[TEXT];
	struct text t = {.data = room, .room = TEXT, .draw.seed = 1 + kind};

	while (t.len < TEXT - 65536) {
		if (texts[kind].line)
			texts[kind].line(&t);
		else
			unit_line(&t, texts[kind].unit);
	}
	return speed_of(set, &t, ROUNDS, ret_found);
}

static bool report(size_t kind, double mb, double first, uint64_t found)
{
	bool fine = true;

	printf("  %-32s %7.0f MB/s", texts[kind].what, mb);
	if (texts[kind].bar > 0) {
		fine = mb >= texts[kind].bar;
		printf("   bar %.0f: %s", texts[kind].bar, fine ? "reached" : "MISSED");
	}
	if (texts[kind].ratio > 0) {
		fine = first / mb <= texts[kind].ratio;
		printf("   %.1fx, bar %.0fx: %s", first / mb, texts[kind].ratio,
		       fine ? "reached" : "MISSED");
	}
	printf("   %llu found\n", (unsigned long long)found);
	return fine;
}

int main(int argc, char **argv)
{
	const struct redact_config config = {.groups = REDACT_STANDARD};
	struct error err = {0};
	double start = cpu_s(), first = 0;
	struct redact_set *set = redact_set_new(&config, &err);
	bool fine = true;

	if (!set || redact_set_warm(set, &err) < 0) {
		(void)fprintf(stderr, "redact_bench: %s\n", err.text);
		return 1;
	}
	printf("redaction, %zu rules, CPU time of one core (set ready in %.2f ms)\n",
	       redact_rule_count(), (cpu_s() - start) * 1e3);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		uint64_t found = 0;
		double mb;

		if (argc > 1 && strcmp(argv[1], texts[i].name) != 0)
			continue;
		mb = speed(set, i, &found);
		first = first > 0 ? first : mb;
		fine = report(i, mb, first, found) && fine;
	}
	redact_set_free(set);
	return fine ? 0 : 1;
}
