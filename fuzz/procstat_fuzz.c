/* SPDX-License-Identifier: Apache-2.0 */
/* procstat_fuzz.c - a line of /proc/PID/stat from any bytes: the name in it is a program's choice.
 */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sandbox/native/proctable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	own_str line = malloc(size + 1);
	struct kept_process p;

	if (!line || size > 4096)
		return 0;
	memcpy(line, data, size);
	line[size] = '\0';
	if (proctable_parse(line, &p) < 0)
		return 0;
	assert(memchr(p.name, '\0', sizeof(p.name)));
	for (const char *c = p.name; *c; c++)
		assert(*c >= 0x20 && *c < 0x7f);
	assert((p.state >= 'A' && p.state <= 'Z') || p.state == 't' || p.state == '?');
	return 0;
}
