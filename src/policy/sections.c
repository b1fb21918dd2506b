/* SPDX-License-Identifier: Apache-2.0 */
/* sections.c - the policy file as rows: its top level, clients, rates, limits.
 *
 * Tools are in sections_tool.c, arguments and screening in sections_inside.c.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/own.h"
#include "call/limits.h"
#include "policy/meter.h"
#include "policy/reader.h"

#define DAYS(n) ((n)*UINT64_C(86400000))

/* As own_rates_... read them. */
#define RATE_FORM                                                                                 \
	"{\"anyOf\": [{\"type\": \"string\"}, {\"$ref\": \"#/$defs/rate\"}, {\"type\": "          \
	"\"array\", \"minItems\": 1, \"items\": {\"anyOf\": [{\"type\": \"string\"}, {\"$ref\": " \
	"\"#/$defs/rate\"}]}}]}"

static const struct setting rate_rows[] = {
	{.key = "limit",
	 .type = SET_COUNT,
	 .offset = offsetof(struct rate, limit),
	 .required = true,
	 .min = 1,
	 .max = RATE_LIMIT_MAX,
	 .example = "10",
	 .help = "How many calls per period."},
	{.key = "per",
	 .type = SET_MS,
	 .offset = offsetof(struct rate, per_ms),
	 .required = true,
	 .min = 1,
	 .max = RATE_PER_MAX_MS,
	 .example = "1m",
	 .help = "The period."},
	{.key = "burst",
	 .type = SET_COUNT,
	 .offset = offsetof(struct rate, burst),
	 .min = 1,
	 .max = RATE_LIMIT_MAX,
	 .example = "3",
	 .help = "How many of them may come at once; all of them if it is not said."},
	{.key = "key",
	 .type = SET_OWN,
	 .offset = offsetof(struct rate, key),
	 .read = own_rate_key,
	 .form = "{\"type\": \"array\", \"items\": {\"enum\": [\"client\", \"tool\"]}}",
	 .example = "[client, tool]",
	 .help = "Who shares one count: each client has its own, each tool has its own, both, or, "
		 "with an empty list, everybody shares one.  Tools share one only if their rates "
		 "are the same."},
};

const struct section rate_section = {
	.name = "rate",
	.about = "How often something may be done, in its long form.",
	.rows = rate_rows,
	.n_rows = ARRAY_LEN(rate_rows),
	.size = sizeof(struct rate),
	.place_offset = offsetof(struct rate, place),
};

/* Every member of it is one limit. */
enum { LIMITS_COUNT = sizeof(struct limits) / sizeof(uint64_t) };

/* Made from call/limits.c: a limit is one row there, and no second one here. */
static struct setting limit_settings[LIMITS_COUNT];
static char limit_keys[LIMITS_COUNT][32], limit_standards[LIMITS_COUNT][32];

static enum setting_type limit_type(enum limit_unit unit)
{
	switch (unit) {
	case UNIT_MS:
		return SET_MS;
	case UNIT_BYTES:
		return SET_BYTES;
	case UNIT_COUNT:
		return SET_COUNT;
	}
	return SETTING_TYPE_COUNT;
}

static void make_limit(const struct limit_row *from, size_t at)
{
	static const char *const suffixes[] = {
		[UNIT_MS] = "ms", [UNIT_BYTES] = "", [UNIT_COUNT] = ""};
	char *key = limit_keys[at];

	(void)snprintf(key, sizeof(limit_keys[at]), "%s", from->name);
	for (; *key; key++)
		if (*key == '-')
			*key = '_';
	(void)snprintf(limit_standards[at], sizeof(limit_standards[at]), "%" PRIu64 "%s",
		       from->standard, suffixes[from->unit]);
	limit_settings[at] = (struct setting){
		.key = limit_keys[at],
		.type = limit_type(from->unit),
		.offset = from->offset,
		.min = from->min,
		.max = from->max,
		.standard = limit_standards[at],
		.example = limit_standards[at],
		.help = from->help,
	};
}

/* Before main(): whoever looks at the rows finds all of them. */
__attribute__((constructor)) static void make_limits(void)
{
	assert(limit_row_count == LIMITS_COUNT);
	for (size_t i = 0; i < limit_row_count; i++)
		make_limit(&limit_rows[i], i);
}

const struct section limits_section = {
	.name = "limits",
	.about =
		"What one call may use; what is not said is as in defaults, and else the standard.",
	.rows = limit_settings,
	.n_rows = LIMITS_COUNT,
	.size = sizeof(struct limits),
	.place_offset = SIZE_MAX,
};

static const struct setting default_rows[] = {
	{.key = "limits",
	 .type = SET_SECTION,
	 .offset = offsetof(struct defaults, limits),
	 .section = &limits_section,
	 .example = "{ wall: 10s, memory: 128M }",
	 .help = "Limits of tools that do not say, one by one."},
	{.key = "rate",
	 .type = SET_OWN,
	 .offset = offsetof(struct defaults, rates),
	 .read = own_rates_tool,
	 .form = RATE_FORM,
	 .section = &rate_section,
	 .example = "30/min",
	 .help = "The rate of tools that do not say."},
	{.key = "screen",
	 .type = SET_SECTION,
	 .offset = offsetof(struct defaults, screen),
	 .section = &screen_section,
	 .example = "{ imports: [math, json] }",
	 .help = "Screening of tools that do not say, key by key."},
	{.key = "redact",
	 .type = SET_SECTION,
	 .offset = offsetof(struct defaults, redact),
	 .section = &redact_section,
	 .example = "{ groups: [standard, email] }",
	 .help = "Redaction of tools that do not say, key by key."},
	{.key = "concurrency",
	 .type = SET_COUNT,
	 .offset = offsetof(struct defaults, concurrency),
	 .min = 1,
	 .max = 100000,
	 .example = "4",
	 .help = "How many calls of one tool run at once, for tools that do not say."},
};

static const struct section defaults_section = {
	.name = "defaults",
	.about = "What counts for tools that do not say; in the main file only.",
	.rows = default_rows,
	.n_rows = ARRAY_LEN(default_rows),
	.size = sizeof(struct defaults),
	.place_offset = SIZE_MAX,
};

static const struct setting budget_rows[] = {
	{.key = "per",
	 .type = SET_MS,
	 .offset = offsetof(struct budget, per_ms),
	 .min = 1000,
	 .max = DAYS(366),
	 .required = true,
	 .example = "1h",
	 .help = "The sliding window in which everything below is counted."},
	{.key = "calls",
	 .type = SET_COUNT,
	 .offset = offsetof(struct budget, calls),
	 .min = 1,
	 .max = 1000000000000,
	 .example = "1000",
	 .help = "Calls that were let through."},
	{.key = "cpu",
	 .type = SET_MS,
	 .offset = offsetof(struct budget, cpu_ms),
	 .min = 1,
	 .max = DAYS(36600),
	 .example = "600s",
	 .help = "Processor time of all of them together, and of what works on in sessions between "
		 "them, which is ended when it is used up."},
	{.key = "output",
	 .type = SET_BYTES,
	 .offset = offsetof(struct budget, output_bytes),
	 .min = 1,
	 .max = UINT64_C(1) << 50,
	 .example = "10M",
	 .help = "Bytes of output of all of them together."},
};

static const struct section budget_section = {
	.name = "budget",
	.about = "What a client may use up in a window of time.",
	.rows = budget_rows,
	.n_rows = ARRAY_LEN(budget_rows),
	.size = sizeof(struct budget),
	.place_offset = SIZE_MAX,
	.finish = finish_budget,
};

static const char *const scope_words[] = {"execute", "read", "audit", "admin", NULL};

static const struct setting client_rows[] = {
	{.key = "key_sha256",
	 .type = SET_OWN,
	 .offset = offsetof(struct client, key_sha256),
	 .read = own_keys,
	 .form = "{\"anyOf\": [{\"type\": \"string\", \"minLength\": 64, "
		 "\"maxLength\": 64}, {\"type\": \"array\", "
		 "\"minItems\": 1, \"maxItems\": 8, \"items\": {\"type\": \"string\", "
		 "\"minLength\": 64, \"maxLength\": 64}}]}",
	 .example = "\"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
	 .help = "The SHA-256 of its API key, as 64 hexadecimal digits in lower case, or a list of "
		 "up to 8 of them, so that a key can be replaced while the old one still counts.  "
		 "The key itself is never written down; printf %s \"$KEY\" | sha256sum prints "
		 "this of it."},
	{.key = "cert",
	 .type = SET_TEXT,
	 .offset = offsetof(struct client, cert),
	 .min = 1,
	 .max = 127,
	 .example = "research.example.com",
	 .help = "The common name of its client certificate, which serve.tls.client_ca must have "
		 "signed."},
	{.key = "scopes",
	 .type = SET_TEXTS,
	 .offset = offsetof(struct client, scope_words),
	 .min = 1,
	 .max = 4,
	 .words = scope_words,
	 .example = "[execute, read, audit]",
	 .help = "What it may do with the service.  execute: call tools, open sessions, ask for a "
		 "dry run.  read: see tools, its own calls and sessions, and the counters.  audit: "
		 "read and verify the log, of everybody.  admin: all of this, for the calls and "
		 "sessions of everybody, and have the policy read again.  Without it: execute and "
		 "read."},
	{.key = "max_concurrent",
	 .type = SET_COUNT,
	 .offset = offsetof(struct client, max_concurrent),
	 .max = 100000,
	 .standard = "0",
	 .example = "8",
	 .help = "How many of its calls the service runs at once; 0: no cap of its own."},
	{.key = "uid",
	 .type = SET_OWN,
	 .read = own_uids,
	 .form = "{\"anyOf\": [{\"type\": \"integer\", \"minimum\": 0}, {\"const\": \"any\"}, "
		 "{\"type\": \"array\", \"items\": {\"type\": \"integer\", \"minimum\": 0}}]}",
	 .example = "[1000, 1001]",
	 .help = "The Unix users that are this client: a number, a list of numbers, or the word "
		 "any.  A client that names a uid comes before one that says any."},
	{.key = "tools",
	 .type = SET_TEXTS,
	 .offset = offsetof(struct client, tools),
	 .required = true,
	 .max = 1000,
	 .example = "[execute_code, \"report_*\"]",
	 .help = "The tools it may use, by name or by pattern.  A name that is no tool, and a "
		 "pattern that matches none, is an error.  Every other tool is answered as one "
		 "that does not exist."},
	{.key = "rate",
	 .type = SET_OWN,
	 .offset = offsetof(struct client, rates),
	 .read = own_rates_client,
	 .form = RATE_FORM,
	 .section = &rate_section,
	 .example = "60/min",
	 .help = "How often it may call, all tools together."},
	{.key = "budget",
	 .type = SET_SECTION,
	 .offset = offsetof(struct client, budget),
	 .section = &budget_section,
	 .example = "{ per: 1h, calls: 1000, cpu: 600s }",
	 .help = "How much it may use up in a window of time."},
};

static const struct section client_section = {
	.name = "client",
	.about = "One who calls, and the tools it may use.",
	.rows = client_rows,
	.n_rows = ARRAY_LEN(client_rows),
	.size = sizeof(struct client),
	.name_offset = offsetof(struct client, name),
	.place_offset = offsetof(struct client, place),
	.finish = finish_client,
};

static const char *const audit_modes[] = {"on", "off", NULL};
static const char *const durabilities[] = {"group", "always", NULL};
static const char *const body_modes[] = {"none", "hashes", "bodies", NULL};

static const struct setting audit_rows[] = {
	{.key = "mode",
	 .type = SET_EITHER,
	 .offset = offsetof(struct audit_rules, off),
	 .words = audit_modes,
	 .standard = "on",
	 .example = "off",
	 .help = "off: nothing is written down, and answers have no receipts.  Only this file can "
		 "say so; no option and no variable can."},
	{.key = "directory",
	 .type = SET_TEXT,
	 .offset = offsetof(struct audit_rules, directory),
	 .min = 1,
	 .max = 4000,
	 .example = "/var/lib/belljar/audit",
	 .help = "Where the log is.  It belongs to whoever calls, and nobody else may write to "
		 "it.  If it is said here, callers cannot choose another.  Else it is --audit, "
		 "$BELLJAR_AUDIT, or audit in the state directory."},
	{.key = "durability",
	 .type = SET_EITHER,
	 .offset = offsetof(struct audit_rules, always),
	 .words = durabilities,
	 .standard = "group",
	 .example = "always",
	 .help = "What a record survives by the time its call runs or is answered.  group: the "
		 "death of every process; it is put on the disk in groups, at most 100 ms later, "
		 "and until then a loss of power can take it.  always: a loss of power, too; each "
		 "call waits for the disk twice."},
	{.key = "bodies",
	 .type = SET_WORD,
	 .offset = offsetof(struct audit_rules, bodies),
	 .words = body_modes,
	 .standard = "hashes",
	 .example = "bodies",
	 .help = "What is kept of a call's output.  none: how much there was.  hashes: also its "
		 "SHA-256, by which somebody who has it can prove it.  bodies: the output itself, "
		 "redacted, in files of their own that may be removed later."},
};

static const struct section audit_section = {
	.name = "audit",
	.about = "The log of what was called; in the main file only.",
	.rows = audit_rows,
	.n_rows = ARRAY_LEN(audit_rows),
	.size = sizeof(struct audit_rules),
	.place_offset = SIZE_MAX,
};

static const struct setting policy_rows[] = {
	{.key = "version",
	 .type = SET_COUNT,
	 .offset = offsetof(struct policy_text, version),
	 .required = true,
	 .min = 1,
	 .max = 1,
	 .example = "1",
	 .help = "The version of this format, in every file."},
	{.key = "include",
	 .type = SET_TEXTS,
	 .offset = offsetof(struct policy_text, include),
	 .max = 64,
	 .example = "[team.yaml]",
	 .help = "Further files, relative to this one, at most 8 deep.  They add clients and "
		 "tools.  Beside them, the files *.yaml of a directory policy.d beside policy.yaml "
		 "are read in the order of their names.  The same client or tool in two files is "
		 "an error.  Each file must belong to root or to the caller, and nobody else may "
		 "write to it or to a directory on the way."},
	{.key = "allow_degraded",
	 .type = SET_OWN,
	 .offset = offsetof(struct policy_text, allow_degraded),
	 .main_only = true,
	 .read = own_layers,
	 .form = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}",
	 .example = "[own_uid]",
	 .help = "Layers of the box that may be weaker or missing on this host; see belljar "
		 "doctor."},
	{.key = "rate",
	 .type = SET_OWN,
	 .offset = offsetof(struct policy_text, rates),
	 .main_only = true,
	 .read = own_rates_global,
	 .form = RATE_FORM,
	 .section = &rate_section,
	 .example = "1000/min",
	 .help = "How often anybody may call anything, all together."},
	{.key = "audit",
	 .type = SET_SECTION,
	 .offset = offsetof(struct policy_text, audit),
	 .main_only = true,
	 .section = &audit_section,
	 .example = "{ durability: always }",
	 .help = "Every call is written down before it runs, and again when it has ended.  If that "
		 "is not possible, it does not run."},
	{.key = "serve",
	 .type = SET_SECTION,
	 .offset = offsetof(struct policy_text, serve),
	 .main_only = true,
	 .section = &serve_section,
	 .example = "{ listen: [\"127.0.0.1:8640\", \"unix:/run/belljar/belljar.sock\"] }",
	 .help = "The service, belljar serve: where it listens and how much it takes on."},
	{.key = "defaults",
	 .type = SET_SECTION,
	 .offset = offsetof(struct policy_text, defaults),
	 .main_only = true,
	 .section = &defaults_section,
	 .example = "{ limits: { wall: 10s } }",
	 .help = "What counts for tools that do not say."},
	{.key = "run",
	 .type = SET_SECTION,
	 .offset = offsetof(struct policy_text, run),
	 .main_only = true,
	 .section = &run_section,
	 .example = "{ limits: { wall: 60s }, may: [read, put, get] }",
	 .help = "What belljar run may be asked for: everything, if it is not said."},
	{.key = "runtimes",
	 .type = SET_NAMED,
	 .offset = offsetof(struct policy_text, runtimes.list),
	 .count_offset = offsetof(struct policy_text, runtimes.n),
	 .main_only = true,
	 .max = 32,
	 .section = &runtime_section,
	 .example = "{ science: { language: python, program: /opt/science/bin/python, modules: "
		    "[numpy] } }",
	 .help = "What runs code, and what of it waits for calls.  Two exist without being "
		 "written: python (program python3, with the common modules of its standard "
		 "library) and node (program node).  One of these names here takes their "
		 "place for every tool that names no other."},
	{.key = "clients",
	 .type = SET_NAMED,
	 .offset = offsetof(struct policy_text, clients),
	 .count_offset = offsetof(struct policy_text, n_clients),
	 .max = 1000,
	 .section = &client_section,
	 .example = "{ local: { uid: any, tools: [execute_code] } }",
	 .help = "Who may call.  Whoever is not named here is refused."},
	{.key = "tools",
	 .type = SET_NAMED,
	 .offset = offsetof(struct policy_text, tools),
	 .count_offset = offsetof(struct policy_text, n_tools),
	 .max = 1000,
	 .section = &tool_section,
	 .example = "{ execute_code: { kind: code, languages: [python] } }",
	 .help = "What may be called.  A tool that is not named here does not exist."},
};

const struct section policy_section = {
	.name = "policy file",
	.about = "Who may call which tools, with which arguments, how often.  Whatever is not "
		 "allowed here is refused; that cannot be changed.",
	.rows = policy_rows,
	.n_rows = ARRAY_LEN(policy_rows),
	.size = sizeof(struct policy_text),
	.place_offset = offsetof(struct policy_text, place),
};
