/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.c - one call in a slot of our own, which is made for it and gone with it. */
#include "sandbox/sandbox.h"

#include "sandbox/native/slot.h"
#include "sandbox/native/spread.h"
#include "sandbox/serve.h"

static int ask_box(void *slot, const struct limits *limits, int *ret_work, struct error *err)
{
	return slot_box(slot, limits, ret_work, err);
}

static int ask_start(void *slot, const struct job *job, const int io[3], struct error *err)
{
	return slot_start(slot, job, io, err);
}

static int ask_fd(const void *slot)
{
	return slot_fd(slot);
}

static int ask_wait_ms(const void *slot)
{
	return slot_wait_ms(slot);
}

/* A program that exits closes its output a moment before its end is seen. */
static void ask_near_end(const void *slot)
{
	stay_awake(slot_fd(slot));
}

static uint64_t ask_awake_us(const void *slot)
{
	return slot_awake_us(slot);
}

static bool ask_step(void *slot)
{
	return slot_step(slot);
}

static void ask_kill(void *slot, enum kill_reason reason)
{
	slot_kill(slot, reason);
}

static void ask_signal(void *slot, int signal)
{
	slot_signal(slot, signal);
}

static void ask_finish(void *slot, struct outcome *ret, int *ret_work)
{
	slot_finish(slot, ret, ret_work);
}

static const struct runner_ops local = {
	.box = ask_box,
	.start = ask_start,
	.fd = ask_fd,
	.wait_ms = ask_wait_ms,
	.near_end = ask_near_end,
	.awake_us = ask_awake_us,
	.step = ask_step,
	.kill = ask_kill,
	.signal = ask_signal,
	.finish = ask_finish,
};

int sandbox_run_in(struct slot *slot, const struct request *r, struct account *ret,
		   struct error *err)
{
	const struct runner runner = {
		.ops = &local,
		.slot = slot,
		.uid = slot_uid(slot),
		.gid = slot_gid(slot),
		.root_mode = slot_is_root_mode(slot),
	};

	return serve(r, &runner, ret, err);
}

int sandbox_run(const struct request *r, struct account *ret, struct error *err)
{
	own_slot slot = NULL;
	int result;

	if (serve_prepare(r, ret, err) < 0 ||
	    slot_open(&r->profile, &r->job.limits, false, &slot, err) < 0 ||
	    (r->meanwhile && r->meanwhile(r->context, err) < 0)) {
		serve_refuse(ret, err);
		return 0;
	}
	if (r->only)
		slot_is_only(slot);
	slot_ask_before(slot, r->at_start, r->context);
	result = sandbox_run_in(slot, r, ret, err);
	if (r->after)
		r->after(r->context, ret);
	return result;
}
