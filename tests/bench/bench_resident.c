/* SPDX-License-Identifier: Apache-2.0 */
/* bench_resident.c - calls through libbelljar: a box that is kept, as its users see it. */
#include "bench.h"

#include <belljar.h>

#include "base/fd.h"

int resident_open(struct bench *b, struct error *err)
{
	b->box = bj_box_new();
	if (!b->box)
		return fail_sys(err, "make a box");
	if ((!b->belljar || bj_box_set(b->box, "helper", b->belljar) == 0) &&
	    bj_box_prepare(b->box) == 0)
		return 0;
	(void)fail(err, ERR_SYSTEM, "%s", bj_error(b->box));
	resident_close(b);
	return -1;
}

void resident_close(struct bench *b)
{
	bj_box_free(b->box);
	b->box = NULL;
}

static int check(const struct bj_result *r, struct error *err)
{
	if (r->status == BJ_SUCCESS)
		return 0;
	return fail(err, ERR_SYSTEM, "exit code %d, signal %d%s%s", r->exit_code, r->signal,
		    r->error ? ": " : "", r->error ? r->error : "");
}

int resident_call(struct bench *b, const struct bench_job *job, struct error *err)
{
	struct bj_result *result;
	int failed;

	if (!b->box)
		return fail(err, ERR_SYSTEM, "there is no box");
	if (bj_run(b->box, job->argv, NULL, &result) < 0)
		return fail(err, ERR_SYSTEM, "%s", bj_error(b->box));
	failed = check(result, err) < 0 ||
		 fd_write_all(b->out, result->out.data, result->out.size, err) < 0;
	bj_result_free(result);
	return failed ? -1 : 0;
}
