/* SPDX-License-Identifier: Apache-2.0 */
/* apianswers.c - what is answered: one row per field, for OpenAPI and clients.
 *
 * Answers may grow: a client must not mind members that it does not know.
 */
#include "api/apirows.h"

#include "base/own.h"

#define FIELD(word, kind, words_help) \
	.name = (word), .type = (kind), .required = true, .help = (words_help)
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
	TEXT("pointer", "A JSON Pointer (RFC 6901) into the body."),
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

static const struct api_field artifact_fields[] = {
	TEXT("name", "Beneath /work, escaped."),
	FLAG("copied", "It is here; false: refused says why not."),
	COUNT("size", "Bytes."),
	TEXT_OR("sha256", "Of the content."),
	TEXT_OR("refused", "Why it did not come out."),
	{.name = "content_base64", .type = API_BASE64, .help = "Its bytes."},
	{.name = "redacted", .type = API_BOOLEAN, .help = "Something was cut out of it."},
};

#define ACCOUNT                                                                              \
	TEXT("id", "Of the call, as in the log."),                                           \
		{FIELD("exit_code", API_INTEGER, "The program's own."), .nullable = true},   \
		{FIELD("signal", API_INTEGER, "That ended it."), .nullable = true},          \
		FLAG("was_killed", "A limit, or somebody, ended it."),                       \
		TEXT_OR("kill_reason", "Which."), MS("execution_time_ms", "The program's."), \
		MS("setup_time_ms", "The box's."),                                           \
		INSIDE("stdout", "stream", "Its standard output."),                          \
		INSIDE("stderr", "stream", "Its standard error."),                           \
		FREE("resource_usage", "What it used."),                                     \
		FREE("limits", "What it might have used."),                                  \
		FREE("near_misses", "How near it came to its limits."),                      \
		LIST("artifacts", "artifact", "Files that came out."),                       \
		FREE("layers", "The walls it ran behind.")

#define PASSAGE                                                                             \
	TEXT("tool", "Which was called."), TEXT_OR("client", "Who called."),                \
		{FIELD("decision", API_STRING, "Of the policy."), .words = decisions},      \
		FLAG("dry_run", "Nothing was run."),                                        \
		TEXT_OR("refused_by", "The stage that refused."),                           \
		INSIDE_OR("why", "why", "Why it was refused."),                             \
		{FIELD("screening", API_LIST, "What was found in the code or command."),    \
		 .items = API_ANY},                                                         \
		{FIELD("redactions", API_LIST, "What was cut out of the output, by rule."), \
		 .items = API_ANY},                                                         \
		FREE("remaining", "What is left of rates and budgets."),                    \
		INSIDE_OR("receipt", "receipt", "Of the record of its end."),               \
		INSIDE_OR("receipt_started", "receipt", "Of the record of its beginning."), \
		FREE("policy", "Its hash.")

static const struct api_field execution_fields[] = {
	FLAG("success", "It ran, and ended well."),
	TEXT("output", "What it printed."),
	TEXT_OR("error", "What went wrong, in one sentence."),
	TEXT("request_id", "As in X-Request-Id."),
	{FIELD("status", API_STRING, "How it ended."), .words = statuses},
	PASSAGE,
	ACCOUNT,
};

static const struct api_field tool_result_fields[] = {
	{FIELD("status", API_STRING, "How it ended."), .words = tool_statuses},
	TEXT("data", "What it printed."),
	{.name = "json", .type = API_ANY, .help = "The same, if it is JSON."},
	TEXT_OR("error", "What went wrong, in one sentence."),
	INSIDE_OR("why", "why", "Why it was refused."),
	TEXT("id", "Of the call, as in the log."),
	TEXT("request_id", "As in X-Request-Id."),
	INSIDE_OR("receipt", "receipt", "Of the record of its end."),
	FREE("account", "The whole of it, as execution."),
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
	{FIELD("screening", API_LIST, "What was found."), .items = API_ANY},
	TEXT("request_id", "As in X-Request-Id."),
};

static const struct api_field begun_fields[] = {
	TEXT("id", "Of the call, as in the log."),
	TEXT("request_id", "As in X-Request-Id."),
	INSIDE_OR("receipt", "receipt", "Of the record of its beginning."),
};

static const struct api_field output_fields[] = {
	{.name = "data", .type = API_STRING, .help = "Text."},
	{.name = "data_base64", .type = API_BASE64, .help = "Bytes that are no text."},
	COUNT("offset", "Of the first of them in the stream."),
};

static const struct api_field call_state_fields[] = {
	TEXT("id", "Of the call."),
	{FIELD("state", API_STRING, "Does it run?"), .words = states},
	TEXT("tool", "Which was called."),
	TEXT("client", "Who called."),
	TIME("started", "When."),
	{.name = "answer", .type = API_FREE, .help = "What was answered, once it has ended."},
};

static const struct api_field session_state_fields[] = {
	TEXT("id", "Of the session."),
	TEXT("state", "open, or why it ended."),
	TEXT("tool", "By whose rules."),
	TIME("expires", "When it ends."),
	{.name = "idle_ms", .type = API_INTEGER, .help = "After so long without a request."},
	{.name = "receipt",
	 .type = API_OBJECT,
	 .of = "receipt",
	 .nullable = true,
	 .help = "Of the record of its beginning or end, where this is the answer to that."},
};

static const struct api_field entry_fields[] = {
	TEXT("name", "Of the file."),
	TEXT("type", "file, directory, link or other."),
	COUNT("size", "Bytes."),
	{.name = "mode", .type = API_INTEGER, .help = "Permission bits."},
	{.name = "modified", .type = API_TIME, .help = "When."},
};

static const struct api_field written_fields[] = {
	TEXT("path", "Of the file, beneath /work."),
	COUNT("size", "Bytes."),
	TEXT("sha256", "Of the content."),
};

static const struct api_field removed_fields[] = {
	FLAG("removed", "It is gone."),
};

static const struct api_field listing_fields[] = {
	LIST("entries", "entry", "What is in the directory."),
	{.name = "cut", .type = API_BOOLEAN, .help = "There is more."},
};

static const struct api_field process_fields[] = {
	COUNT("pid", "In the box."),        COUNT("parent", "In the box."),
	TEXT("name", "Of the program."),    COUNT("cpu_ms", "Processor time."),
	COUNT("memory_bytes", "Resident."),
};

static const struct api_field processes_fields[] = {
	LIST("processes", "process", "Those that live in the box."),
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
	OBJECT("stream", stream_fields, "Output."),
	OBJECT("artifact", artifact_fields, "A file that came out, or did not."),
	OBJECT("execution", execution_fields, "What became of a call."),
	OBJECT("tool_result", tool_result_fields, "What became of a call, in short."),
	OBJECT("tool", tool_fields, "A tool."),
	OBJECT("tools", tools_fields, "The tools."),
	OBJECT("screening", screening_fields, "What was found in code or a command line."),
	OBJECT("begun", begun_fields, "A call begins: the first event of a stream."),
	OBJECT("output", output_fields, "A piece of output: an event of a stream."),
	OBJECT("call_state", call_state_fields, "A call."),
	OBJECT("session", session_state_fields, "A box that is kept."),
	OBJECT("entry", entry_fields, "A file of a session."),
	OBJECT("written", written_fields, "A file that was written."),
	OBJECT("removed", removed_fields, "A file that was removed."),
	OBJECT("listing", listing_fields, "A directory of a session."),
	OBJECT("process", process_fields, "A process of a session."),
	OBJECT("processes", processes_fields, "The processes of a session."),
};
const size_t api_answer_count = ARRAY_LEN(api_answers);
