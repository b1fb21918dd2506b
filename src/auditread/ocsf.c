/* SPDX-License-Identifier: Apache-2.0 */
/* ocsf.c - a record as an event of the Open Cybersecurity Schema Framework, version 1.8.
 *
 * What begins and ends is Process Activity, what was refused is API Activity
 * (no process was ever there), what concerns belljar itself is Application
 * Lifecycle.  The line itself goes along as raw_data: an event can be led
 * back to the leaf that it was made from.
 */
#include "auditread/ocsf.h"

#include <assert.h>
#include <string.h>

#include "base/jsonread.h"
#include "base/own.h"

enum { CLASS_PROCESS = 1007, CLASS_LIFECYCLE = 6002, CLASS_API = 6003 };
enum { STATUS_ID_UNKNOWN = 0, STATUS_ID_SUCCESS = 1, STATUS_ID_FAILURE = 2 };
enum { SEVERITY_INFO = 1, SEVERITY_LOW = 2, SEVERITY_MEDIUM = 3, SEVERITY_CRITICAL = 5 };

struct mapping {
	int class;
	const char *class_name;
	int activity;
	const char *activity_name;
	int severity;
};

static const struct mapping mappings[] = {
	[RECORD_NONE] = {0, "Base Event", 0, "Unknown", SEVERITY_INFO},
	[RECORD_STARTED] = {CLASS_PROCESS, "Process Activity", 1, "Launch", SEVERITY_INFO},
	[RECORD_FINISHED] = {CLASS_PROCESS, "Process Activity", 2, "Terminate", SEVERITY_INFO},
	[RECORD_DENIED] = {CLASS_API, "API Activity", 99, "Call", SEVERITY_LOW},
	[RECORD_ABORTED] = {CLASS_PROCESS, "Process Activity", 2, "Terminate", SEVERITY_MEDIUM},
	[RECORD_STARTED_UP] = {CLASS_LIFECYCLE, "Application Lifecycle", 3, "Start", SEVERITY_INFO},
	[RECORD_SHUT_DOWN] = {CLASS_LIFECYCLE, "Application Lifecycle", 4, "Stop", SEVERITY_INFO},
	[RECORD_POLICY_LOADED] = {CLASS_LIFECYCLE, "Application Lifecycle", 99, "Policy Loaded",
				  SEVERITY_INFO},
	[RECORD_POLICY_REFUSED] = {CLASS_LIFECYCLE, "Application Lifecycle", 99, "Policy Refused",
				   SEVERITY_MEDIUM},
	[RECORD_KEY_CHANGED] = {CLASS_LIFECYCLE, "Application Lifecycle", 99, "Key Changed",
				SEVERITY_MEDIUM},
	[RECORD_BODIES_DROPPED] = {CLASS_LIFECYCLE, "Application Lifecycle", 99, "Bodies Dropped",
				   SEVERITY_INFO},
};
static_assert(ARRAY_LEN(mappings) == RECORD_KIND_COUNT, "one mapping per kind");

/* The record's own words, and the event that grows from them.  Out of memory is seen once. */
struct maker {
	const struct ocsf_source *from;
	const struct record_view *v;
	const struct mapping *map;
	const json_t *record;
	bool failed;
};

static void put(struct maker *m, json_t *object, const char *key, json_t *value)
{
	if (!value || json_object_set_new(object, key, value) < 0)
		m->failed = true;
}

static void put_text(struct maker *m, json_t *object, const char *key, const char *text)
{
	put(m, object, key, json_string(text));
}

static void put_number(struct maker *m, json_t *object, const char *key, int64_t n)
{
	put(m, object, key, json_integer(n));
}

/* A member of the record under another name, if it is there. */
static void copy(struct maker *m, json_t *object, const char *key, const char *member)
{
	json_t *value = json_object_get(m->record, member);

	if (value)
		put(m, object, key, json_incref(value));
}

static json_t *child(struct maker *m, json_t *object, const char *key)
{
	json_t *made = json_object();

	put(m, object, key, made);
	return m->failed ? NULL : made;
}

static void put_product(struct maker *m, json_t *metadata)
{
	json_t *product = child(m, metadata, "product");

	put_text(m, product, "name", "belljar");
	put_text(m, product, "vendor_name", "belljar");
	copy(m, product, "version", "version");
}

static void put_metadata(struct maker *m, json_t *event)
{
	json_t *metadata = child(m, event, "metadata");
	char hex[HASH_HEX];

	hash_hex(m->from->leaf, hex);
	put_text(m, metadata, "version", OCSF_VERSION);
	put_product(m, metadata);
	put_text(m, metadata, "log_name", m->from->origin);
	put_text(m, metadata, "log_provider", "belljar audit");
	put_text(m, metadata, "event_code", record_kind_name(m->v->kind));
	put_number(m, metadata, "sequence", (int64_t)m->from->index);
	put_text(m, metadata, "uid", hex);
	copy(m, metadata, "correlation_uid", "id");
	copy(m, metadata, "original_time", "time");
	if (m->map->class != CLASS_LIFECYCLE)
		put(m, metadata, "profiles", json_pack("[ss]", "host", "security_control"));
	else
		put(m, metadata, "profiles", json_pack("[s]", "host"));
}

static void put_actor(struct maker *m, json_t *event)
{
	json_t *actor = child(m, event, "actor");
	json_t *user = child(m, actor, "user");

	copy(m, user, "name", "client");
	if (m->v->has_uid) {
		char uid[24];

		(void)snprintf(uid, sizeof(uid), "%u", (unsigned)m->v->uid);
		put_text(m, user, "uid", uid);
	}
	if (m->v->session.data)
		copy(m, child(m, actor, "session"), "uid", "session");
	put_text(m, actor, "app_name", "belljar");
}

static void put_device(struct maker *m, json_t *event)
{
	json_t *device = child(m, event, "device");

	put_number(m, device, "type_id", 0);
	put_text(m, device, "name", m->from->origin);
}

static void put_process(struct maker *m, json_t *event)
{
	json_t *process = child(m, event, "process");

	copy(m, process, "name", "tool");
	copy(m, process, "uid", "id");
	copy(m, process, "sandbox", "backend");
	if (m->map->activity == 1)
		copy(m, process, "cmd_line", "args");
	copy(m, event, "exit_code", "exit_code");
}

static void put_api(struct maker *m, json_t *event)
{
	json_t *api = child(m, event, "api");
	json_t *request = child(m, api, "request");

	if (m->v->tool.data)
		copy(m, api, "operation", "tool");
	else
		put_text(m, api, "operation", "unknown");
	copy(m, request, "uid", "id");
	put_text(m, child(m, api, "service"), "name", "belljar");
	put_text(m, child(m, event, "src_endpoint"), "name", m->from->origin);
}

static void put_app(struct maker *m, json_t *event)
{
	json_t *app = child(m, event, "app");

	put_text(m, app, "name", "belljar");
	put_text(m, app, "vendor_name", "belljar");
	copy(m, app, "version", "version");
}

/* What the policy said, as profile security_control has it. */
static void put_control(struct maker *m, json_t *event)
{
	bool denied = m->v->kind == RECORD_DENIED;
	json_t *policy, *rule;

	put_number(m, event, "action_id", denied ? 2 : 1);
	put_text(m, event, "action", denied ? "Denied" : "Allowed");
	put_number(m, event, "disposition_id", denied ? 2 : 1);
	put_text(m, event, "disposition", denied ? "Blocked" : "Allowed");
	policy = child(m, event, "policy");
	put_text(m, policy, "name", "belljar policy");
	copy(m, policy, "uid", "policy_sha256");
	if (m->v->rule.data) {
		rule = child(m, event, "firewall_rule");
		copy(m, rule, "uid", "rule");
		copy(m, rule, "name", "layer");
		copy(m, rule, "desc", "reason");
	}
}

static int status_of(const struct maker *m)
{
	const char *status = json_string_value(json_object_get(m->record, "status"));

	switch (m->v->kind) {
	case RECORD_DENIED:
	case RECORD_POLICY_REFUSED:
		return STATUS_ID_FAILURE;
	case RECORD_FINISHED:
		if (!status || strcmp(status, "unknown") == 0)
			return STATUS_ID_UNKNOWN;
		return strcmp(status, "success") == 0 ? STATUS_ID_SUCCESS : STATUS_ID_FAILURE;
	case RECORD_ABORTED:
	case RECORD_NONE:
		return STATUS_ID_UNKNOWN;
	case RECORD_STARTED:
	case RECORD_STARTED_UP:
	case RECORD_SHUT_DOWN:
	case RECORD_POLICY_LOADED:
	case RECORD_KEY_CHANGED:
	case RECORD_BODIES_DROPPED:
	case RECORD_KIND_COUNT:
		break;
	}
	return STATUS_ID_SUCCESS;
}

static void put_status(struct maker *m, json_t *event)
{
	static const char *const names[] = {"Unknown", "Success", "Failure"};
	int status = status_of(m);

	put_number(m, event, "status_id", status);
	put_text(m, event, "status", names[status]);
	copy(m, event, "status_code", "status");
	copy(m, event, "status_detail", m->v->reason.data ? "reason" : "cause");
	copy(m, event, "message", m->v->reason.data ? "reason" : "detail");
}

static void put_severity(struct maker *m, json_t *event)
{
	static const char *const names[] = {"Unknown", "Informational", "Low",
					    "Medium",  "High",          "Critical"};
	bool canary = json_is_true(json_object_get(m->record, "canary"));
	int severity = canary ? SEVERITY_CRITICAL : m->map->severity;

	put_number(m, event, "severity_id", severity);
	put_text(m, event, "severity", names[severity]);
	if (canary && m->map->class != CLASS_LIFECYCLE)
		put(m, event, "is_alert", json_true());
}

static void put_class(struct maker *m, json_t *event)
{
	bool system = m->map->class == CLASS_PROCESS;

	put_number(m, event, "category_uid", system ? 1 : 6);
	put_text(m, event, "category_name", system ? "System Activity" : "Application Activity");
	put_number(m, event, "class_uid", m->map->class);
	put_text(m, event, "class_name", m->map->class_name);
	put_number(m, event, "activity_id", m->map->activity);
	put_text(m, event, "activity_name", m->map->activity_name);
	put_number(m, event, "type_uid", (int64_t)m->map->class * 100 + m->map->activity);
	put_number(m, event, "time", (int64_t)m->v->time_ms);
}

/* What the framework has no word for. */
static void put_rest(struct maker *m, json_t *event)
{
	static const char *const members[] = {
		"args_sha256", "artifacts", "backend",    "canary", "cause",    "decision",
		"layers",      "limits",    "redactions", "run_us", "setup_us", "signal",
		"stderr",      "stdout",    "start",      "usage",
	};
	json_t *unmapped = child(m, event, "unmapped");
	struct hash raw;
	char hex[HASH_HEX];

	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		copy(m, unmapped, members[i], members[i]);
	if (m->v->kind == RECORD_FINISHED)
		put_number(m, event, "duration", (int64_t)(m->v->run_us / 1000));
	put(m, event, "raw_data", json_stringn(m->from->line, m->from->len));
	put_number(m, event, "raw_data_size", (int64_t)m->from->len);
	hash_bytes(m->from->line, m->from->len, &raw);
	hash_hex(&raw, hex);
	put(m, event, "raw_data_hash",
	    json_pack("{si ss ss}", "algorithm_id", 3, "algorithm", "SHA-256", "value", hex));
}

static void put_subject(struct maker *m, json_t *event)
{
	if (m->map->class == CLASS_LIFECYCLE) {
		put_app(m, event);
		return;
	}
	put_actor(m, event);
	put_control(m, event);
	if (m->map->class == CLASS_PROCESS)
		put_process(m, event);
	else
		put_api(m, event);
}

json_t *ocsf_event(const struct ocsf_source *from, const struct record_view *v, struct error *err)
{
	own_json record = jsonread(from->line, from->len, RECORD_MAX, err);
	own_json event = json_object();
	struct maker m = {from, v, &mappings[v->kind], record, !event};

	if (!record)
		return NULL;
	put_class(&m, event);
	put_metadata(&m, event);
	put_severity(&m, event);
	put_status(&m, event);
	put_device(&m, event);
	put_subject(&m, event);
	put_rest(&m, event);
	if (m.failed) {
		(void)fail(err, ERR_SYSTEM, "out of memory");
		return NULL;
	}
	return TAKE(event);
}
