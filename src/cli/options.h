/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - the words after `belljar run` become a request. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "sandbox/sandbox.h"

enum { ENV_MAX = 512 };

struct run_options {
	struct request request;
	const struct language *language; /* NULL: a command */
	const char *code;                /* -c */
	bool json;
	bool quiet;
	bool explain;
	bool help;
	int status_fd;  /* -1: none */
	char **command; /* what is left over: CMD ARGS, or FILE ARGS */
	char *env[ENV_MAX + 1];
	size_t n_env;
	void *owned[2 * (GRANTS_MAX + PUTS_MAX + GETS_MAX) + PROGRAMS_MAX];
	size_t n_owned;
};

struct language {
	const char *name;
	const char *program;
	const char *file;     /* the name of code that came without one */
	const char *variable; /* one more for its environment; NULL: none */
};

const struct language *language_by_name(const char *name);

void options_init(struct run_options *o);
void options_done(struct run_options *o);
/* argv[0] is skipped.  The strings of argv must outlive the options. */
int options_parse(struct run_options *o, char **argv, struct error *err);
/* --help, made from the same rows. */
void options_print_help(void);

#endif
