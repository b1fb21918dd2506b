/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - words become a request: those after `belljar run`, and those of a library's caller.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "call/language.h"
#include "sandbox/sandbox.h"

enum { ENV_MAX = 512 };

struct run_options {
	struct request request;
	const struct language *language; /* NULL: a command */
	const char *code;                /* -c */
	const char *policy;              /* --policy */
	const char *audit;               /* --audit */
	bool raw;                        /* --no-redact */
	bool json;
	bool quiet;
	bool explain;
	bool help;
	bool for_slot;  /* slot_option_rows are read, too */
	int status_fd;  /* -1: none */
	char **command; /* what is left over: CMD ARGS, or FILE ARGS */
	char *env[ENV_MAX + 1];
	size_t n_env;
	void **owned;
	size_t n_owned;
};

/* What an option is about: who may give it follows from that. */
enum option_use {
	FOR_COMMAND = 0, /* belljar run only */
	FOR_SLOT,        /* decides the slot (struct profile): another value means another slot */
	FOR_CALL,        /* can be another one with each call; so can every limit */
};

struct option_row {
	const char *name;
	const char *metavar; /* NULL: takes no value */
	enum option_use use;
	int (*take)(struct run_options *o, const char *value, struct error *err);
	const char *help;
};

extern const struct option_row option_rows[];
extern const size_t option_row_count;

/* What only belljar slot takes, from whoever keeps one: what waits in it for calls. */
extern const struct option_row slot_option_rows[];
extern const size_t slot_option_row_count;
/* Is what was said of it the whole of it? */
int options_check_warm(const struct warm *w, struct error *err);

/* o is all zeros already: writing them again would cost a page fault for every 4 KiB. */
void options_init(struct run_options *o);
void options_done(struct run_options *o);
/* argv[0] is skipped.  The strings of argv must outlive the options. */
int options_parse(struct run_options *o, char **argv, struct error *err);
/* One option by its name without dashes; the value is copied, NULL or empty if it takes none.
 * Those FOR_COMMAND are refused. */
int options_set(struct run_options *o, const char *name, const char *value, enum option_use *ret,
		struct error *err);
/* --help, made from the same rows. */
void options_print_help(void);

#endif
