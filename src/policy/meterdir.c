/* SPDX-License-Identifier: Apache-2.0 */
/* meterdir.c - where the state of rates is kept. */
#include "policy/meterdir.h"

#include <limits.h>

#include "base/statedir.h"

int meterdir_open(const char *dir, struct error *err)
{
	static const struct statedir state = {"state directory", "BELLJAR_STATE", "", NULL};
	char path[PATH_MAX];

	if (statedir_find(&state, dir, path, sizeof(path), err) < 0)
		return -1;
	return statedir_open(&state, path, err);
}
