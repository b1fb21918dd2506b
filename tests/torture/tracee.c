/* SPDX-License-Identifier: Apache-2.0 */
/* tracee.c - one process of the traced tree, and the registers the injector may change. */
#include "tracee.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

struct tracee *tracees_find(struct tracees *t, pid_t pid)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->all[i].pid == pid)
			return &t->all[i];
	return NULL;
}

struct tracee *tracees_add(struct tracees *t, pid_t pid)
{
	if (t->n == TRACEES_MAX)
		return NULL;
	t->all[t->n] = (struct tracee){.pid = pid};
	return &t->all[t->n++];
}

void tracees_drop(struct tracees *t, pid_t pid)
{
	struct tracee *gone = tracees_find(t, pid);

	if (gone)
		*gone = t->all[--t->n];
}

void tracee_place(struct tracee *child, struct tracee *parent)
{
	size_t len = strlen(parent->place);

	/* A tree deeper than the name has room for shares one name at the bottom: still traced. */
	memcpy(child->place, parent->place, len + 1);
	(void)snprintf(child->place + len, sizeof(child->place) - len, ".%u", parent->children++);
	child->daemon = parent->daemon;
	child->ld_from = parent->ld_from;
	child->ld_to = parent->ld_to;
}

void tracee_find_loader(struct tracee *t)
{
	char path[64], line[512];
	FILE *maps;

	t->ld_from = t->ld_to = 0;
	(void)snprintf(path, sizeof(path), "/proc/%d/maps", t->pid);
	maps = fopen(path, "re");
	if (!maps)
		return;
	while (fgets(line, sizeof(line), maps)) {
		uint64_t from, to;

		if (!strstr(line, "/ld-") || sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) != 2)
			continue;
		if (!t->ld_from)
			t->ld_from = from;
		t->ld_to = to;
	}
	(void)fclose(maps);
}

/* A filter is asked again after us, and kills for a number that is none: so not -1.  And not
 * restart_syscall, which every filter has: a process inherits what its parent's last interrupted
 * call left to be restarted, perhaps a poll without end.  A read of no descriptor does nothing. */
static const long nothing = SYS_read;

#if defined(__x86_64__)

static int poke(const struct tracee *t, size_t where, unsigned long value)
{
	return ptrace(PTRACE_POKEUSER, t->pid, where, value) < 0 ? -1 : 0;
}

int tracee_skip_call(const struct tracee *t)
{
	if (poke(t, offsetof(struct user, regs.rdi), ~0UL) < 0)
		return -1;
	return poke(t, offsetof(struct user, regs.orig_rax), (unsigned long)nothing);
}

/* A call leaves its arguments alone, and compilers count on it. */
int tracee_set_result(const struct tracee *t, long result)
{
	if (poke(t, offsetof(struct user, regs.rdi), t->owed_first) < 0)
		return -1;
	return poke(t, offsetof(struct user, regs.rax), (unsigned long)result);
}

#elif defined(__aarch64__)

/* The register of the first argument, and of the result. */
static int put_first(const struct tracee *t, unsigned long long value)
{
	struct user_regs_struct regs;
	struct iovec io = {&regs, sizeof(regs)};

	if (ptrace(PTRACE_GETREGSET, t->pid, NT_PRSTATUS, &io) < 0)
		return -1;
	regs.regs[0] = value;
	return ptrace(PTRACE_SETREGSET, t->pid, NT_PRSTATUS, &io) < 0 ? -1 : 0;
}

int tracee_skip_call(const struct tracee *t)
{
	int none = (int)nothing;
	struct iovec io = {&none, sizeof(none)};

	if (put_first(t, ~0ULL) < 0)
		return -1;
	return ptrace(PTRACE_SETREGSET, t->pid, NT_ARM_SYSTEM_CALL, &io) < 0 ? -1 : 0;
}

int tracee_set_result(const struct tracee *t, long result)
{
	return put_first(t, (unsigned long long)result);
}

#else
#error "the injector knows the registers of x86_64 and aarch64 only"
#endif
