/* SPDX-License-Identifier: Apache-2.0 */
/* sharing.h - what a process would have in common with those that it forks. */
#ifndef NATIVE_SHARING_H
#define NATIVE_SHARING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum sharing {
	SHARING_UNKNOWN = 0, /* the line makes no sense */
	SHARING_WRITES,      /* a fork and its parent see what the other writes */
	SHARING_READS,       /* the same, unless nobody can write to its file */
	SHARING_NOT,
};

/* One line of proc_pid_maps(5).  ret_name: of its file, within the line. */
enum sharing sharing_of_line(const char *line, uint64_t *ret_start, const char **ret_name);

/* Of a child of ours.  ours: where mappings begin that its forks let go of themselves.  0: beside
 * these there is nothing.  -1: err says what there is, or why nobody can tell. */
int sharing_check(pid_t child, const uint64_t *ours, size_t n_ours, struct error *err);

#endif
