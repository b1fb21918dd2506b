/* SPDX-License-Identifier: Apache-2.0 */
/* findingsjson.c - what a verification found, as JSON. */
#include "audit/verify.h"
#include "base/jsonout.h"

void verify_findings_json(struct jsonout *j, const struct verify_report *r)
{
	jsonout_array(j, "findings");
	for (size_t i = 0; i < r->listed; i++) {
		const struct finding *f = &r->list[i];

		jsonout_object(j, NULL);
		jsonout_str(j, "kind", finding_kind_name(f->kind));
		if (f->index == UINT64_MAX)
			jsonout_null(j, "index");
		else
			jsonout_uint(j, "index", f->index);
		jsonout_str(j, "text", f->text);
		jsonout_object_end(j);
	}
	jsonout_array_end(j);
}
