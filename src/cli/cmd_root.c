/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_root.c - belljar root: makes and checks private roots. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "base/text.h"
#include "cli/cli.h"
#include "sandbox/native/manifest.h"
#include "sandbox/native/rootbuild.h"
#include "sandbox/sandbox.h"

enum { PROGRESS_US = 100000, COMPLAINTS_SHOWN = 20, JSON_BYTES_MAX = 16 << 20, CHECK_FAILED = 1 };

struct root_options {
	const char *word; /* build, check */
	const char *dir;
	const char *with[ROOT_PROGRAMS_MAX];
	size_t n_with;
	char *owned[ROOT_PROGRAMS_MAX]; /* the lists that with points into */
	size_t n_owned;
	bool json;
	bool quiet;
	bool help;
};

static void root_options_end(struct root_options *o)
{
	for (size_t i = 0; i < o->n_owned; i++)
		free(o->owned[i]);
}

static void print_usage(FILE *to)
{
	(void)fputs(
		"usage: belljar root build DIR [--with PROGRAM,...] [--json] [--quiet]\n"
		"       belljar root check DIR [--json] [--quiet]\n"
		"\n"
		"  build          make a private root at DIR, which must not exist or be empty:\n"
		"                 a shell, the usual tools and python3, copied from this host\n"
		"  check          compare a private root with its manifest\n"
		"\n"
		"  --with P,...   more programs, with all that their packages hold "
		"(node,git,perl)\n"
		"  --json         the result as one JSON object\n"
		"  --quiet        no progress and no closing line\n"
		"\n"
		"Boxes use it with: belljar run --root DIR -- CMD\n\n"
		"exit codes: 0 well; 1 check found something; 125 wrong option, or it could not "
		"be made\n\n"
		"more: man belljar-root\n",
		to);
}

static int add_with(struct root_options *o, const char *list, struct error *err)
{
	char *rest = strdup(list), *name;

	if (!rest)
		return fail_sys(err, "--with");
	if (o->n_owned == ARRAY_LEN(o->owned)) {
		free(rest);
		return fail(err, ERR_CALLER, "--with: more than %zu of them", ARRAY_LEN(o->owned));
	}
	o->owned[o->n_owned++] = rest;
	while ((name = strsep(&rest, ","))) {
		if (!name[0])
			return fail(err, ERR_CALLER,
				    "--with '%s': a name is empty; write --with node,git", list);
		if (o->n_with == ARRAY_LEN(o->with))
			return fail(err, ERR_CALLER, "--with: more than %d programs",
				    ROOT_PROGRAMS_MAX);
		o->with[o->n_with++] = name;
	}
	return 0;
}

/* Takes one option; *argv moves on when its value is a word of its own. */
static int take_option(struct root_options *o, char ***argv, struct error *err)
{
	static const char *const names[] = {"--with", "--json", "--quiet", "--help", NULL};
	const char *word = **argv, *near;

	if (strcmp(word, "--json") == 0)
		o->json = true;
	else if (strcmp(word, "--quiet") == 0)
		o->quiet = true;
	else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		o->help = true;
	else if (strncmp(word, "--with=", 7) == 0)
		return add_with(o, word + 7, err);
	else if (strcmp(word, "--with") == 0) {
		if (!(*argv)[1])
			return fail(err, ERR_CALLER, "--with needs a list: --with node,git");
		return add_with(o, *++*argv, err);
	} else {
		near = text_nearest(word, names);
		return fail(err, ERR_CALLER, "root: there is no option %s%s%s", word,
			    near ? "; did you mean " : "; see belljar root --help",
			    near ? near : "");
	}
	return 0;
}

static int parse(struct root_options *o, char **argv, struct error *err)
{
	bool plain = false; /* after -- */

	for (argv++; *argv; argv++) {
		if (!plain && strcmp(*argv, "--") == 0)
			plain = true;
		else if (!plain && (*argv)[0] == '-' && (*argv)[1]) {
			if (take_option(o, &argv, err) < 0)
				return -1;
		} else if (!o->word)
			o->word = *argv;
		else if (!o->dir)
			o->dir = *argv;
		else
			return fail(err, ERR_CALLER,
				    "root %s takes one directory; '%s' is too much", o->word,
				    *argv);
	}
	return 0;
}

/* While a root is made: what the copy looks at before each file. */
struct watcher {
	bool shown; /* progress on the terminal */
	uint64_t last_us;
	sigset_t set; /* these signals wait */
	int signals;  /* a signalfd for them */
};

/* Signals that would end us wait until the unfinished tree is gone; one that is ignored (nohup)
 * stays so. */
static int open_signals(sigset_t *ret_set, struct error *err)
{
	static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction now;
	int fd;

	(void)sigemptyset(ret_set);
	for (size_t i = 0; i < ARRAY_LEN(ending); i++)
		if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			(void)sigaddset(ret_set, ending[i]);
	if (sigprocmask(SIG_BLOCK, ret_set, NULL) < 0)
		return fail_sys(err, "block signals");
	fd = signalfd(-1, ret_set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? fail_sys(err, "signalfd") : fd;
}

static int look(const struct treecopy *t, void *context, struct error *err)
{
	struct watcher *w = context;
	sigset_t pending;
	char size[32];

	/* Not taken: it ends us by itself when everything is cleaned up. */
	if (sigpending(&pending) == 0 && sigandset(&pending, &pending, &w->set) == 0 &&
	    !sigisemptyset(&pending))
		return fail(err, ERR_CALLER, "interrupted; nothing was left behind");
	if (!w->shown || clock_us() - w->last_us < PROGRESS_US)
		return 0;
	w->last_us = clock_us();
	text_human_bytes(t->bytes, size, sizeof(size));
	(void)fprintf(stderr, "\rcopying: %" PRIu64 " files, %s \033[K", t->files, size);
	return 0;
}

/* A box starts from it and runs a program.  How well this host can seal a box is not the question
 * here, so every layer may be missing: nothing but "true" runs. */
static int verify(const char *dir, void *context, struct error *err)
{
	static char word[] = "true", path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
	char *argv[] = {word, NULL}, *env[] = {path, NULL};
	struct watcher *w = context;
	struct request request;
	struct account account;
	int result = 0;

	if (w->shown)
		(void)fprintf(stderr, "\rstarting a box from it \033[K");
	request_init(&request);
	request.profile.root = dir;
	request.profile.allow_degraded = UINT32_MAX;
	request.job.argv = argv;
	request.job.env = env;
	request.cancel_fds[0] = w->signals;
	if (sandbox_run(&request, &account, err) < 0)
		result = fail_in(err, "a box that was to start from it");
	else if (account.outcome.end == END_NOT_STARTED || account.outcome.end == END_UNKNOWN)
		result = fail(err, ERR_CONFIG, "no box starts from it: %s",
			      account.outcome.error.text);
	else if (account.status != STATUS_SUCCESS)
		result = fail(err, ERR_CONFIG, "a box started from it, but 'true' ended with %s",
			      status_name(account.status));
	account_done(&account);
	return result;
}

static int print_json(const struct buf *text, struct error *err)
{
	return fd_write_all(STDOUT_FILENO, buf_str(text), text->len, err);
}

static int report_build(const struct root_options *o, const struct rootbuild_result *r,
			struct error *err)
{
	own_str real = realpath(o->dir, NULL);
	own(buf) text = {0};
	struct jsonout j;

	buf_init(&text, JSON_BYTES_MAX);
	jsonout_start(&j, &text, err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "root", real ? real : o->dir);
	jsonout_uint(&j, "files", r->files);
	jsonout_uint(&j, "links", r->links);
	jsonout_uint(&j, "directories", r->directories);
	jsonout_uint(&j, "bytes", r->bytes);
	jsonout_uint(&j, "skipped", r->skipped);
	jsonout_bool(&j, "verified", true);
	jsonout_array(&j, "programs");
	for (size_t i = 0; i < r->n_programs; i++)
		jsonout_str(&j, NULL, r->programs[i]);
	jsonout_array_end(&j);
	jsonout_object_end(&j);
	if (jsonout_end(&j) < 0 || buf_add_str(&text, "\n", err) < 0)
		return -1;
	return print_json(&text, err);
}

static void say_built(const struct root_options *o, const struct rootbuild_result *r)
{
	char size[32];

	text_human_bytes(r->bytes, size, sizeof(size));
	printf("%s: %zu programs, %" PRIu64 " files, %s; a box starts from it\n", o->dir,
	       r->n_programs, r->files, size);
	if (r->skipped)
		printf("%" PRIu64 " entries were left out: no regular files, or not readable\n",
		       r->skipped);
	printf("use it with: belljar run --root %s -- CMD\n", o->dir);
}

static int build(const struct root_options *o, struct error *err)
{
	static struct rootbuild_result result;
	struct watcher w = {.shown = !o->quiet && !o->json && isatty(STDERR_FILENO)};
	own_fd signals = -1;
	struct rootbuild b = {
		.dir = o->dir,
		.with = o->with,
		.n_with = o->n_with,
		.look = look,
		.verify = verify,
		.context = &w,
	};
	int done;

	signals = w.signals = open_signals(&w.set, err);
	if (signals < 0)
		return -1;
	done = rootbuild_run(&b, &result, err);
	if (w.shown)
		(void)fprintf(stderr, "\r\033[K");
	(void)sigprocmask(SIG_UNBLOCK, &w.set, NULL); /* a signal that waited ends us here */
	if (done < 0)
		return fail_in(err, "root build");
	if (o->json)
		return report_build(o, &result, err);
	if (!o->quiet)
		say_built(o, &result);
	return 0;
}

struct complaints {
	const struct root_options *o;
	struct jsonout *j; /* NULL: for people */
	unsigned n;
};

static void complain(void *context, const char *sentence)
{
	struct complaints *c = context;

	if (c->j)
		jsonout_str(c->j, NULL, sentence);
	else if (!c->o->quiet && c->n < COMPLAINTS_SHOWN)
		printf("%s\n", sentence);
	c->n++;
}

static int check(const struct root_options *o, struct error *err)
{
	own_fd root = open(o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	own(buf) text = {0};
	struct jsonout j = {0};
	struct complaints c = {.o = o, .j = o->json ? &j : NULL};
	int found;

	if (root < 0)
		return fail_sys(err, "root check: open %s", o->dir);
	buf_init(&text, JSON_BYTES_MAX);
	jsonout_start(&j, &text, err);
	jsonout_object(&j, NULL);
	jsonout_array(&j, "problems");
	found = manifest_check(root, complain, &c, err);
	if (found < 0)
		return fail_in(err, "root check: %s", o->dir);
	jsonout_array_end(&j);
	jsonout_bool(&j, "success", found == 0);
	jsonout_object_end(&j);
	if (o->json && (jsonout_end(&j) < 0 || buf_add_str(&text, "\n", err) < 0 ||
			print_json(&text, err) < 0))
		return -1;
	if (!o->json && !o->quiet && found > COMPLAINTS_SHOWN)
		printf("and %d more\n", found - COMPLAINTS_SHOWN);
	if (!o->json && !o->quiet && found == 0)
		printf("%s is as it was made\n", o->dir);
	return found == 0 ? 0 : CHECK_FAILED;
}

struct root_word {
	const char *name;
	int (*run)(const struct root_options *o, struct error *err);
};

static const struct root_word words[] = {
	{"build", build},
	{"check", check},
};

/* -1: not done, err says why.  Otherwise the exit code. */
static int dispatch(const struct root_options *o, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strcmp(o->word, words[i].name) != 0)
			continue;
		if (!o->dir || !o->dir[0])
			return fail(err, ERR_CALLER,
				    "root %s needs a directory: belljar root %s DIR", o->word,
				    o->word);
		if (o->n_with && words[i].run != build)
			return fail(err, ERR_CALLER, "--with is for root build");
		return words[i].run(o, err);
	}
	print_usage(stderr);
	return fail(err, ERR_CALLER, "root: there is no '%s'; it is build or check", o->word);
}

int cmd_root(int argc, char **argv)
{
	own(root_options) o = {0};
	struct error err = {0};
	int code;

	(void)argc;
	if (parse(&o, argv, &err) < 0)
		return cli_complain(&err);
	if (o.help || !o.word) {
		print_usage(o.help ? stdout : stderr);
		return o.help ? 0 : EXIT_BELLJAR;
	}
	code = dispatch(&o, &err);
	return code < 0 ? cli_complain(&err) : code;
}
