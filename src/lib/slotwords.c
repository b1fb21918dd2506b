/* SPDX-License-Identifier: Apache-2.0 */
/* slotwords.c - a profile as words for belljar slot, which reads them as belljar run does. */
#include "lib/slotwords.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "call/limits.h"

void slotwords_end(struct slotwords *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->words[i]);
	*w = (struct slotwords){0};
}

void slotwords_add(struct slotwords *w, const char *fmt, ...)
{
	char *word = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (w->n + 1 >= SLOTWORDS_MAX || vasprintf(&word, fmt, ap) < 0)
		w->failed = true;
	else
		w->words[w->n++] = word;
	va_end(ap);
}

void slotwords_limits(struct slotwords *w, const struct limits *l)
{
	for (size_t i = 0; i < limit_row_count; i++)
		slotwords_add(w, "--%s=%" PRIu64 "%s", limit_rows[i].name,
			      limits_get(l, &limit_rows[i]),
			      limit_rows[i].unit == UNIT_MS ? "ms" : "");
}

void slotwords_most(struct slotwords *w, const struct limits *most)
{
	char value[512] = "";
	size_t len = 0;

	for (size_t i = 0; i < limit_row_count && len < sizeof(value); i++)
		len += (size_t)snprintf(value + len, sizeof(value) - len, "%s%" PRIu64,
					i ? "," : "", limits_get(most, &limit_rows[i]));
	slotwords_add(w, "--most");
	slotwords_add(w, "%s", value);
	w->failed |= len >= sizeof(value);
}

int slotwords_read_most(const char *value, struct limits *ret, struct error *err)
{
	own_str copy = strdup(value);
	char *rest = copy, *word;
	struct limits most = {0};
	size_t i = 0;

	if (!copy)
		return fail_sys(err, "keep the most");
	for (; (word = strsep(&rest, ",")); i++) {
		if (i == limit_row_count)
			return fail(err, ERR_CALLER, "--most: too many numbers");
		if (text_parse_uint(word, (uint64_t *)((char *)&most + limit_rows[i].offset), err) <
		    0)
			return fail_in(err, "--most");
	}
	if (i != limit_row_count)
		return fail(err, ERR_CALLER, "--most: too few numbers");
	*ret = most;
	return 0;
}

/* Read as SOURCE:INSIDE, and the first colon with a slash behind it is the border. */
static int add_grant(struct slotwords *w, const struct grant *g, struct error *err)
{
	const char *option = g->write ? "write" : "read";

	if (strstr(g->source, ":/") || g->inside[0] != '/')
		return fail(err, ERR_CALLER,
			    "--%s %s: a path with ':/' in it, or one that is not absolute inside, "
			    "cannot be granted here",
			    option, g->source);
	slotwords_add(w, "--%s=%s:%s", option, g->source, g->inside);
	if (g->ino)
		slotwords_add(w, "--same-file=%" PRIu64 ":%" PRIu64, g->dev, g->ino);
	return 0;
}

/* Read by belljar slot and the warden, and by nobody else: cli/options_warm.c. */
static void add_warm(struct slotwords *w, const struct warm *warm)
{
	if (warm->kind == WARM_NOT)
		return;
	slotwords_add(w, "--warm=%s", warm_kind_name(warm->kind));
	slotwords_add(w, "--warm-program=%s", warm->program);
	for (size_t i = 0; i < warm->n_modules; i++)
		slotwords_add(w, "--warm-module=%s", warm->modules[i]);
	for (size_t i = 0; i < warm->n_env; i++)
		slotwords_add(w, "--warm-env=%s", warm->env[i]);
	slotwords_add(w, "--warm-calls=%" PRIu64, warm->calls);
	slotwords_add(w, "--warm-age=%" PRIu64 "ms", warm->age_ms);
}

int slotwords_profile(struct slotwords *w, const struct profile *p, struct error *err)
{
	for (size_t i = 0; i < p->n_grants; i++)
		if (add_grant(w, &p->grants[i], err) < 0)
			return -1;
	for (size_t i = 0; i < p->n_programs; i++) {
		if (strchr(p->programs[i], ','))
			return fail(err, ERR_CALLER, "a program's name has a comma in it");
		slotwords_add(w, "--programs=%s", p->programs[i]);
	}
	if (p->root)
		slotwords_add(w, "--root=%s", p->root);
	if (p->cgroup)
		slotwords_add(w, "--cgroup=%s", p->cgroup);
	if (p->proc_full)
		slotwords_add(w, "--proc=full");
	if (p->loopback)
		slotwords_add(w, "--loopback");
	for (int i = 0; i < LAYER_COUNT; i++)
		if (p->allow_degraded & 1u << i)
			slotwords_add(w, "--allow-degraded=%s", layer_name((enum layer)i));
	add_warm(w, &p->warm);
	return slotwords_check(w, err);
}

int slotwords_check(const struct slotwords *w, struct error *err)
{
	return w->failed ? fail(err, ERR_SYSTEM, "allocate the words for a slot") : 0;
}
