/* SPDX-License-Identifier: Apache-2.0 */
/* frontauth_test.c - keys, certificates, uids and the loopback become clients; guessers wait. */
#include "serve/api/auth.h"

#include "base/sha256.h"
#include "tap.h"

#define ANN "f0e1bf4ad9b8c9c34e5d5b8ee2f8e5c8d1c1b4f4f5a0ab5e9bb9d0a2f2b0c6aa"

static struct view *view_of(const char *clients, bool loopback)
{
	char text[4096];
	struct error err = {0};
	struct view *v;

	(void)snprintf(
		text, sizeof(text),
		"{\"policy_sha256\":"
		"\"0000000000000000000000000000000000000000000000000000000000000000\",\"serve\":{"
		"\"listen\":[\"tls:10.0.0.1:1\",\"[::1]:2\",\"unix:/x\"],\"hosts\":[\"a\"],"
		"\"loopback_without_key\":%s,\"concurrency\":0,"
		"\"sessions\":1,\"sessions_ready\":0,\"queue\":1,\"queue_wait_ms\":1,\"body_"
		"bytes\":1024,"
		"\"connections\":1,\"head_wait_ms\":1,\"body_wait_ms\":1,\"idle_wait_ms\":1,"
		"\"calls_kept\":1,\"calls_kept_ms\":1,\"idempotency_ms\":1},\"clients\":[%s],"
		"\"tools\":[]}",
		loopback ? "true" : "false", clients);
	v = view_read(text, strlen(text), &err);
	if (!v)
		printf("# %s\n", err.text);
	return v;
}

/* The hash of a key, as hex. */
static const char *hash_of(const char *key)
{
	static char hex[4][SHA256_HEX];
	static size_t at;
	struct error err;
	struct sha256 s = {0};

	at = (at + 1) % 4;
	(void)sha256_load(&err);
	(void)sha256_init(&s, &err);
	(void)sha256_add(&s, key, strlen(key), &err);
	(void)sha256_done(&s, hex[at], &err);
	return hex[at];
}

static struct view *two_clients(bool loopback)
{
	char text[1024];

	(void)snprintf(text, sizeof(text),
		       "{\"name\":\"ann\",\"key_sha256\":[\"%s\",\"%s\"],\"uids\":[7],"
		       "\"cert\":\"ann.example\",\"scopes\":[\"execute\"]},"
		       "{\"name\":\"bob\",\"key_sha256\":[\"%s\"],\"uids\":\"any\",\"cert\":null,"
		       "\"scopes\":[\"read\",\"admin\"],\"max_concurrent\":3}",
		       hash_of("one"), hash_of("two"), hash_of("three"));
	return view_of(text, loopback);
}

static struct throttle throttle;

static const char *who(const struct view *v, const struct auth_ask *ask)
{
	const struct view_client *c = NULL;
	static const char *const names[] = {"none", "bad", "throttled"};
	enum auth result = auth_who(v, &throttle, ask, &c);

	return result == AUTH_OK ? c->name : names[result];
}

static const struct http_peer far_peer = {.address = "10.1.2.3"};
static const struct http_peer near_peer = {.address = "127.0.0.1", .loopback = true};

TEST(a_view_has_what_it_says)
{
	struct view *v = two_clients(true);

	CHECK(v != NULL);
	CHECK(v->n_clients == 2 && v->clients[0].n_keys == 2 && v->clients[1].any_uid);
	CHECK(v->clients[0].scopes == MAY_EXECUTE);
	CHECK(v->clients[1].scopes == (MAY_READ | MAY_ADMIN));
	CHECK(v->clients[1].max_concurrent == 3);
	CHECK(v->concurrency >= 4);
	CHECK(v->hosts.n == 3);
	CHECK_STR(v->hosts.items[0], "a");
	CHECK_STR(v->hosts.items[1], "10.0.0.1");
	CHECK_STR(v->hosts.items[2], "[::1]");
	CHECK(v->hosts.items[3] == NULL);
	view_free(v);
}

TEST(a_view_that_is_not_whole_is_none)
{
	struct error err = {0};

	CHECK(view_read("{}", 2, &err) == NULL);
	CHECK(view_read("", 0, &err) == NULL);
	CHECK(view_of("{\"name\":\"\"}", false) == NULL);
	CHECK(view_of("{\"name\":\"x\",\"key_sha256\":[\"12\"]}", false) == NULL);
	CHECK(view_of("{\"name\":\"x\",\"key_sha256\":[\"" ANN "x\"]}", false) == NULL);
	CHECK(view_of("{\"name\":\"x\",\"uids\":[-1]}", false) == NULL);
	CHECK(view_of("{\"name\":\"x\",\"uids\":\"all\"}", false) == NULL);
	CHECK(view_of("{\"name\":\"x\",\"scopes\":[\"everything\"]}", false) == NULL);
}

TEST(every_key_is_found_and_no_other)
{
	struct view *v = two_clients(false);

	CHECK_STR(who(v, &(struct auth_ask){&far_peer, "Bearer one", NULL, false, 1}), "ann");
	CHECK_STR(who(v, &(struct auth_ask){&far_peer, "bearer   two", NULL, false, 1}), "ann");
	CHECK_STR(who(v, &(struct auth_ask){&far_peer, NULL, "three", false, 1}), "bob");
	CHECK_STR(who(v, &(struct auth_ask){&far_peer, "Bearer four", NULL, false, 1}), "bad");
	CHECK_STR(who(v, &(struct auth_ask){&far_peer, "one", NULL, false, 1}), "bad");
	CHECK_STR(who(v, &(struct auth_ask){&far_peer, "Bearer one", "one", false, 1}), "bad");
	CHECK_STR(who(v, &(struct auth_ask){&far_peer, NULL, NULL, false, 1}), "none");
	view_free(v);
}

TEST(uids_certificates_and_loopback)
{
	struct view *v = two_clients(true);
	struct http_peer seven = {.is_unix = true, .uid = 7}, eight = {.is_unix = true, .uid = 8};
	struct http_peer cert = {.tls = true, .cert = "ann.example", .loopback = true};
	struct http_peer stranger = {.tls = true, .cert = "x.example", .loopback = true};

	CHECK_STR(who(v, &(struct auth_ask){.peer = &seven}), "ann");
	CHECK_STR(who(v, &(struct auth_ask){.peer = &eight}), "bob");
	CHECK_STR(who(v, &(struct auth_ask){.peer = &eight, .api_key = "no"}), "bad");
	CHECK_STR(who(v, &(struct auth_ask){.peer = &cert}), "ann");
	CHECK_STR(who(v, &(struct auth_ask){.peer = &stranger}), "none");
	CHECK_STR(who(v, &(struct auth_ask){.peer = &near_peer}), "bob");
	CHECK_STR(who(v, &(struct auth_ask){.peer = &near_peer, .forwarded = true}), "none");
	CHECK_STR(who(v, &(struct auth_ask){.peer = &near_peer, .api_key = "no"}), "bad");
	CHECK_STR(who(v, &(struct auth_ask){.peer = &far_peer}), "none");
	view_free(v);
	v = two_clients(false);
	CHECK_STR(who(v, &(struct auth_ask){.peer = &near_peer}), "none");
	view_free(v);
}

TEST(guessers_wait_and_their_neighbours_do_not)
{
	struct view *v = two_clients(false);
	uint64_t now = 1000000;

	CHECK_STR(who(v, &(struct auth_ask){&far_peer, NULL, "one", false, now}), "ann");
	for (int i = 0; i < THROTTLE_TRIES; i++)
		CHECK_STR(who(v, &(struct auth_ask){&far_peer, NULL, "x", false, now}), "bad");
	CHECK_STR(who(v, &(struct auth_ask){&far_peer, NULL, "x", false, now}), "throttled");
	CHECK_STR(who(v, &(struct auth_ask){&far_peer, NULL, "three", false, now}), "throttled");
	CHECK_STR(who(v, &(struct auth_ask){&far_peer, NULL, "one", false, now}), "ann");
	CHECK_STR(who(v, &(struct auth_ask){&near_peer, NULL, "x", false, now}), "bad");
	now += THROTTLE_REFILL_S * UINT64_C(1000000);
	CHECK_STR(who(v, &(struct auth_ask){&far_peer, NULL, "three", false, now}), "bob");
	view_free(v);
}

TEST(an_ipv6_guesser_counts_by_his_network)
{
	struct http_peer one = {.address = "2001:db8:1:2::1"}, two = {.address = "2001:db8:1:2::9"};
	struct http_peer far = {.address = "2001:db8:1:3::1"};

	for (int i = 0; i < THROTTLE_TRIES; i++)
		throttle_bad(&throttle, &one, 1);
	CHECK(throttle_blocks(&throttle, &two, 1, 1));
	CHECK(!throttle_blocks(&throttle, &far, 1, 1));
}

TEST(whoever_was_not_seen_for_longest_is_forgotten)
{
	struct http_peer first = {.address = "10.0.0.1"};

	for (int i = 0; i < THROTTLE_TRIES; i++)
		throttle_bad(&throttle, &first, 1);
	CHECK(throttle_blocks(&throttle, &first, 1, 1));
	for (unsigned i = 0; i < 100000; i++) {
		struct http_peer p = {0};

		(void)snprintf(p.address, sizeof(p.address), "11.%u.%u.%u", i >> 16, i >> 8 & 255,
			       i & 255);
		throttle_bad(&throttle, &p, 2);
	}
	CHECK(!throttle_blocks(&throttle, &first, 1, 2));
}
