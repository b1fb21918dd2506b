/* SPDX-License-Identifier: Apache-2.0 */
/* doctor_attack.c - belljar doctor --attack: breaks into boxes of its own, from the inside.
 *
 * The box gets this very program, read-only, and nothing else; there it runs as
 * "belljar attack-inside" and reports a line per attempt.  What it says is
 * believed only if it has exactly the form it should have, and an attempt that
 * is not reported counts as one that got through.
 */
#include <assert.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/jsonout.h"
#include "base/own.h"
#include "call/call.h"
#include "cli/doctor.h"
#include "sandbox/native/attack.h"
#include "sandbox/sandbox.h"

static const char inside[] = "/opt/belljar/belljar";

/* Small, so that reaching them takes no time; the first box has the time for all of them. */
static const struct limits small = {
	.wall_ms = 60000,
	.cpu_ms = 30000,
	.memory_bytes = 64 << 20,
	.disk_bytes = 8 << 20,
	.inodes = 500,
	.processes = 40,
	.files = 64,
	.output_bytes = 64 << 10,
	.cpu_percent = 100,
};

struct campaign {
	const struct doctor_options *options;
	char program[PATH_MAX];
	int signals; /* whoever interrupts us must not leave the bait lying about */
	struct bait bait;
	struct bait_env bait_env;
	struct attack_result results[ATTACK_MAX];
	bool root_mode;
	char trouble[400]; /* what went wrong besides; empty: nothing */
};

static void fill_request(struct campaign *c, struct request *r, char **argv, char **env)
{
	static char path[] = "PATH=/usr/bin:/bin", home[] = "HOME=/work";
	size_t n = 0;

	request_init(r);
	env[n++] = path;
	env[n++] = home;
	for (char **v = c->bait_env.list; *v; v++)
		env[n++] = *v;
	env[n] = NULL;
	r->job.argv = argv;
	r->job.env = env;
	r->job.limits = small;
	r->cancel_fds[0] = c->signals;
	r->profile.cgroup = c->options->cgroup;
	r->profile.allow_degraded = c->options->allow_degraded;
	r->profile.grants[0] = (struct grant){.source = c->program, .inside = inside};
	r->profile.n_grants = 1;
}

static int run_box(struct campaign *c, const struct attack *alone, struct account *ret,
		   struct error *err)
{
	static char word[] = "attack-inside";
	char name[64], *env[BAIT_ENV_MAX + 4];
	char program[sizeof(inside)];
	char *argv[] = {program, word, alone ? name : NULL, NULL};
	struct request request;

	(void)snprintf(program, sizeof(program), "%s", inside);
	(void)snprintf(name, sizeof(name), "%s", alone ? alone->name : "");
	fill_request(c, &request, argv, env);
	if (alone && alone->kill == KILL_WALL)
		request.job.limits.wall_ms = 500;
	if (alone && alone->kill == KILL_CPU)
		request.job.limits.cpu_ms = 500;
	if (sandbox_run(&request, ret, err) < 0)
		return fail_in(err, "a box to attack");
	return 0;
}

/* Nothing to judge: it did not start, or we were told to stop. */
static int no_result(const struct account *a, struct error *err)
{
	if (a->outcome.killed_for == KILL_CANCELLED)
		return fail(err, ERR_CALLER, "interrupted");
	if (a->outcome.end == END_NOT_STARTED)
		return fail(err, a->outcome.error.kind, "a box to attack: %s",
			    a->outcome.error.text);
	return 0;
}

static void note(struct campaign *c, const char *what, const char *why)
{
	size_t used = strlen(c->trouble);

	(void)snprintf(c->trouble + used, sizeof(c->trouble) - used, "%s%s: %s", used ? "; " : "",
		       what, why);
}

static int attack_together(struct campaign *c, struct error *err)
{
	struct account a;
	struct error why;

	if (run_box(c, NULL, &a, err) < 0)
		return -1;
	if (no_result(&a, err) < 0) {
		account_done(&a);
		return -1;
	}
	c->root_mode = a.root_mode;
	if (attack_parse(buf_str(&a.out.kept), a.out.kept.len, c->results, &why) < 0)
		note(c, "the report from the box", why.text);
	if (a.status != STATUS_SUCCESS)
		note(c, "the box ended",
		     a.outcome.killed_for ? kill_reason_name(a.outcome.killed_for)
					  : status_name(a.status));
	account_done(&a);
	return 0;
}

static int attack_alone(struct campaign *c, size_t i, struct error *err)
{
	struct attack_result *result = &c->results[i];
	struct attack_result reported[ATTACK_MAX] = {0};
	struct account a;
	struct error why;

	if (run_box(c, &attacks[i], &a, err) < 0)
		return -1;
	if (no_result(&a, err) < 0) {
		account_done(&a);
		return -1;
	}
	if (attack_parse(buf_str(&a.out.kept), a.out.kept.len, reported, &why) < 0)
		note(c, attacks[i].name, why.text);
	*result = reported[i];
	attack_judge_alone(&attacks[i], &a, result);
	account_done(&a);
	return 0;
}

static int open_signals(struct campaign *c, struct error *err)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return fail_sys(err, "block signals");
	c->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return c->signals < 0 ? fail_sys(err, "signalfd") : 0;
}

static int find_program(struct campaign *c, struct error *err)
{
	ssize_t n = readlink("/proc/self/exe", c->program, sizeof(c->program) - 1);

	if (n <= 0)
		return fail_sys(err, "find our own program");
	c->program[n] = '\0';
	return 0;
}

static int fight(struct campaign *c, struct error *err)
{
	for (size_t i = 0; i < attack_count; i++)
		(void)snprintf(c->results[i].detail, sizeof(c->results[i].detail),
			       "did not report");
	if (attack_together(c, err) < 0)
		return -1;
	for (size_t i = 0; i < attack_count; i++)
		if (attacks[i].place == PLACE_ALONE && attack_alone(c, i, err) < 0)
			return fail_in(err, "%s", attacks[i].name);
	return 0;
}

static size_t count(const struct campaign *c, enum attack_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < attack_count; i++)
		n += c->results[i].state == state;
	return n;
}

static bool all_held(const struct campaign *c)
{
	return !c->trouble[0] && count(c, ATTACK_FELL) == 0 && count(c, ATTACK_HELD) > 0;
}

static void write_verdict(const struct campaign *c, char *ret, size_t room)
{
	const char *mode = c->root_mode ? "root" : "user";

	if (all_held(c))
		(void)snprintf(ret, room, "%zu attacks in %s mode: every wall held",
			       count(c, ATTACK_HELD), mode);
	else
		(void)snprintf(ret, room, "%zu of %zu attacks in %s mode were not stopped%s%s",
			       count(c, ATTACK_FELL), attack_count, mode, c->trouble[0] ? "; " : "",
			       c->trouble);
}

static const char *const colours[] = {
	[ATTACK_FELL] = DOCTOR_RED,
	[ATTACK_HELD] = DOCTOR_GREEN,
	[ATTACK_SKIPPED] = DOCTOR_DIM,
};
static_assert(ARRAY_LEN(colours) == ATTACK_STATE_COUNT, "one colour per state");

static int write_row(const struct campaign *c, size_t i, struct buf *out, struct error *err)
{
	const struct attack_result *r = &c->results[i];

	if (buf_add_str(out, "  ", err) < 0 ||
	    doctor_paint(out, colours[r->state], attack_state_name(r->state), 6, err) < 0)
		return -1;
	return buf_printf(out, err, "%-19s %-36s %s\n", attacks[i].name, attacks[i].what,
			  r->detail);
}

static bool is_first_of_wall(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(attacks[k].wall, attacks[i].wall) == 0)
			return false;
	return true;
}

static int write_wall(const struct campaign *c, size_t first, struct buf *out, struct error *err)
{
	bool heading = false;

	for (size_t i = first; i < attack_count; i++) {
		if (strcmp(attacks[i].wall, attacks[first].wall) != 0)
			continue;
		if (c->options->quiet && c->results[i].state == ATTACK_HELD)
			continue;
		if (!heading && buf_printf(out, err, "%s\n", attacks[first].wall) < 0)
			return -1;
		heading = true;
		if (write_row(c, i, out, err) < 0)
			return -1;
	}
	return heading ? buf_add_str(out, "\n", err) : 0;
}

static int write_table(const struct campaign *c, struct buf *out, struct error *err)
{
	char verdict[600];

	for (size_t i = 0; i < attack_count; i++)
		if (is_first_of_wall(i) && write_wall(c, i, out, err) < 0)
			return -1;
	write_verdict(c, verdict, sizeof(verdict));
	if (doctor_paint(out, all_held(c) ? DOCTOR_GREEN : DOCTOR_RED, verdict, 0, err) < 0)
		return -1;
	return buf_add_str(out, "\n", err);
}

static int write_json(const struct campaign *c, struct buf *out, struct error *err)
{
	char verdict[600];
	struct jsonout j;

	write_verdict(c, verdict, sizeof(verdict));
	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	jsonout_int(&j, "schema", 1);
	jsonout_str(&j, "mode", c->root_mode ? "root" : "user");
	jsonout_bool(&j, "all_held", all_held(c));
	jsonout_str(&j, "verdict", verdict);
	jsonout_uint(&j, "held", count(c, ATTACK_HELD));
	jsonout_uint(&j, "fell", count(c, ATTACK_FELL));
	jsonout_uint(&j, "skipped", count(c, ATTACK_SKIPPED));
	jsonout_array(&j, "attacks");
	for (size_t i = 0; i < attack_count; i++) {
		jsonout_object(&j, NULL);
		jsonout_str(&j, "name", attacks[i].name);
		jsonout_str(&j, "wall", attacks[i].wall);
		jsonout_str(&j, "what", attacks[i].what);
		jsonout_str(&j, "state", attack_state_name(c->results[i].state));
		jsonout_str(&j, "detail", c->results[i].detail);
		jsonout_object_end(&j);
	}
	jsonout_array_end(&j);
	jsonout_object_end(&j);
	return jsonout_end(&j) < 0 ? -1 : buf_add_str(out, "\n", err);
}

int doctor_attack(const struct doctor_options *options, struct buf *out, struct error *err)
{
	static struct campaign c;
	int done;

	c.options = options;
	if (find_program(&c, err) < 0 || open_signals(&c, err) < 0 ||
	    bait_set(&c.bait, &small, err) < 0)
		return -1;
	bait_to_env(&c.bait, &c.bait_env);
	done = fight(&c, err);
	bait_clear(&c.bait);
	if (done < 0)
		return -1;
	done = options->json ? write_json(&c, out, err) : write_table(&c, out, err);
	return done < 0 ? -1 : !all_held(&c);
}
