/* SPDX-License-Identifier: Apache-2.0 */
/* session_driver.c - an interpreter of a session begins: which program it is, and as what it
 * begins.
 *
 * A Python may begin as a template: then it is ready in a millisecond or two,
 * and has in common with all others what none of them changed.  One that cannot
 * begins as any program does, and it is said why.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/digits.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "call/language.h"
#include "gate/steps.h"
#include "keeper/session_state.h"
#include "keeper/keeptemplate.h"

enum { REST_ROOM = 4 << 20 };

extern const char driver_python_start[], driver_python_end[];
extern const char driver_node_start[], driver_node_end[];
extern const char driver_bash_start[], driver_bash_end[];

static const struct {
	const char *name;
	const char *text, *end;
	const char *words[5]; /* NULL: the driver's text */
	size_t n;
	size_t program; /* which of them the interpreter is: the tool's runtime may have another */
	bool cheap;     /* enough to have one whether it will be used or not */
} kinds[SESSION_DRIVERS] = {
	{"python", driver_python_start, driver_python_end, {"python3", "-c", NULL}, 3, 0, true},
	/* node cannot copy a descriptor. */
	{"node",
	 driver_node_start,
	 driver_node_end,
	 {"sh", "-c", "exec \"$1\" -e \"$0\" 3<&0 </dev/null", NULL, "node"},
	 5,
	 4,
	 false},
	{"bash", driver_bash_start, driver_bash_end, {"bash", "-c", NULL, "bash"}, 4, 0, false},
};

void drivers_init(struct session *s)
{
	struct error ignored;

	for (size_t i = 0; i < SESSION_DRIVERS; i++) {
		struct driver *d = &s->drivers[i];

		d->language = language_find(kinds[i].name, &ignored);
		d->channel = d->out.fd = d->err.fd = -1;
		buf_init(&d->send, DRIVER_SEND_MAX);
		buf_init(&d->heard, SNIPPET_HEAD_MAX + SNIPPET_RESULT_MAX + 1);
	}
}

bool driver_is_cheap(const struct session *s, const struct driver *d)
{
	return kinds[d - s->drivers].cheap;
}

struct driver *driver_of(struct session *s, const char *language)
{
	for (size_t i = 0; i < SESSION_DRIVERS; i++)
		if (strcmp(s->drivers[i].language->name, language) == 0)
			return &s->drivers[i];
	return NULL;
}

static char **driver_words(struct passage *p, size_t kind, const struct language *language,
			   struct error *err)
{
	struct arena *a = &p->judged.arena;
	char **argv = arena_array(a, kinds[kind].n + 1, sizeof(*argv), err);
	char *text = arena_printf(a, err, "%.*s", (int)(kinds[kind].end - kinds[kind].text),
				  kinds[kind].text);
	struct language own;

	for (size_t i = 0; argv && text && i < kinds[kind].n; i++)
		argv[i] = kinds[kind].words[i] ? (char *)(uintptr_t)kinds[kind].words[i] : text;
	if (!argv || !text)
		return NULL;
	errand_language(p->judged.tool, language, &own);
	argv[kinds[kind].program] = (char *)(uintptr_t)own.program;
	return argv;
}

/* From 3.13 on a python3 -c imports modules before it begins, and files of the session that have
 * their names would stand in for them: drivers/python.py, which takes it away again. */
static char **look_nowhere(struct arena *a, const struct language *language, char **env,
			   struct error *err)
{
	static char variable[] = "PYTHONSAFEPATH=belljar";

	if (strcmp(language->name, "python") != 0)
		return env;
	for (char **v = env; *v; v++)
		if (environment_same_name(*v, variable))
			return env;
	return environment_with(a, env, variable, err);
}

int driver_job(struct session *s, struct driver *d, struct passage *p, char ***ret_argv,
	       char ***ret_env, struct error *err)
{
	*ret_argv = driver_words(p, (size_t)(d - s->drivers), d->language, err);
	if (!*ret_argv || errand_environment(p, d->language, ret_env, err) < 0)
		return -1;
	*ret_env = look_nowhere(&p->judged.arena, d->language, *ret_env, err);
	if (!*ret_env)
		return -1;
	if (s->for_template)
		template_keep_counting(*ret_env);
	return 0;
}

/* In another root the same program may lie among other modules. */
static bool has_its_root(const struct keeper *k, const struct tool *tool)
{
	const struct tool *made_for = keeper_likely_tool(k);

	if (!made_for || !made_for->root || !tool->root)
		return made_for && made_for->root == tool->root;
	return strcmp(made_for->root, tool->root) == 0;
}

/* One that is like the template's begins as that. */
static int choose_beginning(struct session *s, struct driver *d, struct passage *p,
			    struct kept_job *job, struct error *err)
{
	struct start *start = &d->start;
	struct warm warm = {0};

	*start = (struct start){.how = START_COLD};
	d->woken = false;
	if (strcmp(d->language->name, "python") != 0 || !template_is_known() || !s->tool->warm)
		return 0;
	warming_of_session(s->tool, NULL, &warm);
	if (warm.n_modules) /* they are imported ahead, in its slot */
		return 0;
	if (s->template_failed[0])
		(void)snprintf(start->why_cold, sizeof(start->why_cold), "%s", s->template_failed);
	else if (!has_its_root(s->k, s->tool))
		(void)snprintf(start->why_cold, sizeof(start->why_cold),
			       "its root is not the template's");
	else if (template_fits(s->k->template, job->argv, job->env, start->why_cold,
			       sizeof(start->why_cold))) {
		job->env = template_env(&p->judged.arena, job->env, err);
		job->more = s->k->template;
		start->how = START_TEMPLATE;
		d->woken = true;
	}
	return job->env ? 0 : -1;
}

static int open_channel(struct driver *d, int *ret_theirs, struct error *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_sys(err, "socket for snippets");
	d->channel = ends[0];
	*ret_theirs = ends[1];
	(void)fd_refuse_rights(ends[0]);
	return fcntl(d->channel, F_SETFL, O_NONBLOCK) < 0 ? fail_sys(err, "socket for snippets")
							  : 0;
}

int driver_start(struct session *s, struct driver *d, struct passage *p, struct error *err)
{
	static const struct live nobody = {.fd = -1};
	struct kept_job job = {0};
	uid_t uid = s->kept.remote->runner.uid;
	own_fd theirs = -1, out = -1, error = -1;

	if (driver_job(s, d, p, &job.argv, &job.env, err) < 0 ||
	    choose_beginning(s, d, p, &job, err) < 0 || open_channel(d, &theirs, err) < 0 ||
	    capture_open(&d->out, NULL, &nobody, uid, &out, err) < 0 ||
	    capture_open(&d->err, NULL, &nobody, uid, &error, err) < 0)
		return -1;
	return kept_start(&s->kept, &job, (int[3]){theirs, out, error}, &d->exec, err) < 0
		       ? -1
		       : kept_layers(&s->kept, d->layers, err);
}

/* Its beginning. */

/* It could not become the template, and goes on as what it was started as. */
static void take_cold(struct driver *d)
{
	static const char word[] = "cold ";
	const char *end = memchr(buf_str(&d->heard), '\n', d->heard.len);
	char text[sizeof(d->start.why_cold)];
	size_t len;

	if (!d->woken || !end || d->heard.len < strlen(word) ||
	    memcmp(d->heard.data, word, strlen(word)) != 0)
		return;
	len = (size_t)(end - d->heard.data);
	(void)snprintf(text, sizeof(text), "%.*s", (int)(len - strlen(word)),
		       d->heard.data + strlen(word));
	text_one_line(text, d->start.why_cold, sizeof(d->start.why_cold));
	d->start.how = START_COLD;
	d->woken = false;
	memmove(d->heard.data, end + 1, d->heard.len - len - 1);
	d->heard.len -= len + 1;
}

/* The first word of all: from now on an interrupt does no harm. */
bool driver_take_ready(struct driver *d)
{
	static const char word[] = "ready\n";
	size_t len = strlen(word);

	take_cold(d);
	if (d->heard.len < len || memcmp(d->heard.data, word, len) != 0)
		return false;
	memmove(d->heard.data, d->heard.data + len, d->heard.len - len);
	d->heard.len -= len;
	d->ready = true;
	return true;
}

bool driver_begins_anew(struct session *s, struct driver *d)
{
	struct error err = {0};
	struct doing *doing = d->doing;

	if (!d->woken || d->ready || d->killed)
		return false;
	(void)snprintf(s->template_failed, sizeof(s->template_failed),
		       "the process that became the template ended");
	own_fd_end(&d->channel);
	capture_close(&d->out);
	capture_close(&d->err);
	d->channel = d->out.fd = d->err.fd = -1;
	d->exec = 0;
	d->sent = d->heard.len = 0;
	/* Without a snippet, the next one starts it. */
	if (!doing) {
		d->woken = false;
		d->send.len = 0;
		return true;
	}
	if (driver_start(s, d, &doing->passage, &err) < 0)
		return false;
	driver_attach(d, doing);
	driver_send(s, d);
	return true;
}

/* What it writes down before it gives anything back (a MiB at most: copy_doze.c), what it looks
 * that up with (as long as the list of its mappings) and the kernel's tables for both are charged
 * to the box: one that is nearly full would be killed for being told to sleep. */
static bool has_room_to_rest(struct session *s)
{
	struct error ignored;
	uint64_t room;

	return kept_room(&s->kept, &room, &ignored) == 0 && room >= REST_ROOM;
}

void driver_tell_rest(struct session *s, struct driver *d)
{
	static const char word[] = "-1 rest 0\n";

	/* Who takes it has nothing else to do; who does not take it at once will not miss it. */
	if (d->woken && d->ready && d->channel >= 0 && !d->forking && has_room_to_rest(s))
		(void)send(d->channel, word, strlen(word), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Who became the template knows how.  Nothing of the snippet is in this, and nothing is answered: a
 * box that ignores it is asked as any other. */
void driver_stir(struct driver *d)
{
	char word[sizeof("-3  0\n") + DIGITS_ROOM];
	int len;

	d->stirred = false;
	if (!d->woken || !d->ready || d->channel < 0 || d->forking || d->doing || d->killed)
		return;
	len = snprintf(word, sizeof(word), "-3 %u 0\n", beside_here());
	d->stirred = send(d->channel, word, (size_t)len, MSG_NOSIGNAL | MSG_DONTWAIT) == len;
}
