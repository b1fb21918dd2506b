/* SPDX-License-Identifier: Apache-2.0 */
/* crosscheck.c - do the clients and tools of all files fit together? */
#include "policy/crosscheck.h"

#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "policy/reader.h"

enum { NAMES_MAX = 2048 };

static void complain_second(struct complaints *ret, const char *what, const char *name,
			    struct place here, struct place there)
{
	char path[120];

	(void)snprintf(path, sizeof(path), "%ss.%s", what, name);
	complain(ret, here, path, "there is a %s '%s' already: %s:%u:%u", what, name,
		 there.file ? there.file : "", there.line, there.column);
}

/* Within one file the reader has refused it already. */
static void check_same_names(const struct policy *p, struct complaints *ret)
{
	for (size_t i = 0; i < p->n_tools; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(p->tools[i].name, p->tools[k].name) == 0) {
				complain_second(ret, "tool", p->tools[i].name, p->tools[i].place,
						p->tools[k].place);
				break;
			}
	for (size_t i = 0; i < p->n_clients; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(p->clients[i].name, p->clients[k].name) == 0) {
				complain_second(ret, "client", p->clients[i].name,
						p->clients[i].place, p->clients[k].place);
				break;
			}
}

/* Two clients that one caller could be. */
static void complain_pair(struct complaints *ret, const struct client *one,
			  const struct client *other, const char *what)
{
	char path[120];

	(void)snprintf(path, sizeof(path), "clients.%s.%s", one->name, what);
	complain(ret, one->place, path,
		 "the same %s belongs to client '%s' already (%s:%u:%u): nobody could say who "
		 "calls",
		 what, other->name, other->place.file ? other->place.file : "", other->place.line,
		 other->place.column);
}

static bool share_uid(const struct client *one, const struct client *other)
{
	if (one->any_uid && other->any_uid)
		return true;
	for (size_t i = 0; i < one->n_uids; i++)
		for (size_t k = 0; k < other->n_uids; k++)
			if (one->uids[i] == other->uids[k])
				return true;
	return false;
}

static bool share_key(const struct client *one, const struct client *other)
{
	for (size_t i = 0; i < one->key_sha256.n; i++)
		for (size_t k = 0; k < other->key_sha256.n; k++)
			if (strcmp(one->key_sha256.word[i], other->key_sha256.word[k]) == 0)
				return true;
	return false;
}

static void check_certificates(const struct policy *p, struct complaints *ret)
{
	char path[120];

	for (size_t i = 0; i < p->n_clients; i++) {
		const struct client *c = &p->clients[i];

		if (!c->cert || p->serve.tls.client_ca)
			continue;
		(void)snprintf(path, sizeof(path), "clients.%s.cert", c->name);
		complain(ret, c->place, path,
			 "nobody is asked for a certificate: serve.tls.client_ca is missing");
	}
}

static void check_who_is_who(const struct policy *p, struct complaints *ret)
{
	for (size_t i = 0; i < p->n_clients; i++)
		for (size_t k = 0; k < i; k++) {
			const struct client *one = &p->clients[i], *other = &p->clients[k];

			if (share_key(one, other))
				complain_pair(ret, one, other, "key_sha256");
			if (one->cert && other->cert && strcmp(one->cert, other->cert) == 0)
				complain_pair(ret, one, other, "cert");
			if (share_uid(one, other))
				complain_pair(ret, one, other, "uid");
		}
}

static bool matches_some(const struct policy *p, const char *pattern)
{
	for (size_t i = 0; i < p->n_tools; i++)
		if (glob_match(pattern, p->tools[i].name))
			return true;
	return false;
}

static void suggest_tool(const struct policy *p, const char *name, char *ret, size_t room)
{
	const char *names[NAMES_MAX + 1] = {NULL};

	for (size_t i = 0; i < p->n_tools && i < NAMES_MAX; i++)
		names[i] = p->tools[i].name;
	reader_suggest(name, names, ret, room);
}

static void check_references(const struct policy *p, const struct reference *list,
			     struct complaints *ret)
{
	char near[80];
	struct error err;

	for (const struct reference *one = list; one; one = one->next) {
		bool pattern = strpbrk(one->tool, "*?[\\") != NULL;

		if (pattern && glob_check(one->tool, &err) < 0) {
			complain(ret, one->place, one->path, "%s", err.text);
		} else if (pattern && !matches_some(p, one->tool)) {
			complain(ret, one->place, one->path, "no tool matches '%.70s'", one->tool);
		} else if (!pattern && !policy_tool(p, one->tool)) {
			suggest_tool(p, one->tool, near, sizeof(near));
			complain(ret, one->place, one->path, "there is no tool '%.70s'%s",
				 one->tool, near);
		}
	}
}

static void check_tests(const struct policy *p, struct complaints *ret)
{
	char path[120];

	for (size_t i = 0; i < p->n_tools; i++)
		for (size_t k = 0; k < p->tools[i].n_tests; k++) {
			const struct policy_test *t = &p->tools[i].tests[k];

			if (!t->client || policy_client(p, t->client))
				continue;
			(void)snprintf(path, sizeof(path), "tools.%s.test[%zu].client",
				       p->tools[i].name, k);
			complain(ret, t->place, path, "there is no client '%.70s'", t->client);
		}
}

void crosscheck(const struct policy *p, const struct reference *list, struct complaints *ret)
{
	check_same_names(p, ret);
	check_who_is_who(p, ret);
	check_certificates(p, ret);
	check_references(p, list, ret);
	check_tests(p, ret);
}
