/* SPDX-License-Identifier: Apache-2.0 */
/* filter.h - what the tests of the filter and of its table share. */
#ifndef TESTS_FILTER_H
#define TESTS_FILTER_H

#include "sandbox/native/seccomp.h"

#include <errno.h>

#include "base/own.h"
#include "bpf.h"
#include "tap.h"

static const struct seccomp_options plain = {0};
static const struct seccomp_options listed = {.programs_listed = true};
static const struct seccomp_options writable = {.host_writable = true};
static const struct seccomp_options sockets = {.host_sockets = true};
static const struct seccomp_options by_rlimit = {.memory_by_rlimit = true};
static const struct seccomp_options strictest = {.programs_listed = true,
						 .memory_by_rlimit = true,
						 .host_writable = true,
						 .host_sockets = true};
static const struct seccomp_options *const filters[] = {&plain, &listed, &by_rlimit, &writable,
							&strictest};

static const uint32_t answers[] = {
	[VERDICT_ENOSYS] = SECCOMP_RET_ERRNO | ENOSYS,
	[VERDICT_EPERM] = SECCOMP_RET_ERRNO | EPERM,
	[VERDICT_ALLOW] = SECCOMP_RET_ALLOW,
	[VERDICT_KILL] = SECCOMP_RET_KILL_PROCESS,
};

static struct seccomp_program program, first_half, second_half;

static void compile(const struct seccomp_options *options)
{
	struct error err = {0};

	CHECK(seccomp_compile(options, SECCOMP_WHOLE, &program, &err) == 0);
	CHECK(seccomp_compile(options, SECCOMP_FIRST, &first_half, &err) == 0);
	CHECK(seccomp_compile(options, SECCOMP_SECOND, &second_half, &err) == 0);
}

static int32_t action_of(uint32_t answer)
{
	return (int32_t)(answer & SECCOMP_RET_ACTION_FULL);
}

/* As the kernel does it: who came last is asked first, and another only counts if it is stricter.
 */
static uint32_t ask_both(const struct seccomp_data *data)
{
	uint32_t second = bpf_run(second_half.code, second_half.len, data);
	uint32_t first = bpf_run(first_half.code, first_half.len, data);

	return action_of(first) < action_of(second) ? first : second;
}

/* Whether BPF, as a whole and in halves, and table agree; they are asked about whole registers. */
static bool agree(const struct seccomp_options *options, uint32_t arch, uint32_t nr,
		  const uint64_t args[6])
{
	struct seccomp_data data = {.nr = (int)nr, .arch = arch};
	enum verdict want = seccomp_judge(options, arch, nr, args);
	uint32_t got, both;

	memcpy(data.args, args, sizeof(data.args));
	got = bpf_run(program.code, program.len, &data);
	both = ask_both(&data);
	if (got == answers[want] && both == got)
		return true;
	printf("# call %u of %x (%llx, %llx, %llx, %llx): filter says %x, its halves %x, table "
	       "%x\n",
	       nr, arch, (unsigned long long)args[0], (unsigned long long)args[1],
	       (unsigned long long)args[2], (unsigned long long)args[3], got, both, answers[want]);
	return false;
}

static const uint64_t no_args[6];

#endif
