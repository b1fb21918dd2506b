/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp.c - turns the system-call table into BPF.
 *
 * Numbers with the same answer that stand side by side become one range; a
 * balanced tree finds the range.  Argument rules are blocks behind the tree.
 * The program is written from its last instruction to its first: BPF only
 * jumps forwards, so whatever we jump to has its place already, and there are
 * no labels to fill in later.
 */
#include "sandbox/native/seccomp.h"

#include <assert.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/own.h"
#include "sandbox/native/syscalls.h"

static const uint32_t returns[] = {
	[VERDICT_ENOSYS] = SECCOMP_RET_ERRNO | ENOSYS,
	[VERDICT_EPERM] = SECCOMP_RET_ERRNO | EPERM,
	[VERDICT_ALLOW] = SECCOMP_RET_ALLOW,
	[VERDICT_KILL] = SECCOMP_RET_KILL_PROCESS,
};

enum {
	N_VERDICTS = ARRAY_LEN(returns),
	MAX_RULES = 40,
	MAX_ANSWERS = N_VERDICTS + MAX_RULES,
	/* A jump holds 255; two more instructions may come between asking and jumping. */
	NEAR = 250,
};

/* Answers have indexes: first the verdicts, then the rules that decide. */
struct emitter {
	struct sock_filter *code;
	size_t at; /* the instruction written last, which is the first so far */
	bool full;
	enum rule rules[MAX_RULES];
	size_t n_rules;
	size_t place[MAX_ANSWERS]; /* where each answer is to be had, nearest */
};

/* From here up to where the next span starts. */
struct span {
	uint32_t start;
	size_t answer;
};

static size_t put(struct emitter *e, unsigned op, uint32_t k, size_t jt, size_t jf)
{
	if (e->at == 0) {
		e->full = true;
		return 0;
	}
	e->code[--e->at] = (struct sock_filter){(uint16_t)op, (uint8_t)jt, (uint8_t)jf, k};
	return e->at;
}

/* A place with the same effect as target that a conditional jump from here can reach. */
static size_t reach(struct emitter *e, size_t target)
{
	const struct sock_filter *there = &e->code[target];
	size_t copy;

	if (target - e->at <= NEAR)
		return target;
	if (there->code == (BPF_RET | BPF_K))
		copy = put(e, BPF_RET | BPF_K, there->k, 0, 0);
	else
		copy = put(e, BPF_JMP | BPF_JA, (uint32_t)(target - e->at), 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(e->place); i++)
		if (e->place[i] == target)
			e->place[i] = copy;
	return copy;
}

static size_t branch(struct emitter *e, unsigned op, uint32_t k, size_t yes, size_t no)
{
	yes = reach(e, yes);
	no = reach(e, no);
	return put(e, BPF_JMP | BPF_K | op, k, yes - e->at, no - e->at);
}

static size_t load(struct emitter *e, size_t offset)
{
	return put(e, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static size_t emit_condition(struct emitter *e, const struct condition *c, size_t holds,
			     size_t fails)
{
	size_t match = c->outside ? fails : holds, next = c->outside ? holds : fails;
	size_t at = offsetof(struct seccomp_data, args) + c->arg * sizeof(uint64_t);

	for (size_t i = c->set->n; i-- > 0;) {
		const struct range *r = &c->set->ranges[i];

		if (r->low == r->high) {
			next = branch(e, BPF_JEQ, r->low, match, next);
		} else {
			size_t high = branch(e, BPF_JGT, r->high, next, match);

			next = branch(e, BPF_JGE, r->low, high, next);
		}
	}
	if (c->mask != UINT32_MAX)
		(void)put(e, BPF_ALU | BPF_AND | BPF_K, c->mask, 0, 0);
	/* Little-endian: the low half comes first. */
	next = load(e, at);
	if (!c->whole)
		return next;
	assert(!c->outside);
	(void)branch(e, BPF_JEQ, 0, next, fails);
	return load(e, at + sizeof(uint32_t));
}

static size_t emit_rule(struct emitter *e, const struct argument_rule *rule)
{
	size_t next_way = e->place[VERDICT_EPERM];

	for (size_t i = rule->n; i-- > 0;) {
		const struct condition *all = rule->ways[i].all;
		size_t n = 0, next = e->place[VERDICT_ALLOW];

		while (n < ARRAY_LEN(rule->ways[i].all) && all[n].set)
			n++;
		while (n-- > 0)
			next = emit_condition(e, &all[n], next, next_way);
		next_way = next;
	}
	return next_way;
}

static size_t emit_tree(struct emitter *e, const struct span *spans, size_t n)
{
	size_t low, high, half = n / 2;

	if (n == 1)
		return e->place[spans[0].answer];
	/* A single number among others that share an answer. */
	if (n == 3 && spans[0].answer == spans[2].answer && spans[2].start == spans[1].start + 1)
		return branch(e, BPF_JEQ, spans[1].start, e->place[spans[1].answer],
			      e->place[spans[0].answer]);
	high = emit_tree(e, spans + half, n - half);
	low = emit_tree(e, spans, half);
	return branch(e, BPF_JGE, spans[half].start, high, low);
}

/* The index of the answer, whose rule is emitted the first time it is seen. */
static size_t index_of(struct emitter *e, const struct answer *answer)
{
	size_t i;

	if (answer->rule == RULE_NONE)
		return answer->verdict;
	for (i = 0; i < e->n_rules; i++)
		if (e->rules[i] == answer->rule)
			return N_VERDICTS + i;
	if (i == MAX_RULES) {
		e->full = true;
		return VERDICT_EPERM;
	}
	e->rules[e->n_rules++] = answer->rule;
	e->place[N_VERDICTS + i] = emit_rule(e, argument_rules[answer->rule]);
	return N_VERDICTS + i;
}

static const struct answer *answer_in(enum seccomp_part part, const struct syscall_row *row,
				      const struct seccomp_options *options)
{
	static const struct answer passes = {VERDICT_ALLOW, RULE_NONE};
	bool other = part != SECCOMP_WHOLE && syscall_is_held(row->nr) != (part == SECCOMP_SECOND);

	return other ? &passes : syscall_answer(row, options);
}

/* Returns the number of spans; ret_spans has room for SYSCALLS_END + 1. */
static size_t find_spans(struct emitter *e, const struct seccomp_options *options,
			 enum seccomp_part part, struct span *ret_spans)
{
	size_t answers[SYSCALLS_END + 1], n = 0;

	for (size_t i = 0; i <= SYSCALLS_END; i++) /* a number without a row */
		answers[i] = part == SECCOMP_SECOND ? VERDICT_ALLOW : VERDICT_ENOSYS;
	for (size_t i = 0; i < n_syscalls; i++) {
		assert(syscalls[i].nr < SYSCALLS_END);
		answers[syscalls[i].nr] = index_of(e, answer_in(part, &syscalls[i], options));
	}
	for (uint32_t nr = 0; nr <= SYSCALLS_END; nr++)
		if (n == 0 || answers[nr] != ret_spans[n - 1].answer)
			ret_spans[n++] = (struct span){nr, answers[nr]};
	return n;
}

/* Other architectures, and numberings, are the first half's affair. */
static size_t emit_start(struct emitter *e, size_t start, enum seccomp_part part)
{
	assert(start == e->at || e->full); /* whoever has loaded the number goes on there */
	if (part == SECCOMP_SECOND)
		return load(e, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
	(void)branch(e, BPF_JSET, SYSCALLS_X32, e->place[VERDICT_KILL], start);
#endif
	(void)load(e, offsetof(struct seccomp_data, nr));
	(void)branch(e, BPF_JEQ, SYSCALLS_ARCH, e->at, e->place[VERDICT_KILL]);
	return load(e, offsetof(struct seccomp_data, arch));
}

int seccomp_compile(const struct seccomp_options *options, enum seccomp_part part,
		    struct seccomp_program *ret, struct error *err)
{
	struct emitter e = {.code = ret->room, .at = SECCOMP_MAX};
	struct span spans[SYSCALLS_END + 1];
	size_t n, start;

	for (size_t i = 0; i < N_VERDICTS; i++)
		e.place[i] = put(&e, BPF_RET | BPF_K, returns[i], 0, 0);
	n = find_spans(&e, options, part, spans);
	start = emit_start(&e, emit_tree(&e, spans, n), part);
	if (e.full)
		return fail(err, ERR_INTERNAL, "the system-call filter is too long");
	ret->len = (unsigned short)(SECCOMP_MAX - start);
	ret->code = ret->room + start;
	return 0;
}

static bool condition_holds(const struct condition *c, const uint64_t args[6])
{
	uint32_t value = (uint32_t)args[c->arg] & c->mask;

	if (c->whole && args[c->arg] >> 32)
		return false;
	for (size_t i = 0; i < c->set->n; i++)
		if (value >= c->set->ranges[i].low && value <= c->set->ranges[i].high)
			return !c->outside;
	return c->outside;
}

static bool way_holds(const struct way *way, const uint64_t args[6])
{
	for (size_t i = 0; i < ARRAY_LEN(way->all) && way->all[i].set; i++)
		if (!condition_holds(&way->all[i], args))
			return false;
	return true;
}

static enum verdict judge(const struct answer *answer, const uint64_t args[6])
{
	const struct argument_rule *rule = argument_rules[answer->rule];

	if (answer->rule == RULE_NONE)
		return answer->verdict;
	for (size_t i = 0; i < rule->n; i++)
		if (way_holds(&rule->ways[i], args))
			return VERDICT_ALLOW;
	return VERDICT_EPERM;
}

enum verdict seccomp_judge(const struct seccomp_options *options, uint32_t arch, uint32_t nr,
			   const uint64_t args[6])
{
	if (arch != SYSCALLS_ARCH)
		return VERDICT_KILL;
#ifdef __x86_64__
	if (nr & SYSCALLS_X32)
		return VERDICT_KILL;
#endif
	for (size_t i = 0; i < n_syscalls; i++)
		if (syscalls[i].nr == nr)
			return judge(syscall_answer(&syscalls[i], options), args);
	return VERDICT_ENOSYS;
}
