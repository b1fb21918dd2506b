/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the first word picks a command. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "cli/cli.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what; /* NULL: not for people */
};

static const struct command commands[] = {
	{"run", cmd_run, "run a program or a piece of code in a sealed box"},
	{"doctor", cmd_doctor, "say what this host can do for boxes; --attack tries to break one"},
	{"attack-inside", cmd_attack, NULL},
	{"slot", cmd_slot, NULL},
	{"root", cmd_root,
	 "make and check a private root, so that boxes share no file with the host"},
};

static void print_usage(FILE *to)
{
	(void)fprintf(to, "usage: belljar COMMAND [options]\n\n");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (commands[i].what)
			(void)fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].what);
	(void)fprintf(to, "\nbelljar COMMAND --help says more; so does man belljar.\n");
}

static int complain_about(const char *word)
{
	const char *names[ARRAY_LEN(commands) + 1] = {0};
	const char *near;

	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		names[i] = commands[i].what ? commands[i].name : "";
	near = text_nearest(word, names);
	(void)fprintf(stderr, "belljar: there is no command '%s'%s%s%s; see belljar --help\n", word,
		      near ? "; did you mean '" : "", near ? near : "", near ? "'" : "");
	return EXIT_BELLJAR;
}

/* Started without 0, 1 or 2, the first file we open would take that place, and be written to. */
static bool fill_standard_descriptors(void)
{
	int fd;

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

int main(int argc, char **argv)
{
	if (!fill_standard_descriptors() || has_borrowed_rights() || !has_stack())
		return EXIT_BELLJAR;
	survive_file_limit();
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_BELLJAR;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		print_usage(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("belljar %s\n", BELLJAR_VERSION);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	return complain_about(argv[1]);
}
