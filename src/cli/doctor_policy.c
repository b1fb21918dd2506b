/* SPDX-License-Identifier: Apache-2.0 */
/* doctor_policy.c - belljar doctor tries the interpreters that a policy keeps waiting.
 *
 * The policy is read by belljar-gate, which says what the warden of the service
 * would be told: the ceiling has a paragraph for each interpreter.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/spawn.h"
#include "call/warmstandard.h"
#include "cli/doctor.h"
#include "cli/sibling.h"
#include "sandbox/ceiling.h"
#include "sandbox/native/probe.h"

enum { VARIABLES = 6, NAME_ROOM = 40, ROWS_MOST = 16 };

/* What a policy is found by, and nothing else of ours. */
static void choose_environment(char *room[static VARIABLES], char texts[static VARIABLES][PATH_MAX])
{
	static const char *const names[] = {"BELLJAR_POLICY", "BELLJAR_STATE", "HOME", "PATH",
					    "XDG_CONFIG_HOME"};
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *value = secure_getenv(names[i]);

		if (!value)
			continue;
		(void)snprintf(texts[n], PATH_MAX, "%s=%s", names[i], value);
		room[n] = texts[n];
		n++;
	}
	room[n] = NULL;
}

static int run_gate(char **argv, int memory, struct error *err)
{
	static const char *const places[] = {"belljar-gate", "../libexec/belljar/belljar-gate"};
	static char texts[VARIABLES][PATH_MAX];
	char program[PATH_MAX], *env[VARIABLES];
	const struct spawn how = {
		.program = program, .argv = argv, .env = env, .fds = {memory}, .n_fds = 1};
	int status = 0;
	pid_t pid;

	if (sibling_find(places, ARRAY_LEN(places), program, sizeof(program), err) < 0)
		return -1;
	choose_environment(env, texts);
	errno = spawn_helper(&how, &pid);
	if (errno)
		return fail_sys(err, "start %s", program);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail_sys(err, "wait for %s", program);
	return status == 0 ? 0
			   : fail(err, ERR_CONFIG,
				  "the policy cannot be used; belljar policy "
				  "check says why");
}

static int read_ceiling(const char *policy, struct ceiling *ret, struct error *err)
{
	static char gate[] = "belljar-gate", view[] = "view", into[] = "--ceiling", fd[] = "3",
		    from[] = "--policy";
	char *argv[] = {gate, view, into, fd, policy ? from : NULL, (char *)(uintptr_t)policy,
			NULL};
	own_fd memory = memfd_create("ceiling", MFD_CLOEXEC);
	own_mem char *text = malloc(CEILING_TEXT_MAX);
	ssize_t n;

	if (memory < 0 || !text)
		return fail_sys(err, "make room for the ceiling");
	if (run_gate(argv, memory, err) < 0)
		return -1;
	n = pread(memory, text, CEILING_TEXT_MAX, 0);
	if (n < 0)
		return fail_sys(err, "read the ceiling");
	return ceiling_parse(text, (size_t)n, ret, err);
}

/* The rows above have tried that one. */
static bool is_standard(const struct warm *w)
{
	struct warm usual = {0};

	warm_standard(w->kind, &usual);
	if (w->n_env || w->n_modules != usual.n_modules || strcmp(w->program, usual.program) != 0)
		return false;
	for (size_t i = 0; i < w->n_modules; i++)
		if (strcmp(w->modules[i], usual.modules[i]) != 0)
			return false;
	return true;
}

/* What a tool must be granted, so that the program is there. */
static const char *home_of(const struct ceiling *c, const char *program)
{
	for (size_t i = 0; i < c->n_paths; i++) {
		size_t len = strlen(c->paths[i].path);

		if (c->paths[i].place == PLACE_READ &&
		    strncmp(program, c->paths[i].path, len) == 0 && program[len] == '/')
			return c->paths[i].path;
	}
	return NULL;
}

/* What it is, where something is left of the line. */
static void add_modules(const struct warm *w, struct finding *f)
{
	size_t len = strlen(f->detail);

	for (size_t i = 0; i < w->n_modules && len < sizeof(f->detail); i++) {
		(void)snprintf(f->detail + len, sizeof(f->detail) - len, "%s%.60s",
			       i == 0 ? "; imports " : ", ", w->modules[i]);
		len += strlen(f->detail + len);
	}
}

static void begin_row(size_t i, const char *title, struct check *ret)
{
	static char ids[ROWS_MOST][NAME_ROOM], titles[ROWS_MOST][NAME_ROOM];

	(void)snprintf(ids[i], NAME_ROOM, "policy_runtime_%zu", i + 1);
	(void)snprintf(titles[i], NAME_ROOM, "%.30s", title);
	*ret = (struct check){.id = ids[i], .group = "warm boxes", .title = titles[i]};
}

size_t doctor_runtimes(const char *policy, struct check *rows, struct finding *findings,
		       size_t room)
{
	own(ceiling) c = {0};
	struct error err = {0};
	char title[NAME_ROOM];
	size_t n = 0;

	if (room == 0)
		return 0;
	if (read_ceiling(policy, &c, &err) < 0) {
		begin_row(0, "the policy's", &rows[0]);
		findings[0].state = policy ? CHECK_DEGRADED : CHECK_INFO;
		(void)snprintf(findings[0].detail, sizeof(findings[0].detail),
			       "interpreters of the policy were not tried: %.180s", err.text);
		return 1;
	}
	for (size_t i = 0; i < c.n_warms && n < room && n < ROWS_MOST; i++) {
		const char *slash = strrchr(c.warms[i].program, '/');

		if (is_standard(&c.warms[i]))
			continue;
		(void)snprintf(title, sizeof(title), "%.14s, policy",
			       slash ? slash + 1 : c.warms[i].program);
		begin_row(n, title, &rows[n]);
		probe_warm(&c.warms[i], home_of(&c, c.warms[i].program), &findings[n]);
		add_modules(&c.warms[i], &findings[n]);
		n++;
	}
	return n;
}
