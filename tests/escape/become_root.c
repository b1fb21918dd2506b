/* SPDX-License-Identifier: Apache-2.0 */
/* become_root.c - attacks the single id: become another user or group, or gain rights by calls. */
#include <grp.h>
#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "escape.h"

static void by_uid(int argc, char **argv)
{
	(void)argc;
	tried("%s", argv[1]);
	end_by(setresuid(0, 0, 0), "setresuid(0)");
}

static void by_gid(int argc, char **argv)
{
	(void)argc;
	tried("%s", argv[1]);
	end_by(setresgid(0, 0, 0), "setresgid(0)");
}

static void by_groups(int argc, char **argv)
{
	gid_t group = 0;

	(void)argc;
	tried("%s", argv[1]);
	end_by(setgroups(1, &group), "setgroups");
}

static void by_fsuid(int argc, char **argv)
{
	(void)argc;
	tried("%s", argv[1]);
	(void)setfsuid(0);
	end_by(setfsuid((uid_t)-1) == 0 ? 0 : -1, "setfsuid(0)");
}

static void by_capset(int argc, char **argv)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
		{.effective = 1U << CAP_NET_RAW, .permitted = 1U << CAP_NET_RAW},
	};

	(void)argc;
	tried("%s", argv[1]);
	end_by(syscall(SYS_capset, &head, data), "capset");
}

static void by_limit(int argc, char **argv)
{
	struct rlimit limit;

	(void)argc;
	tried("%s", argv[1]);
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		cannot("getrlimit: %m");
	limit.rlim_cur = limit.rlim_max = limit.rlim_max + 1;
	end_by(setrlimit(RLIMIT_NOFILE, &limit), "raise RLIMIT_NOFILE");
}

static const struct way ways[] = {
	{"uid", by_uid},       /* root */
	{"gid", by_gid},       /* root's group */
	{"groups", by_groups}, /* one more group */
	{"fsuid", by_fsuid},   /* for files only */
	{"capset", by_capset}, /* capabilities now */
	{"limit", by_limit},   /* above the hard limit */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
