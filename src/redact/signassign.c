/* SPDX-License-Identifier: Apache-2.0 */
/* signassign.c - a name, a sign and a value: is it a password, or a secret? */
#include "redact/signlook.h"
#include "redact/signname.h"

enum { PASSWORD_LEAST = 6, QUOTED_MOST = 128 };

/* "...": behind its last character; 0: it has no end in this line. */
static size_t quoted_end(const struct signlook *l, size_t at, char quote)
{
	for (size_t i = at; i < l->high && i - at <= QUOTED_MOST && l->text[i] != '\n'; i++)
		if (l->text[i] == quote)
			return i;
	return 0;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* A password's value at text[at], quoted or not: behind it; 0: it is none. */
static size_t password_end(struct signlook *l, size_t *at)
{
	size_t end = is_quote(l->text[*at]) ? quoted_end(l, *at + 1, l->text[*at]) : 0;

	if (end > 0)
		++*at;
	else if ((end = valuerun_end(&l->value, *at)) >= *at + PASSWORD_LEAST &&
		 !valuerun_password(&l->value, *at))
		return 0;
	return end >= *at + PASSWORD_LEAST ? end : 0;
}

static bool take_password(struct signlook *l, const struct signname *n, size_t at, size_t end)
{
	struct found f = {l->text, n->from, end, at, end, l->high};

	if (!signname_password(l->text, n) || !check_password_rest(&f))
		return false;
	spans_add(l->ret, (struct span){f.from, f.begin, f.end, l->set->hand[HAND_PASSWORD]});
	l->taken = f.end;
	return true;
}

/* A value that valuerun_secret() lets pass. */
static void take_secret(struct signlook *l, const struct signname *n, size_t at)
{
	struct found f = {l->text, n->from, l->value.end, at, l->value.end, l->high};

	if (signlook_take(l, HAND_SECRET, &f))
		l->taken = f.end;
}

/* Does its begin tell that it is none of either kind?  Not if that is a quote. */
static bool begins_like_none(const struct signlook *l, size_t at)
{
	return check_begins_path(l->text + at, l->high - at) ||
	       check_begins_placeholder(l->text + at, l->high - at);
}

/* A value that may be one: is it called so? */
static void judge_value(struct signlook *l, size_t name_end, size_t at, bool password)
{
	size_t inner = signlook_inner(l, at), end = 0;
	bool secret;
	struct signname n;

	if (begins_like_none(l, at))
		return;
	secret = l->secrets && !valuerun_dull(&l->value, inner);
	if (password)
		end = password_end(l, &at);
	if ((!end && !secret) || !signname_read(l->text, name_end, &n))
		return;
	if (end && take_password(l, &n, at, end))
		return;
	if (secret && signname_secret(&n)) {
		(void)valuerun_end(&l->value, inner);
		if (valuerun_secret(&l->value, inner))
			take_secret(l, &n, inner);
	}
}

/* "name = value", "name: value", "name := value", "name => value".  Values are looked at before
 * names: in text that is full of both, most values tell at once that they are no secret. */
void signassign_try(struct signlook *l, size_t sign, size_t at, bool password)
{
	const char *text = l->text + sign;

	if (at + PASSWORD_LEAST > l->high || (text[0] == ':' && text[1] == '='))
		return; /* the "=" has its turn */
	judge_value(l, text[-1] == ':' ? sign - 1 : sign, at, password);
}

/* signname_maybe_secret(), which is not asked again of the same name. */
static bool may_mean_secret(struct signlook *l, size_t sign)
{
	unsigned what = l->tells && sign >= LANES ? signname_what(l->told, l->text, sign) : 0;
	bool maybe;

	if (what & (SIGNNAME_SECRET | SIGNNAME_NO_SECRET))
		return what & SIGNNAME_SECRET;
	maybe = signname_maybe_secret(l->text, sign);
	signlook_tell(l, sign, maybe ? SIGNNAME_SECRET : SIGNNAME_NO_SECRET);
	return maybe;
}

/* Only a secret is wanted: what costs least is asked first. */
void signassign_secret(struct signlook *l, size_t sign, size_t at)
{
	size_t inner = signlook_inner(l, at);
	const char *text = l->text + sign;
	struct signname n;

	if ((text[0] == ':' && text[1] == '=') || l->text[inner] == '/' ||
	    valuerun_dull_at_once(&l->value, inner) || !may_mean_secret(l, sign) ||
	    valuerun_dull(&l->value, inner) || valuerun_few(&l->value, inner))
		return;
	if (valuerun_secret(&l->value, inner) &&
	    signname_read(l->text, text[-1] == ':' ? sign - 1 : sign, &n) && signname_secret(&n))
		take_secret(l, &n, inner);
}
