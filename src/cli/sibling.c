/* SPDX-License-Identifier: Apache-2.0 */
/* sibling.c - belljar and its other programs find each other from where they are themselves.
 *
 * Not by PATH: the environment is the caller's, and a program that judges must
 * not be another one than was installed.
 */
#include "cli/sibling.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int sibling_find(const char *const *places, size_t n, char *ret, size_t room, struct error *err)
{
	char here[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", here, sizeof(here) - 1);

	if (len < 0)
		return fail_sys(err, "readlink /proc/self/exe");
	here[len] = '\0';
	*strrchr(here, '/') = '\0';
	for (size_t i = 0; i < n; i++)
		if (snprintf(ret, room, "%s/%s", here, places[i]) < (int)room &&
		    access(ret, X_OK) == 0)
			return 0;
	return fail(err, ERR_CONFIG, "there is no %s/%s; belljar is not installed whole", here,
		    places[n - 1]);
}
