/* SPDX-License-Identifier: Apache-2.0 */
/* frontseal.c - the front gives up everything that serving connections does not need.
 *
 * It is the one role that strangers talk to.  Whoever takes it over shall find
 * sockets that are open already and one directory of its own: no program to
 * start, no process to make, nobody to connect to, no file of anybody else.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/identity.h"
#include "sandbox/native/roleseal.h"
#include "serve/roles/frontrole.h"

enum {
	FRONT_UID = 1999999999, /* below the range of the boxes: no slot gets there */
	FILES_MOST = 131072,
	FILES_LEAST = 256,
	DATA_BYTES = 1 << 30,
};

static const struct role_call front_calls[] = {
	{.nr = __NR_accept4, .why = "clients"},
	{.nr = __NR_sched_getaffinity, .why = "where it may run"},
	{.nr = __NR_sched_setaffinity, .why = "not where a keeper works for it", .checked = true},
	{.nr = __NR_setsockopt, .why = "TCP_NODELAY and such of a client's connection"},
	{.nr = __NR_setitimer, .why = "not to be held up by what a client sends"},
	{.nr = __NR_getsockname, .why = "whether a connection is of this host"},
	{.nr = __NR_getpeername, .why = "who a client is"},
	{.nr = __NR_getcwd, .why = "SQLite makes names absolute"},
	{.nr = __NR_fchown, .why = "SQLite, when its files are root's; refused to all others"},
	{.nr = __NR_uname, .why = "libc"},
	{.nr = __NR_getppid, .why = "SQLite's locks"},
	{.nr = __NR_mkdirat, .why = "SQLite's locks"},
};
static const struct role_calls front_own = {front_calls, ARRAY_LEN(front_calls)};

/* Ours alone; in root mode that of a user who has nothing else. */
static int open_directory(const char *path, bool become, struct error *err)
{
	own_fd dir = -1;
	struct stat st;
	uid_t owner = become ? FRONT_UID : geteuid();

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return fail_sys(err, "make %s", path);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 || fstat(dir, &st) < 0)
		return fail_sys(err, "open %s", path);
	if (st.st_uid != owner && st.st_uid != geteuid())
		return fail(err, ERR_CONFIG, "%s belongs to uid %u: remove it", path, st.st_uid);
	if (fchown(dir, owner, become ? FRONT_UID : (gid_t)-1) < 0 || fchmod(dir, 0700) < 0)
		return fail_sys(err, "take over %s", path);
	return take_fd(&dir);
}

/* Its parents are root's and closed to others: only as a root of its own can it be entered. */
static int enter(int dir, bool become, struct error *err)
{
	if (fchdir(dir) < 0)
		return fail_sys(err, "enter the front's directory");
	if (!become)
		return 0;
	if (chroot(".") < 0 || chdir("/") < 0)
		return fail_sys(err, "take the front's directory for the root");
	return 0;
}

int front_seal(const struct front_config *c, const char **ret_directory, struct error *err)
{
	struct error ignored;
	bool become = identity_is_root_mode(&ignored);
	own_fd dir = open_directory(c->directory, become, err);
	struct role_rule rules[] = {{.fd = dir, .rights = LANDLOCK_READ | LANDLOCK_WRITE}};
	struct role_seal seal = {
		.name = "the front",
		.calls = {&role_messages, &role_loop, &role_reading, &role_writing, &role_memory,
			  &front_own},
		.rules = rules,
		.n_rules = ARRAY_LEN(rules),
		.become = become,
		.uid = FRONT_UID,
		.gid = FRONT_UID,
		.data_bytes = DATA_BYTES,
		.files_most = FILES_MOST,
		.files_least = FILES_LEAST,
		.allow_degraded = c->allow_degraded,
	};

	if (dir < 0 || enter(dir, become, err) < 0 || role_seal(&seal, NULL, err) < 0)
		return -1;
	*ret_directory = become ? "/" : c->directory;
	return 0;
}
