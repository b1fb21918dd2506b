/* SPDX-License-Identifier: Apache-2.0 */
/* box_alone.c - a command in a box and nothing around it: no policy, no redaction, no log.
 *
 *     box_alone [run] [options of belljar run] -- COMMAND [ARGS]
 *
 * To measure what the rest of belljar run costs, and to let each call of making a box fail without
 * the processes of the log among them.  Or in one that was filled ahead (filled.h).  Linked like
 * belljar, and never installed.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "call/language.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "filled.h"

static int write_account(const struct account *a, int fd, struct error *err)
{
	own(buf) text;

	buf_init(&text, account_json_room(a));
	if (account_json(a, &text, err) < 0 || buf_add_str(&text, "\n", err) < 0)
		return -1;
	return fd_write_all(fd, text.data, text.len, err);
}

static int report(const struct run_options *o, const struct account *a)
{
	struct error err = {0};
	char line[700];

	if (a->outcome.end == END_NOT_STARTED || a->outcome.end == END_UNKNOWN) {
		cli_summary(a, line, sizeof(line));
		cli_say(line);
	}
	if ((o->json && write_account(a, STDOUT_FILENO, &err) < 0) ||
	    (o->status_fd >= 0 && write_account(a, o->status_fd, &err) < 0))
		return cli_complain(&err);
	return cli_exit_code(a);
}

int main(int argc, char **argv)
{
	static struct run_options o;
	static char *env[ENV_MAX + ENVIRONMENT_OWN];
	struct account account;
	struct error err = {0};
	int code;

	if (!cli_process_is_fit())
		return EXIT_BELLJAR;
	options_init(&o);
	if (options_parse(&o, argc > 1 && strcmp(argv[1], "run") == 0 ? argv + 1 : argv, &err) <
		    0 ||
	    (o.request.cancel_fds[0] = cli_open_signals(&err)) < 0)
		return cli_complain(&err);
	environment_build(filled_by_python(&o.request) ? language_find("python", &err) : NULL,
			  o.env, env);
	o.request.job.env = env;
	o.request.job.argv = filled_by_python(&o.request) ? filled_words(o.command) : o.command;
	o.request.only = true;
	o.request.live_out.fd = o.json ? -1 : STDOUT_FILENO;
	o.request.live_err.fd = o.json ? -1 : STDERR_FILENO;
	if ((filled_wanted() ? filled_run(&o.request, &account, &err)
			     : sandbox_run(&o.request, &account, &err)) < 0) {
		account.outcome.error = err;
		(void)cli_complain(&err);
	}
	code = report(&o, &account);
	if (account.outcome.killed_for == KILL_CANCELLED)
		code = cli_code_of_signal(o.request.cancel_fds[0], code);
	account_done(&account);
	options_done(&o);
	return err.kind == ERR_NONE || account.outcome.end == END_NOT_STARTED ? code : EXIT_BELLJAR;
}
