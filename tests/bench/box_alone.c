/* SPDX-License-Identifier: Apache-2.0 */
/* box_alone.c - a command in a box and nothing around it: no policy, no redaction, no log.
 *
 *     box_alone -- COMMAND [ARGS]
 *
 * Only to measure what the rest of belljar run costs; linked like belljar, and never installed.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/own.h"
#include "call/language.h"
#include "cli/cli.h"
#include "cli/options.h"

int main(int argc, char **argv)
{
	static struct run_options o;
	static char *env[ENV_MAX + ENVIRONMENT_OWN];
	struct account account;
	struct error err = {0};

	(void)argc;
	if (!cli_process_is_fit())
		return EXIT_BELLJAR;
	options_init(&o);
	if (options_parse(&o, argv, &err) < 0 ||
	    (o.request.cancel_fds[0] = cli_open_signals(&err)) < 0)
		return cli_complain(&err);
	environment_build(NULL, o.env, env);
	o.request.job.env = env;
	o.request.job.argv = o.command;
	o.request.live_out.fd = STDOUT_FILENO;
	o.request.live_err.fd = STDERR_FILENO;
	if (sandbox_run(&o.request, &account, &err) < 0)
		return cli_complain(&err);
	return cli_exit_code(&account);
}
