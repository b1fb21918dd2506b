/* SPDX-License-Identifier: Apache-2.0 */
/* frontplace.h - where the front is, and whether it sleeps, while a snippet is worked on. */
#ifndef API_FRONTPLACE_H
#define API_FRONTPLACE_H

#include "serve/api/pool.h"

/* A request goes out; apart: for a snippet, by a front that is not where its keeper is. */
void frontplace_sent(struct pool *p, bool apart);
/* What a keeper says before the task knows of it. */
void frontplace_note(struct pool *p, const struct task *t, const struct keep_reply *r);
/* An answer was handed on; alone: a snippet's, and nobody else waits. */
void frontplace_settle(struct pool *p, bool alone);
/* Wherever it likes. */
void frontplace_free(struct pool *p);

#endif
