/* SPDX-License-Identifier: Apache-2.0 */
/* redaction.c - what a call's output and its record must not say, and how it is kept out of them.
 *
 * A set is made when it is first needed: by the record of a call that was refused, or before one
 * that is allowed is announced.  Whoever may not use the tool gets the standard rules: the answer
 * to a hidden tool and to none must not differ in what was read for it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/trustfile.h"
#include "gate/runset.h"
#include "gate/steps.h"
#include "gate/toolkit.h"

enum { SECRET_MIN = 6, SECRET_MAX = 4096, COUNTS_MAX = 512 };

/* Secrets. */

static int check_value(const struct secret *s, const char *value, size_t len, struct error *err)
{
	if (len < SECRET_MIN || len > SECRET_MAX)
		return fail(err, ERR_CONFIG, "%s: a secret has %d to %d bytes", s->file, SECRET_MIN,
			    SECRET_MAX);
	if (memchr(value, '\0', len))
		return fail(err, ERR_CONFIG, "%s: a secret has no byte 0", s->file);
	return 0;
}

/* The value that is in its file; the caller wipes and frees it. */
static char *read_secret(const struct secret *s, struct error *err)
{
	own_fd fd = trustfile_open(s->file, err);
	char *value;
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0)
		return (void)fail_sys(err, "%s", s->file), NULL;
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return (void)fail(err, ERR_CONFIG,
				  "%s: others may read it; take that away (chmod go=)", s->file),
		       NULL;
	value = calloc(1, SECRET_MAX + 3);
	if (!value)
		return (void)fail_sys(err, "keep a secret"), NULL;
	/* One more than the longest with its newline: too long is seen. */
	n = fd_read_all(fd, value, SECRET_MAX + 2, err);
	if (n > 0 && value[n - 1] == '\n')
		value[--n] = '\0';
	if (n >= 0 && check_value(s, value, (size_t)n, err) == 0)
		return value;
	explicit_bzero(value, SECRET_MAX + 3);
	free(value);
	return NULL;
}

static int read_secrets(struct redaction *r, const struct tool *tool, struct error *err)
{
	r->secrets = calloc(tool->n_secrets + 1, sizeof(*r->secrets));
	if (!r->secrets)
		return fail_sys(err, "keep secrets");
	for (size_t i = 0; i < tool->n_secrets; i++) {
		r->secrets[i] = read_secret(&tool->secrets[i], err);
		if (!r->secrets[i])
			return fail_in(err, "secret '%s'", tool->secrets[i].name);
		r->n_secrets++;
	}
	return 0;
}

/* The set. */

static unsigned groups_of(const struct redact_policy *policy)
{
	unsigned groups = 0;

	if (!policy->has_groups)
		return REDACT_STANDARD;
	for (size_t i = 0; i < policy->groups.n; i++)
		groups |= redact_group_by_name(policy->groups.word[i]);
	return groups;
}

/* secrets: their values, or NULL: only the rules. */
static struct redact_set *make_set(const struct tool *tool, char *const *secrets,
				   const struct redact_means *means, struct error *err)
{
	size_t n_own = tool->redact.n_own, n_known = secrets ? tool->n_secrets : 0;
	own_mem struct redact_own *own = calloc(n_own + 1, sizeof(*own));
	own_mem struct redact_known *known = calloc(n_known + 1, sizeof(*known));
	struct redact_config config = {
		.groups = groups_of(&tool->redact),
		.known = known,
		.n_known = n_known,
		.own = own,
		.n_own = n_own,
		.helper = means->patterns,
		.cache = means->cache,
	};

	if (!own || !known)
		return (void)fail_sys(err, "prepare redaction"), NULL;
	for (size_t i = 0; i < n_own; i++)
		own[i] = (struct redact_own){tool->redact.own[i].id, tool->redact.own[i].pattern};
	for (size_t i = 0; i < n_known; i++)
		known[i] = (struct redact_known){tool->secrets[i].name, secrets[i],
						 strlen(secrets[i]), tool->secrets[i].canary};
	return redact_set_new(&config, err);
}

struct redact_set *run_redact_set(const struct policy *p, const struct redact_means *means,
				  struct error *err)
{
	const struct tool run = {.name = "run",
				 .redact = p ? p->run.redact : (struct redact_policy){0}};

	return make_set(&run, NULL, means, err);
}

/* Can it be done at all? */

static void check_run(const struct policy *p, const struct redact_means *means,
		      struct complaints *ret)
{
	struct redact_set *set;
	struct error err = {0};

	if (p->run.redact.n_own == 0)
		return;
	set = run_redact_set(p, means, &err);
	if (!set)
		complain(ret, p->run.redact.own->place, "run.redact.own", "%s", err.text);
	redact_set_free(set);
}

void gate_check_redaction(const struct policy *p, const struct redact_means *means,
			  struct complaints *ret)
{
	const struct redact_own_rule *last = p->run.redact.own;

	check_run(p, means, ret);
	for (size_t i = 0; i < p->n_tools; i++) {
		const struct tool *t = &p->tools[i];
		struct redact_set *set;
		struct error err = {0};
		char path[160];

		/* Those of the defaults belong to many tools. */
		if (t->redact.n_own == 0 || t->redact.own == last)
			continue;
		last = t->redact.own;
		set = make_set(t, NULL, means, &err);
		(void)snprintf(path, sizeof(path), "tools.%s.redact.own", t->name);
		if (!set)
			complain(ret, last->place, path, "%s", err.text);
		redact_set_free(set);
	}
}

void gate_check_secrets(const struct policy *p, struct complaints *ret)
{
	for (size_t i = 0; i < p->n_tools; i++)
		for (size_t k = 0; k < p->tools[i].n_secrets; k++) {
			const struct secret *s = &p->tools[i].secrets[k];
			struct error err = {0};
			char *value = read_secret(s, &err);
			char path[160];

			(void)snprintf(path, sizeof(path), "tools.%s.secrets.%s", p->tools[i].name,
				       s->name);
			if (!value)
				complain(ret, s->place, path, "%s", err.text);
			else
				explicit_bzero(value, strlen(value));
			free(value);
		}
}

/* For one call. */

int redaction_make(struct redaction *r, const struct tool *tool, const struct redact_means *means,
		   struct error *err)
{
	r->state = REDACTION_FAILED;
	if (read_secrets(r, tool, err) < 0)
		return -1;
	if (!tool->redact.off) {
		r->set = make_set(tool, r->secrets, means, err);
		if (!r->set)
			return -1;
	}
	r->state = REDACTION_READY;
	return 0;
}

static int prepare(struct passage *p, struct error *err)
{
	static const struct tool any = {.name = ""};
	const struct tool *tool = p->judged.tool;
	struct redaction *r = &p->redaction;

	if (r->state == REDACTION_READY)
		return 0;
	if (r->state == REDACTION_FAILED)
		return fail(err, ERR_INTERNAL, "nothing can be redacted");
	r->state = REDACTION_FAILED;
	if (p->toolkit)
		return toolkit_redaction(p->toolkit, tool, r, err);
	return redaction_make(r, tool ? tool : &any, &p->means, err);
}

void redaction_done(struct redaction *r)
{
	redactor_free(r->out.redactor);
	redactor_free(r->err.redactor);
	if (!r->borrowed)
		redact_set_free(r->set);
	for (size_t i = 0; !r->borrowed && i < r->n_secrets; i++) {
		explicit_bzero(r->secrets[i], strlen(r->secrets[i]));
		free(r->secrets[i]);
	}
	if (!r->borrowed)
		free(r->secrets);
	*r = (struct redaction){0};
}

static int name_file(const struct secret *s, struct buf *out, struct error *err)
{
	struct stat st;

	if (stat(s->file, &st) < 0)
		return fail_sys(err, "%s", s->file);
	return buf_printf(out, err, "%s %ju %ju %jd %jd.%09ld\n", s->name, (uintmax_t)st.st_dev,
			  (uintmax_t)st.st_ino, (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
			  st.st_mtim.tv_nsec);
}

/* The files are named before they are read: one that changes afterwards has another name. */
int redaction_current(const struct redaction *r, const struct tool *tool,
		      const struct policy *policy, char ret_hex[static HASH_HEX], struct error *err)
{
	struct redaction now = {0};
	struct hash hash;
	own(buf) names;
	int result = 0;

	buf_init(&names, (tool->n_secrets + 1) * 512);
	if (buf_printf(&names, err, "%s\n", policy->sha256) < 0)
		return -1;
	for (size_t i = 0; i < tool->n_secrets; i++)
		if (name_file(&tool->secrets[i], &names, err) < 0)
			return -1;
	result = names.cut ? fail(err, ERR_CONFIG, "too many secrets")
			   : read_secrets(&now, tool, err);
	if (result == 0 && now.n_secrets != r->n_secrets)
		result = fail(err, ERR_REFUSED, "it has other secrets by now");
	for (size_t i = 0; result == 0 && i < r->n_secrets; i++)
		if (strcmp(now.secrets[i], r->secrets[i]) != 0)
			result = fail(err, ERR_REFUSED, "a secret of it has changed");
	redaction_done(&now);
	hash_bytes(buf_str(&names), names.len, &hash);
	hash_hex(&hash, ret_hex);
	return result;
}

/* Text that is written down. */

char *redaction_clean(void *context, const char *text, size_t len, size_t *ret_len,
		      struct error *err)
{
	static const char nothing[] = "[REDACTED]";
	struct passage *p = context;
	struct error ours = {0};
	char *same;

	if (prepare(p, &ours) < 0) {
		/* That it was refused is to be written down all the same. */
		text = nothing;
		len = strlen(nothing);
	} else if (p->redaction.set) {
		return redact_text(p->redaction.set, text, len, ret_len, err);
	}
	same = strndup(text, len);
	*ret_len = len;
	if (!same)
		(void)fail_sys(err, "keep the arguments");
	return same;
}

/* Output. */

static void pass_on(void *context, const char *data, size_t len)
{
	const struct redaction_stream *s = context;

	s->sink(s->to, data, len);
}

/* Behind a canary nothing is said any more, on neither stream. */
static bool feed(void *context, const char *data, size_t len, filter_sink *sink, void *to)
{
	struct redaction_stream *s = context;

	if (redaction_canary(s->of))
		return false;
	s->sink = sink;
	s->to = to;
	redactor_feed(s->redactor, data, len);
	return redactor_canary(s->redactor) == NULL;
}

static bool finish(void *context, filter_sink *sink, void *to)
{
	struct redaction_stream *s = context;

	s->sink = sink;
	s->to = to;
	redactor_finish(s->redactor);
	return true;
}

static int add_filter(const struct redaction *r, struct redaction_stream *s, struct filter *ret,
		      struct error *err)
{
	s->of = r;
	s->redactor = redactor_new(r->set, pass_on, s, err);
	if (!s->redactor)
		return -1;
	*ret = (struct filter){.feed = feed, .finish = finish, .context = s};
	return 0;
}

static int add_filters(struct passage *p, struct error *err)
{
	struct redaction *r = &p->redaction;

	if (r->state != REDACTION_READY)
		return fail(err, ERR_INTERNAL, "nothing is ready to redact output");
	if (!r->set)
		return 0;
	return add_filter(r, &r->out, &p->live_out.filter, err) < 0 ||
			       add_filter(r, &r->err, &p->live_err.filter, err) < 0
		       ? -1
		       : 0;
}

/* Afterwards. */

const char *redaction_canary(const struct redaction *r)
{
	const char *found = r->out.redactor ? redactor_canary(r->out.redactor) : NULL;

	return found || !r->err.redactor ? found : redactor_canary(r->err.redactor);
}

/* Both streams have the same rules in the same order. */
size_t redaction_counts(const struct redaction *r, struct redact_count *ret, size_t room)
{
	struct redact_count more[COUNTS_MAX];
	size_t n, n_more;

	if (!r->out.redactor || !r->err.redactor)
		return 0;
	n = redactor_counts(r->out.redactor, ret, room);
	n_more = redactor_counts(r->err.redactor, more, ARRAY_LEN(more));
	n = n < room ? n : room;
	n_more = n_more < ARRAY_LEN(more) ? n_more : ARRAY_LEN(more);
	for (size_t i = 0; i < n_more; i++) {
		size_t k = 0;

		while (k < n && strcmp(ret[k].id, more[i].id) != 0)
			k++;
		if (k < n)
			ret[k].count += more[i].count;
		else if (n < room)
			ret[n++] = more[i];
	}
	return n;
}

static enum verdict refuse(struct passage *p, const struct error *err)
{
	char rule[160];

	p->trouble = *err;
	p->trouble.kind = ERR_REFUSED;
	(void)snprintf(rule, sizeof(rule), "tools.%s.%s", p->judged.tool->name,
		       p->judged.tool->n_secrets ? "secrets" : "redact");
	(void)why_deny(&p->why, WHY_OUTPUT, rule, "what it must not tell is not known here");
	why_hint(&p->why, "nothing was run; tell the operator");
	why_retry(&p->why, 0);
	return step_deny(p);
}

enum verdict step_redact(struct passage *p)
{
	struct error err = {0};

	if (p->dry_run)
		return GO_ON;
	return prepare(p, &err) < 0 || add_filters(p, &err) < 0 ? refuse(p, &err) : GO_ON;
}
