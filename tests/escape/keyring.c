/* SPDX-License-Identifier: Apache-2.0 */
/* keyring.c - attacks the keyrings, which belong to users and sessions, not to namespaces.
 *
 * add: keep a key where a later box might find it.  search NAME: find the caller's key.
 * request NAME: the same by the kernel's own search.  join: take part in a session by name.
 */
#include <linux/keyctl.h>
#include <sys/syscall.h>

#include "escape.h"

static void by_add(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	tried("add_key");
	end_by(syscall(SYS_add_key, "user", "belljar-escape-own", "x", 1, KEY_SPEC_PROCESS_KEYRING),
	       "add_key");
}

static void by_search(int argc, char **argv)
{
	const char *name = need_arg(argc, argv, 2, "name");

	tried("search the keyrings for %s", name);
	for (int ring = KEY_SPEC_THREAD_KEYRING; ring >= KEY_SPEC_USER_SESSION_KEYRING; ring--)
		if (syscall(SYS_keyctl, KEYCTL_SEARCH, ring, "user", name, 0) >= 0)
			escaped("found in keyring %d", ring);
	blocked("keyctl: %m");
}

static void by_request(int argc, char **argv)
{
	const char *name = need_arg(argc, argv, 2, "name");

	tried("request_key %s", name);
	end_by(syscall(SYS_request_key, "user", name, NULL, 0), "request_key");
}

static void by_join(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	tried("join a session keyring");
	end_by(syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL), "keyctl");
}

static const struct way ways[] = {
	{"add", by_add},         /* leave one */
	{"search", by_search},   /* find one */
	{"request", by_request}, /* have one found */
	{"join", by_join},       /* take part */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
