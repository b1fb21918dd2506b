/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - what must be true of our process before anything else is done. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/cli.h"

/* Started without 0, 1 or 2, the first file we open would take that place, and be written to. */
static bool fill_standard_descriptors(void)
{
	int fd;

	/* To ask is a tenth of what the device costs. */
	if (fcntl(0, F_GETFD) >= 0 && fcntl(1, F_GETFD) >= 0 && fcntl(2, F_GETFD) >= 0)
		return true;
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd < 3);
	if (fd < 0)
		(void)fprintf(stderr, "belljar: open /dev/null: %s\n", strerror(errno));
	else
		(void)close(fd);
	return fd >= 0;
}

/* With another's rights, whoever may start us would have them: for root's, the whole host. */
static bool has_borrowed_rights(void)
{
	if (!getauxval(AT_SECURE))
		return false;
	(void)fprintf(stderr, "belljar: must not be installed set-uid, set-gid or with file "
			      "capabilities: whoever may start it would have those rights\n");
	return true;
}

/* A caller's file size limit is then an error of write, which is reported. */
static void survive_file_limit(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	(void)sigaction(SIGXFSZ, &ignore, NULL);
}

/* Below what our deepest calls need, the kernel would end us in the middle of one. */
static bool has_stack(void)
{
	enum { STACK_KIB = 256 };
	struct rlimit now, wanted;

	if (getrlimit(RLIMIT_STACK, &now) < 0 || now.rlim_cur >= STACK_KIB << 10)
		return true;
	wanted = (struct rlimit){.rlim_cur = STACK_KIB << 10, .rlim_max = now.rlim_max};
	if (now.rlim_max >= wanted.rlim_cur && setrlimit(RLIMIT_STACK, &wanted) == 0)
		return true;
	(void)fprintf(stderr, "belljar: the caller's stack limit (ulimit -s) is below %d KiB\n",
		      STACK_KIB);
	return false;
}

bool cli_process_is_fit(void)
{
	if (!fill_standard_descriptors() || has_borrowed_rights() || !has_stack())
		return false;
	survive_file_limit();
	return true;
}
