/* SPDX-License-Identifier: Apache-2.0 */
/* attack_run.c - carries attacks out inside, one child each, and reads the report outside. */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/attack_parts.h"

enum { DEADLINE_S = 20, LINE_MAX_BYTES = 256 };

void held(struct attack_result *r, const char *fmt, ...)
{
	va_list ap;

	r->state = ATTACK_HELD;
	va_start(ap, fmt);
	(void)vsnprintf(r->detail, sizeof(r->detail), fmt, ap);
	va_end(ap);
}

void fell(struct attack_result *r, const char *fmt, ...)
{
	va_list ap;

	r->state = ATTACK_FELL;
	va_start(ap, fmt);
	(void)vsnprintf(r->detail, sizeof(r->detail), fmt, ap);
	va_end(ap);
}

void skipped(struct attack_result *r, const char *why)
{
	r->state = ATTACK_SKIPPED;
	(void)snprintf(r->detail, sizeof(r->detail), "%s", why);
}

static bool lists(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; at; at = strchr(at, ' ')) {
		at += *at == ' ';
		if (strncmp(at, word, len) == 0 && (at[len] == ' ' || at[len] == '\0'))
			return true;
	}
	return false;
}

bool judge(struct attack_result *r, long ret, const char *refusals)
{
	const char *name = ret < 0 ? strerrorname_np(errno) : NULL;

	if (ret >= 0)
		fell(r, "it worked");
	else if (name && lists(refusals, name))
		held(r, "%s", name);
	else
		fell(r, "let through: %s", name ? name : "unknown error");
	return r->state == ATTACK_HELD;
}

static const char *const state_names[] = {
	[ATTACK_FELL] = "FELL",
	[ATTACK_HELD] = "held",
	[ATTACK_SKIPPED] = "skip",
};
static_assert(ARRAY_LEN(state_names) == ATTACK_STATE_COUNT, "one name per state");

const char *attack_state_name(enum attack_state state)
{
	return (unsigned)state < ATTACK_STATE_COUNT ? state_names[state] : "FELL";
}

const struct attack *attack_find(const char *name)
{
	for (size_t i = 0; i < attack_count; i++)
		if (strcmp(attacks[i].name, name) == 0)
			return &attacks[i];
	return NULL;
}

static bool wait_for(pid_t child, int *ret_status)
{
	struct timespec left = {.tv_sec = DEADLINE_S};
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	for (;;) {
		pid_t got = waitpid(child, ret_status, WNOHANG);

		if (got == child)
			return true;
		if (got < 0 && errno != EINTR)
			return false;
		if (sigtimedwait(&set, NULL, &left) < 0 && errno == EAGAIN)
			break;
	}
	(void)kill(child, SIGKILL);
	while (waitpid(child, ret_status, 0) < 0 && errno == EINTR)
		;
	return false;
}

static void judge_death(int status, struct attack_result *r)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return; /* it judged itself */
	if (!WIFSIGNALED(status))
		fell(r, "the attacker left with %d", WEXITSTATUS(status));
	else if (WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGXCPU)
		held(r, "killed with SIG%s", sigabbrev_np(WTERMSIG(status)));
	else
		fell(r, "the attacker died of SIG%s", sigabbrev_np(WTERMSIG(status)));
}

/* A kernel without 32-bit calls answers int 0x80 with SIGSEGV. */
static bool no_such_gate(const struct attack *attack, int status)
{
	return attack->attempt == call_i386 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

/* The child reports through shared memory: a pipe would be one more descriptor in its way. */
static void try_in_child(const struct attack *attack, const struct bait *bait,
			 struct attack_result *ret)
{
	struct attack_result *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t child;

	if (shared == MAP_FAILED || (child = fork()) < 0) {
		fell(ret, "could not be tried: %s", strerrorname_np(errno));
		return;
	}
	if (child == 0) {
		fell(shared, "nobody judged it");
		attack->attempt(attack, bait, shared);
		_exit(0);
	}
	if (!wait_for(child, &status)) {
		fell(ret, "no end after %d s", DEADLINE_S);
	} else {
		memcpy(ret, shared, sizeof(*ret));
		ret->detail[sizeof(ret->detail) - 1] = '\0';
		if (no_such_gate(attack, status))
			held(ret, "this kernel has no 32-bit calls");
		else
			judge_death(status, ret);
	}
	(void)munmap(shared, sizeof(*shared));
}

void attack_try(const struct attack *attack, const struct bait *bait, struct attack_result *ret)
{
	sigset_t set, old;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &set, &old);
	*ret = (struct attack_result){0};
	if (attack->place == PLACE_RUNNER)
		attack->attempt(attack, bait, ret);
	else
		try_in_child(attack, bait, ret);
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
}

int attack_inside(const char *name, const struct bait *bait, struct error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < attack_count; i++) {
		struct attack_result result;

		if (name ? strcmp(name, attacks[i].name) != 0 : attacks[i].place == PLACE_ALONE)
			continue;
		attack_try(&attacks[i], bait, &result);
		(void)printf("%s %s %s\n", attacks[i].name, attack_state_name(result.state),
			     result.detail);
		(void)fflush(stdout);
		n++;
	}
	return n ? 0 : fail(err, ERR_CALLER, "there is no attack called '%s'", name);
}

static int state_by_name(const char *text, size_t len)
{
	for (int i = 0; i < ATTACK_STATE_COUNT; i++)
		if (strlen(state_names[i]) == len && memcmp(state_names[i], text, len) == 0)
			return i;
	return -1;
}

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (*text < 0x20 || *text > 0x7e)
			return false;
	return true;
}

static int parse_line(char *line, bool *seen, struct attack_result *results, struct error *err)
{
	char *state = strchr(line, ' ');
	char *detail = state ? strchr(state + 1, ' ') : NULL;
	const struct attack *attack;
	size_t place;
	int found;

	if (!detail || !is_plain(line))
		return fail(err, ERR_SYSTEM, "a line that is no report");
	*state++ = '\0';
	found = state_by_name(state, (size_t)(detail - state));
	attack = attack_find(line);
	if (!attack || found < 0 || strlen(detail + 1) >= sizeof(results->detail))
		return fail(err, ERR_SYSTEM, "a report of an unknown attack or state");
	place = (size_t)(attack - attacks);
	if (seen[place])
		return fail(err, ERR_SYSTEM, "two reports of %s", attack->name);
	seen[place] = true;
	results[place].state = (enum attack_state)found;
	(void)snprintf(results[place].detail, sizeof(results[place].detail), "%s", detail + 1);
	return 0;
}

int attack_parse(const char *text, size_t len, struct attack_result *results, struct error *err)
{
	bool seen[ATTACK_MAX] = {false};
	char line[LINE_MAX_BYTES];

	assert(attack_count <= ATTACK_MAX);
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		if (!end || n >= sizeof(line) || memchr(text, '\0', n))
			return fail(err, ERR_SYSTEM, "a line that is too long, cut or binary");
		memcpy(line, text, n);
		line[n] = '\0';
		if (parse_line(line, seen, results, err) < 0)
			return -1;
		text += n + 1;
		len -= n + 1;
	}
	return 0;
}

void attack_judge_alone(const struct attack *attack, const struct account *account,
			struct attack_result *ret)
{
	const char *reason = kill_reason_name(account->outcome.killed_for);

	if (account->outcome.killed_for == attack->kill) {
		held(ret, "the box was killed: %s", reason);
		return;
	}
	if (ret->detail[0])
		return; /* it reported itself */
	if (reason)
		fell(ret, "the box was killed, but for %s", reason);
	else
		fell(ret, "the box ended by itself, without a word");
}
