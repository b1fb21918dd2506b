/* SPDX-License-Identifier: Apache-2.0 */
/* signlook.h - somebody who looks at the signs of a text: what signs.c and its parts share. */
#ifndef REDACT_SIGNLOOK_H
#define REDACT_SIGNLOOK_H

#include "redact/nearnames.h"
#include "redact/signname.h"
#include "redact/signopts.h"
#include "redact/signs.h"
#include "redact/valuerun.h"

/* NAME_END: before a sign, it may be the end of a name, or stand between that and the sign. */
enum {
	OPENING = 1,
	NAME_END = 2,
	BLANK = 4,
	DIGIT = 8,
	ARROW = 16,
};

extern const unsigned char signlook_kinds[256];

/* What signescape_try() refused last, by so many bytes before its sign and from it on; zeroed:
 * nothing. */
struct signescape_refused {
	size_t sign, before, behind;
};

struct signlook {
	const struct redact_set *set;
	const char *text; /* from the floor on */
	size_t low, high; /* what may be found begins and ends here */
	size_t dots;      /* runs of digits and dots are done up to here */
	size_t colons;    /* and those of hex digits and colons */
	struct signopts options;
	struct valuerun value;
	struct nearlook near;
	struct signname_told told[SIGNNAME_TOLD];
	bool tells; /* signs are many: what is told of a name is worth remembering */
	struct signescape_refused no_escape;
	bool passwords, secrets, names; /* are wanted */
	bool enough;
	size_t last;                 /* behind the last sign */
	size_t taken;                /* what is before this was found already */
	size_t refused, refused_len; /* the last value of a name that was not random */
	signs_named *named;
	void *context;
	struct spans *ret;
};

static inline unsigned char signlook_kind(const struct signlook *l, size_t i)
{
	return signlook_kinds[(unsigned char)l->text[i]];
}

static inline bool signlook_wanted(const struct signlook *l, enum redact_hand hand)
{
	return l->set->hand[hand] < l->set->n;
}

/* What is in its quotes. */
static inline size_t signlook_inner(const struct signlook *l, size_t at)
{
	return at + (signlook_kind(l, at) & OPENING);
}

/* VALUE of redact_rule.h */
static inline bool signlook_in_value(char c)
{
	static const bool none[256] = {
		[' '] = true, ['\t'] = true, ['\n'] = true, ['"'] = true, ['\''] = true,
		['`'] = true, ['<'] = true,  ['>'] = true,  [','] = true, [';'] = true,
		['('] = true, [')'] = true,  ['{'] = true,  ['}'] = true, ['['] = true,
		[']'] = true, ['&'] = true,  ['|'] = true,
	};

	return !none[(unsigned char)c];
}

/* Something was told of the name before a sign. */
static inline void signlook_tell(struct signlook *l, size_t sign, unsigned what)
{
	if (l->tells && sign >= LANES)
		signname_tell(l->told, l->text, sign, what);
}

/* Adds what was found, if the rule's check takes it. */
bool signlook_take(struct signlook *l, enum redact_hand hand, struct found *f);

/* signassign.c: "name = value", "name: value", "name := value", "name => value". */
void signassign_try(struct signlook *l, size_t sign, size_t at, bool password);
/* Only a secret is wanted: what costs least is asked first. */
void signassign_secret(struct signlook *l, size_t sign, size_t at);

/* false: signescape_try() would say no, by the bytes around the sign.  Two bytes are before it. */
static inline bool signlook_maybe_escape(const struct signlook *l, size_t sign, size_t at)
{
	char next = l->text[at + 1], last = l->text[sign - 1], before = l->text[sign - 2];
	bool quoted = (next == '"') | (next == '\'') | (next == '\\') | ((next | 0x20) == 'u');
	bool name = ((last != '"') & (last != '\'')) | (before != '\\') | (sign < 3) ||
		    (signlook_kind(l, sign - 3) & NAME_END) || l->text[sign - 3] == '\\';

	return (l->text[at] == '\\') & quoted & name;
}

/* signescape.c: the same with a backslash at text[at], before the quote that opens the value. */
void signescape_try(struct signlook *l, size_t sign, size_t at);

/* signflags.c: an option begins at text[at], behind a blank or a quote, or where a line does. */
void signflags_try(struct signlook *l, size_t at);

/* signpoints.c: what a single byte may be part of.  A ".", "://", a ":" of an address. */
void signpoints_dot(struct signlook *l, size_t at);
void signpoints_url(struct signlook *l, size_t at);
void signpoints_colon(struct signlook *l, size_t at);
/* Something that is no blank begins behind one. */
void signpoints_value(struct signlook *l, size_t at);
/* Four of them begin. */
void signpoints_dashes(struct signlook *l, size_t at);
/* A ":" with a number behind it. */
void signpoints_number(struct signlook *l, size_t at);
/* A "-" behind something that is no part of a word, or behind a quote. */
void signpoints_option(struct signlook *l, size_t at);

#endif
