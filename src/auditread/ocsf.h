/* SPDX-License-Identifier: Apache-2.0 */
/* ocsf.h - a record as an event of the Open Cybersecurity Schema Framework, version 1.8. */
#ifndef AUDITREAD_OCSF_H
#define AUDITREAD_OCSF_H

#include <jansson.h>

#include "audit/record.h"

#define OCSF_VERSION "1.8.0"

struct ocsf_source {
	const char *origin; /* the log's name */
	uint64_t index;
	const struct hash *leaf;
	const char *line; /* the record as it stands in the log */
	size_t len;
};

/* A new object; NULL: err.  belljar-audit(5) has the mapping. */
json_t *ocsf_event(const struct ocsf_source *from, const struct record_view *v, struct error *err);

#endif
