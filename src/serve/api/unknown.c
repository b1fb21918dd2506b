/* SPDX-License-Identifier: Apache-2.0 */
/* unknown.c - the answer to a call whose keeper died: we do not guess how it ended. */
#include "base/jsonout.h"
#include "call/why.h"
#include "serve/api/front.h"

int unknown_write(const struct unknown *u, struct buf *out, struct error *err)
{
	struct jsonout j;
	struct why why = {0};

	(void)why_deny(&why, WHY_KERNEL, "serve.keeper", "%s", u->what);
	why_retry(&why, 0);
	why_hint(&why, "it may have run; the audit log says how far it came");
	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	if (!u->tool_shape)
		jsonout_bool(&j, "success", false);
	jsonout_str(&j, "status", "unknown");
	if (u->tool_shape) {
		jsonout_str(&j, "data", "");
	} else {
		jsonout_str(&j, "output", "");
		jsonout_ms(&j, "execution_time_ms", u->us);
	}
	jsonout_str(&j, "error", u->what);
	why_json(&why, &j, "why");
	jsonout_str(&j, "id", u->id);
	jsonout_str(&j, "request_id", u->request_id);
	jsonout_object_end(&j);
	return jsonout_end(&j);
}
