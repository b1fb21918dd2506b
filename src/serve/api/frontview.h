/* SPDX-License-Identifier: Apache-2.0 */
/* frontview.h - what the front knows of the policy: who may come, and how much of everything. */
#ifndef SERVE_API_FRONTVIEW_H
#define SERVE_API_FRONTVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum {
	VIEW_BYTES_MAX = 16 << 20,
	VIEW_CLIENTS_MAX = 4096,
	VIEW_KEYS_MAX = 64, /* of one client */
	VIEW_KEY_BYTES = 32,
};

/* Bits; a client without any may do nothing. */
enum scope { MAY_EXECUTE = 1, MAY_READ = 2, MAY_AUDIT = 4, MAY_ADMIN = 8 };

struct view_client {
	char *name;
	unsigned char (*keys)[VIEW_KEY_BYTES]; /* SHA-256 of each */
	size_t n_keys;
	bool any_uid;
	uid_t *uids;
	size_t n_uids;
	char *cert; /* NULL: not by certificate */
	uint32_t scopes;
	uint64_t max_concurrent; /* 0: no limit of its own */
};

struct view_list {
	char **items; /* and NULL at the end */
	size_t n;
};

struct view {
	char policy_sha256[65];
	uint32_t generation;
	bool loopback_without_key;
	uint64_t concurrency, sessions, sessions_ready, queue, queue_wait_ms;
	uint64_t body_bytes, connections;
	uint64_t head_ms, body_ms, idle_ms;
	uint64_t calls_kept, calls_kept_ms, idempotency_ms;
	struct view_list hosts, origins, tools;
	struct view_client *clients;
	size_t n_clients;
};

/* From the text of belljar-gate view.  NULL: err. */
struct view *view_read(const char *text, size_t len, struct error *err);
/* The same from a descriptor, from its beginning. */
struct view *view_read_fd(int fd, struct error *err);
void view_free(struct view *v);
const struct view_client *view_client(const struct view *v, const char *name);

const char *view_scope_name(enum scope s);

#endif
