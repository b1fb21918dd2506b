/* SPDX-License-Identifier: Apache-2.0 */
/* auth.c - a key, a certificate, a uid or the loopback become a client.
 *
 * In this order; what was given and is wrong ends it.  Keys are compared by
 * their hashes, each with every one that there is, and always all 32 bytes.
 */
#include "serve/api/auth.h"

#include <string.h>
#include <strings.h>

#include "base/sha256.h"

static bool hash_key(const char *key, unsigned char ret[static VIEW_KEY_BYTES])
{
	struct error err = {0};
	struct sha256 s = {0};
	char hex[SHA256_HEX];

	if (sha256_init(&s, &err) < 0)
		return false;
	if (sha256_add(&s, key, strlen(key), &err) < 0) {
		sha256_end(&s);
		return false;
	}
	if (sha256_done(&s, hex, &err) < 0)
		return false;
	for (size_t i = 0; i < VIEW_KEY_BYTES; i++) {
		unsigned high = (unsigned char)hex[2 * i], low = (unsigned char)hex[2 * i + 1];

		high = high > '9' ? high - 'a' + 10 : high - '0';
		low = low > '9' ? low - 'a' + 10 : low - '0';
		ret[i] = (unsigned char)(high * 16 + low);
	}
	return true;
}

/* 1 if they are the same, 0 if not, in the same time. */
static size_t same(const unsigned char *a, const unsigned char *b)
{
	uint32_t differ = 0;

	for (size_t i = 0; i < VIEW_KEY_BYTES; i++)
		differ |= (uint32_t)(a[i] ^ b[i]);
	return (size_t)(((uint64_t)differ - 1) >> 63);
}

static const struct view_client *by_hash(const struct view *v, const unsigned char *hash)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < v->n_clients; i++)
		for (size_t k = 0; k < v->clients[i].n_keys; k++) {
			size_t mask = (size_t)0 - same(v->clients[i].keys[k], hash);

			found = (found & ~mask) | (i & mask);
		}
	return found == SIZE_MAX ? NULL : &v->clients[found];
}

static enum auth by_key(const struct view *v, struct throttle *t, const struct auth_ask *ask,
			const char *key, const struct view_client **ret)
{
	unsigned char hash[VIEW_KEY_BYTES];
	const struct view_client *c = NULL;
	uint64_t mark;

	if (*key == '\0' || strlen(key) > AUTH_KEY_MAX || !hash_key(key, hash))
		return AUTH_BAD;
	memcpy(&mark, hash, sizeof(mark));
	if (t && throttle_blocks(t, ask->peer, mark, ask->now_us))
		return AUTH_THROTTLED;
	c = by_hash(v, hash);
	if (!c) {
		if (t)
			throttle_bad(t, ask->peer, ask->now_us);
		return AUTH_BAD;
	}
	if (t)
		throttle_good(t, ask->peer, mark, ask->now_us);
	*ret = c;
	return AUTH_OK;
}

static const struct view_client *by_cert(const struct view *v, const char *cert)
{
	for (size_t i = 0; i < v->n_clients; i++)
		if (v->clients[i].cert && strcmp(v->clients[i].cert, cert) == 0)
			return &v->clients[i];
	return NULL;
}

/* As policy_client_by_uid() chooses: whoever names the uid, else one that takes any. */
static const struct view_client *by_uid(const struct view *v, bool has_uid, uid_t uid)
{
	const struct view_client *any = NULL;

	for (size_t i = 0; i < v->n_clients; i++) {
		const struct view_client *c = &v->clients[i];

		for (size_t k = 0; has_uid && k < c->n_uids; k++)
			if (c->uids[k] == uid)
				return c;
		if (c->any_uid)
			any = c;
	}
	return any;
}

enum auth auth_who(const struct view *v, struct throttle *t, const struct auth_ask *ask,
		   const struct view_client **ret)
{
	const struct http_peer *peer = ask->peer;
	const struct view_client *c = NULL;

	if (ask->authorization && ask->api_key)
		return AUTH_BAD;
	if (ask->authorization) {
		const char *at = ask->authorization;

		if (strncasecmp(at, "Bearer ", 7) != 0)
			return AUTH_BAD;
		at += 7 + strspn(at + 7, " ");
		return by_key(v, t, ask, at, ret);
	}
	if (ask->api_key)
		return by_key(v, t, ask, ask->api_key, ret);
	if (peer->tls && peer->cert[0])
		c = by_cert(v, peer->cert);
	else if (peer->is_unix)
		c = by_uid(v, true, peer->uid);
	else if (peer->loopback && !ask->forwarded && v->loopback_without_key)
		c = by_uid(v, false, 0);
	if (!c)
		return AUTH_NONE;
	*ret = c;
	return AUTH_OK;
}
