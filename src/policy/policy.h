/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h - what the owner wrote down, read and checked.
 *
 * A policy is read once and never changed; everything in it lives in its arena.
 */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include "base/arena.h"
#include "call/rules.h"
#include "call/why.h"

struct kept; /* policy.c */

/* What was read, as it was. */
struct policy_file {
	struct policy_file *next;
	const char *name, *data;
	size_t len;
};

struct policy {
	struct arena arena;
	char sha256[65];  /* over the bytes of every file read, in order */
	char source[512]; /* the file, or "built in" */
	uint64_t version;
	struct client *clients;
	size_t n_clients;
	struct tool *tools;
	size_t n_tools;
	struct rates rates;      /* for everybody together */
	uint32_t allow_degraded; /* one bit per enum layer */
	struct audit_rules audit;
	struct run_policy run;
	struct serve_rules serve;
	struct policy_file *files, *last_file; /* none: built in */
	json_t *keeps;                         /* a list that owns every json_t above */
	struct kept *kept;                     /* what must be freed one by one */
};

/* One thing that is wrong with a file. */
struct complaint {
	struct place place;
	char path[160]; /* "tools.search.args.limit.max" */
	char text[400];
};

enum { COMPLAINTS_MAX = 64 };

/* The names of files live in it: it must not be moved while it is in use. */
struct complaints {
	struct complaint list[COMPLAINTS_MAX];
	size_t n;
	bool cut; /* there were more */
	char names[4096];
	size_t names_len;
};

void complain(struct complaints *c, struct place place, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* As a reader meets them: by file, line and column. */
void complaints_sort(struct complaints *c);

/* Reads FILE, what it includes and its drop-in directory, and checks all of it.  NULL: complaints
 * say what is wrong, at least one.  file NULL: the built-in policy;
 * "pack:N": what descriptor N holds (policypack.h).  (What needs the other stages,
 * such as the tests in the file, is checked by gate_load.) */
struct policy *policy_load(const char *file, struct complaints *ret);
/* The same from memory: for tests, fuzzing and the built-in policy.  name stands for the file. */
struct policy *policy_parse(const char *name, const char *data, size_t len, struct complaints *ret);
void policy_free(struct policy *p);
void policy_end(struct policy **p);
#define own_policy __attribute__((cleanup(policy_end))) struct policy *
/* Which file is meant when nobody says: $BELLJAR_POLICY, /etc/belljar/policy.yaml, NULL: built in.
 */
const char *policy_default_file(void);

/* While it is read: the policy owns m (schema, value) from now on, also when this fails. */
int policy_keep_match(struct policy *p, struct match *m, struct error *err);
int policy_keep_schema(struct policy *p, struct jsonschema *schema, struct error *err);
int policy_keep_json(struct policy *p, json_t *value, struct error *err);

const struct tool *policy_tool(const struct policy *p, const char *name);
const struct client *policy_client(const struct policy *p, const char *name);
const struct client *policy_client_by_uid(const struct policy *p, uid_t uid);

#endif
