/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.h - the two halves of belljar doctor: what the host can do, and which walls hold. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct doctor_options {
	bool json;
	bool attack;
	bool quiet; /* only what is not as it should be, and the verdict */
	const char *cgroup;
	const char *policy; /* NULL: the one that calls here are judged by */
	uint32_t allow_degraded;
};

/* Each fills out with the report and returns the exit code; -1 with err: could not be done. */
int doctor_attack(const struct doctor_options *options, struct buf *out, struct error *err);

/* The interpreters that the policy keeps waiting and that are not the standard ones: a row each,
 * tried and measured.  Returns how many. */
struct check;
struct finding;
size_t doctor_runtimes(const char *policy, struct check *rows, struct finding *findings,
		       size_t room);

/* A word in a colour if stdout is a terminal that wants them, followed by blanks up to width. */
int doctor_paint(struct buf *out, const char *colour, const char *word, int width,
		 struct error *err);
#define DOCTOR_GREEN  "32"
#define DOCTOR_YELLOW "33"
#define DOCTOR_RED    "1;31"
#define DOCTOR_DIM    "2"

#endif
