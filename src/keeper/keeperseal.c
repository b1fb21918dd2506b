/* SPDX-License-Identifier: Apache-2.0 */
/* keeperseal.c - a keeper gives up everything that serving calls does not need.
 *
 * It reads hostile code and hostile output, and holds secrets: whoever captures
 * it must find nothing else.  The policy is read and its rules are compiled by
 * now.  What is left to open by name: secrets that may have changed, directories
 * whose files a tool is granted by a pattern, /dev/null, and, if bodies are
 * kept, where they are put.  The log itself is written by the scribe: a keeper
 * may not even read it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "audit/blob.h"
#include "base/own.h"
#include "keeper/keeper.h"
#include "keeper/view.h"
#include "sandbox/native/roleseal.h"

enum {
	/* As many as there can be: where boxes have our uid, what they have in flight in sockets of
	 * theirs counts for us, too, and beyond this we could hand over no descriptor any more. */
	FILES_MAX = 131072,
	FILES_MIN = 64,
	BEFORE = 4,
};
#define DATA_MAX (UINT64_C(2) << 30)

#define UNIX_OF(kind)                                                          \
	.checked = true, .arg = 0, .value = AF_UNIX, .both = true, .other = 1, \
	.also = (kind) | SOCK_CLOEXEC

static const struct role_call keeper_calls[] = {
	{.nr = __NR_pipe2, .why = "a program's input and output"},
	{.nr = __NR_openat2, .why = "paths that a caller names, beneath their roots"},
	/* Landlock does not say whom a socket with a name is connected to, and in root mode we are
	 * root to whoever asks: so of the one kind only that the scribe listens on.  Those that
	 * rule a host (D-Bus, containers, systemd) listen on others, and a pair of streams
	 * cannot be connected anew. */
	{.nr = __NR_socket, .why = "the scribe's", UNIX_OF(SOCK_SEQPACKET)},
	{.nr = __NR_socketpair, .why = "what a kept box tells", UNIX_OF(SOCK_SEQPACKET)},
	{.nr = __NR_socketpair, .why = "snippets", UNIX_OF(SOCK_STREAM)},
	{.nr = __NR_connect, .why = "the scribe"},
	{.nr = __NR_setsockopt, .why = "how long the scribe is waited for"},
	{.nr = __NR_sched_getaffinity, .why = "where it may run"},
	{.nr = __NR_sched_setaffinity, .why = "beside the scribe", .checked = true},
	{.nr = __NR_wait4, .why = "nobody; libc asks"},
	{.nr = __NR_waitid, .why = "the end of a slot"},
	{.nr = __NR_pidfd_send_signal, .why = "the end of a slot; who may, the kernel says"},
};
static const struct role_calls own_calls = {keeper_calls, ARRAY_LEN(keeper_calls)};

struct rules {
	struct role_rule *list;
	char **paths; /* made for a rule; freed when it is over */
	size_t n, n_paths;
};

static void rules_end(struct rules *r)
{
	for (size_t i = 0; i < r->n_paths; i++)
		free(r->paths[i]);
	free(r->paths);
	free(r->list);
}

static int add(struct rules *r, struct role_rule rule, struct error *err)
{
	if (r->n == ROLE_RULES_MAX)
		return fail(err, ERR_CONFIG,
			    "the policy has more than %d secrets and patterns for files",
			    ROLE_RULES_MAX - BEFORE);
	r->list[r->n++] = rule;
	return 0;
}

static bool is_there(const struct rules *r, const char *path)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->list[i].path && strcmp(r->list[i].path, path) == 0)
			return true;
	return false;
}

static int add_secrets(struct rules *r, const struct tool *t, struct error *err)
{
	for (size_t i = 0; i < t->n_secrets; i++) {
		const struct role_rule rule = {
			.fd = -1,
			.path = t->secrets[i].file,
			.rights = LANDLOCK_READ,
			.may_lack = true,
		};

		if (!is_there(r, rule.path) && add(r, rule, err) < 0)
			return -1;
	}
	return 0;
}

/* Whoever lists a directory may read its names, and no file in it. */
static int add_patterns(struct rules *r, const struct tool *t, struct error *err)
{
	for (size_t i = 0; i < t->n_mounts; i++) {
		const char *source = t->mounts[i].source;
		size_t len = view_fixed_part(source);
		char *path;

		if (t->mounts[i].inside || source[len] == '\0')
			continue;
		path = strndup(source, len);
		if (!path)
			return fail_sys(err, "keep a path");
		if (is_there(r, path) || r->n == ROLE_RULES_MAX) {
			free(path);
			continue;
		}
		r->paths[r->n_paths++] = path;
		if (add(r,
			(struct role_rule){
				.fd = -1, .path = path, .rights = LANDLOCK_LIST, .may_lack = true},
			err) < 0)
			return -1;
	}
	return 0;
}

static int add_tools(struct rules *r, const struct policy *p, struct error *err)
{
	for (size_t i = 0; i < p->n_tools; i++)
		if (add_secrets(r, &p->tools[i], err) < 0 || add_patterns(r, &p->tools[i], err) < 0)
			return -1;
	return 0;
}

int keeper_seal(const struct keeper *k, struct error *err)
{
	own(rules) r = {.list = calloc(ROLE_RULES_MAX, sizeof(*r.list)),
			.paths = calloc(ROLE_RULES_MAX, sizeof(*r.paths))};
	struct blobs blobs = {.dir = -1};
	struct role_seal seal = {
		.name = "the keeper",
		.calls = {&role_messages, &role_loop, &role_reading, &role_writing, &role_memory,
			  &own_calls},
		.rules = r.list,
		.data_bytes = DATA_MAX,
		.files_most = FILES_MAX,
		.files_least = FILES_MIN,
		.allow_degraded = k->policy->allow_degraded,
	};
	int result;

	if (!r.list || !r.paths)
		return fail_sys(err, "prepare the seal");
	(void)add(&r, (struct role_rule){.fd = -1, .path = "/dev/null", .rights = LANDLOCK_READ},
		  err);
	(void)add(&r,
		  (struct role_rule){.fd = meter_file(k->meter),
				     .rights = LANDLOCK_READ | LANDLOCK_WRITE},
		  err);
	if (k->has_audit && k->policy->audit.bodies == BLOB_BODIES) {
		if (blobs_open(&blobs, k->audit.dir, err) < 0)
			return -1;
		(void)add(&r,
			  (struct role_rule){.fd = blobs.dir,
					     .rights = LANDLOCK_READ | LANDLOCK_WRITE},
			  err);
	}
	result = add_tools(&r, k->policy, err);
	seal.n_rules = r.n;
	if (result == 0)
		result = role_seal(&seal, NULL, err);
	blobs_close(&blobs);
	return result < 0 ? fail_in(err, "seal the keeper") : 0;
}
