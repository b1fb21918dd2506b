/* SPDX-License-Identifier: Apache-2.0 */
/* keeptemplate.h - an interpreter that is ready, in a file that the interpreters of sessions
 * become.
 *
 * It is made once for all sessions of a policy (templatemake.c), in a box in
 * which nothing of a caller's ever ran, and holds no secret.  Nobody can write
 * to the file any more.  Only processes in boxes read what is in it, but for
 * one page: which interpreter it is, and the variables that it was started
 * with.
 */
#ifndef KEEPER_KEEPTEMPLATE_H
#define KEEPER_KEEPTEMPLATE_H

#include "base/arena.h"
#include "keeper/keeper.h"

enum { TEMPLATE_KEY_MAX = 3072 };

/* What a keeper's build of it needs is there. */
bool template_is_known(void);
/* Would this program, with these variables, have become the same?  If not, why. */
bool template_fits(int file, char *const *argv, char *const *env, char *why, size_t room);
/* Only the variables that an interpreter looks at when it starts: what else a tool's owner hands to
 * it is not for the sessions of other tools, which can read all of a template. */
void template_keep_counting(char **env);
/* The variables with which a process becomes it; NULL: err. */
char **template_env(struct arena *a, char **env, struct error *err);
/* The file before there is anything of an interpreter in it. */
int template_begin(struct error *err);
/* Whoever wrote into it is dead: from now on nobody can. */
int template_finish(int file, char *const *argv, char *const *env, struct error *err);

/* templatemake.c: makes one and sends it to whoever is at the other end of k->front. */
int template_make(struct keeper *k, struct error *err);

#endif
