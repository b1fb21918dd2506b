/* SPDX-License-Identifier: Apache-2.0 */
/* signpoints.c - what a single byte may be part of: an address, an option, a phrase. */
#include "redact/phrases.h"
#include "redact/signaddr.h"
#include "redact/signforms.h"
#include "redact/signlook.h"

enum { BOT_DOTS = 7 }; /* bytes from one to the other in a bot's token */

bool signlook_take(struct signlook *l, enum redact_hand hand, struct found *f)
{
	size_t rule = l->set->hand[hand];
	bool (*check)(struct found *) = l->set->entries[rule].rule->check;

	if (check && !check(f))
		return false;
	spans_add(l->ret, (struct span){f->from, f->begin, f->end, rule});
	return true;
}

void signpoints_dot(struct signlook *l, size_t at)
{
	struct found f;

	/* Most dots end a sentence, or stand before a suffix. */
	if (at > 0 && at + 1 < l->high &&
	    (signlook_kind(l, at - 1) & signlook_kind(l, at + 1) & DIGIT) &&
	    signlook_wanted(l, HAND_IPV4) && signaddr_ipv4(l->text, l->high, at, &l->dots, &f))
		(void)signlook_take(l, HAND_IPV4, &f);
	if (at + BOT_DOTS < l->high && l->text[at + BOT_DOTS] == '.' &&
	    signlook_wanted(l, HAND_BOT) && signforms_bot(l->text, l->high, at, &f))
		(void)signlook_take(l, HAND_BOT, &f);
}

void signpoints_url(struct signlook *l, size_t at)
{
	struct found f;

	if (l->high - at <= 3 || l->text[at + 1] != '/' || l->text[at + 2] != '/')
		return;
	if (signlook_wanted(l, HAND_URL_PASSWORD) &&
	    signforms_url_password(l->text, l->high, at, &f))
		(void)signlook_take(l, HAND_URL_PASSWORD, &f);
	if (signlook_wanted(l, HAND_URL_TOKEN) && signforms_url_token(l->text, l->high, at, &f))
		(void)signlook_take(l, HAND_URL_TOKEN, &f);
}

void signpoints_colon(struct signlook *l, size_t at)
{
	struct found f;

	if (signlook_wanted(l, HAND_IPV6) && signaddr_ipv6(l->text, l->high, at, &l->colons, &f))
		(void)signlook_take(l, HAND_IPV6, &f);
}

/* What a rule's pattern is to look at. */
static void mark(struct signlook *l, enum redact_hand hand, size_t at)
{
	if (signlook_wanted(l, hand) && !l->named(l->context, at, l->set->hand[hand]))
		l->enough = true;
}

/* Something that is no blank begins behind one. */
void signpoints_value(struct signlook *l, size_t at)
{
	enum redact_hand hand = phrases_value(l->text, l->high, at);

	if (hand)
		mark(l, hand, at);
}

/* Four of them begin. */
void signpoints_dashes(struct signlook *l, size_t at)
{
	if (phrases_private_key(l->text, at))
		mark(l, HAND_PRIVATE_KEY, at);
}

void signpoints_number(struct signlook *l, size_t at)
{
	if (phrases_putty(l->text, l->high, at))
		mark(l, HAND_PUTTY, at);
}

/* Behind something that is no part of a word. */
void signpoints_option(struct signlook *l, size_t at)
{
	char before = l->text[at - 1];
	struct found f;

	if (before == ' ' || before == '\t' || before == '\n' || before == '"' || before == '\'')
		signflags_try(l, at);
	if (l->text[at - 1] == ' ' && l->text[at + 1] == 'p' &&
	    phrases_sshpass(l->text, l->high, at))
		mark(l, HAND_SSHPASS, at);
	if (l->text[at - 1] == ' ' && (l->text[at + 1] == 'u' || l->text[at + 1] == '-') &&
	    signlook_wanted(l, HAND_CURL) && signopts_curl(&l->options, l->text, l->high, at, &f))
		(void)signlook_take(l, HAND_CURL, &f);
}
