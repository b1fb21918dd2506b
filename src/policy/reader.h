/* SPDX-License-Identifier: Apache-2.0 */
/* reader.h - what the functions share that read a policy file by its rows. */
#ifndef POLICY_READER_H
#define POLICY_READER_H

#include "policy/settings.h"
#include "policy/yamltree.h"

/* For tools that do not say; the main file only. */
struct defaults {
	struct limits limits;
	struct rates rates;
	struct screen_policy screen;
	struct redact_policy redact;
	uint64_t concurrency;
};

struct runtimes {
	struct runtime *list;
	size_t n;
};

/* What one file says. */
struct policy_text {
	uint64_t version;
	struct words include;
	uint32_t allow_degraded;
	struct rates rates;
	struct audit_rules audit;
	struct serve_rules serve;
	struct defaults defaults;
	struct run_policy run;
	struct runtimes runtimes;
	struct client *clients;
	size_t n_clients;
	struct tool *tools;
	size_t n_tools;
	struct place place;
};

/* A client names a tool, which may be in another file. */
struct reference {
	struct reference *next;
	const char *tool;
	const char *path; /* of the setting */
	struct place place;
};

struct sources; /* sources.h: the files behind the policy */

struct reader {
	struct policy *policy;
	struct sources *sources;
	struct complaints *complaints;
	char path[sizeof(((struct complaint *)0)->path)]; /* "tools.search.args" */
	size_t path_len;
	bool main;                       /* this is the file that was named */
	const struct defaults *defaults; /* of the main file */
	const struct runtimes *runtimes; /* the same */
	struct reference **references;   /* the newest first */
};

/* Appends to the path; the old length is what reader_leave() wants. */
size_t reader_enter(struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same as ".%s": for every setting of every tool, which printf() would make slow. */
size_t reader_enter_key(struct reader *r, const char *key);
void reader_leave(struct reader *r, size_t old);
/* At n's place and the path of now. */
void reader_complain(struct reader *r, const struct node *n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Zeroed, in the policy's arena; NULL: complained. */
void *reader_alloc(struct reader *r, const struct node *n, size_t count, size_t size);

/* Each of these returns false after a complaint. */
bool read_map(struct reader *r, const struct node *n);
bool read_list(struct reader *r, const struct node *n);
/* Any scalar that was written, from min to max characters. */
bool read_text(struct reader *r, const struct node *n, const char **ret);
/* A list of texts. */
bool read_texts(struct reader *r, const struct node *n, struct words *ret);
/* Plain digits. */
bool read_count(struct reader *r, const struct node *n, uint64_t min, uint64_t max, uint64_t *ret);
/* Any value; the policy owns it. */
bool read_value(struct reader *r, const struct node *n, json_t **ret);
/* n says that there is such a tool; crosscheck.c looks. */
void reader_refer(struct reader *r, const struct node *n, const char *tool);
/* "; did you mean 'x'?" or nothing. */
void reader_suggest(const char *word, const char *const *names, char *ret, size_t room);
/* Is it a name for a variable of the environment? */
bool read_is_variable(const char *text);
/* Is it a name for a tool, client or argument?  [A-Za-z0-9_.-]{1,64} */
bool read_is_name(const char *text);

/* The standards of all rows, then what n says. */
void settings_read(struct reader *r, const struct section *s, const struct node *n, void *target);
/* Only what n says, over what is there already. */
void settings_read_over(struct reader *r, const struct section *s, const struct node *n,
			void *target);

/* What rows cannot say one by one; in finish.c. */
void prepare_tool(struct reader *r, void *target);
void finish_tool(struct reader *r, const struct node *n, void *target);
void finish_client(struct reader *r, const struct node *n, void *target);
void finish_serve(struct reader *r, const struct node *n, void *target);
void finish_budget(struct reader *r, const struct node *n, void *target);
void finish_argument(struct reader *r, const struct node *n, void *target);
void finish_test(struct reader *r, const struct node *n, void *target);
void finish_screen(struct reader *r, const struct node *n, void *target);
void finish_own_rule(struct reader *r, const struct node *n, void *target);
void finish_redact(struct reader *r, const struct node *n, void *target);
void finish_redact_rule(struct reader *r, const struct node *n, void *target);
void finish_run(struct reader *r, const struct node *n, void *target);
void finish_runtime(struct reader *r, const struct node *n, void *target);
/* The runtimes of a tool: those it names, and for the other languages the standard ones. */
void finish_tool_runtimes(struct reader *r, const struct node *n, struct tool *t);
void finish_secret(struct reader *r, const struct node *n, void *target);

/* Rows that read themselves; in readown.c and readrates.c. */
void own_keys(struct reader *r, const struct node *n, void *target);
void own_rates_global(struct reader *r, const struct node *n, void *target);
void own_rates_client(struct reader *r, const struct node *n, void *target);
void own_rates_tool(struct reader *r, const struct node *n, void *target);
void own_rate_key(struct reader *r, const struct node *n, void *target);
void own_layers(struct reader *r, const struct node *n, void *target);
void own_uids(struct reader *r, const struct node *n, void *target);
void own_env(struct reader *r, const struct node *n, void *target);
void own_runtime_env(struct reader *r, const struct node *n, void *target);
void own_mounts_read(struct reader *r, const struct node *n, void *target);
void own_mounts_write(struct reader *r, const struct node *n, void *target);
void own_screen_modes(struct reader *r, const struct node *n, void *target);

extern const struct section rate_section;
extern const struct section limits_section;
extern const struct section screen_section;
extern const struct section redact_section;
extern const struct section secret_section;
extern const struct section run_section;
extern const struct section runtime_section;
extern const struct section tool_section;
extern const struct section serve_section;

#endif
