/* SPDX-License-Identifier: Apache-2.0 */
/* attack_calls.c - system calls that no program inside needs, with arguments that do no harm. */
#include <errno.h>
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "sandbox/native/attack_parts.h"

static const char refused[] = "EPERM ENOSYS";

ATTACK(refused_call)
{
	const long *a = self->args;

	(void)bait;
	(void)judge(r, syscall(a[0], a[1], a[2], a[3], a[4], a[5], a[6]), refused);
}

ATTACK(load_bpf)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 4,
		.max_entries = 1,
	};

	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)), refused);
}

ATTACK(open_perf)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0), refused);
}

ATTACK(open_uring)
{
	struct io_uring_params params = {0};

	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_io_uring_setup, 1, &params), refused);
}

ATTACK(open_aio)
{
	aio_context_t context = 0;

	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_io_setup, 1, &context), refused);
}

/* In the keyring of this process, which goes with it. */
ATTACK(add_a_key)
{
	(void)self, (void)bait;
	(void)judge(
		r, syscall(SYS_add_key, "user", "belljar-attack", "x", 1, KEY_SPEC_PROCESS_KEYRING),
		refused);
}

/* A length of tick that the kernel refuses, but only to those who might have set one. */
ATTACK(tune_clock)
{
	struct timex tx = {.modes = ADJ_TICK, .tick = 0};

	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_adjtimex, &tx), refused);
}

/* There is no such nanosecond. */
ATTACK(set_clock)
{
	struct timespec never = {.tv_nsec = 2000000000};

	(void)self, (void)bait;
	(void)judge(r, syscall(SYS_clock_settime, CLOCK_REALTIME, &never), refused);
}

/* With a listener a process could answer the system calls of its children. */
ATTACK(filter_listener)
{
	struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {ARRAY_LEN(code), code};

	(void)self, (void)bait;
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)judge(r,
		    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &program),
		    refused);
}

/* From a pool of the host's.  ENOMEM: the pool is empty, nobody minded. */
ATTACK(huge_pages)
{
	/* By number: some libc says ENOMEM where the kernel says EPERM. */
	long ret = syscall(SYS_mmap, NULL, 2UL << 20, PROT_READ,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0UL);

	(void)self, (void)bait;
	(void)judge(r, ret, refused);
}

/* Both of these are meant to die: whoever comes back was not stopped. */
ATTACK(call_i386)
{
	(void)self, (void)bait;
#ifdef __x86_64__
	long ret = 20; /* getpid of i386 */

	__asm__ volatile("int $0x80" : "+a"(ret) : : "memory", "r8", "r9", "r10", "r11");
	fell(r, "a 32-bit system call answered %ld", ret);
#else
	skipped(r, "only x86_64 has a second system call table");
#endif
}

ATTACK(call_x32)
{
	(void)self, (void)bait;
#ifdef __x86_64__
	long ret = syscall(0x40000000 | SYS_getpid);

	if (ret >= 0)
		fell(r, "an x32 system call answered %ld", ret);
	else
		(void)judge(r, ret, refused);
#else
	skipped(r, "only x86_64 has x32");
#endif
}
