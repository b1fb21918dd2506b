/* SPDX-License-Identifier: Apache-2.0 */
/* ownfds.c - a launcher keeps the descriptors that are its own, and no other. */
#include "sandbox/native/ownfds.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/own.h"

enum { FIRST_FREE_FD = 4, FIRST_OWN_FD = 10 };

/* Away from the low numbers, which the box's making uses. */
static int lift(int *fd, struct error *err)
{
	int lifted;

	if (*fd < 0)
		return 0;
	lifted = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_OWN_FD);
	if (lifted < 0)
		return fail_sys(err, "duplicate a descriptor");
	*fd = lifted;
	return 0;
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int close_others(int *keep, size_t n, struct error *err)
{
	unsigned from = FIRST_FREE_FD;

	qsort(keep, n, sizeof(*keep), compare_ints);
	for (size_t i = 0; i < n; i++) {
		if ((unsigned)keep[i] > from && close_range(from, (unsigned)keep[i] - 1, 0) < 0)
			return fail_sys(err, "close descriptors");
		from = (unsigned)keep[i] + 1;
	}
	return close_range(from, ~0u, 0) < 0 ? fail_sys(err, "close descriptors") : 0;
}

int ownfds_keep(struct plan *plan, struct error *err)
{
	int keep[GRANTS_MAX + 6];
	size_t n = 0;
	int *lists[] = {&plan->socket, &plan->root, &plan->lock, &plan->board_fd};
	own_fd null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return fail_sys(err, "open /dev/null");
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		if (lift(lists[i], err) < 0)
			return -1;
		if (*lists[i] >= 0)
			keep[n++] = *lists[i];
	}
	for (size_t i = 0; i < GRANTS_MAX; i++) {
		if (lift(&plan->grants[i], err) < 0)
			return -1;
		if (plan->grants[i] >= 0)
			keep[n++] = plan->grants[i];
	}
	/* 3 as well: there the leash of each box will lie, and nothing else may get it. */
	for (int i = 0; i < FIRST_FREE_FD; i++)
		if (dup2(null, i) < 0)
			return fail_sys(err, "place /dev/null at %d", i);
	if (close_others(keep, n, err) < 0)
		return -1;
	null = -1; /* closed with the others */
	return 0;
}
