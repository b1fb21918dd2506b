/* SPDX-License-Identifier: Apache-2.0 */
/* apianswers.c - what is answered: one row per field, for OpenAPI and clients.
 *
 * Answers may grow: a client must not mind members that it does not know.
 */
#include "api/apirows.h"

#include "base/own.h"

#define FIELD(word, kind, words_help) \
	.name = (word), .type = (kind), .required = true, .help = (words_help)
/* There once somebody has seen how a call ended. */
#define SEEN(word, kind, words_help) .name = (word), .type = (kind), .help = (words_help)
#define TEXT(word, words_help)                      \
	{                                           \
		FIELD(word, API_STRING, words_help) \
	}
#define TEXT_OR(word, words_help)                                     \
	{                                                             \
		FIELD(word, API_STRING, words_help), .nullable = true \
	}
#define COUNT(word, words_help)                      \
	{                                            \
		FIELD(word, API_INTEGER, words_help) \
	}
#define FLAG(word, words_help)                       \
	{                                            \
		FIELD(word, API_BOOLEAN, words_help) \
	}
#define MS(word, words_help)                        \
	{                                           \
		FIELD(word, API_NUMBER, words_help) \
	}
#define TIME(word, words_help)                    \
	{                                         \
		FIELD(word, API_TIME, words_help) \
	}
#define INSIDE(word, object, words_help)                            \
	{                                                           \
		FIELD(word, API_OBJECT, words_help), .of = (object) \
	}
#define INSIDE_OR(word, object, words_help)                                           \
	{                                                                             \
		FIELD(word, API_OBJECT, words_help), .of = (object), .nullable = true \
	}
#define LIST(word, object, words_help)                                                 \
	{                                                                              \
		FIELD(word, API_LIST, words_help), .items = API_OBJECT, .of = (object) \
	}
#define TEXTS(word, words_help)                                        \
	{                                                              \
		FIELD(word, API_LIST, words_help), .items = API_STRING \
	}
#define FREE(word, words_help)                    \
	{                                         \
		FIELD(word, API_FREE, words_help) \
	}

static const char *const statuses[] = {"success",           "error",   "denied", "timeout",
				       "resource_exceeded", "unknown", NULL};
static const char *const tool_statuses[] = {
	"success", "permission_denied", "error", "timeout", "resource_exceeded", "unknown", NULL};
static const char *const decisions[] = {"allow", "ask", "deny", NULL};
static const char *const states[] = {"running", "finished", NULL};

static const struct api_field problem_fields[] = {
	TEXT("type", "A URI that names the kind of problem."),
	TEXT("title", "The same in a few words."),
	COUNT("status", "The HTTP status."),
	TEXT("detail", "What was wrong this time."),
	TEXT("code", "The last part of type."),
	TEXT("request_id", "As in X-Request-Id."),
	{.name = "instance", .type = API_STRING, .help = "The path that was asked for."},
	{.name = "errors",
	 .type = API_LIST,
	 .items = API_OBJECT,
	 .of = "problem_error",
	 .help = "What is wrong with the body, member by member."},
};

static const struct api_field problem_error_fields[] = {
	{.name = "pointer", .type = API_STRING, .help = "A JSON Pointer (RFC 6901) into the body."},
	{.name = "parameter", .type = API_STRING, .help = "Or the name in the query."},
	TEXT("detail", "What is wrong there."),
};

static const struct api_field why_fields[] = {
	TEXT("layer", "Who refused: request, policy, screen, limit, file, egress, kernel, output."),
	TEXT("rule", "The rule, as a path into the policy."),
	TEXT("what", "What was wrong."),
	FLAG("permanent", "The same call cannot succeed under this policy."),
	{FIELD("retry_after_ms", API_INTEGER, "When it may be tried again."), .nullable = true},
	TEXT_OR("hint", "The nearest thing that is allowed."),
};

static const struct api_field receipt_fields[] = {
	COUNT("index", "Where in the log the record is."),
	TEXT("leaf_hash", "Its hash, in hexadecimal."),
};

static const struct api_field stream_fields[] = {
	{FIELD("encoding", API_STRING, "How data is written."),
	 .words = (const char *const[]){"utf-8", "base64", NULL}},
	TEXT("data", "The bytes that were kept, cleaned of secrets."),
	COUNT("bytes_seen", "How many the program wrote."),
	COUNT("bytes_kept", "How many are in data."),
	FLAG("truncated", "The rest was dropped."),
};

static const struct api_field start_fields[] = {
	{FIELD("how", API_STRING,
	       "cold: its process was made for it.  sealed: a process waited, and the program was "
	       "started in it.  forked: from an interpreter that waits, for this call.  waiting: "
	       "an interpreter waited in its box."),
	 .words = (const char *const[]){"cold", "sealed", "forked", "waiting", NULL}},
	TEXT_OR("why_cold", "Why no interpreter that waited could run it, if one should have."),
	COUNT("baseline_bytes", "Memory that it shares with what it was forked from."),
	MS("interpreter_age_ms", "How long ago that was started."),
	COUNT("interpreter_calls", "How many calls came out of it, with this one."),
};

static const struct api_field artifact_fields[] = {
	TEXT("name", "Beneath /work, escaped."),
	FLAG("copied", "It is here; false: refused says why not."),
	COUNT("size", "Bytes."),
	TEXT_OR("sha256", "Of the content."),
	TEXT_OR("refused", "Why it did not come out."),
	{.name = "content_base64", .type = API_BASE64, .help = "Its bytes."},
	{.name = "redacted", .type = API_BOOLEAN, .help = "Something was cut out of it."},
};

#define ACCOUNT                                                                                   \
	{SEEN("exit_code", API_INTEGER, "The program's own."), .nullable = true},                 \
		{SEEN("signal", API_INTEGER, "That ended it."), .nullable = true},                \
		{SEEN("signal_name", API_STRING, "Its name without SIG."), .nullable = true},     \
		{SEEN("was_killed", API_BOOLEAN, "A limit, or somebody, ended it.")},             \
		{SEEN("kill_reason", API_STRING, "Which."), .nullable = true},                    \
		{SEEN("setup_time_ms", API_NUMBER, "The box's.")},                                \
		{SEEN("start", API_OBJECT, "How its process came to be."), .of = "start",         \
		 .nullable = true},                                                               \
		{SEEN("stdout", API_OBJECT, "Its standard output."), .of = "stream"},             \
		{SEEN("stderr", API_OBJECT, "Its standard error."), .of = "stream"},              \
		{SEEN("resource_usage", API_FREE, "What it used.")},                              \
		{SEEN("limits", API_FREE, "What it might have used.")},                           \
		{SEEN("backend", API_STRING, "What the walls are made of.")},                     \
		{SEEN("mode", API_STRING, "root, or user: whose rights they were put up with.")}, \
		{SEEN("schema", API_INTEGER, "Of this account: 1.")},                             \
		{SEEN("near_misses", API_FREE, "How near it came to its limits.")},               \
		{SEEN("failure", API_OBJECT, "Why it could not be run."), .of = "failure",        \
		 .nullable = true},                                                               \
		{SEEN("artifacts", API_LIST, "Files that came out."), .items = API_OBJECT,        \
		 .of = "artifact"},                                                               \
	{                                                                                         \
		SEEN("layers", API_FREE, "The walls it ran behind.")                              \
	}

#define PASSAGE                                                                                \
	{SEEN("tool", API_STRING, "Which was called.")},                                       \
		{SEEN("client", API_STRING, "Who called."), .nullable = true},                 \
		{SEEN("decision", API_STRING, "Of the policy."), .words = decisions},          \
		{SEEN("dry_run", API_BOOLEAN, "Nothing was run.")},                            \
		{SEEN("refused_by", API_STRING, "The stage that refused."), .nullable = true}, \
		{SEEN("screening", API_LIST, "What was found in the code or command."),        \
		 .items = API_OBJECT, .of = "finding"},                                        \
		{SEEN("redactions", API_LIST, "What was cut out of the output, by rule."),     \
		 .items = API_OBJECT, .of = "redaction"},                                      \
		{SEEN("remaining", API_FREE, "What is left of rates and budgets.")},           \
		{SEEN("receipt", API_OBJECT, "Of the record of its end."), .of = "receipt",    \
		 .nullable = true},                                                            \
		{SEEN("receipt_started", API_OBJECT, "Of the record of its beginning."),       \
		 .of = "receipt", .nullable = true},                                           \
	{                                                                                      \
		SEEN("policy", API_FREE, "Its hash.")                                          \
	}

static const struct api_field finding_fields[] = {
	TEXT("rule", "Which rule found it."),
	TEXT_OR("label", "Under which name."),
	TEXT("mode", "What the policy makes of it: block, warn, off."),
	COUNT("line", "Where, from 1."),
	COUNT("column", "Where, from 1."),
	TEXT("what", "The thing."),
	TEXT_OR("reason", "What is wrong with it."),
	TEXT_OR("hint", "What to write instead."),
};

static const struct api_field redaction_fields[] = {
	TEXT("rule", "Which rule."),
	COUNT("count", "How often."),
};

static const struct api_field failure_fields[] = {
	TEXT("kind", "Whose it is: caller, config, refused, not_found, system or internal."),
	TEXT("text", "What went wrong."),
};

/* What is always there, is there too if the process that had the call died. */
static const struct api_field execution_fields[] = {
	FLAG("success", "It ran, and ended well."),
	{FIELD("status", API_STRING,
	       "How it ended; unknown: nobody saw it, and what is not "
	       "required is not there."),
	 .words = statuses},
	TEXT("output", "What it printed."),
	TEXT_OR("error", "What went wrong, in one sentence."),
	MS("execution_time_ms", "The program's."),
	INSIDE_OR("why", "why", "Why it was refused."),
	TEXT_OR("id", "Of the call, as in the log; null: it never had one."),
	TEXT("request_id", "As in X-Request-Id."),
	PASSAGE,
	ACCOUNT,
	{.name = "session", .type = API_STRING, .help = "In a session: its id."},
	{.name = "action", .type = API_STRING, .help = "In a session: what was done there."},
	{.name = "snippet", .type = API_INTEGER, .help = "Code in a session: its number."},
	{.name = "result",
	 .type = API_STRING,
	 .nullable = true,
	 .help = "Code in a session: the value of its last line."},
	{.name = "state_lost",
	 .type = API_BOOLEAN,
	 .help = "Code in a session: the variables of before are gone."},
};

static const struct api_field tool_result_fields[] = {
	{FIELD("status", API_STRING, "How it ended; unknown: nobody saw it."),
	 .words = tool_statuses},
	TEXT("data", "What it printed."),
	{.name = "json", .type = API_ANY, .help = "The same, if it is JSON."},
	TEXT_OR("error", "What went wrong, in one sentence."),
	INSIDE_OR("why", "why", "Why it was refused."),
	TEXT_OR("id", "Of the call, as in the log; null: it never had one."),
	TEXT("request_id", "As in X-Request-Id."),
	{SEEN("receipt", API_OBJECT, "Of the record of its end."), .of = "receipt",
	 .nullable = true},
	{SEEN("account", API_FREE, "The whole of it, as execution.")},
};

static const struct api_field tool_fields[] = {
	TEXT("name", "Of the tool."),
	{FIELD("kind", API_STRING, "What it is."),
	 .words = (const char *const[]){"code", "command", "fetch", NULL}},
	TEXT_OR("description", "What it does."),
	TEXTS("languages", "Of its code."),
	FREE("input_schema", "JSON Schema of its arguments."),
	FREE("limits", "What one call may use."),
	FLAG("sessions", "It can be kept."),
	FLAG("artifacts", "Files may come out."),
};

static const struct api_field tools_fields[] = {
	LIST("tools", "tool", "Those that this client may use."),
};

static const struct api_field screening_fields[] = {
	TEXT("language", "Of what was looked at."),
	FLAG("blocks", "It would be refused."),
	INSIDE_OR("why", "why", "Why."),
	LIST("screening", "finding", "What was found."),
	TEXT("request_id", "As in X-Request-Id."),
};

static const struct api_field begun_fields[] = {
	TEXT("id", "Of the call, as in the log."),
	TEXT("request_id", "As in X-Request-Id."),
	INSIDE_OR("receipt", "receipt", "Of the record of its beginning."),
	{.name = "session", .type = API_STRING, .help = "In a session: its id."},
};

static const struct api_field output_fields[] = {
	{.name = "data", .type = API_STRING, .help = "Text."},
	{.name = "data_base64", .type = API_BASE64, .help = "Bytes that are no text."},
	COUNT("offset", "Of the first of them in the stream."),
};

#define CALL                                                                                       \
	TEXT("id", "Of the call."), {FIELD("state", API_STRING, "Does it run?"), .words = states}, \
		TEXT_OR("tool", "Which was called, once that is known."),                          \
		TEXT("client", "Who called."),                                                     \
		{.name = "session", .type = API_STRING, .help = "Whose program it is."},           \
		TIME("started", "When."),                                                          \
		FLAG("detach", "It goes on when the connection that asked for it closes."),        \
		FLAG("cancelled", "Somebody has cancelled it."),                                   \
		COUNT("stdout_bytes", "Of its output so far."),                                    \
		COUNT("stderr_bytes", "Of its output so far."),                                    \
		{.name = "http_status", .type = API_INTEGER, .help = "Of its answer."},            \
	{                                                                                          \
		.name = "answer_dropped", .type = API_BOOLEAN,                                     \
		.help = "The answer was too large to be kept."                                     \
	}

static const struct api_field call_fields[] = {CALL};

static const struct api_field call_state_fields[] = {
	CALL,
	{.name = "answer", .type = API_FREE, .help = "What was answered, once it has ended."},
};

static const struct api_field call_list_fields[] = {
	LIST("calls", "call_entry", "Those that run, and those that ended lately."),
	FLAG("truncated", "There are more."),
};

static const struct api_field call_output_fields[] = {
	TEXT("id", "Of the call."),
	{FIELD("stream", API_STRING, "Which of the two."),
	 .words = (const char *const[]){"stdout", "stderr", NULL}},
	COUNT("from", "Offset of the first byte."),
	{.name = "lost", .type = API_INTEGER, .help = "So many before it are not kept any more."},
	{.name = "data", .type = API_STRING, .help = "Text."},
	{.name = "data_base64", .type = API_BASE64, .help = "Bytes that are no text."},
	COUNT("next", "Offset to go on from."),
	{FIELD("state", API_STRING, "Does it run?"), .words = states},
	FLAG("end", "There will be no more."),
};

static const struct api_field session_interpreter_fields[] = {
	TEXT("language", "What it takes."),
	FLAG("ready", "It has begun, and takes snippets."),
	{FIELD("how", API_STRING,
	       "template: as a copy of one that was ready.  cold: as any program."),
	 .words = (const char *const[]){"cold", "template", NULL}},
	TEXT_OR("why_cold", "Why a Python did not begin as a copy."),
};

static const struct api_field session_state_fields[] = {
	TEXT("id", "Of the session."),
	TEXT("state", "open, or why it ended."),
	TEXT("tool", "By whose rules."),
	TEXT_OR("client", "Whose it is."),
	{.name = "forked_from",
	 .type = API_STRING,
	 .help = "Of a copy: the session it was copied from."},
	TEXT_OR("language", "Of code that names none."),
	TIME("opened", "When."),
	TIME("expires", "When it ends; the time of a copy begins anew."),
	COUNT("idle_ms", "After so long without a request."),
	FREE("limits", "What it may use."),
	TEXTS("running", "What runs in it, by the ids of the calls."),
	{SEEN("interpreters", API_LIST, "Those that live, and how they began."),
	 .items = API_OBJECT, .of = "session_interpreter"},
	{FIELD("usage", API_FREE, "What it has used; null: that is not known."), .nullable = true},
	TEXT("request_id", "As in X-Request-Id."),
	{.name = "receipt",
	 .type = API_OBJECT,
	 .of = "receipt",
	 .nullable = true,
	 .help = "Of the record, if there is one of this request."},
	{.name = "kill_reason",
	 .type = API_STRING,
	 .nullable = true,
	 .help = "Which limit ended its box."},
};

static const struct api_field session_entry_fields[] = {
	TEXT("id", "Of the session."),
	TEXT("state", "opening, open or closing."),
	TEXT_OR("tool", "By whose rules, once that is known."),
	TEXT("client", "Whose it is."),
	TIME("opened", "When."),
};

static const struct api_field session_list_fields[] = {
	LIST("sessions", "session_entry", "Those that live."),
};

/* What every action in a session says at its end. */
#define DONE                                                                           \
	TEXT("session", "Of the session."), TEXT("request_id", "As in X-Request-Id."), \
		INSIDE_OR("receipt", "receipt", "Of the record.")

#define ENTRY                                                                                 \
	TEXT("name", "Of the file."),                                                         \
		{FIELD("type", API_STRING, "What it is."),                                    \
		 .words = (const char *const[]){"file", "directory", "link", "other", NULL}}, \
		COUNT("size", "Bytes."), COUNT("mode", "Permission bits."),                   \
		TIME("modified", "When.")

static const struct api_field entry_fields[] = {ENTRY};
static const struct api_field file_state_fields[] = {ENTRY, DONE};

static const struct api_field listing_fields[] = {
	LIST("entries", "entry", "What is in the directory."),
	FLAG("cut", "There is more."),
	DONE,
};

static const struct api_field written_fields[] = {
	TEXT("path", "Beneath /work, as it was asked for."),
	COUNT("size", "Bytes."),
	TEXT("sha256", "Of the content."),
	DONE,
};

static const struct api_field removed_fields[] = {
	FLAG("removed", "It is gone."),
	DONE,
};

static const struct api_field process_fields[] = {
	COUNT("pid", "In the box."),
	COUNT("parent", "In the box."),
	TEXT("name", "Of the program."),
	TEXT("state", "One letter, as in /proc."),
	COUNT("cpu_ms", "Processor time."),
	COUNT("memory_bytes", "Resident."),
	TEXT_OR("exec", "The call that it belongs to."),
	TEXT_OR("interpreter", "Or the language whose interpreter it belongs to."),
};

static const struct api_field processes_fields[] = {
	LIST("processes", "process", "Those that live in the box."),
	DONE,
};

static const struct api_field input_fields[] = {
	COUNT("accepted", "Bytes; the program may not have read them yet."),
	{.name = "session", .type = API_STRING, .help = "Of the session, if it is one's."},
};

static const struct api_field signalled_fields[] = {
	COUNT("signal", "Its number."),
	{.name = "session", .type = API_STRING, .help = "Of the session, if it is one's."},
};

static const struct api_field audit_record_fields[] = {
	COUNT("index", "Where in the log it is."),
	TEXT("leaf_hash", "Its hash, in hexadecimal."),
	FREE("record", "The record, as in belljar-audit(5)."),
};

static const struct api_field audit_entry_fields[] = {
	INSIDE("began", "audit_record", "Its first record."),
	INSIDE_OR("ended", "audit_record", "Its last; null: the first is all there is."),
	FLAG("open", "It has no end yet."),
};

static const struct api_field audit_list_fields[] = {
	COUNT("signed_size", "So many records are signed."),
	LIST("calls", "audit_entry", "The latest, or with after the next."),
	{FIELD("next", API_INTEGER, "For after, if there may be more."), .nullable = true},
};

static const struct api_field audit_call_fields[] = {
	COUNT("signed_size", "So many records are signed."),
	LIST("records", "audit_record", "All records of the call."),
};

static const struct api_field audit_proof_fields[] = {
	COUNT("index", "Of the record."),
	TEXT("proof", "For belljar audit verify-proof."),
};

static const struct api_field audit_checkpoint_fields[] = {
	TEXT("origin", "Name of the log."),
	COUNT("size", "How many records it covers."),
	TEXT("root", "Their hash, in hexadecimal."),
	TEXT("checkpoint", "The same, signed."),
};

static const struct api_field audit_finding_fields[] = {
	TEXT("kind", "What is wrong."),
	{FIELD("index", API_INTEGER, "With which record."), .nullable = true},
	TEXT("text", "The same in words."),
};

static const struct api_field audit_verdict_fields[] = {
	COUNT("schema", "1."),
	FLAG("ok", "Nothing was found."),
	FLAG("valid", "The same."),
	COUNT("records", "In the log."),
	COUNT("signed", "Of those, under a signed checkpoint."),
	COUNT("bytes", "Of the log."),
	TEXT("root", "Hash of all records, in hexadecimal."),
	COUNT("anchors", "How many were compared."),
	COUNT("open_calls", "Calls without an end."),
	COUNT("backward", "How often the clock went backward, by more than 10 s."),
	COUNT("findings_total", "How much is wrong."),
	LIST("findings", "audit_finding", "The first of it."),
	MS("ms", "How long it took."),
};

static const struct api_field reload_fields[] = {
	TEXT("policy_sha256", "Of the policy that counts now."),
	COUNT("policy_generation", "How often one was loaded."),
	{.name = "note", .type = API_STRING, .help = "What of it counts at the next start only."},
};

static const struct api_field health_fields[] = {
	FLAG("ok", "It is alive."),
};

static const struct api_field readiness_check_fields[] = {
	FLAG("ok", "It is there."),
	{.name = "why", .type = API_STRING, .help = "What is missing."},
};

static const struct api_field readiness_checks_fields[] = {
	INSIDE("self_test", "readiness_check", "A box has passed the self-test."),
	INSIDE("warden", "readiness_check", "Boxes can be made: who makes them answers."),
	INSIDE("audit_log", "readiness_check", "The log can be written."),
	INSIDE("keepers", "readiness_check", "There is a process for calls."),
	INSIDE("slots", "readiness_check", "Boxes that calls were given answer."),
	INSIDE("serving", "readiness_check", "It is not being stopped."),
};

static const struct api_field readiness_fields[] = {
	FLAG("ready", "It can take calls."),
	INSIDE("checks", "readiness_checks", "What that needs."),
	FLAG("audit_reader", "The log can be read here."),
	FLAG("idempotency_survives_restart", "Answers are kept on disk for their keys."),
};

static const struct api_field version_fields[] = {
	TEXT("name", "belljar."),
	TEXT("version", "Of the program."),
	TEXT("api", "Of this interface."),
	TEXT("policy_sha256", "Of the policy that counts."),
	COUNT("policy_generation", "How often one was loaded."),
};

#define OBJECT(word, rows, words_help)                                         \
	{                                                                      \
		.name = (word), .fields = (rows), .n_fields = ARRAY_LEN(rows), \
		.help = (words_help), .open = true                             \
	}

const struct api_object api_answers[] = {
	OBJECT("problem", problem_fields, "What went wrong (RFC 9457)."),
	OBJECT("problem_error", problem_error_fields, "One thing that is wrong with a body."),
	OBJECT("why", why_fields, "A refusal."),
	OBJECT("receipt", receipt_fields, "Where in the log a record is."),
	OBJECT("finding", finding_fields, "Something in code or a command line."),
	OBJECT("redaction", redaction_fields, "What one rule cut out."),
	OBJECT("failure", failure_fields, "Why a program could not be run."),
	OBJECT("stream", stream_fields, "Output."),
	OBJECT("start", start_fields, "How the process of a call came to be."),
	OBJECT("artifact", artifact_fields, "A file that came out, or did not."),
	OBJECT("execution", execution_fields, "What became of a call."),
	OBJECT("check", execution_fields, "What would become of a call; nothing ran."),
	OBJECT("tool_result", tool_result_fields, "What became of a call, in short."),
	OBJECT("tool", tool_fields, "A tool."),
	OBJECT("tools", tools_fields, "The tools."),
	OBJECT("screening", screening_fields, "What was found in code or a command line."),
	OBJECT("begun", begun_fields, "A call begins: the first event of a stream."),
	OBJECT("output", output_fields, "A piece of output: an event of a stream."),
	OBJECT("call_state", call_state_fields, "A call."),
	OBJECT("call_entry", call_fields, "A call, without its answer."),
	OBJECT("call_list", call_list_fields, "Calls."),
	OBJECT("call_output", call_output_fields, "A piece of a call's output."),
	OBJECT("input", input_fields, "Standard input was taken."),
	OBJECT("signalled", signalled_fields, "A signal was sent."),
	OBJECT("session", session_state_fields, "A box that is kept."),
	OBJECT("session_interpreter", session_interpreter_fields, "An interpreter of a session."),
	OBJECT("session_entry", session_entry_fields, "A session in a list."),
	OBJECT("session_list", session_list_fields, "Sessions."),
	OBJECT("entry", entry_fields, "A file of a session."),
	OBJECT("file_state", file_state_fields, "The same, asked for alone."),
	OBJECT("listing", listing_fields, "A directory of a session."),
	OBJECT("written", written_fields, "A file was written."),
	OBJECT("removed", removed_fields, "A file was removed."),
	OBJECT("process", process_fields, "A process of a session."),
	OBJECT("processes", processes_fields, "The processes of a session."),
	OBJECT("audit_record", audit_record_fields, "A record of the log."),
	OBJECT("audit_entry", audit_entry_fields, "A call in the log."),
	OBJECT("audit_list", audit_list_fields, "Calls in the log."),
	OBJECT("audit_call", audit_call_fields, "The records of a call."),
	OBJECT("audit_proof", audit_proof_fields, "That a record is in the log."),
	OBJECT("audit_checkpoint", audit_checkpoint_fields, "What the log has signed last."),
	OBJECT("audit_finding", audit_finding_fields, "Something that is wrong with the log."),
	OBJECT("audit_verdict", audit_verdict_fields, "Is the log as it was signed?"),
	OBJECT("reload", reload_fields, "The policy was read again, and counts."),
	OBJECT("health", health_fields, "It is alive."),
	OBJECT("readiness_check", readiness_check_fields, "One thing that calls need."),
	OBJECT("readiness_checks", readiness_checks_fields, "What calls need."),
	OBJECT("readiness", readiness_fields, "Can it take calls?"),
	OBJECT("version", version_fields, "Which belljar this is."),
};
const size_t api_answer_count = ARRAY_LEN(api_answers);
