/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_run.c - belljar run: one slot, used once, by way of policy, redaction and audit. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "cli/cli.h"
#include "cli/explain.h"
#include "cli/options.h"
#include "cli/sibling.h"
#include "oneshot/oneshot.h"
#include "sandbox/codefile.h"
#include "sandbox/native/delegate.h"
#include "sandbox/native/trustpath.h"

enum { CODE_MAX = 16 << 20, MISSING_SHOWN = 10 };

struct prepared {
	struct buf code;
	struct codefile file;
	char *env[ENV_MAX + ENVIRONMENT_OWN];
};

static void prepared_end(struct prepared *p)
{
	buf_done(&p->code);
	codefile_done(&p->file);
}

/* A link of the kernel's to a descriptor that the caller gave us, as in <(command). */
static bool is_descriptor(const char *file)
{
	static const char *const places[] = {"/dev/fd/", "/proc/self/fd/"};

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		size_t len = strlen(places[i]);

		if (strncmp(file, places[i], len) == 0 && !strchr(file + len, '/'))
			return true;
	}
	return strcmp(file, "/dev/stdin") == 0;
}

/* Whoever may write where it lies could have put something there that never ends, or never
 * begins. */
static int open_code_file(const char *file, struct error *err)
{
	own_fd fd = trustpath_open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY, err);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return fail_sys(err, "%s", file);
	if (S_ISDIR(st.st_mode))
		return fail(err, ERR_CALLER, "%s: %s", file, strerror(EISDIR));
	if (!S_ISREG(st.st_mode))
		return fail(err, ERR_CALLER, "%s: not a regular file (- is standard input)", file);
	return take_fd(&fd);
}

static int open_code(const char *file, struct error *err)
{
	int fd;

	if (strcmp(file, "-") != 0 && !is_descriptor(file))
		return open_code_file(file, err);
	fd = strcmp(file, "-") == 0 ? fcntl(0, F_DUPFD_CLOEXEC, 3)
				    : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? fail(err, ERR_CALLER, "%s: %s", file, strerror(errno)) : fd;
}

static int read_code(struct prepared *p, const char *file, struct error *err)
{
	own_fd fd = open_code(file, err);
	char chunk[16384];
	ssize_t n = 0;

	if (fd < 0)
		return -1;
	while (!p->code.cut && (n = read(fd, chunk, sizeof(chunk))) > 0)
		if (buf_add(&p->code, chunk, (size_t)n, err) < 0)
			return -1;
	if (n < 0)
		return fail(err, ERR_CALLER, "%s: %s", file, strerror(errno));
	if (p->code.cut)
		return fail(err, ERR_CALLER, "%s: code of more than %d MiB", file, CODE_MAX >> 20);
	return 0;
}

/* The name the code has in the box: the file's own, so that messages make sense. */
static const char *script_name(const struct run_options *o, const char *file)
{
	const char *slash = strrchr(file, '/');

	if (strcmp(file, "-") == 0)
		return o->language->file;
	return slash ? slash + 1 : file;
}

static int build_code_argv(struct prepared *p, struct run_options *o, struct error *err)
{
	struct put code = {.inside = o->language->file};
	char **rest = o->command;

	if (o->code) {
		if (buf_add_str(&p->code, o->code, err) < 0)
			return -1;
	} else {
		if (!*rest)
			return fail(err, ERR_CALLER,
				    "--lang %s: give a FILE, - for standard input, or -c CODE",
				    o->language->name);
		code.inside = script_name(o, *rest);
		if (read_code(p, *rest++, err) < 0)
			return fail_in(err, "--lang %s", o->language->name);
	}
	code.data = buf_str(&p->code);
	code.len = p->code.len;
	return codefile_add(&p->file, &o->request, o->language, code, (const char *const *)rest,
			    err);
}

static int prepare(struct prepared *p, struct run_options *o, struct error *err)
{
	buf_init(&p->code, CODE_MAX);
	environment_build(o->language, o->env, p->env);
	o->request.job.env = p->env;
	if (o->language)
		return build_code_argv(p, o, err);
	if (o->code)
		return fail(err, ERR_CALLER, "-c needs --lang: --lang python -c 'print(2+2)'");
	if (!*o->command)
		return fail(err, ERR_CALLER,
			    "there is no command; try: belljar run -- echo hello (or --help)");
	o->request.job.argv = o->command;
	return 0;
}

static int write_account(const struct oneshot *one, const struct account *a, int fd,
			 struct error *err)
{
	own(buf) text;

	buf_init(&text, oneshot_json_room(a));
	if (oneshot_json(one, a, &text, err) < 0 || buf_add_str(&text, "\n", err) < 0)
		return -1;
	return fd_write_all(fd, text.data, text.len, err);
}

static void close_with_a_line(const struct run_options *o, const struct account *a)
{
	char line[700];
	bool trouble = a->outcome.end == END_NOT_STARTED || a->outcome.end == END_UNKNOWN ||
		       a->outcome.killed_for != KILL_NONE;

	if (o->quiet && a->outcome.end != END_NOT_STARTED && a->outcome.end != END_UNKNOWN)
		return;
	if (o->json || (!trouble && !isatty(STDERR_FILENO)))
		return;
	cli_summary(a, line, sizeof(line));
	cli_say(line);
}

/* Files that somebody asked for and did not get: a run that went well is no reason to be silent. */
static void name_missing_files(const struct run_options *o, const struct account *a)
{
	size_t n = 0;
	char line[700];

	if (o->quiet || o->json)
		return;
	for (size_t i = 0; i < a->n_artifacts; i++) {
		const struct artifact *one = &a->artifacts[i];

		if (!one->refused[0] || ++n > MISSING_SHOWN)
			continue;
		(void)snprintf(line, sizeof(line), "--get: %.500s: %s", one->name, one->refused);
		cli_say(line);
	}
	if (n <= MISSING_SHOWN)
		return;
	(void)snprintf(line, sizeof(line), "--get: ... and %zu more; --json names all of them",
		       n - MISSING_SHOWN);
	cli_say(line);
}

static int report(const struct run_options *o, const struct oneshot *one, const struct account *a)
{
	struct error err = {0};

	/* It has happened, recorded or not. */
	if (one->trouble.kind != ERR_NONE)
		(void)cli_complain(&one->trouble);
	name_missing_files(o, a);
	close_with_a_line(o, a);
	if (o->json && write_account(one, a, STDOUT_FILENO, &err) < 0)
		return cli_complain(&err);
	if (o->status_fd >= 0 && write_account(one, a, o->status_fd, &err) < 0) {
		(void)fail_in(&err, "--status-fd %d", o->status_fd);
		return cli_complain(&err);
	}
	return cli_exit_code(a);
}

/* Beside us, or where they are installed. */
static int find_gate(char *ret, size_t room, struct error *err)
{
	static const char *const places[] = {"belljar-gate", "../libexec/belljar/belljar-gate"};

	return sibling_find(places, ARRAY_LEN(places), ret, room, err);
}

static int find_scribe(char *ret, size_t room, struct error *err)
{
	static const char *const places[] = {"belljar-scribe", "../libexec/belljar/belljar-scribe"};

	return sibling_find(places, ARRAY_LEN(places), ret, room, err);
}

static void describe(struct run_options *o, const struct prepared *p, struct oneshot_ask *ret)
{
	*ret = (struct oneshot_ask){
		.request = &o->request,
		.policy = o->policy,
		.audit = o->audit,
		.raw = o->raw,
		.receipt = o->json || o->status_fd >= 0,
		.root = o->request.profile.root != NULL,
		.language = o->language ? o->language->name : NULL,
		.code = o->language ? buf_str(&p->code) : NULL,
		.code_len = p->code.len,
		.words = o->command,
		.env = o->env,
		.find_gate = find_gate,
		.find_scribe = find_scribe,
	};
}

static int run(struct run_options *o, const struct prepared *p, char **argv)
{
	static struct oneshot one;
	struct oneshot_ask ask;
	struct account account;
	struct error err = {0};
	int code;

	describe(o, p, &ask);
	if (oneshot_run(&one, &ask, &account, &err) < 0) {
		account.outcome.error = err;
		(void)cli_complain(&err);
	}
	if (account.outcome.end == END_NOT_STARTED &&
	    cli_may_ask_systemd(&o->request.profile, &account.outcome.error))
		(void)delegate_reexec(argv, &err);
	code = report(o, &one, &account);
	if (account.outcome.killed_for == KILL_CANCELLED)
		code = cli_code_of_signal(o->request.cancel_fds[0], code);
	oneshot_done(&one);
	account_done(&account);
	return err.kind == ERR_NONE || account.outcome.end == END_NOT_STARTED ? code : EXIT_BELLJAR;
}

int cmd_run(int argc, char **argv)
{
	static struct run_options o;
	static struct prepared p;
	struct error err = {0};
	int code;

	(void)argc;
	options_init(&o);
	if (options_parse(&o, argv, &err) < 0) {
		code = cli_complain(&err);
	} else if (o.help) {
		options_print_help();
		code = 0;
	} else if (prepare(&p, &o, &err) < 0 ||
		   (o.request.cancel_fds[0] = cli_open_signals(&err)) < 0) {
		code = cli_complain(&err);
	} else if (o.explain) {
		code = explain(&o, &err) < 0 ? cli_complain(&err) : 0;
	} else {
		o.request.only = true;
		o.request.live_out.fd = o.json ? -1 : STDOUT_FILENO;
		o.request.live_err.fd = o.json ? -1 : STDERR_FILENO;
		code = run(&o, &p, argv);
	}
	prepared_end(&p);
	options_done(&o);
	return code;
}
