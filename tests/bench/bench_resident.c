/* SPDX-License-Identifier: Apache-2.0 */
/* bench_resident.c - calls through a slot that is kept: what a daemon's client would see of it. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>

#include "base/own.h"
#include "call/limits.h"
#include "sandbox/native/slot.h"

static char *const environment[] = {
	(char *)(uintptr_t) "PATH=/usr/local/bin:/usr/bin:/bin",
	(char *)(uintptr_t) "HOME=/work",
	(char *)(uintptr_t) "LANG=C.UTF-8",
	NULL,
};

int resident_open(struct bench *b, struct error *err)
{
	const struct profile profile = {0};
	struct limits limits;

	limits_default(&limits);
	return slot_open(&profile, &limits, true, &b->slot, err);
}

void resident_close(struct bench *b)
{
	slot_end(&b->slot);
	b->slot = NULL;
}

static int wait_for_end(struct slot *slot, struct error *err)
{
	while (!slot_step(slot)) {
		struct pollfd news = {.fd = slot_fd(slot), .events = POLLIN};

		if (poll(&news, 1, slot_wait_ms(slot)) < 0 && errno != EINTR)
			return fail_sys(err, "wait for the slot");
	}
	return 0;
}

int resident_call(struct bench *b, const struct bench_job *job, struct error *err)
{
	own_fd null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct job call = {.argv = (char **)(uintptr_t)job->argv,
			   .env = (char **)(uintptr_t)environment};
	struct outcome outcome;
	int work = -1;

	if (!b->slot)
		return fail(err, ERR_SYSTEM, "there is no slot");
	limits_default(&call.limits);
	if (slot_start(b->slot, &call, (int[3]){null, b->out, b->err}, err) < 0 ||
	    wait_for_end(b->slot, err) < 0)
		return -1;
	slot_finish(b->slot, &outcome, &work);
	own_fd_end(&work);
	if (outcome.end == END_EXITED && outcome.exit_code == 0)
		return 0;
	if (outcome.error.kind != ERR_NONE) {
		*err = outcome.error;
		return -1;
	}
	return fail(err, ERR_SYSTEM, "exit code %d, signal %d", outcome.exit_code, outcome.signal);
}
