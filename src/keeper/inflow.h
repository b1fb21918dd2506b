/* SPDX-License-Identifier: Apache-2.0 */
/* inflow.h - input that comes while a program runs, kept until the program reads it. */
#ifndef KEEPER_INFLOW_H
#define KEEPER_INFLOW_H

#include "base/buf.h"

enum { INFLOW_MAX = 4 << 20 };

struct inflow {
	int read, write; /* a pipe; -1: none */
	struct buf queue;
	size_t at; /* of the queue: written already */
	bool ended;
};

void inflow_init(struct inflow *f);
int inflow_open(struct inflow *f, struct error *err);
void inflow_close(struct inflow *f);
/* false: there is no room, or the end was said; nothing was taken. */
bool inflow_add(struct inflow *f, const void *data, size_t len);
/* Nothing more will come. */
void inflow_end(struct inflow *f);
/* To be polled for writing; -1: nothing waits. */
int inflow_wants(const struct inflow *f);
void inflow_move(struct inflow *f);

#endif
