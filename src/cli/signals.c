/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c - Ctrl-C and friends end the box, not us: the account is still to be written. */
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/cli.h"

int cli_open_signals(struct error *err)
{
	const struct sigaction standard = {.sa_handler = SIG_DFL};
	sigset_t set;
	int fd;

	/* Ignored by the caller, our children would be gone before we have asked about them. */
	if (sigaction(SIGCHLD, &standard, NULL) < 0)
		return fail_sys(err, "reset SIGCHLD");
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGPIPE);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return fail_sys(err, "block signals");
	/* A broken pipe is seen by write. */
	sigdelset(&set, SIGPIPE);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? fail_sys(err, "signalfd") : fd;
}

int cli_code_of_signal(int signals, int otherwise)
{
	struct signalfd_siginfo info;

	if (read(signals, &info, sizeof(info)) != sizeof(info))
		return otherwise;
	return EXIT_SIGNAL + (int)info.ssi_signo;
}
