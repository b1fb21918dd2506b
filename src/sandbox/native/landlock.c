/* SPDX-License-Identifier: Apache-2.0 */
/* landlock.c - says once more, to the kernel's Landlock, what the mounts say already.
 *
 * Every right the kernel knows is handled, that is: refused unless a rule
 * grants it.  The rights came to the kernel one after the other, and a kernel
 * rejects a ruleset with a right it does not know; so each has the ABI since
 * which it exists, and older kernels get what they can check.
 *
 * Structures and numbers are our own: the headers of Debian 12 end at ABI 2.
 */
#include "sandbox/native/landlock.h"

#include <asm/unistd.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

struct ruleset_attr {
	uint64_t fs;
	uint64_t net;
	uint64_t scoped;
};

struct path_beneath_attr {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

enum { CREATE_VERSION = 1, RULE_PATH_BENEATH = 1 };
enum { SCOPE_ABSTRACT_UNIX = 1 << 0, SCOPE_SIGNAL = 1 << 1, ABI_SCOPES = 6 };
enum { NET_BIND_TCP = 1 << 0, NET_CONNECT_TCP = 1 << 1, ABI_NET = 4 };

struct right {
	uint32_t bit;
	int abi;          /* since */
	uint32_t granted; /* by which of our rights; 0: by none */
	bool on_files;    /* else it is about what a directory contains */
};

static const struct right rights[] = {
	{1 << 0, 1, LANDLOCK_EXECUTE, true},                 /* execute */
	{1 << 1, 1, LANDLOCK_WRITE | LANDLOCK_DEVICE, true}, /* write_file */
	{1 << 2, 1, LANDLOCK_READ | LANDLOCK_DEVICE, true},  /* read_file */
	{1 << 3, 1, LANDLOCK_READ | LANDLOCK_LIST, false},   /* read_dir */
	{1 << 4, 1, LANDLOCK_WRITE, false},                  /* remove_dir */
	{1 << 5, 1, LANDLOCK_WRITE, false},                  /* remove_file */
	{1 << 6, 1, 0, false},                               /* make_char */
	{1 << 7, 1, LANDLOCK_WRITE, false},                  /* make_dir */
	{1 << 8, 1, LANDLOCK_WRITE, false},                  /* make_reg */
	{1 << 9, 1, LANDLOCK_WRITE, false},                  /* make_sock */
	{1 << 10, 1, LANDLOCK_WRITE, false},                 /* make_fifo */
	{1 << 11, 1, 0, false},                              /* make_block */
	{1 << 12, 1, LANDLOCK_WRITE, false},                 /* make_sym */
	{1 << 13, 2, LANDLOCK_WRITE, false},                 /* refer */
	{1 << 14, 3, LANDLOCK_WRITE, true},                  /* truncate */
	{1 << 15, 5, LANDLOCK_DEVICE, true},                 /* ioctl_dev */
	{1 << 16, 9, 0, true},                               /* resolve_unix: see below */
};
/* resolve_unix is about connecting to sockets that were made outside: for those inside the same
 * domain the kernel needs no rule, and the host's are not for us even where we may write. */

static uint64_t handled(int abi)
{
	uint64_t all = 0;

	for (size_t i = 0; i < ARRAY_LEN(rights); i++)
		if (rights[i].abi <= abi)
			all |= rights[i].bit;
	return all;
}

/* The kernel rejects a rule on a file that speaks of directories. */
static uint64_t granted(int abi, uint32_t ours, bool directory)
{
	uint64_t all = 0;

	for (size_t i = 0; i < ARRAY_LEN(rights); i++)
		if (rights[i].abi <= abi && rights[i].granted & ours &&
		    (directory || rights[i].on_files))
			all |= rights[i].bit;
	return all;
}

int landlock_abi(void)
{
	long abi = syscall(__NR_landlock_create_ruleset, NULL, 0, CREATE_VERSION);

	return abi < 0 ? 0 : (int)abi;
}

static int create_ruleset(int abi, bool loopback, struct error *err)
{
	struct ruleset_attr attr = {.fs = handled(abi)};
	long fd;

	if (abi >= ABI_NET && !loopback)
		attr.net = NET_BIND_TCP | NET_CONNECT_TCP;
	if (abi >= ABI_SCOPES)
		attr.scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
	/* Older kernels accept the longer structure as long as what they do not know is zero. */
	fd = syscall(__NR_landlock_create_ruleset, &attr, sizeof(attr), 0);
	return fd < 0 ? fail_sys(err, "landlock: create a ruleset") : (int)fd;
}

/* One that is taken for a directory and is none makes the rule fail. */
static int is_directory(const struct landlock_rule *rule, bool *ret, struct error *err)
{
	struct stat st;

	*ret = !(rule->rights & LANDLOCK_DEVICE);
	if (rule->rights & LANDLOCK_KNOWN)
		return 0;
	if (fstat(rule->fd, &st) < 0)
		return fail_sys(err, "landlock: look at descriptor %d", rule->fd);
	*ret = S_ISDIR(st.st_mode);
	return 0;
}

static int add_rule(int ruleset, int abi, const struct landlock_rule *rule, struct error *err)
{
	struct path_beneath_attr attr = {.fd = rule->fd};
	bool directory;

	if (is_directory(rule, &directory, err) < 0)
		return -1;
	attr.allowed = granted(abi, rule->rights, directory);
	/* The kernel rejects a rule that grants nothing. */
	if (attr.allowed == 0)
		return 0;
	if (syscall(__NR_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &attr, 0) < 0)
		return fail_sys(err, "landlock: add a rule for descriptor %d", rule->fd);
	return 0;
}

int landlock_open(bool loopback, int *ret_abi, struct error *err)
{
	int abi = landlock_abi();
	int ruleset;

	if (abi < 1)
		return fail(err, ERR_CONFIG,
			    "landlock is missing: build the kernel with CONFIG_SECURITY_LANDLOCK "
			    "and start it with landlock in lsm=");
	if (abi > LANDLOCK_ABI_NEWEST)
		abi = LANDLOCK_ABI_NEWEST;
	ruleset = create_ruleset(abi, loopback, err);
	if (ruleset >= 0)
		*ret_abi = abi;
	return ruleset;
}

int landlock_allow(int ruleset, int abi, const struct landlock_rule *rule, struct error *err)
{
	return add_rule(ruleset, abi, rule, err);
}

int landlock_enter(int ruleset, struct error *err)
{
	if (syscall(__NR_landlock_restrict_self, ruleset, 0) < 0)
		return fail_sys(err, "landlock: restrict ourselves");
	return 0;
}
