/* SPDX-License-Identifier: Apache-2.0 */
/* redact_attack.c - looks for text that slows redaction down, as somebody would who has the source.
 *
 *     redact_attack [SEED [TEXTS]]
 *
 * Every word that a rule begins with, needs, or has in its pattern, and every text that only just
 * is no secret, is repeated with each glue in capitals and not, in short lines and long ones; then
 * TEXTS texts are drawn of some of them with random glue, and as many of what credentials begin
 * with only, in lines about as long as what the redactor looks at together, and longer.  The
 * slowest are measured again with more text, by turns with ordinary text: a machine that others
 * use, too, is not equally fast all the time: what counts is the median of how much slower one was
 * than what was measured next to it. It fails if one without a secret in it is more than 4 times
 * slower than ordinary text.  What is replaced costs what it costs, and those texts are listed
 * apart; but one of them in which it is little must not be more than 12 times slower.
 */
#include <ctype.h>
#include <stdlib.h>

#include "log_text.h"
#include "redact/redact_rule.h"

enum {
	ATOMS = 2048,
	ATOM = 400,
	SHORT = 64 << 10,
	MIDDLE = 320 << 10,
	LONG = 1 << 20,
	WORST = 60,
	SHOWN = 12,
	ROUNDS = 9,
	TRIES = 5,
	PARTS = 6,
	BAR = 4,
	SECRET_BAR = 12,
	FEW = 4096, /* bytes for each that is replaced, at least: those that SECRET_BAR is for */
};

static const char *const glues[] = {"", " ", "=", ":", ".", "-", "_", "/", "\"", "=>", ": "};

/* Ordinary ones, long ones, and none that ends. */
static const size_t lines[] = {70, 4000, LONG};

/* Just below what the redactor looks at together, and above it. */
static const size_t long_lines[] = {120000, LONG};

static char atoms[ATOMS][ATOM];
static size_t n_atoms;
static size_t begins[ATOMS], n_begins; /* those that a credential begins with */

/* How a text is made: the same recipe gives a short one and a long one. */
struct recipe {
	size_t atom[PARTS], n; /* n == 1: repeated with one glue; else drawn from them */
	size_t glue;           /* ARRAY_LEN(glues): drawn, too */
	size_t line;           /* bytes */
	int cased;             /* 0: as it is, 1: capitals, 2: small, 3: drawn */
	uint64_t seed;
	double mb, times; /* speed, and how much slower than ordinary text that is */
	uint64_t found;
};

static void add_atom(const char *text, size_t len)
{
	if (len == 0 || len >= ATOM || n_atoms == ATOMS)
		return;
	for (size_t i = 0; i < n_atoms; i++)
		if (strlen(atoms[i]) == len && memcmp(atoms[i], text, len) == 0)
			return;
	memcpy(atoms[n_atoms], text, len);
	atoms[n_atoms++][len] = '\0';
}

/* Returns how many there are then. */
static size_t add_list(const char *list)
{
	while (list && *list) {
		size_t len = strcspn(list, " &");

		add_atom(list, len);
		list += len;
		list += strspn(list, " &");
	}
	return n_atoms;
}

/* Runs of characters that stand for themselves. */
static void add_literals(const char *pattern)
{
	char word[ATOM];
	size_t len = 0;

	for (const char *p = pattern;; p = sample_skip(p)) {
		bool escaped = *p == '\\' && ispunct((unsigned char)p[1]);

		while (*p == '(' || *p == ')' || *p == '|') { /* what is in a group counts, too */
			add_atom(word, len >= 2 ? len : 0);
			len = 0;
			p += strncmp(p, "(?:", 3) == 0 ? 3 : strncmp(p, "(?i)", 4) == 0 ? 4 : 1;
			escaped = *p == '\\' && ispunct((unsigned char)p[1]);
		}
		if (*p && (escaped || !strchr("\\[{?*+", *p)) && len + 1 < ATOM) {
			word[len++] = escaped ? p[1] : *p;
			continue;
		}
		add_atom(word, len >= 2 ? len : 0);
		len = 0;
		if (!*p)
			return;
		if (*p == '{') /* sample_skip() knows of none */
			p = strchr(p, '}');
	}
}

/* A secret, without its end, and with a hole in it. */
static void add_almost(const struct redact_rule *rule)
{
	struct sample s = {.seed = 7};
	size_t middle;

	sample_draw(&s, rule->pattern);
	if (s.len < 4 || s.len >= ATOM || memchr(s.text, '\n', s.len))
		return;
	add_atom(s.text, s.len - 1);
	middle = s.begin + (s.end - s.begin) / 2;
	s.text[middle] = '!';
	add_atom(s.text, s.len);
	add_atom(s.text, s.begin);
}

/* What no rule has in it, and what its search stops at. */
static const char *const more[] = {
	"password",
	"secret",
	"token",
	"api_key",
	"key",
	"passwd",
	"db_pass",
	"Bearer",
	"credential",
	"private_key",
	"session_id",
	"environ",
	"self.",
	"config.",
	"1.2.3",
	"1.2.3.4",
	"12:34:56",
	"1:2:3",
	"a1",
	"a1B2",
	"aB",
	"x",
	"00",
	"\\n",
	"%20",
	"\\",
	"%",
	"$",
	"@",
	"://",
	"https://",
	"a://b:c",
	"://a:b",
	"::",
	"->",
	"=>",
	":=",
	"\"key\"",
	"eyJ",
	"key=a1B2c3",
	"0123456789abcdef",
	"a1B2c3D4e5F6g7H8",
	"abcdefghijklmnop",
	/* values that only just are none */
	"sid=a1aaaaaaaaaaaaaa",
	"sid=a1aaaaaaaabcdefgh",
	"bearer a1aaaaaaaaaaaaaa ",
	"authorization: token a1aaaaaaaaaaaaaa ",
	"authorization: basic ",
	"password=//aaaa",
	"password=xxxxxx",
	"password=aaaaaa",
	"password='aaaaaa",
	"password=aaaaaa( ",
	"password=none12",
	"api_key=a1a1a1aaaaaaaaa",
	"token=aBcDeFgHiJkLmNoPqRsTuVwXyZexample",
	"secret=a1b2c3d4e5f6://",
	"a1aaaaaaaaaaaaaa",
	"aaaaaaaaaaaaaaaaaaaaaaaa",
	"session_id=handler_2024_v3_handler",
	/* addresses */
	"https://a1aaaaaaa@a ",
	"https://a1aaaaaaaaaaaaaaaaaaaa@a ",
	"https://a:",
	"http://a.b:80/c?d=",
	"postgres://user:$PASS@",
	"user@example.org",
	"1:2:3:4:5:6:",
	"1:2:3:4:5:6:api_key",
	"fe80:",
	"::1",
	"127.0.0.1",
	"255.255.255.256",
	"1.1.1.1.1",
	"de:ad:be:ef:",
	"2001:db8:0:0:0:0:0:1x",
	"a.b.c.d",
	/* headers, tokens and long runs */
	"-----BEGIN CERTIFICATE-----",
	"-----BEGIN PRIVATE KEY",
	"---- BEGIN SSH2",
	"Private-Lines: x",
	"eyJhbGciOiJIUzI1NiJ9",
	"eyJhbGciOiJIUzI1NiJ9.eyJ",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.",
	"QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
	"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ",
	"sshpass -p",
	"curl -u a:",
	"curl --user a ",
	"/home/",
	"/tmp/",
	"C:\\Users\\",
	/* beyond ASCII, and what is taken out; not what becomes longer, as bytes that are no UTF-8
	 */
	"\xc3\xa9",
	"\xd0\xb6",
	"\xe4\xb8\xad",
	"\xf0\x9f\x98\x80",
	"\xe2\x80\x94",
	"\xe1\x9e\x80",
	"\xc2\xa0",
	"\xc2\xad",
	"\xe2\x80\x8b",
	"\xef\xb8\x8f",
	"\x1b[31m",
	"\x01",
};

static void fill_atoms(void)
{
	for (size_t i = 0; i < redact_rule_count(); i++) {
		const struct redact_rule *rule = redact_rule_at(i);

		if (!(rule->group & REDACT_STANDARD))
			continue;
		for (size_t n = n_atoms, all = add_list(rule->begins); n < all; n++)
			begins[n_begins++] = n;
		(void)add_list(rule->needs);
		add_literals(rule->pattern);
		add_almost(rule);
	}
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		add_atom(more[i], strlen(more[i]));
	for (size_t i = 1; i < ARRAY_LEN(glues); i++)
		add_atom(glues[i], strlen(glues[i]));
}

static void recase(char *text, size_t len, int cased, struct sample *draw)
{
	for (size_t i = 0; i < len; i++) {
		int how = cased == 3 ? 1 + (int)sample_below(draw, 2) : cased;

		text[i] = (char)(how == 1 ? toupper((unsigned char)text[i])
					  : tolower((unsigned char)text[i]));
	}
}

static void cook(const struct recipe *r, struct text *t)
{
	size_t line = 0;

	t->len = 0;
	t->draw.seed = r->seed;
	while (t->len + 2 * ATOM < t->room) {
		size_t from = t->len, part = sample_below(&t->draw, r->n);
		size_t glue = r->glue < ARRAY_LEN(glues) ? r->glue
							 : sample_below(&t->draw, ARRAY_LEN(glues));

		add(t, atoms[r->atom[part]]);
		add(t, glues[glue]);
		if (r->cased)
			recase(t->data + from, t->len - from, r->cased, &t->draw);
		line += t->len - from;
		if (line >= r->line) {
			add(t, "\n");
			line = 0;
		}
	}
}

/* The slowest ones: those in which nothing is replaced, and the others. */
struct list {
	struct recipe worst[WORST];
	size_t n;
};

static struct list innocent, secret;

static int by_speed(const void *a, const void *b)
{
	const struct recipe *x = a, *y = b;

	return (x->times < y->times) - (x->times > y->times);
}

static bool is_slow(const struct list *l, const struct recipe *r)
{
	return l->n < WORST || l->worst[l->n - 1].times < r->times;
}

static void keep(struct list *l, const struct recipe *r)
{
	l->worst[l->n < WORST ? l->n++ : WORST - 1] = *r;
	qsort(l->worst, l->n, sizeof(*l->worst), by_speed);
}

/* What texts are measured with, and against. */
struct bench {
	struct redact_set *set;
	struct text text, ordinary;
	double first; /* how fast the latter was when it was measured last */
};

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *of, size_t n)
{
	qsort(of, n, sizeof(*of), by_size);
	return of[n / 2];
}

/* How much slower than ordinary text it is, one right after the other. */
static double quotient(struct bench *b, struct recipe *r)
{
	uint64_t found;
	double mb;

	b->first = speed_of(b->set, &b->ordinary, 1, &found);
	mb = speed_of(b->set, &b->text, 1, &r->found);
	r->mb = mb > r->mb ? mb : r->mb;
	return b->first / mb;
}

static void compare(struct bench *b, struct recipe *r)
{
	double times[TRIES], best = 0;

	r->mb = 0;
	for (size_t i = 0; i < TRIES; i++) {
		times[i] = quotient(b, r);
		best = b->first > best ? b->first : best;
	}
	b->first = best;
	r->times = median(times, TRIES);
}

static void try(struct bench *b, struct recipe *r)
{
	struct list *l;

	cook(r, &b->text);
	r->mb = speed_of(b->set, &b->text, 2, &r->found);
	r->times = b->first / r->mb;
	l = r->found ? &secret : &innocent;
	if (r->found * 2000 >= b->text.len || !is_slow(l, r)) /* full of secrets, or fast */
		return;
	/* Once more: it may have been somebody else who was slow. */
	compare(b, r);
	if (is_slow(l, r))
		keep(l, r);
}

static void try_each(struct bench *b)
{
	for (size_t a = 0; a < n_atoms; a++)
		for (size_t g = 0; g < ARRAY_LEN(glues); g++)
			for (int cased = 0; cased < 2; cased++) {
				struct recipe r = {.atom = {a},
						   .n = 1,
						   .glue = g,
						   .line = lines[(a + g) % ARRAY_LEN(lines)],
						   .cased = cased};

				try(b, &r);
			}
}

static void try_some(struct bench *b, uint64_t seed, size_t n)
{
	struct sample draw = {.seed = seed};

	for (size_t i = 0; i < n; i++) {
		struct recipe r = {.n = 2 + sample_below(&draw, PARTS - 1),
				   .glue = sample_below(&draw, 2 * ARRAY_LEN(glues)),
				   .line = lines[sample_below(&draw, ARRAY_LEN(lines))],
				   .cased = (int)sample_below(&draw, 4),
				   .seed = sample_random(&draw)};

		for (size_t p = 0; p < r.n; p++)
			r.atom[p] = sample_below(&draw, n_atoms);
		try(b, &r);
	}
}

static void try_begins(struct bench *b, uint64_t seed, size_t n)
{
	struct sample draw = {.seed = seed};

	for (size_t i = 0; i < n; i++) {
		struct recipe r = {.n = 1 + sample_below(&draw, PARTS - 2),
				   .glue = sample_below(&draw, ARRAY_LEN(glues)),
				   .line = long_lines[sample_below(&draw, ARRAY_LEN(long_lines))],
				   .seed = sample_random(&draw)};

		for (size_t p = 0; p < r.n; p++)
			r.atom[p] = begins[sample_below(&draw, n_begins)];
		try(b, &r);
	}
}

/* Values without an end, in which others begin, and secrets that begin in each other.  They are as
 * slow as they are only in a line that is longer than what the redactor looks at together, or
 * nearly as long, and are measured in any case. */
static const char *const endless[][PARTS] = {
	{"_authToken=", "environ", "a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8", "agent"},
	{"$2b$", "PRIVATE", "a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8", "self."},
	{"sntrys_", "fm1_", "$6$", "_auth=", "sid=", "a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8"},
	{"tfp_", "ops_eyJ", "pscale_pw_", "sk-ant-", "glpat-", "a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8"},
	{"token=", "password=", "session_token=", "_auth=", "a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8"},
	{"AIza"},
	{"AIza", "CFPAT"},
	{"AIza", "CFPAT", "GOCSPX", "fio-u"},
	{"EAAA", "CFPAT"},
};

static size_t atom_of(const char *text)
{
	size_t i = 0;

	add_atom(text, strlen(text));
	while (strcmp(atoms[i], text) != 0)
		i++;
	return i;
}

static void add_endless(void)
{
	for (size_t i = 0; i < ARRAY_LEN(endless) * ARRAY_LEN(long_lines); i++)
		for (size_t glue = 0; glue < ARRAY_LEN(glues); glue++) {
			const char *const *parts = endless[i / ARRAY_LEN(long_lines)];
			struct recipe r = {.glue = glue,
					   .line = long_lines[i % ARRAY_LEN(long_lines)],
					   .times = LONG};

			if (!strchr("-/", glues[glue][0])) /* what many values may have in them */
				continue;
			for (; r.n < PARTS && parts[r.n]; r.n++)
				r.atom[r.n] = atom_of(parts[r.n]);
			keep(&secret, &r);
		}
}

static void show(const struct recipe *r)
{
	printf("%5.1fx %6.0f MB/s, %llu replaced, lines of %zu, %s glue '%s':", r->times, r->mb,
	       (unsigned long long)r->found, r->line,
	       (const char *const[]){"", "capitals,", "small,", "both,"}[r->cased],
	       r->glue < ARRAY_LEN(glues) ? glues[r->glue] : "any");
	for (size_t i = 0; i < r->n; i++)
		printf(" '%s'", atoms[r->atom[i]]);
	printf("\n");
}

/* The slowest ones again, with more text.  Rounds are as far apart as can be: what slows a machine
 * down for a while does so for all of them. */
static void measure(struct bench *b, struct list *l)
{
	static double times[WORST][ROUNDS];

	for (size_t i = 0; i < l->n; i++)
		l->worst[i].mb = 0;
	for (size_t k = 0; k < ROUNDS; k++)
		for (size_t i = 0; i < l->n; i++) {
			cook(&l->worst[i], &b->text);
			times[i][k] = quotient(b, &l->worst[i]);
		}
	for (size_t i = 0; i < l->n; i++)
		l->worst[i].times = median(times[i], ROUNDS);
	qsort(l->worst, l->n, sizeof(*l->worst), by_speed);
}

/* Is one too slow in which little is replaced? */
static bool is_over(const struct list *l, double bar)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->worst[i].times > bar && l->worst[i].found * FEW < LONG)
			return true;
	return false;
}

static void show_list(const struct list *l, const char *what)
{
	printf("%s:\n", what);
	for (size_t i = 0; i < SHOWN && i < l->n; i++)
		show(&l->worst[i]);
}

static void fill_ordinary(struct text *t, size_t room)
{
	t->len = 0;
	t->room = room;
	while (t->len + 1024 < t->room)
		ordinary_line(t);
}

int main(int argc, char **argv)
{
	static char room[LONG], ordinary[LONG];
	const struct redact_config config = {.groups = REDACT_STANDARD};
	struct error err = {0};
	struct bench b = {.set = redact_set_new(&config, &err),
			  .text = {.data = room, .room = SHORT},
			  .ordinary = {.data = ordinary, .draw.seed = 1}};
	uint64_t found, seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	size_t texts = argc > 2 ? strtoul(argv[2], NULL, 10) : 3000;

	if (!b.set || redact_set_warm(b.set, &err) < 0) {
		(void)fprintf(stderr, "redact_attack: %s\n", err.text);
		return 1;
	}
	fill_ordinary(&b.ordinary, SHORT);
	b.first = speed_of(b.set, &b.ordinary, ROUNDS, &found);
	fill_atoms();
	try_each(&b);
	try_some(&b, seed, texts);
	b.text.room = MIDDLE;
	try_begins(&b, seed, texts);
	fill_ordinary(&b.ordinary, LONG);
	b.text.room = LONG;
	add_endless();
	measure(&b, &secret);
	show_list(&secret, "something is replaced");
	measure(&b, &innocent);
	show_list(&innocent, "nothing is replaced");
	printf("ordinary text %.0f MB/s, %zu words, bars %dx and %dx\n", b.first, n_atoms, BAR,
	       SECRET_BAR);
	redact_set_free(b.set);
	return is_over(&innocent, BAR) || is_over(&secret, SECRET_BAR);
}
