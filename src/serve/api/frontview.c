/* SPDX-License-Identifier: Apache-2.0 */
/* frontview.c - reads the view of the policy that the supervisor hands over.
 *
 * It comes from belljar-gate, which has checked the policy; here only the shape
 * is checked.  A setting that is not there would be a guess: the view is refused.
 */
#include "serve/api/frontview.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/jsonread.h"
#include "base/own.h"

#define DAY_MS  UINT64_C(86400000)
#define YEAR_MS (366 * DAY_MS)

struct number {
	const char *key;
	size_t offset;
	uint64_t min, max;
};

static const struct number numbers[] = {
	{"concurrency", offsetof(struct view, concurrency), 0, 1024},          /* 0: see below */
	{"sessions", offsetof(struct view, sessions), 0, 4096},                /* */
	{"sessions_ready", offsetof(struct view, sessions_ready), 0, 64},      /* */
	{"queue", offsetof(struct view, queue), 0, 100000},                    /* */
	{"queue_wait_ms", offsetof(struct view, queue_wait_ms), 0, DAY_MS},    /* */
	{"body_bytes", offsetof(struct view, body_bytes), 1, 1 << 30},         /* */
	{"connections", offsetof(struct view, connections), 1, 1 << 20},       /* */
	{"head_wait_ms", offsetof(struct view, head_ms), 1, DAY_MS},           /* */
	{"body_wait_ms", offsetof(struct view, body_ms), 1, DAY_MS},           /* */
	{"idle_wait_ms", offsetof(struct view, idle_ms), 1, DAY_MS},           /* */
	{"calls_kept", offsetof(struct view, calls_kept), 0, 1 << 20},         /* */
	{"calls_kept_ms", offsetof(struct view, calls_kept_ms), 0, YEAR_MS},   /* */
	{"idempotency_ms", offsetof(struct view, idempotency_ms), 0, YEAR_MS}, /* */
};

static const struct {
	const char *name;
	enum scope bit;
} scopes[] = {
	{"execute", MAY_EXECUTE},
	{"read", MAY_READ},
	{"audit", MAY_AUDIT},
	{"admin", MAY_ADMIN},
};

const char *view_scope_name(enum scope s)
{
	for (size_t i = 0; i < ARRAY_LEN(scopes); i++)
		if (scopes[i].bit == s)
			return scopes[i].name;
	return "none";
}

static int read_numbers(struct view *v, const json_t *serve, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		const struct number *n = &numbers[i];
		const json_t *value = json_object_get(serve, n->key);
		json_int_t got = json_integer_value(value);

		if (!json_is_integer(value) || got < 0 || (uint64_t)got < n->min ||
		    (uint64_t)got > n->max)
			return fail(err, ERR_INTERNAL, "serve.%s is not a number that fits",
				    n->key);
		*(uint64_t *)(void *)((char *)v + n->offset) = (uint64_t)got;
	}
	return 0;
}

/* Texts of an array; key: of an object in it, NULL: the members themselves.  Absent: none. */
static int read_list(const json_t *array, const char *key, struct view_list *ret, struct error *err)
{
	size_t n = json_array_size(array);

	ret->items = calloc(n + 1, sizeof(*ret->items));
	if (!ret->items)
		return fail_sys(err, "read a list");
	for (size_t i = 0; i < n; i++) {
		const json_t *at = json_array_get(array, i);
		const char *text = json_string_value(key ? json_object_get(at, key) : at);

		ret->items[i] = text ? strdup(text) : NULL;
		if (!ret->items[i])
			return fail(err, ERR_INTERNAL, "a list holds what is no text");
		ret->n++;
	}
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int read_key(const json_t *value, unsigned char ret[static VIEW_KEY_BYTES],
		    struct error *err)
{
	const char *hex = json_string_value(value);

	if (!hex || strlen(hex) != 2 * (size_t)VIEW_KEY_BYTES)
		return fail(err, ERR_INTERNAL, "a key's hash has 64 hex digits");
	for (size_t i = 0; i < VIEW_KEY_BYTES; i++) {
		int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return fail(err, ERR_INTERNAL, "a key's hash has 64 hex digits");
		ret[i] = (unsigned char)(high * 16 + low);
	}
	return 0;
}

static int read_keys(struct view_client *c, const json_t *array, struct error *err)
{
	size_t n = json_array_size(array);

	if (n > VIEW_KEYS_MAX)
		return fail(err, ERR_INTERNAL, "client %s: more than %d keys", c->name,
			    VIEW_KEYS_MAX);
	if (n == 0)
		return 0;
	c->keys = calloc(n, VIEW_KEY_BYTES);
	if (!c->keys)
		return fail_sys(err, "read keys");
	for (; c->n_keys < n; c->n_keys++)
		if (read_key(json_array_get(array, c->n_keys), c->keys[c->n_keys], err) < 0)
			return fail_in(err, "client %s", c->name);
	return 0;
}

static int read_uids(struct view_client *c, const json_t *value, struct error *err)
{
	size_t n = json_array_size(value);

	if (json_is_string(value)) {
		c->any_uid = strcmp(json_string_value(value), "any") == 0;
		return c->any_uid ? 0 : fail(err, ERR_INTERNAL, "client %s: uids", c->name);
	}
	if (n == 0)
		return 0;
	c->uids = calloc(n, sizeof(*c->uids));
	if (!c->uids)
		return fail_sys(err, "read uids");
	for (; c->n_uids < n; c->n_uids++) {
		const json_t *at = json_array_get(value, c->n_uids);

		if (!json_is_integer(at) || json_integer_value(at) < 0 ||
		    json_integer_value(at) >= UINT32_MAX)
			return fail(err, ERR_INTERNAL, "client %s: uids", c->name);
		c->uids[c->n_uids] = (uid_t)json_integer_value(at);
	}
	return 0;
}

static int read_scopes(struct view_client *c, const json_t *array, struct error *err)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *name = json_string_value(json_array_get(array, i));
		uint32_t bit = 0;

		for (size_t k = 0; name && k < ARRAY_LEN(scopes); k++)
			if (strcmp(scopes[k].name, name) == 0)
				bit = scopes[k].bit;
		if (bit == 0)
			return fail(err, ERR_INTERNAL, "client %s: scopes", c->name);
		c->scopes |= bit;
	}
	return 0;
}

static int read_client(struct view_client *c, const json_t *value, struct error *err)
{
	const char *name = json_string_value(json_object_get(value, "name"));
	const char *cert = json_string_value(json_object_get(value, "cert"));
	json_int_t most = json_integer_value(json_object_get(value, "max_concurrent"));

	if (!name || !*name || strlen(name) > 127 || most < 0)
		return fail(err, ERR_INTERNAL, "a client without a name");
	c->name = strdup(name);
	c->cert = cert && *cert ? strdup(cert) : NULL;
	if (!c->name || (cert && *cert && !c->cert))
		return fail_sys(err, "read a client");
	c->max_concurrent = (uint64_t)most;
	if (read_keys(c, json_object_get(value, "key_sha256"), err) < 0 ||
	    read_uids(c, json_object_get(value, "uids"), err) < 0)
		return -1;
	return read_scopes(c, json_object_get(value, "scopes"), err);
}

static int read_clients(struct view *v, const json_t *array, struct error *err)
{
	size_t n = json_array_size(array);

	if (n > VIEW_CLIENTS_MAX)
		return fail(err, ERR_INTERNAL, "more than %d clients", VIEW_CLIENTS_MAX);
	v->clients = calloc(n + 1, sizeof(*v->clients));
	if (!v->clients)
		return fail_sys(err, "read clients");
	for (; v->n_clients < n;) {
		struct view_client *c = &v->clients[v->n_clients++];

		if (read_client(c, json_array_get(array, v->n_clients - 1), err) < 0)
			return -1;
	}
	return 0;
}

/* The address in "tls:10.0.0.1:8640" or "[::1]:8640"; NULL: there is none, or no memory. */
static char *listen_host(const char *listen)
{
	const char *end;

	if (strncmp(listen, "tls:", 4) == 0)
		listen += 4;
	if (strncmp(listen, "unix:", 5) == 0)
		return NULL;
	end = *listen == '[' ? strchr(listen, ']') : strrchr(listen, ':');
	if (!end)
		return NULL;
	return strndup(listen, (size_t)(end - listen) + (*listen == '['));
}

/* Whoever names the address that we listen at means us.  (No page can choose an address.) */
static int add_listeners(struct view *v, const json_t *listen, struct error *err)
{
	size_t n = json_array_size(listen);
	char **items = realloc(v->hosts.items, (v->hosts.n + n + 1) * sizeof(*items));

	if (!items)
		return fail_sys(err, "read where it listens");
	v->hosts.items = items;
	for (size_t i = 0; i < n; i++) {
		const char *text = json_string_value(json_array_get(listen, i));
		char *host = text ? listen_host(text) : NULL;

		if (host)
			items[v->hosts.n++] = host;
	}
	items[v->hosts.n] = NULL;
	return 0;
}

/* What a concurrency of 0 means. */
static uint64_t by_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 2 ? 2 * (uint64_t)n : 4;
}

static int fill(struct view *v, const json_t *root, struct error *err)
{
	const json_t *serve = json_object_get(root, "serve");
	const char *sha = json_string_value(json_object_get(root, "policy_sha256"));
	const json_t *bare = json_object_get(serve, "loopback_without_key");

	if (!json_is_object(serve) || !sha || strlen(sha) != 64 || !json_is_boolean(bare))
		return fail(err, ERR_INTERNAL, "not a view of a policy");
	memcpy(v->policy_sha256, sha, sizeof(v->policy_sha256));
	v->loopback_without_key = json_is_true(bare);
	if (read_numbers(v, serve, err) < 0 ||
	    read_list(json_object_get(serve, "hosts"), NULL, &v->hosts, err) < 0 ||
	    add_listeners(v, json_object_get(serve, "listen"), err) < 0 ||
	    read_list(json_object_get(serve, "origins"), NULL, &v->origins, err) < 0 ||
	    read_list(json_object_get(root, "tools"), "name", &v->tools, err) < 0)
		return -1;
	if (v->concurrency == 0)
		v->concurrency = by_processors();
	return read_clients(v, json_object_get(root, "clients"), err);
}

struct view *view_read(const char *text, size_t len, struct error *err)
{
	own_json root = jsonread(text, len, VIEW_BYTES_MAX, err);
	struct view *v = root ? calloc(1, sizeof(*v)) : NULL;

	if (!v) {
		if (root)
			(void)fail_sys(err, "read the view");
		return NULL;
	}
	if (fill(v, root, err) < 0) {
		(void)fail_in(err, "view of the policy");
		view_free(v);
		return NULL;
	}
	return v;
}

struct view *view_read_fd(int fd, struct error *err)
{
	struct stat st;
	struct view *v;
	own_mem char *text = NULL;
	ssize_t n;

	if (fstat(fd, &st) < 0 || st.st_size <= 0 || st.st_size > VIEW_BYTES_MAX) {
		(void)fail(err, ERR_INTERNAL, "view of the policy: no text");
		return NULL;
	}
	text = malloc((size_t)st.st_size);
	n = text ? pread(fd, text, (size_t)st.st_size, 0) : -1;
	if (n != st.st_size) {
		(void)fail_sys(err, "read the view of the policy");
		return NULL;
	}
	v = view_read(text, (size_t)n, err);
	return v;
}

static void free_list(struct view_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i]);
	free(l->items);
}

void view_free(struct view *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->n_clients; i++) {
		struct view_client *c = &v->clients[i];

		free(c->name);
		free(c->keys);
		free(c->uids);
		free(c->cert);
	}
	free(v->clients);
	free_list(&v->hosts);
	free_list(&v->origins);
	free_list(&v->tools);
	free(v);
}

const struct view_client *view_client(const struct view *v, const char *name)
{
	for (size_t i = 0; v && i < v->n_clients; i++)
		if (strcmp(v->clients[i].name, name) == 0)
			return &v->clients[i];
	return NULL;
}
