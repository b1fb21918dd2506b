/* SPDX-License-Identifier: Apache-2.0 */
/* bpf.h - runs a classic BPF program on a system call, without the kernel.
 *
 * Only what the kernel lets seccomp use, and stricter: whatever our emitter
 * has no reason to write is an error, as is a jump or load out of bounds.
 */
#ifndef TESTS_BPF_H
#define TESTS_BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* No return value of seccomp's. */
enum { BPF_BROKEN = 0x7fffdead };

static bool bpf_jump(const struct sock_filter *in, uint32_t a, bool *ret_taken)
{
	switch (BPF_OP(in->code)) {
	case BPF_JEQ:
		*ret_taken = a == in->k;
		return true;
	case BPF_JGT:
		*ret_taken = a > in->k;
		return true;
	case BPF_JGE:
		*ret_taken = a >= in->k;
		return true;
	case BPF_JSET:
		*ret_taken = (a & in->k) != 0;
		return true;
	default:
		return false;
	}
}

/* How many steps it took, for those who ask. */
static unsigned bpf_steps;

static inline uint32_t bpf_run(const struct sock_filter *code, size_t len,
			       const struct seccomp_data *data)
{
	uint32_t a = 0;
	size_t pc = 0;

	for (bpf_steps = 1; pc < len; bpf_steps++) {
		const struct sock_filter *in = &code[pc++];
		bool taken = false;

		if (in->code == (BPF_RET | BPF_K)) {
			return in->k;
		} else if (in->code == (BPF_LD | BPF_W | BPF_ABS)) {
			if (in->k % 4 != 0 || in->k > sizeof(*data) - 4)
				return BPF_BROKEN;
			memcpy(&a, (const char *)data + in->k, sizeof(a));
		} else if (in->code == (BPF_ALU | BPF_AND | BPF_K)) {
			a &= in->k;
		} else if (in->code == (BPF_JMP | BPF_JA)) {
			pc += in->k;
		} else if (BPF_CLASS(in->code) == BPF_JMP && BPF_SRC(in->code) == BPF_K &&
			   bpf_jump(in, a, &taken)) {
			pc += taken ? in->jt : in->jf;
		} else {
			return BPF_BROKEN;
		}
	}
	return BPF_BROKEN;
}

#endif
