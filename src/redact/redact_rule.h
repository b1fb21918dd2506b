/* SPDX-License-Identifier: Apache-2.0 */
/* redact_rule.h - what a rule is: a row of data, with the examples that are its tests.
 *
 * A pattern is PCRE2 (bytes, no UTF mode) and finds the exact span: group 1 if there is one,
 * else the whole match.  The fast search over all text uses `find`, or, without one, the same
 * pattern with an open end "{n,}" closed to "{n}".  Hence: an open end stands at the end of a
 * pattern only, everything before it is bounded, and nothing matches a newline.  A pattern that
 * begins with \b and a fixed word says so in `begins`: that is found faster than any pattern.
 */
#ifndef REDACT_REDACT_RULE_H
#define REDACT_REDACT_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "redact/redact.h"

enum { REDACT_EXAMPLES = 4 };

/* What was found, for checks that a pattern cannot make. */
struct found {
	const char *text;  /* a piece of output, at most one line */
	size_t from, to;   /* the whole match in it */
	size_t begin, end; /* the secret in it; a check may move these inwards */
	size_t len;        /* of text */
};

/* Found by hand (signs.c, places.c, phrases.c), not by a search for patterns: their signs are in
 * every line.  What places.c and phrases.c mark is cut by the rule's pattern, of the others it
 * only says what they look like. */
enum redact_hand {
	HAND_NONE = 0,
	HAND_IPV4,
	HAND_IPV6,
	HAND_PASSWORD,
	HAND_SECRET,
	HAND_BOT,
	HAND_URL_PASSWORD,
	HAND_URL_TOKEN,
	HAND_CURL,
	HAND_HOME, /* these two by places.c */
	HAND_TEMP,
	HAND_PRIVATE_KEY, /* these by phrases.c */
	HAND_PUTTY,
	HAND_BEARER,
	HAND_AUTH_TOKEN,
	HAND_BASIC,
	HAND_SSHPASS,
	HAND_ESCAPED_PASSWORD, /* these by signescape.c, without a pattern */
	HAND_ESCAPED_SECRET,
	HAND_OPTION_PASSWORD, /* these by signflags.c, the same */
	HAND_OPTION_SECRET,
	HAND_COUNT
};

struct redact_rule {
	const char *id;
	enum redact_group group;
	const char *pattern;
	const char *find;
	bool (*check)(struct found *f); /* NULL: whatever matches is a secret */
	const char
		*begins; /* words it begins with, apart by blanks: found by starts.c; NULL: find */
	/* Without begins: words of which one is in every text that it matches, apart by
	 * blanks.  "a&b": both, in one line; "*": 40 characters of a word in a row.  NULL: the
	 * words that its pattern begins with, or none if it is found by hand.  innocent.c rests on
	 * it. */
	const char *needs;
	enum redact_hand hand;
	bool opens_block; /* what follows belongs to it, line by line: keyblock.h */
	/* In an example "{{" and "}}" stand around what is to be replaced. */
	const char *yes[REDACT_EXAMPLES];
	const char *no[REDACT_EXAMPLES];
};

struct redact_rules {
	const struct redact_rule *rule;
	size_t n;
};

extern const struct redact_rules rules_ai, rules_assign, rules_chat, rules_cloud, rules_forge,
	rules_keys, rules_monitor, rules_packages, rules_payment, rules_personal, rules_places,
	rules_service, rules_web;

/* The built-in rules, numbered from 0; what is more telling comes first. */
size_t redact_rule_count(void);
const struct redact_rule *redact_rule_at(size_t i);

/* For the fast search: ret gets `find`, or the pattern with its open ends closed. */
void redact_rule_find(const struct redact_rule *rule, char *ret, size_t room);

/* Checks (checks.c). */
bool check_assigned(struct found *f);
bool check_password(struct found *f);
bool check_option(struct found *f);
bool check_option_secret(struct found *f);
bool check_random(struct found *f);
bool check_card(struct found *f);
bool check_ipv4(struct found *f);
bool check_ipv6(struct found *f);
bool check_phone(struct found *f);
bool check_user(struct found *f);
bool check_url_password(struct found *f);

/* What checks of assigned values ask, for those who can answer a part of it faster. */
enum { CHECK_ENOUGH = 128 };              /* bytes of a value tell what it is */
extern const char *const check_fillers[]; /* words that no secret has in it; NULL ends them */
bool check_placeholder(const char *text, size_t len);
bool check_begins_placeholder(const char *text, size_t len); /* the same by the first bytes */
bool check_begins_path(const char *text, size_t len);
/* check_password() of a value of which valuerun_password() has told its part. */
bool check_password_rest(struct found *f);
bool check_is_call(char next); /* behind the value */
bool check_is_trail(char c);   /* at its end */

/* What a value without quotes is made of. */
#define VALUE "[^ \\t\\n\"'`<>,;(){}\\[\\]&|]"
/* A quote, with backslashes before it in text that is in a string. */
#define QUOTE "(?:\\\\{0,3}[\"'])?"
/* A value behind a name that says whose it is: NEAR("heroku", UUID). */
#define ASSIGN            "[\"']?[ \\t]{0,3}(?:=>|:=|[=:])[ \\t]{0,3}[\"'`]?"
#define NEAR_GAP          "[a-z0-9_. -]{0,24}"
#define NEAR(word, value) "(?i)" word NEAR_GAP ASSIGN "(" value ")"
/* The same right before its name: GIVEN("\\bsig", ...), and with blanks around the sign. */
#define GIVEN(word, value)     "(?i)" word "=(" value ")"
#define GIVEN_BLANKS           "[ ]{0,2}=[ ]{0,2}"
#define GIVEN_FAR(word, value) "(?i)" word GIVEN_BLANKS "(" value ")"
#define UUID                   "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

#endif
