/* SPDX-License-Identifier: Apache-2.0 */
/* tracee.c - one process of the traced tree, and the two registers the injector may change. */
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

/* Not -1: a filter is asked again after us, and kills for a number that is none.  This call does
 * nothing when there is nothing to restart, and no filter of a sane program refuses it. */
static const long nothing = SYS_restart_syscall;

#if defined(__x86_64__)

int tracee_skip_call(const struct tracee *t)
{
	return ptrace(PTRACE_POKEUSER, t->pid, offsetof(struct user, regs.orig_rax), nothing) < 0
		       ? -1
		       : 0;
}

int tracee_set_result(const struct tracee *t, long result)
{
	return ptrace(PTRACE_POKEUSER, t->pid, offsetof(struct user, regs.rax), result) < 0 ? -1
											    : 0;
}

#elif defined(__aarch64__)

int tracee_skip_call(const struct tracee *t)
{
	int none = (int)nothing;
	struct iovec io = {&none, sizeof(none)};

	return ptrace(PTRACE_SETREGSET, t->pid, NT_ARM_SYSTEM_CALL, &io) < 0 ? -1 : 0;
}

int tracee_set_result(const struct tracee *t, long result)
{
	struct user_regs_struct regs;
	struct iovec io = {&regs, sizeof(regs)};

	if (ptrace(PTRACE_GETREGSET, t->pid, NT_PRSTATUS, &io) < 0)
		return -1;
	regs.regs[0] = (unsigned long long)result;
	return ptrace(PTRACE_SETREGSET, t->pid, NT_PRSTATUS, &io) < 0 ? -1 : 0;
}

#else
#error "the injector knows the registers of x86_64 and aarch64 only"
#endif
