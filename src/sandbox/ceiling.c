/* SPDX-License-Identifier: Apache-2.0 */
/* ceiling.c - the most that may ever be asked for, whoever asks. */
#include "sandbox/ceiling.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "call/limits.h"

enum { PATH_ROOM = 4096, SHOWN = 160 };

void ceiling_done(struct ceiling *c)
{
	free(c->text);
	free(c->paths);
	free(c->warms);
	*c = (struct ceiling){0};
}

void ceiling_end(struct ceiling *c)
{
	ceiling_done(c);
}

/* Absolute, and nothing in it that means another path than its text. */
static bool is_plain_path(const char *p)
{
	size_t len = strlen(p);

	return p[0] == '/' && len < PATH_ROOM && !strstr(p, "//") && !strstr(p, "/./") &&
	       !strstr(p, "/../") && !(len > 1 && p[len - 1] == '/') &&
	       !(len > 1 && strcmp(p + len - 2, "/.") == 0) &&
	       !(len > 2 && strcmp(p + len - 3, "/..") == 0);
}

static bool is_within(const char *path, const char *top)
{
	size_t len = strlen(top);

	if (strcmp(top, "/") == 0)
		return true;
	return strncmp(path, top, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* Reading it: one function per first word. */

struct parse {
	struct ceiling *c;
	enum ceiling_place place; /* of the row */
};

static int take_number(const char *rest, uint64_t most, uint64_t *ret, struct error *err)
{
	uint64_t value;

	if (*ret)
		return fail(err, ERR_CONFIG, "it is there twice");
	if (text_parse_uint(rest, &value, err) < 0)
		return -1;
	if (value == 0 || value > most)
		return fail(err, ERR_CONFIG, "it must be from 1 to %" PRIu64, most);
	*ret = value;
	return 0;
}

static int take_slots(struct parse *p, char *rest, struct error *err)
{
	return take_number(rest, CEILING_SLOTS_MAX, &p->c->slots, err);
}

static int take_session_wall(struct parse *p, char *rest, struct error *err)
{
	return take_number(rest, limits_find("wall")->max, &p->c->session_wall_ms, err);
}

static int take_session_cpu(struct parse *p, char *rest, struct error *err)
{
	return take_number(rest, limits_find("cpu")->max, &p->c->session_cpu_ms, err);
}

static uint64_t *member(struct limits *l, const struct limit_row *row)
{
	return (uint64_t *)((char *)l + row->offset);
}

static int take_limit(struct parse *p, char *rest, struct error *err)
{
	char *value = strchr(rest, ' ');
	size_t i = 0;

	if (!value)
		return fail(err, ERR_CONFIG, "a name and a number are due");
	*value++ = '\0';
	while (i < limit_row_count && strcmp(limit_rows[i].key, rest) != 0)
		i++;
	if (i == limit_row_count)
		return fail(err, ERR_CONFIG, "there is no such limit");
	if (p->c->limits_named & 1u << i)
		return fail(err, ERR_CONFIG, "it is there twice");
	if (text_parse_uint(value, member(&p->c->limits, &limit_rows[i]), err) < 0)
		return -1;
	p->c->limits_named |= 1u << i;
	return 0;
}

static int take_path(struct parse *p, char *rest, struct error *err)
{
	struct ceiling *c = p->c;

	if (!is_plain_path(rest))
		return fail(err, ERR_CONFIG, "an absolute path without //, . and .. is due");
	if (c->n_paths == CEILING_PATHS_MAX)
		return fail(err, ERR_CONFIG, "more than %d paths", CEILING_PATHS_MAX);
	c->paths[c->n_paths++] = (struct ceiling_path){p->place, rest};
	return 0;
}

static int take_root(struct parse *p, char *rest, struct error *err)
{
	if (strcmp(rest, "host") != 0)
		return take_path(p, rest, err);
	p->c->host_root = true;
	return 0;
}

static int take_yes(const char *rest, bool *ret, struct error *err)
{
	if (strcmp(rest, "yes") != 0)
		return fail(err, ERR_CONFIG, "the only value is yes");
	*ret = true;
	return 0;
}

static int take_loopback(struct parse *p, char *rest, struct error *err)
{
	return take_yes(rest, &p->c->loopback, err);
}

static int take_proc_full(struct parse *p, char *rest, struct error *err)
{
	return take_yes(rest, &p->c->proc_full, err);
}

static int take_degraded(struct parse *p, char *rest, struct error *err)
{
	int layer = layer_by_name(rest);

	if (layer < 0)
		return fail(err, ERR_CONFIG, "there is no such layer");
	p->c->degraded |= 1u << layer;
	return 0;
}

static int take_warm(struct parse *p, char *rest, struct error *err)
{
	struct ceiling *c = p->c;
	char *program = strchr(rest, ' ');
	int kind = WARM_NOT + 1;

	if (!program || program[1] == '\0')
		return fail(err, ERR_CONFIG, "a kind and a program are due");
	*program++ = '\0';
	while (kind < WARM_COUNT && strcmp(rest, warm_kind_name((enum warm_kind)kind)) != 0)
		kind++;
	if (kind == WARM_COUNT)
		return fail(err, ERR_CONFIG, "there is no such kind");
	if (c->n_warms == CEILING_WARMS_MAX)
		return fail(err, ERR_CONFIG, "more than %d of them", CEILING_WARMS_MAX);
	c->warms[c->n_warms++] = (struct warm){.kind = (enum warm_kind)kind, .program = program};
	return 0;
}

/* The one that the line before began; NULL: err. */
static struct warm *last_warm(const struct ceiling *c, struct error *err)
{
	if (c->n_warms)
		return &c->warms[c->n_warms - 1];
	(void)fail(err, ERR_CONFIG, "it belongs behind a line 'warm'");
	return NULL;
}

static int take_warm_module(struct parse *p, char *rest, struct error *err)
{
	struct warm *w = last_warm(p->c, err);

	if (!w)
		return -1;
	if (w->n_modules == WARM_MODULES_MAX)
		return fail(err, ERR_CONFIG, "more than %d of them", WARM_MODULES_MAX);
	w->modules[w->n_modules++] = rest;
	return 0;
}

static int take_warm_env(struct parse *p, char *rest, struct error *err)
{
	struct warm *w = last_warm(p->c, err);

	if (!w)
		return -1;
	if (w->n_env == WARM_ENV_MAX)
		return fail(err, ERR_CONFIG, "more than %d of them", WARM_ENV_MAX);
	w->env[w->n_env++] = rest;
	return 0;
}

static int take_warm_calls(struct parse *p, char *rest, struct error *err)
{
	struct warm *w = last_warm(p->c, err);

	return w ? take_number(rest, UINT32_MAX, &w->calls, err) : -1;
}

static int take_warm_age(struct parse *p, char *rest, struct error *err)
{
	struct warm *w = last_warm(p->c, err);

	return w ? take_number(rest, UINT32_MAX, &w->age_ms, err) : -1;
}

static const struct {
	const char *word;
	int (*take)(struct parse *p, char *rest, struct error *err);
	enum ceiling_place place;
} rows[] = {
	{"slots", take_slots, PLACE_NONE},                  /* how many */
	{"limit", take_limit, PLACE_NONE},                  /* how much */
	{"session_wall_ms", take_session_wall, PLACE_NONE}, /* how long, if kept */
	{"session_cpu_ms", take_session_cpu, PLACE_NONE},   /* how long, if kept */
	{"root", take_root, PLACE_ROOT},                    /* which programs */
	{"read", take_path, PLACE_READ},                    /* which files */
	{"under", take_path, PLACE_READ},                   /* which files */
	{"write", take_path, PLACE_WRITE},                  /* which files */
	{"cgroup", take_path, PLACE_CGROUP},                /* which groups */
	{"loopback", take_loopback, PLACE_NONE},            /* TCP to itself */
	{"proc_full", take_proc_full, PLACE_NONE},          /* a whole /proc */
	{"degraded", take_degraded, PLACE_NONE},            /* fewer layers */
	{"warm", take_warm, PLACE_NONE},                    /* what waits */
	{"warm_module", take_warm_module, PLACE_NONE},      /* what waits */
	{"warm_env", take_warm_env, PLACE_NONE},            /* what waits */
	{"warm_calls", take_warm_calls, PLACE_NONE},        /* what waits */
	{"warm_age_ms", take_warm_age, PLACE_NONE},         /* what waits */
};

static int take_line(struct ceiling *c, char *line, struct error *err)
{
	char *space = strchr(line, ' ');

	for (size_t i = 0; space && i < ARRAY_LEN(rows); i++) {
		struct parse p = {c, rows[i].place};

		if (strlen(rows[i].word) == (size_t)(space - line) &&
		    strncmp(rows[i].word, line, (size_t)(space - line)) == 0)
			return rows[i].take(&p, space + 1, err);
	}
	return fail(err, ERR_CONFIG, "there is no such line");
}

static int take_lines(struct ceiling *c, struct error *err)
{
	char *rest = c->text, *line;
	size_t number = 0;

	while ((line = strsep(&rest, "\n"))) {
		char shown[SHOWN];

		number++;
		if (line[0] == '\0' && !rest)
			break; /* behind the last newline */
		text_escape(line, strlen(line), shown, sizeof(shown));
		if (take_line(c, line, err) < 0) {
			(void)fail_in(err, "the ceiling, line %zu, '%s'", number, shown);
			err->kind = ERR_CONFIG;
			return -1;
		}
	}
	return 0;
}

int ceiling_parse(const char *text, size_t len, struct ceiling *ret, struct error *err)
{
	own(ceiling) c = {0};

	if (len > CEILING_TEXT_MAX)
		return fail(err, ERR_CONFIG, "the ceiling has more than %d bytes",
			    CEILING_TEXT_MAX);
	if (len && memchr(text, '\0', len))
		return fail(err, ERR_CONFIG, "the ceiling has a zero byte in it");
	c.text = strndup(len ? text : "", len);
	c.paths = calloc(CEILING_PATHS_MAX, sizeof(*c.paths));
	c.warms = calloc(CEILING_WARMS_MAX, sizeof(*c.warms));
	if (!c.text || !c.paths || !c.warms)
		return fail_sys(err, "keep the ceiling");
	if (take_lines(&c, err) < 0)
		return -1;
	*ret = c;
	c = (struct ceiling){0};
	return 0;
}

/* Asking it. */

static bool has_path(const struct ceiling *c, enum ceiling_place place, const char *path)
{
	for (size_t i = 0; i < c->n_paths; i++)
		if (c->paths[i].place == place && strcmp(c->paths[i].path, path) == 0)
			return true;
	return false;
}

static bool covers(const struct ceiling *c, enum ceiling_place place, const char *path)
{
	for (size_t i = 0; i < c->n_paths; i++)
		if (c->paths[i].place == place && is_within(path, c->paths[i].path))
			return true;
	return false;
}

static int refuse_path(const char *line, const char *path, struct error *err)
{
	char shown[SHOWN];

	text_escape(path, strlen(path), shown, sizeof(shown));
	return fail(err, ERR_REFUSED, "above the ceiling: it has no line '%s' for %s", line, shown);
}

int ceiling_allows_root(const struct ceiling *c, const char *root, struct error *err)
{
	if (!root)
		return c->host_root ? 0
				    : fail(err, ERR_REFUSED,
					   "above the ceiling: it has no line 'root host'");
	return has_path(c, PLACE_ROOT, root) ? 0 : refuse_path("root", root, err);
}

/* What may be written may be read. */
static int check_grant(const struct ceiling *c, const struct grant *g, struct error *err)
{
	if (!is_plain_path(g->source))
		return fail(err, ERR_REFUSED,
			    "a path on the host must be absolute and without //, . and ..");
	if (covers(c, PLACE_WRITE, g->source) || (!g->write && covers(c, PLACE_READ, g->source)))
		return 0;
	return refuse_path(g->write ? "write" : "read", g->source, err);
}

static int check_degraded(const struct ceiling *c, const struct profile *p, struct error *err)
{
	for (int i = 0; i < LAYER_COUNT; i++)
		if (p->allow_degraded & ~c->degraded & 1u << i)
			return fail(err, ERR_REFUSED,
				    "above the ceiling: it has no line 'degraded %s'",
				    layer_name((enum layer)i));
	return (p->allow_degraded & ~c->degraded) ? fail(err, ERR_REFUSED, "no such layer") : 0;
}

static bool same_words(const char *const *a, size_t n_a, const char *const *b, size_t n_b)
{
	if (n_a != n_b)
		return false;
	for (size_t i = 0; i < n_a; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return true;
}

/* In every word: who imports what, with which variables, decides what runs in a slot before anybody
 * has been judged.  Who imports nothing, as for sessions, is below all of them.  One without its
 * numbers allows nothing, as nobody asks for 0. */
static bool allows_warm(const struct warm *row, const struct warm *asked)
{
	return row->kind == asked->kind && asked->program &&
	       strcmp(row->program, asked->program) == 0 && row->calls == asked->calls &&
	       row->age_ms == asked->age_ms && row->calls && row->age_ms &&
	       (!asked->n_modules ||
		same_words(row->modules, row->n_modules, asked->modules, asked->n_modules)) &&
	       same_words(row->env, row->n_env, asked->env, asked->n_env);
}

static int check_warm(const struct ceiling *c, const struct warm *w, struct error *err)
{
	char shown[SHOWN];

	if (w->kind == WARM_NOT)
		return 0;
	for (size_t i = 0; i < c->n_warms; i++)
		if (allows_warm(&c->warms[i], w))
			return 0;
	text_escape(w->program ? w->program : "", w->program ? strlen(w->program) : 0, shown,
		    sizeof(shown));
	return fail(err, ERR_REFUSED, "above the ceiling: it has no lines 'warm %s %s' like these",
		    warm_kind_name(w->kind), shown);
}

int ceiling_allows_profile(const struct ceiling *c, const struct profile *p, struct error *err)
{
	if (ceiling_allows_root(c, p->root, err) < 0)
		return -1;
	if (p->cgroup && !has_path(c, PLACE_CGROUP, p->cgroup))
		return refuse_path("cgroup", p->cgroup, err);
	if (p->loopback && !c->loopback)
		return fail(err, ERR_REFUSED, "above the ceiling: it has no line 'loopback yes'");
	if (p->proc_full && !c->proc_full)
		return fail(err, ERR_REFUSED, "above the ceiling: it has no line 'proc_full yes'");
	for (size_t i = 0; i < p->n_grants; i++)
		if (check_grant(c, &p->grants[i], err) < 0)
			return -1;
	if (check_warm(c, &p->warm, err) < 0)
		return -1;
	return check_degraded(c, p, err);
}

void ceiling_limits(const struct ceiling *c, bool session, struct limits *ret)
{
	*ret = c->limits;
	if (!session)
		return;
	ret->wall_ms = c->session_wall_ms;
	if (c->session_cpu_ms)
		ret->cpu_ms = c->session_cpu_ms;
}

int ceiling_allows_limits(const struct ceiling *c, const struct limits *l, bool session,
			  struct error *err)
{
	struct limits most;

	if (session && !c->session_wall_ms)
		return fail(err, ERR_REFUSED,
			    "above the ceiling: it has no line 'session_wall_ms'");
	ceiling_limits(c, session, &most);
	for (size_t i = 0; i < limit_row_count; i++) {
		const struct limit_row *row = &limit_rows[i];

		if (!(c->limits_named & 1u << i))
			return fail(err, ERR_REFUSED,
				    "above the ceiling: it has no line 'limit %s'", row->key);
		if (limits_get(l, row) > limits_get(&most, row))
			return fail(err, ERR_REFUSED,
				    "above the ceiling: %s is %" PRIu64 ", and 'limit %s %" PRIu64
				    "' is the most",
				    row->key, limits_get(l, row), row->key, limits_get(&most, row));
	}
	/* None is 0 or of a size that no box can have. */
	if (limits_check(l, err) < 0)
		return err->kind = ERR_REFUSED, -1;
	return 0;
}
