/* SPDX-License-Identifier: Apache-2.0 */
/* poollines.h - tasks in line, and whose turn it is. */
#ifndef SERVE_API_POOLLINES_H
#define SERVE_API_POOLLINES_H

#include "serve/api/pool.h"

void lines_join(struct pool *p, struct task *t);
void lines_leave(struct pool *p, struct task *t);
/* To the head of its line: its keeper was dead before it got it. */
void lines_put_back(struct pool *p, struct task *t);
/* The first of the client whose turn it is; out of its line.  NULL: nobody waits. */
struct task *lines_next(struct pool *p);
struct task *lines_next_opening(struct pool *p);
/* Whoever has most tasks in line; NULL: nobody. */
struct party *lines_longest(const struct pool *p);

#endif
