/* SPDX-License-Identifier: Apache-2.0 */
/* descriptors.h - how many descriptors a test has open: as many afterwards as before? */
#ifndef TESTS_DESCRIPTORS_H
#define TESTS_DESCRIPTORS_H

#include <dirent.h>
#include <stddef.h>

static size_t count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

#endif
