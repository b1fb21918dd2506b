/* SPDX-License-Identifier: Apache-2.0 */
/* wake.c - is loaded into a python3 that has just been started, and makes a session of it.
 *
 * Whoever starts a session's interpreter from a template gives it one more
 * descriptor: a file that begins as this library and has the template behind it.
 * The dynamic loader is told to load it first, and before anything of Python's
 * own runs the process becomes the template.  If it cannot, nothing has
 * happened: the interpreter goes on as if this had never been there, with the
 * reason in a variable that its driver takes away.
 */
#include <sys/mman.h>

#include "warm/copy_calls.h"
#include "warm/copy_work.h"

enum { ENV_MOST = 1 << 20, WORD_MOST = sizeof("BELLJAR_COLD=") + COPY_REASON };

static char word[WORD_MOST];

static bool is_ours(const char *variable)
{
	return copy_begins(variable, "LD_PRELOAD=/proc/self/fd/");
}

/* Whose interpreter began as a program does has it no more, either: drivers/python.py. */
static bool is_for_beginning(const char *variable)
{
	return is_ours(variable) || copy_same(variable, "PYTHONSAFEPATH=belljar");
}

/* Its variables as they are to be, one behind the other. */
static bool take_env(struct copy_work *w, char **env)
{
	uint64_t len = 0, at = 0;
	char *to;
	long room;

	for (char **v = env; *v; v++)
		len += is_for_beginning(*v) ? 0 : copy_length(*v) + 1;
	if (len > ENV_MOST)
		return copy_refuse(w, "its environment is too long", NULL);
	room = copy_mmap(0, len + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy_failed(room))
		return copy_refuse(w, "there is no memory for it", NULL);
	to = (char *)room;
	for (char **v = env; *v; v++) {
		if (is_for_beginning(*v))
			continue;
		copy_bytes(to + at, *v, copy_length(*v) + 1);
		at += copy_length(*v) + 1;
	}
	w->env = to;
	w->env_len = len;
	return true;
}

/* In the place of what made the loader load us. */
static void leave_word(char **env, const char *why)
{
	static const char name[] = "BELLJAR_COLD=";

	copy_bytes(word, name, sizeof(name));
	copy_bytes(word + sizeof(name) - 1, why, copy_length(why) + 1);
	for (; *env; env++)
		if (is_ours(*env))
			*env = word;
}

/* glibc's gives these. */
__attribute__((constructor)) static void wake(int argc, char **argv, char **env)
{
	struct copy_work *w = copy_work_new();

	(void)argc;
	(void)argv;
	if (w) {
		w->stream = COPY_TEMPLATE_FD;
		w->at = COPY_FILE_TABLES;
		if (take_env(w, env))
			copy_become(w);
	}
	leave_word(env, w ? w->reason : "there is no memory for it");
	if (w)
		copy_work_free(w);
	(void)CALL3(SYS_close_range, 3, ~0u, 0); /* a new process has no others */
}
