/* SPDX-License-Identifier: Apache-2.0 */
/* sharing_fuzz.c - a line of a process's mappings from any bytes. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/native/sharing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1);
	const char *name = NULL;
	uint64_t start = 0;
	enum sharing found;

	if (!line)
		return 0;
	memcpy(line, data, size);
	line[size] = '\0';
	found = sharing_of_line(line, &start, &name);
	/* What shares nothing says so. */
	if (found == SHARING_NOT)
		assert(strstr(line, "p"));
	if (found == SHARING_READS)
		assert(strstr(line, "-"));
	if (found != SHARING_UNKNOWN)
		assert(name >= line && name <= line + strlen(line));
	free(line);
	return 0;
}
