/* SPDX-License-Identifier: Apache-2.0 */
/* logword.c - one record of a command's own, into the log. */
#include "cli/logword.h"

#include <limits.h>

#include "base/own.h"
#include "cli/sibling.h"

int logword_write(const char *directory, const char *state, const char *key, const struct record *r,
		  struct error *err)
{
	static const char *const places[] = {"belljar-scribe"};
	char scribe[PATH_MAX];
	struct audit_config config = {
		.directory = directory, .state = state, .scribe = scribe, .durable = true};
	struct audit_entry entry = {.kind = key ? PUT_ONCE : PUT_SINGLE, .key = key};
	own(audit) audit;
	own(buf) line;

	audit_init(&audit);
	buf_init(&line, RECORD_MAX);
	if (record_write(r, &line, err) < 0 ||
	    sibling_find(places, ARRAY_LEN(places), scribe, sizeof(scribe), err) < 0 ||
	    audit_open(&audit, &config, err) < 0)
		return -1;
	entry.line = line.data;
	entry.len = line.len;
	return audit_write(&audit, &entry, 1, err);
}
