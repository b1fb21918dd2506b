/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.h - declared arguments: types, bounds, paths, and what the tool gets of them. */
#ifndef POLICY_ARGUMENTS_H
#define POLICY_ARGUMENTS_H

#include "policy/policy.h"

/* A file or directory that an argument named: mounted read-only, at its own path, held open so
 * that what is mounted is what was judged. */
struct path_grant {
	const char *path; /* freed by path_grants_done */
	int fd;           /* O_PATH; closed by it */
};

enum { PATH_GRANTS_MAX = 16 };

struct path_grants {
	struct path_grant list[PATH_GRANTS_MAX];
	size_t n;
};

void path_grants_done(struct path_grants *g);

/* At load: is each rule possible (bounds in order, default within them, roots absolute, patterns
 * compiled)? path begins the complaints. */
void arguments_check(struct arg_rules *rules, const char *path, struct policy *p,
		     struct complaints *ret);
/* At load: each {name} of the template is declared, of a type that fits into one word, and either
 * required or with a default; nothing else in braces.  rules NULL: a schema judges the arguments,
 * and what does not fit is refused when it is filled in. */
void template_check(const struct words *exec, const struct arg_rules *rules, const char *path,
		    struct place place, struct complaints *ret);

/* Judges given (an object) by the rules.  ret_args: a new object made only of what was judged,
 * defaults filled in; the caller's to decref.  prefix: "tools.search.args". */
enum answer arguments_judge(const struct arg_rules *rules, const json_t *given, const char *prefix,
			    struct path_grants *grants, json_t **ret_args, struct why *why);
/* What the argument may be, in words: "an integer from 1 to 100"; the hint of its refusals. */
void argument_form(const struct arg_rule *r, char *ret, size_t room);
/* Puts one value into one word: never two, never none.  ret_argv is NULL-terminated and in a.  A
 * word that begins with the '-' of a caller's string is refused unless "--" went before. */
enum answer template_fill(const struct tool *tool, const json_t *args, struct arena *a,
			  char ***ret_argv, struct why *why);

#endif
