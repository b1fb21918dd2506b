/* SPDX-License-Identifier: Apache-2.0 */
/* readerseal.c - the reader gives up everything that reading one log does not need.
 *
 * Landlock lets it read the log's directory, because the checkpoint there is a
 * new file each time; but the key that signs lies beside it.  So the reader
 * goes into a mount namespace of its own and covers the key, before it gives up
 * the right to uncover it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "reader/readrole.h"
#include "sandbox/native/roleseal.h"
#include "sandbox/native/seal.h"

enum { FILES_MAX = 64, FILES_MIN = 24, DATA_MAX = 1 << 30, KEY_MOMENTS = 100 };

static const char key_name[] = "key";

/* As the same user, in a user namespace in which we may mount. */
static int enter_as_user(struct error *err)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	char map[64];

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return fail_sys(err, "a user and a mount namespace");
	(void)snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	if (fd_put_file(AT_FDCWD, "/proc/self/setgroups", "deny", err) < 0 ||
	    fd_put_file(AT_FDCWD, "/proc/self/uid_map", map, err) < 0)
		return -1;
	(void)snprintf(map, sizeof(map), "%u %u 1", gid, gid);
	return fd_put_file(AT_FDCWD, "/proc/self/gid_map", map, err);
}

static int enter(struct error *err)
{
	if (unshare(CLONE_NEWNS) < 0 && enter_as_user(err) < 0)
		return -1;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return fail_sys(err, "keep mounts to ourselves");
	return 0;
}

/* Of a new log the scribe makes the key while we start.  A reader that came before it has to end at
 * the first question, so it is worth a moment. */
static void await_key(int directory)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	struct stat st;

	for (int i = 0; i < KEY_MOMENTS; i++) {
		if (fstatat(directory, key_name, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
			return;
		(void)nanosleep(&moment, NULL);
	}
}

/* What is there is covered; what is not may come later, and is looked for each time. */
static int cover_key(int directory, struct error *err)
{
	char path[64];
	struct stat st;

	if (fstatat(directory, key_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : fail_sys(err, "look at the key");
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", directory, key_name);
	if (mount("/dev/null", path, NULL, MS_BIND, NULL) < 0)
		return fail_sys(err, "cover the key");
	return 0;
}

bool reader_key_is_covered(const struct reader *r)
{
	struct stat st;

	if (r->key_in_sight)
		return true;
	if (fstatat(r->directory, key_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT;
	return S_ISCHR(st.st_mode);
}

int reader_enter(struct reader *r, const char *path, uint32_t allow_degraded, struct error *err)
{
	struct error why = {0};
	bool inside = enter(&why) == 0;

	/* From in there: a descriptor of before would lead around what is mounted now. */
	r->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->directory < 0)
		return fail_sys(err, "the log in %s", path);
	await_key(r->directory);
	/* A user has capabilities in there; root's go with the seal. */
	if (inside && cover_key(r->directory, &why) == 0 &&
	    (geteuid() == 0 || seal_bounding_set(&why) == 0))
		return 0;
	r->key_in_sight = allow_degraded & 1u << LAYER_MOUNT_NAMESPACE;
	if (r->key_in_sight)
		return 0;
	*err = why;
	return fail_in(err, "the reader is not sealed (%s)", layer_name(LAYER_MOUNT_NAMESPACE));
}

int reader_seal(const struct reader *r, int place, uint32_t allow_degraded, struct error *err)
{
	const struct role_rule rules[] = {
		{.fd = r->directory, .rights = LANDLOCK_READ},
		{.fd = place, .rights = LANDLOCK_READ | LANDLOCK_WRITE},
	};
	const struct role_seal seal = {
		.name = "the reader",
		.calls = {&role_messages, &role_reading, &role_writing, &role_memory},
		.rules = rules,
		.n_rules = place < 0 ? 1 : ARRAY_LEN(rules),
		.data_bytes = DATA_MAX,
		.files_most = FILES_MAX,
		.files_least = FILES_MIN,
		.allow_degraded = allow_degraded,
	};

	return role_seal(&seal, NULL, err);
}
