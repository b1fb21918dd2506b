/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>

#include "call/listen.h"
#include "lib/wardentalk.h"
#include "policy/policy.h"
#include "tap.h"

static struct complaints complaints;

static struct policy *parse(const char *text)
{
	return policy_parse("t.yaml", text, strlen(text), &complaints);
}

/* Is this refused at that setting, with these words? */
static bool refused(const char *text, const char *path, const char *words)
{
	own_policy p = parse(text);

	for (size_t i = 0; i < complaints.n; i++)
		if (strcmp(complaints.list[i].path, path) == 0 &&
		    strstr(complaints.list[i].text, words))
			return !p;
	for (size_t i = 0; i < complaints.n; i++)
		printf("# %s: %s\n", complaints.list[i].path, complaints.list[i].text);
	return false;
}

static bool taken(const char *text)
{
	own_policy p = parse(text);

	for (size_t i = 0; i < complaints.n; i++)
		printf("# %s: %s\n", complaints.list[i].path, complaints.list[i].text);
	return p != NULL;
}

TEST(without_a_word_the_service_listens_at_home_and_asks_for_keys)
{
	own_policy p = parse("version: 1\n");
	const struct serve_rules *s = p ? &p->serve : NULL;

	CHECK(s && s->listen.n == 1 && strcmp(s->listen.word[0], "127.0.0.1:8640") == 0);
	CHECK(s && !s->loopback_without_key && !s->plaintext && !s->tls.cert);
	CHECK(s && s->queue == 64 && s->sessions == 64 && s->queue_wait_ms == 10000);
	CHECK(s && s->body_bytes == 4 << 20 && s->connections == 1024 && s->drain_ms == 30000);
	CHECK(s && s->calls_kept == 1000 && s->calls_kept_ms == 600000);
	CHECK(s && s->idempotency_ms == 86400000);
}

TEST(a_policy_asks_for_no_more_than_a_warden_has_places_for)
{
	CHECK(taken("version: 1\nserve: { concurrency: 1024, sessions: 1000, "
		    "sessions_ready: 64 }\n"));
	CHECK(2 * 1024 + 1000 + 2 * 64 + 2 * 8 <= WARDEN_KEEPERS_MAX);
	CHECK(refused("version: 1\nserve: { sessions: 1001 }\n", "serve.sessions", "1000"));
	CHECK(refused("version: 1\nserve: { concurrency: 1025 }\n", "serve.concurrency", "1024"));
	CHECK(refused("version: 1\nserve: { sessions_ready: 65 }\n", "serve.sessions_ready", "64"));
}

TEST(the_built_in_policy_needs_no_key_from_this_host)
{
	own_policy p = policy_load(NULL, &complaints);
	const struct tool *t = p ? policy_tool(p, "execute_code") : NULL;

	CHECK(p && p->serve.loopback_without_key && p->serve.listen.n == 1);
	CHECK(t && t->sessions.allow && t->sessions.ttl_ms == 3600000 && t->artifacts.allow);
	CHECK(t && !t->fresh && t->env_allow.n == 0);
	t = p ? policy_tool(p, "run_command") : NULL;
	CHECK(t && !t->sessions.allow && !t->artifacts.allow);
	CHECK(p && p->clients[0].scopes == (SCOPE_EXECUTE | SCOPE_READ));
}

#define TLS "tls: { cert: /c, key: /k }"

TEST(others_than_this_host_need_tls_or_a_word_that_they_do_not)
{
	CHECK(refused("version: 1\nserve: { listen: [\"0.0.0.0:80\"] }\n", "serve.listen[0]",
		      "in the clear"));
	CHECK(refused("version: 1\nserve: { listen: [\"127.0.0.1:0\", \"[::]:80\"] }\n",
		      "serve.listen[1]", "in the clear"));
	/* A certificate that this address does not use changes nothing. */
	CHECK(refused("version: 1\nserve: { listen: [\"0.0.0.0:80\"], " TLS " }\n",
		      "serve.listen[0]", "in the clear"));
	CHECK(refused("version: 1\nserve: { listen: [\"tls:0.0.0.0:80\"] }\n", "serve.listen[0]",
		      "no certificate"));
	CHECK(taken("version: 1\nserve: { listen: [\"0.0.0.0:80\"], plaintext: true }\n"));
	CHECK(taken("version: 1\nserve: { listen: [\"tls:0.0.0.0:80\"], " TLS " }\n"));
	CHECK(taken("version: 1\nserve: { listen: [\"unix:/run/x\", \"127.1.2.3:1\"] }\n"));
}

TEST(halves_of_tls_are_refused)
{
	CHECK(refused("version: 1\nserve: { tls: { cert: /c } }\n", "serve.tls",
		      "belong together"));
	CHECK(refused("version: 1\nserve: { tls: { client_ca: /c } }\n", "serve.tls",
		      "needs cert and key"));
	CHECK(refused("version: 1\nserve: { tls: { cert: c, key: /k } }\n", "serve.tls",
		      "absolute"));
	CHECK(refused("version: 1\nclients: { a: { cert: x, tools: [] } }\n", "clients.a.cert",
		      "client_ca is missing"));
	CHECK(taken("version: 1\nserve: { tls: { cert: /c, key: /k, client_ca: /a } }\n"
		    "clients: { a: { cert: x, tools: [] } }\n"));
}

TEST(hosts_and_origins_are_names_and_not_patterns)
{
	CHECK(refused("version: 1\nserve: { hosts: [\"*.example.com\"] }\n", "serve.hosts",
		      "not "
		      "like"));
	CHECK(refused("version: 1\nserve: { origins: [\"*\"] }\n", "serve.origins", "not like"));
	CHECK(refused("version: 1\nserve: { origins: [\"https://a/b\"] }\n", "serve.origins",
		      "not like"));
	CHECK(taken("version: 1\nserve: { hosts: [a.example.com], origins: "
		    "[\"https://a.example.com:8443\"] }\n"));
}

#define KEY_A "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
#define KEY_B "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"

TEST(a_client_may_have_several_keys_and_only_scopes_that_there_are)
{
	own_policy p = parse("version: 1\nclients: { a: { key_sha256: [" KEY_A ", " KEY_B
			     "], scopes: [audit, admin], max_concurrent: 3, tools: [] } }\n");

	CHECK(p && p->clients[0].key_sha256.n == 2);
	CHECK(p && p->clients[0].scopes == (SCOPE_AUDIT | SCOPE_ADMIN));
	CHECK(p && p->clients[0].max_concurrent == 3);
	CHECK(refused("version: 1\nclients: { a: { uid: 1, scopes: [exec], tools: [] } }\n",
		      "clients.a.scopes[0]", "execute"));
	CHECK(refused("version: 1\nclients:\n  a: { key_sha256: [" KEY_B ", " KEY_A
		      "], tools: [] }\n  b: { key_sha256: " KEY_A ", tools: [] }\n",
		      "clients.b.key_sha256", "client 'a'"));
	CHECK(refused("version: 1\nclients: { a: { key_sha256: [" KEY_A ", ABC], tools: [] } }\n",
		      "clients.a.key_sha256[1]", "64 hexadecimal"));
	CHECK(refused("version: 1\nclients: { a: { key_sha256: [], tools: [] } }\n",
		      "clients.a.key_sha256", "from 1 to 8"));
}

#define CODE(more) "version: 1\ntools: { t: { kind: code, languages: [bash], " more " } }\n"

TEST(what_a_tool_does_not_allow_the_service_does_not_do)
{
	own_policy p = parse(CODE("env_allow: [TZ]"));

	CHECK(p && !p->tools[0].sessions.allow && !p->tools[0].artifacts.allow);
	CHECK(p && p->tools[0].env_allow.n == 1);
	CHECK(refused(CODE("sessions: { ttl: 1h }"), "tools.t.sessions.allow", "missing"));
	CHECK(refused(CODE("env_allow: [\"A B\"]"), "tools.t.env_allow", "name of a variable"));
	CHECK(refused(CODE("env_allow: [LD_PRELOAD]"), "tools.t.env_allow", "LD_"));
	CHECK(refused("version: 1\ntools: { t: { kind: fetch, args: { u: { type: url, hosts: "
		      "[a.example.com] } }, sessions: { allow: true } } }\n",
		      "tools.t.sessions", "no box"));
}

TEST(a_word_to_listen_at_is_an_address_with_a_port_or_a_path)
{
	static const char *const bad[] = {
		"",
		"8640",
		"127.0.0.1",
		"127.0.0.1:",
		"127.0.0.1:65536",
		"127.1:80",
		"127.0.0.1:080",
		"127.0.0.1:-1",
		"127.0.0.1:+1",
		"localhost:80",
		"[::1]",
		"[::1]80",
		"[::1:80",
		"[fe80::1%eth0]:80",
		"::1:80",
		"unix:",
		"unix:/",
		"unix:x",
		"tls:unix:/x",
		"127.0.0.1:80 ",
		" 127.0.0.1:80",
		"tls:",
		"*:80",
		"http://127.0.0.1:80",
	};
	char path[200] = "unix:/";
	struct listen_word w;
	struct error err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (listen_parse(bad[i], &w, &err) == 0)
			printf("# taken: '%s'\n", bad[i]);
		CHECK(listen_parse(bad[i], &w, &err) < 0 && err.text[0]);
	}
	memset(path + 6, 'x', 107);
	CHECK(listen_parse(path, &w, &err) < 0 && strstr(err.text, "107"));
	path[5 + 107] = '\0';
	CHECK(listen_parse(path, &w, &err) == 0 && w.is_unix && w.loopback);
	CHECK(listen_parse("127.0.0.1:8640", &w, &err) == 0 && w.loopback && !w.tls);
	CHECK(ntohs(w.address.in.sin_port) == 8640 && w.address_len == sizeof(w.address.in));
	CHECK(listen_parse("tls:[::1]:0", &w, &err) == 0 && w.loopback && w.tls);
	CHECK(listen_parse("[::]:1", &w, &err) == 0 && !w.loopback);
	CHECK(listen_parse("[::ffff:127.0.0.1]:1", &w, &err) == 0 && !w.loopback);
	CHECK(listen_parse("10.0.0.1:1", &w, &err) == 0 && !w.loopback);
}
