/* SPDX-License-Identifier: Apache-2.0 */
/* apirows.c - what may be sent: one row per field, for checks, OpenAPI and clients. */
#include "api/apirows.h"

#include "base/own.h"

enum {
	TEXT_MAX = 16 << 20, /* the body's own ceiling is lower */
	NAME_MAX_LEN = 64,
	DAY_MS = 86400000,
};

static const char *const languages[] = {"python", "node", "bash", NULL};

#define ARGUMENTS                                                                 \
	{                                                                         \
		.name = "arguments", .type = API_FREE,                            \
		.help = "The tool's arguments; the policy says which there are.", \
		.example = "{\"code\": \"print(6 * 7)\"}"                         \
	}
#define STDIN                                                              \
	{                                                                  \
		.name = "stdin", .type = API_STRING, .max = TEXT_MAX,      \
		.help = "What the program reads from its standard input.", \
		.example = "\"1 2 3\\n\""                                  \
	}
#define STDIN_OPEN                                                                       \
	{                                                                                \
		.name = "stdin_open", .type = API_BOOLEAN,                               \
		.help = "The standard input stays open for what is sent while it runs.", \
		.example = "true"                                                        \
	}
#define LIMITS                                                                      \
	{                                                                           \
		.name = "limits", .type = API_OBJECT, .of = "limits",               \
		.help = "Narrower limits than the tool's; wider ones are refused.", \
		.example = "{\"wall\": \"5s\"}"                                     \
	}
#define ENV                                                                                      \
	{                                                                                        \
		.name = "env", .type = API_MAP, .max = 64, .item_max = 32768,                    \
		.help = "Variables of its environment; the policy says which names may be set.", \
		.example = "{\"TZ\": \"UTC\"}"                                                   \
	}
#define FILES                                                                                    \
	{                                                                                        \
		.name = "files", .type = API_LIST, .items = API_OBJECT, .of = "file", .max = 64, \
		.help = "Files that are in /work before it starts.",                             \
		.example = "[{\"path\": \"data.csv\", \"content\": \"a,b\\n\"}]"                 \
	}
#define ARTIFACTS                                                                            \
	{                                                                                    \
		.name = "artifacts", .type = API_LIST, .items = API_STRING, .max = 16,       \
		.item_max = 256,                                                             \
		.help = "Patterns beneath /work: matching files come back with the answer.", \
		.example = "[\"out/*.png\"]"                                                 \
	}
#define DETACH                                                                      \
	{                                                                           \
		.name = "detach", .type = API_BOOLEAN,                              \
		.help = "It goes on when the connection that asked for it closes.", \
		.example = "true"                                                   \
	}
#define TOOL_NAME(must)                                                                   \
	{                                                                                 \
		.name = "tool_name", .type = API_STRING, .required = (must), .min = 1,    \
		.max = NAME_MAX_LEN, .help = "Which tool.", .example = "\"execute_code\"" \
	}
#define LANGUAGE(words_help)                                                                     \
	{                                                                                        \
		.name = "language", .type = API_STRING, .min = 1, .max = 32, .words = languages, \
		.help = (words_help), .example = "\"python\""                                    \
	}
#define CODE(must)                                                                       \
	{                                                                                \
		.name = "code", .type = API_STRING, .required = (must), .max = TEXT_MAX, \
		.help = "The program's text.", .example = "\"print(6 * 7)\""             \
	}

static const struct api_field execute_fields[] = {
	TOOL_NAME(true), CODE(false), LANGUAGE("Short for arguments.language."),
	ARGUMENTS,       STDIN,       STDIN_OPEN,
	LIMITS,          ENV,         FILES,
	ARTIFACTS,       DETACH,
};

static const struct api_elsewhere not_in_execute[] = {
	{"command", "give the tool's own arguments within 'arguments'"},
	{"argv", "give the tool's own arguments within 'arguments'"},
	{0},
};

static const struct api_field call_fields[] = {
	ARGUMENTS, STDIN, STDIN_OPEN, LIMITS, ENV, FILES, ARTIFACTS, DETACH,
};

static const struct api_field file_fields[] = {
	{.name = "path",
	 .type = API_STRING,
	 .required = true,
	 .min = 1,
	 .max = 1024,
	 .help = "Beneath /work, relative to it.",
	 .example = "\"data.csv\""},
	{.name = "content",
	 .type = API_STRING,
	 .max = TEXT_MAX,
	 .help = "Text.",
	 .example = "\"a,b\\n\""},
	{.name = "content_base64",
	 .type = API_BASE64,
	 .max = TEXT_MAX,
	 .help = "Bytes.",
	 .example = "\"AAEC\""},
	{.name = "executable",
	 .type = API_BOOLEAN,
	 .help = "It may be executed.",
	 .example = "true"},
};
static const char *const file_choice[] = {"content", "content_base64", NULL};

static const struct api_field screen_fields[] = {
	LANGUAGE("Of code."),
	CODE(false),
	{.name = "command",
	 .type = API_STRING,
	 .max = TEXT_MAX,
	 .help = "A command line.",
	 .example = "\"ls | wc -l\""},
	{.name = "tool_name",
	 .type = API_STRING,
	 .min = 1,
	 .max = NAME_MAX_LEN,
	 .help = "By the rules of this tool; without it, by every rule as it comes.",
	 .example = "\"execute_code\""},
};
static const char *const screen_choice[] = {"code", "command", NULL};

#define TTL(must)                                                                                  \
	{                                                                                          \
		.name = "ttl", .type = API_DURATION, .required = (must), .min = 1,                 \
		.max = 30ULL * DAY_MS, .help = "How long the session lives.", .example = "\"10m\"" \
	}

static const struct api_field session_fields[] = {
	TOOL_NAME(true),
	LANGUAGE("Of the code that it will be sent."),
	LIMITS,
	TTL(false),
	{.name = "idle",
	 .type = API_DURATION,
	 .min = 1,
	 .max = 30ULL * DAY_MS,
	 .help = "How long it lives without being asked anything.",
	 .example = "\"2m\""},
	ENV,
	FILES,
};

static const struct api_field exec_fields[] = {
	{.name = "argv",
	 .type = API_LIST,
	 .items = API_STRING,
	 .min = 1,
	 .max = 1024,
	 .item_max = 128 << 10,
	 .help = "The program and its arguments.",
	 .example = "[\"python3\", \"main.py\"]"},
	{.name = "command",
	 .type = API_STRING,
	 .min = 1,
	 .max = TEXT_MAX,
	 .help = "A command line.",
	 .example = "\"ls -l | wc -l\""},
	STDIN,
	STDIN_OPEN,
	ENV,
	{.name = "cwd",
	 .type = API_STRING,
	 .min = 1,
	 .max = 1024,
	 .help = "Its working directory; the standard is /work.",
	 .example = "\"/work/src\""},
	LIMITS,
	DETACH,
};
static const char *const exec_choice[] = {"argv", "command", NULL};

static const struct api_elsewhere not_in_exec[] = {
	{"code", "code goes to POST /v1/sessions/{session}/code"},
	{0},
};

static const struct api_elsewhere not_in_code[] = {
	{"argv", "a program goes to POST /v1/sessions/{session}/exec"},
	{"command", "a command line goes to POST /v1/sessions/{session}/exec"},
	{0},
};

static const struct api_elsewhere not_in_session[] = {
	{"code", "open the session first, then send code to POST /v1/sessions/{session}/code"},
	{0},
};

static const struct api_field code_fields[] = {
	CODE(true),
	LANGUAGE("The standard is the session's."),
	LIMITS,
	DETACH,
};

static const struct api_field extend_fields[] = {TTL(true)};

static const struct api_field signal_fields[] = {
	{.name = "signal",
	 .type = API_SIGNAL,
	 .required = true,
	 .min = 1,
	 .max = 64,
	 .help = "Its name without SIG, or its number.",
	 .example = "\"TERM\""},
};

/* The names are those of the policy; apicheck_test compares them with call/limits.c. */
#define LIMIT(word, kind, least, most, words_help, shown)                      \
	{                                                                      \
		.name = (word), .type = (kind), .min = (least), .max = (most), \
		.help = (words_help), .example = (shown)                       \
	}
#define GIB (1ULL << 30)
static const struct api_field limits_fields[] = {
	LIMIT("wall", API_DURATION, 1, DAY_MS, "Wall-clock time.", "\"5s\""),
	LIMIT("cpu", API_DURATION, 1, DAY_MS, "Processor time.", "\"2s\""),
	LIMIT("memory", API_SIZE, 4 << 20, 1024 * GIB, "Memory.", "\"64M\""),
	LIMIT("disk", API_SIZE, 4 << 10, 1024 * GIB, "Bytes in /work, /tmp and /dev/shm.",
	      "\"10M\""),
	LIMIT("inodes", API_INTEGER, 1, 100000000, "Files and directories.", "100"),
	LIMIT("processes", API_INTEGER, 1, 1000000, "Processes and threads at once.", "4"),
	LIMIT("files", API_INTEGER, 8, 1048576, "Open files per process.", "64"),
	LIMIT("output", API_SIZE, 0, GIB, "Bytes kept of stdout and of stderr.", "\"4k\""),
	LIMIT("cpu_percent", API_INTEGER, 1, 100000, "Processor share; 100 is one core.", "50"),
};

#define OBJECT(word, rows, words_help) \
	.name = (word), .fields = (rows), .n_fields = ARRAY_LEN(rows), .help = (words_help)

const struct api_object api_requests[] = {
	{OBJECT("execute", execute_fields, "A call, with the tool's name in it."),
	 .elsewhere = not_in_execute},
	{OBJECT("call", call_fields, "A call of the tool that the path names.")},
	{OBJECT("file", file_fields, "A file that goes in."), .choice = {file_choice, true}},
	{OBJECT("limits", limits_fields, "What one call may use.")},
	{OBJECT("screen", screen_fields, "Code or a command line to look at."),
	 .choice = {screen_choice, true}},
	{OBJECT("session_open", session_fields, "A box that is kept."),
	 .elsewhere = not_in_session},
	{OBJECT("exec", exec_fields, "A program in a session's box."),
	 .choice = {exec_choice, true}, .elsewhere = not_in_exec},
	{OBJECT("code", code_fields, "Code for a session's interpreter."),
	 .elsewhere = not_in_code},
	{OBJECT("extend", extend_fields, "A session is to live longer.")},
	{OBJECT("signal", signal_fields, "A signal for a program.")},
};
const size_t api_request_count = ARRAY_LEN(api_requests);
