/* SPDX-License-Identifier: Apache-2.0 */
/* roleseal.c - what a role of belljar gives up before it reads the first byte of anybody. */
#include "sandbox/native/roleseal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/rolecalls.h"
#include "sandbox/native/seal.h"
#include "sandbox/native/syscalls.h"
#include "sandbox/native/turns.h"

/* One role, on its way. */
struct sealing {
	const struct role_seal *role;
	int fds[ROLE_RULES_MAX]; /* of the rules; -1: not there */
};

static void sealing_end(struct sealing *s)
{
	for (size_t i = 0; i < s->role->n_rules; i++)
		if (s->role->rules[i].fd < 0)
			own_fd_end(&s->fds[i]);
}

/* While we may still go where the paths lead. */
static int open_rules(struct sealing *s, struct error *err)
{
	const struct role_seal *role = s->role;

	for (size_t i = 0; i < role->n_rules; i++)
		s->fds[i] = role->rules[i].fd;
	for (size_t i = 0; i < role->n_rules; i++) {
		const struct role_rule *rule = &role->rules[i];

		if (rule->fd >= 0)
			continue;
		s->fds[i] = open(rule->path, O_PATH | O_CLOEXEC);
		if (s->fds[i] < 0 && !(rule->may_lack && errno == ENOENT))
			return fail_sys(err, "%s", rule->path);
	}
	return 0;
}

/* System calls. */

#define LOAD(field)             BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define SAY(what)               BPF_STMT(BPF_RET | BPF_K, what)
#define SKIP_IF(op, k, yes, no) BPF_JUMP(BPF_JMP | (op) | BPF_K, k, yes, no)

enum { ROW_MOST = 7, OTHERS = 16 };

struct program {
	struct sock_filter f[ROW_MOST * ROLE_CALLS_MAX + OTHERS];
	size_t n;
};

static void put(struct program *p, struct sock_filter what)
{
	assert(p->n < ARRAY_LEN(p->f));
	p->f[p->n++] = what;
}

static struct sock_filter load_argument(unsigned arg)
{
	assert(arg < 6);
	return (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, args) + 8 * arg);
}

/* The number is loaded before and after. */
static void put_row(struct program *p, const struct role_call *row)
{
	unsigned char more = row->both ? 2 : 0;

	if (!row->checked) {
		put(p, (struct sock_filter)SKIP_IF(BPF_JEQ, row->nr, 0, 1));
		put(p, (struct sock_filter)SAY(SECCOMP_RET_ALLOW));
		return;
	}
	put(p, (struct sock_filter)SKIP_IF(BPF_JEQ, row->nr, 0, 4 + more));
	put(p, load_argument(row->arg));
	put(p, (struct sock_filter)SKIP_IF(BPF_JEQ, row->value, 0, 1 + more));
	if (row->both) {
		put(p, load_argument(row->other));
		put(p, (struct sock_filter)SKIP_IF(BPF_JEQ, row->also, 0, 1));
	}
	put(p, (struct sock_filter)SAY(SECCOMP_RET_ALLOW));
	put(p, (struct sock_filter)LOAD(nr));
}

static int put_set(struct program *p, const struct role_calls *set, size_t *left, struct error *err)
{
	if (set->n > *left)
		return fail(err, ERR_INTERNAL, "more than %d system calls", ROLE_CALLS_MAX);
	*left -= set->n;
	for (size_t i = 0; i < set->n; i++)
		put_row(p, &set->rows[i]);
	return 0;
}

static int write_filter(const struct role_seal *role, struct program *p, struct error *err)
{
	size_t left = ROLE_CALLS_MAX;

	put(p, (struct sock_filter)LOAD(arch));
	put(p, (struct sock_filter)SKIP_IF(BPF_JEQ, SYSCALLS_ARCH, 1, 0));
	put(p, (struct sock_filter)SAY(SECCOMP_RET_KILL_PROCESS));
	put(p, (struct sock_filter)LOAD(nr));
	if (put_set(p, &role_always, &left, err) < 0)
		return -1;
	for (size_t i = 0; i < ROLE_SETS_MAX && role->calls[i]; i++)
		if (put_set(p, role->calls[i], &left, err) < 0)
			return -1;
	/* Memory that is never executed. */
	put(p, (struct sock_filter)SKIP_IF(BPF_JEQ, __NR_mmap, 1, 0));
	put(p, (struct sock_filter)SKIP_IF(BPF_JEQ, __NR_mprotect, 0, 3));
	put(p, (struct sock_filter)LOAD(args[2]));
	put(p, (struct sock_filter)SKIP_IF(BPF_JSET, PROT_EXEC, 1, 0));
	put(p, (struct sock_filter)SAY(SECCOMP_RET_ALLOW));
	/* As on an older kernel: libc then does without. */
	put(p, (struct sock_filter)SAY(role->kill ? SECCOMP_RET_KILL_PROCESS
						  : SECCOMP_RET_ERRNO | ENOSYS));
	return 0;
}

static int seal_calls(const struct sealing *s, struct error *err)
{
	own_mem struct program *p = calloc(1, sizeof(*p));
	struct sock_fprog program;

	if (!p)
		return fail_sys(err, "make a filter");
	if (write_filter(s->role, p, err) < 0)
		return -1;
	program = (struct sock_fprog){.len = (unsigned short)p->n, .filter = p->f};
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0)
		return fail_sys(err, "install the system-call filter");
	return 0;
}

/* Files. */

static int seal_files(const struct sealing *s, struct error *err)
{
	int abi = 0;
	own_fd ruleset = landlock_open(s->role->tcp, &abi, err);

	if (ruleset < 0)
		return -1;
	for (size_t i = 0; i < s->role->n_rules; i++) {
		struct landlock_rule rule = {s->fds[i], s->role->rules[i].rights};

		if (rule.fd >= 0 && landlock_allow(ruleset, abi, &rule, err) < 0)
			return -1;
	}
	return landlock_enter(ruleset, err);
}

/* Privileges. */

static bool may_lock_bits(void)
{
	return prctl(PR_CAPBSET_READ, 0, 0, 0, 0) == 1 && geteuid() == 0 &&
	       prctl(PR_SET_SECUREBITS, prctl(PR_GET_SECUREBITS, 0, 0, 0, 0), 0, 0, 0) == 0;
}

/* A user has none to begin with, and no_new_privs keeps others from coming. */
static int seal_privileges(const struct sealing *s, struct error *err)
{
	const struct role_seal *role = s->role;

	if (role->become)
		return seal_identity(role->uid, role->gid, err);
	return may_lock_bits() ? seal_identity(geteuid(), getegid(), err) : seal_capabilities(err);
}

static int seal_privs(const struct sealing *s, struct error *err)
{
	(void)s;
	return seal_no_new_privs(err);
}

/* Resources. */

/* Whoever started us may have fewer than we need. */
static int limit_files(const struct role_seal *role, struct error *err)
{
	struct rlimit now = {role->files_most, role->files_most};

	if (role->files_most == 0 || setrlimit(RLIMIT_NOFILE, &now) == 0)
		return 0;
	if (getrlimit(RLIMIT_NOFILE, &now) < 0)
		return fail_sys(err, "read a limit");
	now.rlim_cur = now.rlim_max;
	if (now.rlim_max < role->files_least)
		return fail(err, ERR_CONFIG, "of %u open files only %llu are allowed (ulimit -n)",
			    role->files_least, (unsigned long long)now.rlim_max);
	return setrlimit(RLIMIT_NOFILE, &now) < 0 ? fail_sys(err, "set a limit") : 0;
}

static int lower(int which, rlim_t most, struct error *err)
{
	struct rlimit now;

	if (getrlimit((__rlimit_resource_t)which, &now) < 0)
		return fail_sys(err, "read a limit");
	if (now.rlim_max > most)
		now.rlim_max = most;
	if (now.rlim_cur > now.rlim_max)
		now.rlim_cur = now.rlim_max;
	return setrlimit((__rlimit_resource_t)which, &now) < 0 ? fail_sys(err, "set a limit") : 0;
}

static int seal_resources(const struct sealing *s, struct error *err)
{
	const struct {
		int which;
		rlim_t most;
	} rows[] = {
		/* 1, not 0: with a pipe as core_pattern only 1 means "no dump". */
		{RLIMIT_CORE, 1},
		{RLIMIT_MSGQUEUE, 0},
		{RLIMIT_STACK, 8 << 20},
		{RLIMIT_NICE, 0},
		{RLIMIT_RTPRIO, 0},
		{RLIMIT_SIGPENDING, 256},
		{RLIMIT_DATA, s->role->data_bytes ? s->role->data_bytes : RLIM_INFINITY},
	};

	if (limit_files(s->role, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (lower(rows[i].which, rows[i].most, err) < 0)
			return -1;
	return 0;
}

/* In this order: each needs what the next one takes away. */
static const struct {
	enum layer layer;
	int (*put_up)(const struct sealing *s, struct error *err);
} seals[] = {
	{LAYER_RLIMITS, seal_resources},       /* nothing without end    */
	{LAYER_CAPABILITIES, seal_privileges}, /* no privilege           */
	{LAYER_NO_NEW_PRIVS, seal_privs},      /* nor one by exec        */
	{LAYER_LANDLOCK, seal_files},          /* only the role's files  */
	{LAYER_SECCOMP, seal_calls},           /* only the role's calls  */
};

static int put_up(const struct sealing *s, size_t i, struct layer_report *ret, struct error *err)
{
	const struct role_seal *role = s->role;
	enum layer layer = seals[i].layer;

	ret->state = LAYER_FULL;
	if (seals[i].put_up(s, err) == 0)
		return 0;
	/* Another user was asked for: going on as this one would be something else. */
	if (!(role->allow_degraded & 1u << layer) || (role->become && layer == LAYER_CAPABILITIES))
		return fail_in(err, "%s is not sealed (%s)", role->name, layer_name(layer));
	ret->state = LAYER_OFF;
	(void)snprintf(ret->detail, sizeof(ret->detail), "%.59s", err->text);
	*err = (struct error){0};
	return 0;
}

int role_seal(const struct role_seal *role, struct layer_report *ret_layers, struct error *err)
{
	__attribute__((cleanup(sealing_end))) struct sealing s = {.role = role};
	struct layer_report none[LAYER_COUNT] = {0};
	struct layer_report *layers = ret_layers ? ret_layers : none;

	assert(role->n_rules <= ROLE_RULES_MAX);
	turns_short(); /* nobody may ask for that later */
	if (open_rules(&s, err) < 0)
		return fail_in(err, "%s is not sealed", role->name);
	for (size_t i = 0; i < ARRAY_LEN(seals); i++) {
		/* No core dump, no debugger of the same user; a change of the user sets it anew,
		 * and the filter allows no prctl. */
		if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
			return fail_sys(err, "hide our memory");
		if (put_up(&s, i, &layers[seals[i].layer], err) < 0)
			return -1;
	}
	return 0;
}
