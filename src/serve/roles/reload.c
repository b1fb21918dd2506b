/* SPDX-License-Identifier: Apache-2.0 */
/* reload.c - a policy is read and takes effect, at the start and whenever somebody asks.
 *
 * All or nothing: until the new one has been read, understood and written into
 * memory, everything goes on by the old one.  A file that is wrong changes
 * nothing but what the operator reads.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"
#include "lib/wardentalk.h"
#include "serve/roles/supervise.h"

enum { SEALS = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL };

/* For the front. */
static int keep_text(const struct buf *text, struct error *err)
{
	own_fd fd = memfd_create("text", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return fail_sys(err, "make a file in memory");
	if (fd_write_all(fd, buf_str(text), text->len, err) < 0)
		return -1;
	if (fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return fail_sys(err, "seal a file in memory");
	return take_fd(&fd);
}

static void say_later(const char *setting, struct buf *notes)
{
	struct error ignored;

	supervisor_say("reload: %s has changed; that counts at the next start", setting);
	(void)buf_printf(notes, &ignored, "%s%s has changed; that counts at the next start",
			 notes->len ? "; " : "", setting);
}

/* These were decided when we began, and what is open stays open. */
static void say_what_stays(const struct plan *old, const struct plan *new, struct buf *notes)
{
	if (!json_equal(old->listen, new->listen))
		say_later("serve.listen", notes);
	if (old->audit_off != new->audit_off)
		say_later("audit.mode", notes);
}

static int same(const char *one, const char *other)
{
	return one == other || (one && other && strcmp(one, other) == 0);
}

/* The log is where it was: one service, one log. */
static int check_log(const struct supervisor *s, const struct plan *new, struct error *err)
{
	if (!same(s->plan.audit_directory, new->audit_directory))
		return fail(err, ERR_CONFIG,
			    "audit.directory has changed: end the service and start it again");
	return 0;
}

static int warden_take(struct supervisor *s, struct error *err)
{
	struct single *warden = &s->singles[ROLE_WARDEN];
	own_fd fd = -1;

	if (!warden->pid)
		return 0;
	fd = memfd_create("ceiling", MFD_CLOEXEC);
	if (fd < 0)
		return fail_sys(err, "make a file in memory");
	if (fd_write_all(fd, s->plan.ceiling, strlen(s->plan.ceiling), err) < 0)
		return -1;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return fail_sys(err, "rewind the ceiling");
	return warden_control_ceiling(warden->control, fd, err);
}

/* What a policy brings beside its text. */
struct parts {
	int view, tls, pack;
};

static void parts_end(struct parts *p)
{
	own_fd_end(&p->view);
	own_fd_end(&p->tls);
	own_fd_end(&p->pack);
}

static void take_parts(struct supervisor *s, struct parts *p)
{
	own_fd_end(&s->view_fd);
	own_fd_end(&s->tls_fd);
	own_fd_end(&s->pack_fd);
	s->view_fd = take_fd(&p->view);
	s->tls_fd = take_fd(&p->tls);
	s->pack_fd = take_fd(&p->pack);
}

/* From here on it counts. */
static void take_plan(struct supervisor *s, struct plan *new, struct parts *parts,
		      struct buf *notes)
{
	bool off = s->plan.audit_off;
	struct error err = {0};

	say_what_stays(&s->plan, new, notes);
	plan_done(&s->plan);
	s->plan = *new;
	s->plan.audit_off = off;
	*new = (struct plan){0};
	take_parts(s, parts);
	s->generation++;
	s->keeper_fails = 0;
	/* The warden first: new keepers may need what only the new ceiling allows. */
	if (warden_take(s, &err) < 0) {
		supervisor_say("the warden cannot be told: %s; starting it again", err.text);
		(void)kill(s->singles[ROLE_WARDEN].pid, SIGKILL);
	}
	if (s->tls_fd >= 0)
		(void)front_tell(s, ROLE_TLS, 0, s->tls_fd);
	(void)front_tell(s, ROLE_VIEW, 0, s->view_fd);
	supervisor_say("reloaded: policy %.16s", s->plan.policy_sha256);
}

static int begin_with(struct supervisor *s, struct plan *first, struct parts *parts,
		      struct error *err)
{
	s->plan = *first;
	*first = (struct plan){0};
	take_parts(s, parts);
	s->generation = 1;
	return boot(s, err);
}

static int understand(struct supervisor *s, const struct buf *text, struct buf *notes,
		      struct error *err)
{
	own(plan) new = {0};
	own(parts) parts = {-1, -1, take_fd(&s->pack_next)};

	if (plan_read(buf_str(text), text->len, &new, err) < 0)
		return -1;
	if (fcntl(parts.pack, F_ADD_SEALS, SEALS) < 0)
		return fail_sys(err, "seal the files of the policy");
	if (s->plan.view && check_log(s, &new, err) < 0)
		return -1;
	parts.view = keep_text(text, err);
	if (parts.view < 0)
		return -1;
	parts.tls = new.tls_cert ? keyfiles_read(&new, err) : -1;
	if (new.tls_cert && parts.tls < 0)
		return -1;
	if (!s->plan.view)
		return begin_with(s, &new, &parts, err);
	take_plan(s, &new, &parts, notes);
	return 0;
}

/* It goes behind the view, on the same socket: the front has tried that when it hears this. */
static void tell_front(struct supervisor *s, enum role_word word, const struct buf *text)
{
	struct error ignored;
	own_fd fd = text->len ? keep_text(text, &ignored) : -1;

	(void)front_tell(s, word, s->reload_for, fd);
}

static void tell_systemd(const struct supervisor *s, const char *what)
{
	char line[900], text[1000];

	text_one_line(what, line, sizeof(line)); /* another line would be another word of ours */
	(void)snprintf(text, sizeof(text), "READY=1\nSTATUS=%s", line);
	notify_say(&s->notify, text);
}

static void say_done(struct supervisor *s, const struct buf *notes)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "policy %.16s", s->plan.policy_sha256);
	tell_systemd(s, text);
	tell_front(s, ROLE_RELOADED, notes);
}

/* said: by whoever read it; empty: nothing. */
static void say_failed(struct supervisor *s, const char *said, const struct error *why)
{
	struct error ignored;
	own(buf) text;

	supervisor_say("reload: %s; everything goes on by the policy of before", why->text);
	buf_init(&text, 2 * (size_t)ROLELOG_KEPT_MAX);
	(void)buf_printf(&text, &ignored, "everything goes on by the policy of before: %s%s%s",
			 why->text, *said ? ": " : "", said);
	tell_systemd(s, buf_str(&text));
	tell_front(s, ROLE_NOT_RELOADED, &text);
}

static void start_again(struct supervisor *s)
{
	struct error err = {0};

	if (!s->reload_again)
		return;
	s->reload_again = false;
	if (reload_start(s, &err) < 0)
		say_failed(s, "", &err);
}

static void take_view(void *context, const struct buf *text, const char *why)
{
	struct supervisor *s = context;
	bool first = !s->plan.view;
	const char *said = rolelog_kept(&s->gate_log);
	struct error err = {0};
	own(buf) notes;
	int done;

	buf_init(&notes, ROLELOG_LINE_MAX);
	done = text ? understand(s, text, &notes, &err) : fail(&err, ERR_CONFIG, "%s", why);
	if (s->stopping)
		return;
	if (done < 0 && first) {
		supervisor_give_up(s, &err);
		return;
	}
	if (done < 0)
		say_failed(s, text ? "" : said, &err);
	else if (!first)
		say_done(s, &notes);
	start_again(s);
}

int reload_start(struct supervisor *s, struct error *err)
{
	const char *argv[10] = {"belljar-gate", "view", "--state", s->state, "--pack", "3"};
	struct spawn spawn = {.program = s->config->gate,
			      .argv = argv,
			      .fds = &s->pack_next,
			      .n_fds = 1,
			      .out = -1,
			      .err = s->gate_log.to};

	if (s->stopping)
		return 0;
	if (s->viewrun.pid) {
		s->reload_again = true; /* what is being read may be older than the question */
		return 0;
	}
	s->reload_for = s->reload_asked;
	rolelog_keep(&s->gate_log);
	if (s->config->policy) {
		argv[6] = "--policy";
		argv[7] = s->config->policy;
	}
	own_fd_end(&s->pack_next);
	s->pack_next = memfd_create("policy", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (s->pack_next < 0)
		return fail_sys(err, "make a file in memory");
	if (s->plan.view)
		notify_reloading(&s->notify);
	s->viewrun.done = take_view;
	s->viewrun.context = s;
	return viewrun_start(&s->viewrun, s->loop, &spawn, err);
}

void reload_ask(struct supervisor *s, uint64_t number)
{
	struct error err = {0};

	s->reload_asked = number;
	if (reload_start(s, &err) < 0)
		say_failed(s, "", &err);
}
