/* SPDX-License-Identifier: Apache-2.0 */
/* doors.h - the sockets that the service listens at; they outlive every front. */
#ifndef SERVE_ROLES_DOORS_H
#define SERVE_ROLES_DOORS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "call/listen.h"

enum { DOORS_MAX = 16 };

struct door {
	int fd;
	bool tls;
	bool ours;         /* made by us: a Unix socket's file goes when we go */
	char address[140]; /* "127.0.0.1:8640", "unix:/path": with the port that it really has */
	char path[108];    /* of a Unix socket that is ours */
	struct listen_word word;
};

struct doors {
	struct door door[DOORS_MAX];
	size_t n;
};

/* What may be listened at. */
struct door_rules {
	bool tls, plaintext;
};

int doors_open(struct doors *d, const char *word, const struct door_rules *rules,
	       struct error *err);
/* One that somebody has opened for us; name "tls": TLS is spoken there. */
int doors_take(struct doors *d, int fd, const char *name, const struct door_rules *rules,
	       struct error *err);
void doors_close(struct doors *d);

#endif
