/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp_halves_test.c - the filter in two halves, and what of it is compiled with belljar. */
#include <linux/keyctl.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "filter.h"
#include "sandbox/native/filterready.h"
#include "sandbox/native/syscalls.h"
#include "tap.h"

static uint32_t half_says(const struct seccomp_program *half, uint32_t nr, const uint64_t args[6])
{
	struct seccomp_data data = {.nr = (int)nr, .arch = SYSCALLS_ARCH};

	memcpy(data.args, args, sizeof(data.args));
	return bpf_run(half->code, half->len, &data);
}

/* What a process that seals itself asks for between them, and a program may not. */
static const struct {
	uint32_t nr;
	uint64_t args[6];
} between[] = {
	{__NR_setns, {5, CLONE_NEWNET}},
	{__NR_unshare, {CLONE_FILES}},
	{__NR_chroot, {0}},
	{__NR_keyctl, {KEYCTL_JOIN_SESSION_KEYRING}},
	{__NR_clone3, {0}},
};

/* What it has asked for before the first, or has by birth. */
static const uint64_t securebits[6] = {PR_SET_SECUREBITS, 0xef};
static const uint64_t no_core_dumps[6] = {0, RLIMIT_CORE, 0x7000};

/* The twin of all tests that ask both: each half alone lets something through. */
TEST(each_half_alone_would_not_do)
{
	for (size_t i = 0; i < ARRAY_LEN(filters); i++) {
		compile(filters[i]);
		for (size_t b = 0; b < ARRAY_LEN(between); b++) {
			CHECK(syscall_is_held(between[b].nr));
			CHECK(half_says(&first_half, between[b].nr, between[b].args) ==
			      SECCOMP_RET_ALLOW);
			CHECK(half_says(&second_half, between[b].nr, between[b].args) ==
			      answers[between[b].nr == __NR_clone3 ? VERDICT_ENOSYS
								   : VERDICT_EPERM]);
		}
		CHECK(half_says(&first_half, __NR_prctl, securebits) == answers[VERDICT_EPERM]);
		CHECK(half_says(&first_half, __NR_prlimit64, no_core_dumps) ==
		      answers[VERDICT_EPERM]);
		CHECK(half_says(&first_half, __NR_mount, no_args) == answers[VERDICT_EPERM]);
		CHECK(half_says(&second_half, __NR_mount, no_args) == SECCOMP_RET_ALLOW);
		CHECK(half_says(&second_half, 999, no_args) == SECCOMP_RET_ALLOW);
	}
}

TEST(together_they_say_what_the_table_says)
{
	for (size_t i = 0; i < ARRAY_LEN(filters); i++) {
		compile(filters[i]);
		for (size_t b = 0; b < ARRAY_LEN(between); b++)
			CHECK(agree(filters[i], SYSCALLS_ARCH, between[b].nr, between[b].args));
		CHECK(agree(filters[i], SYSCALLS_ARCH, __NR_prctl, securebits));
	}
}

/* The kernel keeps a list of numbers that every filter allows whatever the arguments are, and asks
 * none of them then.  The second half must not spoil it. */
TEST(the_second_half_decides_by_the_number_alone)
{
	compile(&plain);
	CHECK(second_half.len < 24);
	for (uint32_t nr = 0; nr <= 1100; nr++) {
		struct seccomp_data data = {.nr = (int)nr, .arch = UINT32_MAX};
		unsigned steps;

		if (nr < SYSCALLS_END && syscall_is_held(nr))
			continue;
		CHECK(bpf_run(second_half.code, second_half.len, &data) == SECCOMP_RET_ALLOW);
		steps = bpf_steps;
		memset(data.args, 0xff, sizeof(data.args));
		CHECK(bpf_run(second_half.code, second_half.len, &data) == SECCOMP_RET_ALLOW);
		CHECK(bpf_steps == steps && steps < 10);
	}
}

/* Not one more than these: what is between the halves is wider than a box. */
TEST(few_calls_wait_for_the_second_half)
{
	size_t n = 0;

	for (uint32_t nr = 0; nr < SYSCALLS_END; nr++)
		n += syscall_is_held(nr);
	CHECK(n == ARRAY_LEN(between));
}

TEST(what_was_compiled_with_belljar_is_what_would_be_compiled_now)
{
	static struct seccomp_program ready;
	struct error err = {0};

	for (unsigned bits = 0; bits < 16; bits++) {
		const struct seccomp_options o = {bits & 1, bits & 2, bits & 4, bits & 8};

		compile(&o);
		CHECK(filter_ready(&o, SECCOMP_WHOLE, &ready, &err) == 0 &&
		      ready.len == program.len &&
		      memcmp(ready.code, program.code, ready.len * sizeof(*ready.code)) == 0);
		CHECK((ready.code == ready.room + SECCOMP_MAX - ready.len) == ((bits & 2) != 0));
	}
}

TEST(a_part_is_what_would_be_compiled)
{
	static struct seccomp_program first, second;
	struct error err = {0};

	for (unsigned bits = 0; bits < 16; bits++) {
		const struct seccomp_options o = {bits & 1, bits & 2, bits & 4, bits & 8};

		compile(&o);
		CHECK(filter_ready(&o, SECCOMP_FIRST, &first, &err) == 0 &&
		      filter_ready(&o, SECCOMP_SECOND, &second, &err) == 0);
		CHECK(first.len == first_half.len &&
		      memcmp(first.code, first_half.code, first.len * sizeof(*first.code)) == 0);
		CHECK(second.len == second_half.len &&
		      memcmp(second.code, second_half.code, second.len * sizeof(*second.code)) ==
			      0);
	}
}

static bool is_half(const struct seccomp_half *half, const struct seccomp_program *want)
{
	return half->code && half->len == want->len &&
	       memcmp(half->code, want->code, half->len * sizeof(*half->code)) == 0;
}

TEST(halves_are_ready_unless_no_group_counts_memory)
{
	for (unsigned bits = 0; bits < 16; bits++) {
		const struct seccomp_options o = {bits & 1, bits & 2, bits & 4, bits & 8};
		struct seccomp_halves halves = {0};

		compile(&o);
		CHECK(filter_halves(&o, &halves) == !(bits & 2));
		CHECK(is_half(&halves.first, &first_half) == !(bits & 2));
		CHECK(is_half(&halves.second, &second_half) == !(bits & 2));
	}
}
