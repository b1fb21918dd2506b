/* SPDX-License-Identifier: Apache-2.0 */
/* waiter.c - a program that is started before its call, and waits for it by itself: node.
 *
 * It is one for one call, sealed before it starts.  Before it is told what the call is it runs
 * its own start and our driver (src/warm/node_warm.js), and nothing else: the main script that it
 * is started with does not exist.
 */
#include "sandbox/native/waiter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"
#include "call/language.h"
#include "sandbox/native/nodewire.h"
#include "sandbox/native/startenv.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

enum { RETRY_US = 10000000, FIRST_OWN_FD = 10 };

extern const char node_library_start[], node_library_end[];

/* node's own, OpenSSL's and ICU's beside those of libuv and the C library. */
static const char *const begins[] = {"NODE_", "LD_",  "LC_",     "LANG", "MALLOC_",     "GLIBC_",
				     "UV_",   "ICU_", "OPENSSL", "SSL_", "FORCE_COLOR", NULL};

struct start_words {
	char *own[WARM_ENV_MAX + 1];
	char *argv[3];
	char *env[WARM_ENV_MAX + ENVIRONMENT_OWN + 1];
};

static void build_environment(const struct launcher *l, struct start_words *w)
{
	const struct warm *warm = &l->plan->profile->warm;
	struct error ignored;

	for (size_t i = 0; i < warm->n_env; i++)
		w->own[i] = (char *)(uintptr_t)warm->env[i];
	environment_build(language_find(warm_kind_name(warm->kind), &ignored), w->own, w->env);
}

static bool has_options(char *const *env)
{
	for (; *env; env++)
		if (environment_same_name(*env, "NODE_OPTIONS="))
			return true;
	return false;
}

/* Not executable: it is loaded, and where programs are listed there may be no other memfd. */
static int open_library(struct error *err)
{
	size_t len = (size_t)(node_library_end - node_library_start);
	unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	own_fd made = memfd_create("belljar-door", flags | MFD_NOEXEC_SEAL), fd = -1;

	if (made < 0 && errno == EINVAL) /* before 6.3 */
		made = memfd_create("belljar-door", flags);
	if (made < 0)
		return fail_sys(err, "memfd for the door");
	if (fd_write_all(made, node_library_start, len, err) < 0)
		return -1;
	if (fchmod(made, 0444) < 0 ||
	    fcntl(made, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return fail_sys(err, "seal the door");
	/* Away from the low numbers, which the box's making uses. */
	fd = fcntl(made, F_DUPFD_CLOEXEC, FIRST_OWN_FD);
	return fd < 0 ? fail_sys(err, "duplicate a descriptor") : take_fd(&fd);
}

bool waiter_wanted(const struct launcher *l, const struct limits *limits)
{
	/* With little of a core it would not be ready in time, and the call would wait for it. */
	return l->plan->profile->warm.kind == WARM_NODE && limits->files >= NODE_FILES_MIN &&
	       limits->cpu_percent >= NODE_CPU_PERCENT_MIN && clock_us() >= l->retry_us;
}

int waiter_bear(struct launcher *l, struct payload *p, pid_t *ret_pid, struct error *err)
{
	static char options[] = "NODE_OPTIONS=--require=" NODE_DRIVER_PATH, none[] = NODE_NO_MAIN;
	struct start_words w = {.argv = {(char *)(uintptr_t)l->plan->profile->warm.program, none}};
	const struct words words = {.argv = w.argv, .env = w.env};
	size_t n = 0;
	int result;

	*ret_pid = 0;
	build_environment(l, &w);
	if (has_options(w.env))
		return fail(err, ERR_CONFIG, "NODE_OPTIONS of a runtime");
	while (w.env[n])
		n++;
	w.env[n] = options;
	if (l->library < 0 && (l->library = open_library(err)) < 0)
		return -1;
	p->words = &words;
	p->seal.library = l->library;
	result = payload_ahead(p, ret_pid, err);
	p->words = NULL;
	p->seal.library = -1;
	l->zygotes += result == 0;
	return result;
}

static bool is_script(const char *word)
{
	return word && word[0] != '\0' && word[0] != '-' && strcmp(word, "inspect") != 0;
}

bool waiter_fits(const struct launcher *l, const struct words *words, char *ret_why, size_t room)
{
	struct start_words w = {0};
	char variable[80] = "";
	const char *why = NULL;

	build_environment(l, &w);
	if (strcmp(words->argv[0], l->plan->profile->warm.program) != 0)
		why = "another program than the warm one";
	else if (!is_script(words->argv[1]))
		why = "options of the interpreter, or no script";
	else if (has_options(words->env))
		why = "NODE_OPTIONS, which is read once, when an interpreter starts";
	else if (!startenv_same(begins, w.env, words->env, variable, sizeof(variable)))
		why = variable;
	else if (!l->ahead.begins_itself)
		why = l->trouble[0] ? l->trouble : "nobody waits yet";
	(void)snprintf(ret_why, room, "%s", why ? why : "");
	return !why;
}

void waiter_note_death(struct launcher *l)
{
	const char *why = l->board->error.text;

	(void)snprintf(l->trouble, sizeof(l->trouble), "%.79s",
		       why[0] ? why : "who waited for the call has died");
	l->retry_us = clock_us() + RETRY_US;
}

uint64_t waiter_old_us(const struct launcher *l)
{
	uint64_t age_ms = l->plan->profile->warm.age_ms;

	return l->ahead.begins_itself && age_ms ? l->ahead.since_us + age_ms * 1000 : 0;
}
