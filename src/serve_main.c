/* SPDX-License-Identifier: Apache-2.0 */
/* serve_main.c - belljar-serve: the supervisor of the service, and, by the word front, the role
 * that clients talk to. */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "cli/cli.h"
#include "cli/sibling.h"
#include "cli/words.h"
#include "sandbox/native/delegate.h"
#include "serve/roles/boxtest.h"
#include "serve/roles/frontrole.h"
#include "serve/roles/supervisor.h"

struct words_of_serve {
	const char *policy, *state, *audit;
	struct word_list listen;
	bool json, help;
};

#define AT(member) offsetof(struct words_of_serve, member)
static const struct word_row rows[] = {
	{"policy", "FILE", WORD_TEXT, AT(policy), "the policy instead of the standard one"},
	{"listen", "WORD", WORD_EACH, AT(listen),
	 "ADDRESS:PORT, tls:ADDRESS:PORT or unix:/PATH, instead of the policy's; several times"},
	{"state", "DIR", WORD_TEXT, AT(state),
	 "where rates, budgets and the service's own are kept"},
	{"audit", "DIR", WORD_TEXT, AT(audit), "where the log of calls is kept"},
	{"json", NULL, WORD_FLAG, AT(json), "one line of JSON on standard output when it is up"},
	{"help", NULL, WORD_FLAG, AT(help), "this list"},
	{0},
};
#undef AT

/* Roles are started in /: a name must mean the same there. */
static int make_absolute(const char **path, char *room, struct error *err)
{
	char here[PATH_MAX];

	if (!*path || (*path)[0] == '/')
		return 0;
	if (!getcwd(here, sizeof(here)))
		return fail_sys(err, "ask for the current directory");
	if (snprintf(room, PATH_MAX, "%s/%s", here, *path) >= PATH_MAX)
		return fail(err, ERR_CALLER, "the path %.100s is too long", *path);
	*path = room;
	return 0;
}

static int find_programs(struct serve_config *c, struct error *err)
{
	static const char *const belljar[] = {"belljar", "../../bin/belljar"};
	static const char *const gate[] = {"belljar-gate"}, *const scribe[] = {"belljar-scribe"};
	static const char *const auditor[] = {"belljar-audit"}, *const self[] = {"belljar-serve"};
	static char paths[5][PATH_MAX];
	const struct {
		const char *const *places;
		size_t n;
		const char **to;
	} list[] = {{belljar, 2, &c->belljar},
		    {gate, 1, &c->gate},
		    {scribe, 1, &c->scribe},
		    {auditor, 1, &c->auditor},
		    {self, 1, &c->self}};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		if (sibling_find(list[i].places, list[i].n, paths[i], PATH_MAX, err) < 0)
			return -1;
		*list[i].to = paths[i];
	}
	return 0;
}

static int configure(const struct words_of_serve *w, struct serve_config *c, struct error *err)
{
	static char paths[3][PATH_MAX];
	const char *named = secure_getenv("BELLJAR_POLICY");

	*c = (struct serve_config){
		.policy = w->policy, .state = w->state, .audit = w->audit, .json = w->json};
	if (!c->policy && named && named[0])
		c->policy = named;
	if (w->listen.n > SERVE_LISTEN_MAX)
		return fail(err, ERR_CALLER, "--listen can be given %d times", SERVE_LISTEN_MAX);
	for (size_t i = 0; i < w->listen.n; i++)
		c->listen[c->n_listen++] = w->listen.word[i];
	if (make_absolute(&c->policy, paths[0], err) < 0 ||
	    make_absolute(&c->state, paths[1], err) < 0 ||
	    make_absolute(&c->audit, paths[2], err) < 0)
		return -1;
	return find_programs(c, err);
}

static int serve(char **argv)
{
	struct words_of_serve w = {0};
	struct word_list rest = {0};
	struct serve_config config;
	struct error err = {0};

	if (words_parse(rows, argv, &w, &rest, &err) < 0)
		return cli_complain(&err);
	if (w.help) {
		(void)printf("usage: belljar serve [options]\n\n");
		words_print_help(rows);
		puts("\nexit codes: 0 it was ended in order; 125 it could not begin\n"
		     "\nmore: man belljar-serve, man 7 belljar-api");
		return 0;
	}
	if (rest.n) {
		(void)fail(&err, ERR_CALLER, "serve takes options only, not '%.80s'", rest.word[0]);
		return cli_complain(&err);
	}
	if (configure(&w, &config, &err) < 0 || supervisor_run(&config, &err) < 0)
		return cli_complain(&err);
	return 0;
}

static int front(char **argv)
{
	struct front_config config;
	struct error err = {0};

	if (front_parse(argv, &config, &err) == 0 && front_run(&config, &err) == 0)
		return 0;
	(void)fprintf(stderr, "%s\n", err.text);
	return EXIT_BELLJAR;
}

/* argv: from the word selftest on. */
static int selftest(char **argv)
{
	struct profile profile = {0};
	struct error err = {0}, ignored;

	if (boxtest_run(argv + 1, &profile, &err) == 0)
		return 0;
	/* In a scope of systemd's we start again. */
	if (cli_may_ask_systemd(&profile, &err))
		(void)delegate_reexec(argv, &ignored);
	(void)fprintf(stderr, "%s\n", err.text);
	return EXIT_BELLJAR;
}

/* As "belljar serve" calls us, argv[1] is that word. */
int main(int argc, char **argv)
{
	if (!cli_process_is_fit())
		return EXIT_BELLJAR;
	if (argc > 1 && strcmp(argv[1], "front") == 0)
		return front(argv + 2);
	if (argc > 1 && strcmp(argv[1], "selftest") == 0)
		return selftest(argv + 1);
	if (argc > 1 && strcmp(argv[1], "serve") == 0)
		return serve(argv + 1);
	(void)fprintf(stderr, "belljar-serve is what belljar serve starts\n");
	return EXIT_BELLJAR;
}
