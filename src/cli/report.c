/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - what happened, as an exit code and as one line for people. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "cli/cli.h"
#include "sandbox/native/delegate.h"

/* Names from outside may hold anything: one message stays one line, and moves no cursor. */
static void print_line(const char *text)
{
	char line[4 * sizeof(((struct error *)0)->text) + 64];

	text_one_line(text, line, sizeof(line));
	(void)fprintf(stderr, "belljar: %s\n", line);
}

int cli_complain(const struct error *err)
{
	print_line(err->text);
	return EXIT_BELLJAR;
}

int cli_finish(int code)
{
	struct error err = {0};

	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	(void)fail_sys(&err, "write the answer");
	return cli_complain(&err);
}

void cli_say(const char *text)
{
	print_line(text);
}

bool cli_may_ask_systemd(const struct profile *profile, const struct error *err)
{
	return err->kind == ERR_CONFIG && strncmp(err->text, "layer ", 6) == 0 &&
	       strstr(err->text, "cgroup") && !profile->cgroup && delegate_possible();
}

static int code_of_refusal(enum error_kind kind)
{
	if (kind == ERR_NOT_FOUND)
		return EXIT_NOT_FOUND;
	return kind == ERR_REFUSED ? EXIT_REFUSED : EXIT_BELLJAR;
}

static int code_of_kill(const struct outcome *o)
{
	switch (o->killed_for) {
	case KILL_WALL:
	case KILL_CPU:
		return EXIT_TIME;
	case KILL_MEMORY:
	case KILL_PROCESSES:
	case KILL_DISK:
	case KILL_OUTPUT:
		return EXIT_RESOURCE;
	case KILL_CANARY: /* it may have ended before it was killed */
		return EXIT_SIGNAL + SIGKILL;
	case KILL_NONE:
	case KILL_SIGNAL:
	case KILL_VIOLATION:
	case KILL_CANCELLED:
	case KILL_COUNT:
		break;
	}
	return EXIT_SIGNAL + o->signal;
}

int cli_exit_code(const struct account *a)
{
	const struct outcome *o = &a->outcome;

	if (o->end == END_NOT_STARTED)
		return code_of_refusal(o->error.kind);
	if (o->end == END_UNKNOWN)
		return EXIT_BELLJAR;
	if (o->killed_for != KILL_NONE)
		return code_of_kill(o);
	return o->end == END_EXITED ? o->exit_code : EXIT_SIGNAL + o->signal;
}

static void describe_kill(const struct account *a, char *ret, size_t room)
{
	const struct outcome *o = &a->outcome;
	const struct limits *l = &a->limits;
	char size[32];

	switch (o->killed_for) {
	case KILL_WALL:
		(void)snprintf(ret, room, "killed: ran longer than --wall %" PRIu64 " ms",
			       l->wall_ms);
		return;
	case KILL_CPU:
		(void)snprintf(ret, room, "killed: used more than --cpu %" PRIu64 " ms", l->cpu_ms);
		return;
	case KILL_MEMORY:
		text_human_bytes(l->memory_bytes, size, sizeof(size));
		(void)snprintf(ret, room, "killed: needed more than --memory %s", size);
		return;
	case KILL_PROCESSES:
		(void)snprintf(ret, room, "killed: kept forking beyond --processes %" PRIu64,
			       l->processes);
		return;
	case KILL_DISK:
		text_human_bytes(l->disk_bytes, size, sizeof(size));
		(void)snprintf(ret, room, "killed: wrote a file beyond --disk %s", size);
		return;
	case KILL_OUTPUT:
		(void)snprintf(ret, room, "killed: flooded its output (--output %" PRIu64 ")",
			       l->output_bytes);
		return;
	case KILL_VIOLATION:
		(void)snprintf(ret, room, "killed: forbidden kind of system call");
		return;
	case KILL_CANCELLED:
		(void)snprintf(ret, room, "cancelled");
		return;
	case KILL_CANARY:
		(void)snprintf(ret, room, "killed: a canary was in its output");
		return;
	case KILL_NONE:
	case KILL_SIGNAL:
	case KILL_COUNT:
		break;
	}
	(void)snprintf(ret, room, "ended by signal %d (%s)", o->signal,
		       sigabbrev_np(o->signal) ? sigabbrev_np(o->signal) : "?");
}

void cli_summary(const struct account *a, char *ret, size_t room)
{
	const struct outcome *o = &a->outcome;
	char what[200], memory[32];

	if (o->end == END_NOT_STARTED || o->end == END_UNKNOWN) {
		(void)snprintf(ret, room, "%s%s", o->end == END_UNKNOWN ? "outcome unknown: " : "",
			       o->error.text);
		return;
	}
	if (o->killed_for != KILL_NONE)
		describe_kill(a, what, sizeof(what));
	else
		(void)snprintf(what, sizeof(what), "exit code %d", o->exit_code);
	text_human_bytes(o->usage.memory_peak_bytes, memory, sizeof(memory));
	(void)snprintf(ret, room, "%s; %.1f ms, %.1f ms cpu, %s", what, (double)o->run_us / 1000,
		       (double)(o->usage.cpu_user_us + o->usage.cpu_system_us) / 1000, memory);
}
