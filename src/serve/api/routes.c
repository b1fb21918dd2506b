/* SPDX-License-Identifier: Apache-2.0 */
/* routes.c - the table of paths, and the way from a path to its row.
 *
 * A new path is a row here: who may, who does it, what goes in and comes out.
 * /openapi.json and belljar-api(7) are made from the rows.  Literal segments
 * come before {names} that would take them, too.
 */
#include "serve/api/routes.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "keeper/keeptalk.h"
#include "reader/readtalk.h"
#include "serve/api/frontview.h"

#define SESSION "/v1/sessions/{session}"
#define BOTH    (MAY_EXECUTE | MAY_READ)

static const struct route routes[] = {
	/* What runs */
	{.method = HTTP_POST,
	 .pattern = "/execute",
	 .scopes = MAY_EXECUTE,
	 .flags = ROUTE_STREAMS | ROUTE_ONCE | ROUTE_RUNS,
	 .to = TO_POOL,
	 .keep = KEEP_CALL,
	 .body = "execute",
	 .answer = "execution",
	 .status = 200,
	 .name = "execute",
	 .summary = "Run one tool call in a box of its own"},
	{.method = HTTP_POST,
	 .pattern = "/v1/execute",
	 .scopes = MAY_EXECUTE,
	 .flags = ROUTE_STREAMS | ROUTE_ONCE | ROUTE_RUNS,
	 .to = TO_POOL,
	 .keep = KEEP_CALL,
	 .body = "execute",
	 .answer = "execution",
	 .status = 200,
	 .name = "executeV1",
	 .summary = "The same as POST /execute"},
	{.method = HTTP_GET,
	 .pattern = "/v1/tools",
	 .scopes = BOTH,
	 .to = TO_POOL,
	 .keep = KEEP_TOOLS,
	 .answer = "tools",
	 .status = 200,
	 .name = "listTools",
	 .summary = "The tools that this client may use"},
	{.method = HTTP_POST,
	 .pattern = "/v1/tools/{name}/call",
	 .scopes = MAY_EXECUTE,
	 .flags = ROUTE_STREAMS | ROUTE_ONCE | ROUTE_RUNS | ROUTE_TOOL_SHAPE,
	 .to = TO_POOL,
	 .keep = KEEP_CALL,
	 .body = "call",
	 .answer = "tool_result",
	 .status = 200,
	 .name = "callTool",
	 .summary = "Call a tool by its name"},
	{.method = HTTP_POST,
	 .pattern = "/v1/policy/check",
	 .scopes = MAY_EXECUTE,
	 .to = TO_POOL,
	 .keep = KEEP_CHECK,
	 .body = "execute",
	 .answer = "check",
	 .status = 200,
	 .name = "checkPolicy",
	 .summary = "What the policy would say to a call; nothing runs"},
	{.method = HTTP_POST,
	 .pattern = "/v1/screen",
	 .scopes = MAY_EXECUTE,
	 .to = TO_POOL,
	 .keep = KEEP_SCREEN,
	 .body = "screen",
	 .answer = "screening",
	 .status = 200,
	 .name = "screen",
	 .summary = "What screening finds in code or in a command; nothing runs"},
	/* Calls that run or ran */
	{.method = HTTP_GET,
	 .pattern = "/v1/calls",
	 .scopes = BOTH,
	 .to = TO_CALLS,
	 .does = DOES_LIST,
	 .answer = "call_list",
	 .status = 200,
	 .name = "listCalls",
	 .summary = "This client's calls that run, or ended lately"},
	{.method = HTTP_GET,
	 .pattern = "/v1/calls/{id}",
	 .scopes = BOTH,
	 .to = TO_CALLS,
	 .does = DOES_SHOW,
	 .answer = "call_state",
	 .status = 200,
	 .name = "getCall",
	 .query = "wait",
	 .summary = "A call: does it run, and what was its answer"},
	{.method = HTTP_GET,
	 .pattern = "/v1/calls/{id}/output",
	 .scopes = BOTH,
	 .flags = ROUTE_STREAMS,
	 .to = TO_CALLS,
	 .does = DOES_OUTPUT,
	 .answer = "call_output",
	 .status = 200,
	 .name = "getCallOutput",
	 .query = "stream from wait",
	 .summary = "The output of a call from an offset on; as events it goes on until the end"},
	{.method = HTTP_DELETE,
	 .pattern = "/v1/calls/{id}",
	 .scopes = MAY_EXECUTE,
	 .flags = ROUTE_EMPTY,
	 .to = TO_CALLS,
	 .does = DOES_CANCEL,
	 .answer = "call_state",
	 .status = 202,
	 .name = "cancelCall",
	 .summary = "Kill what a call runs; 200 if it had ended already"},
	{.method = HTTP_POST,
	 .pattern = "/v1/calls/{id}/stdin",
	 .scopes = MAY_EXECUTE,
	 .flags = ROUTE_BYTES,
	 .to = TO_CALLS,
	 .keep = KEEP_INPUT,
	 .answer = "input",
	 .status = 200,
	 .name = "writeCallStdin",
	 .query = "eof",
	 .summary = "Bytes for the standard input of a call that was started with stdin_open"},
	{.method = HTTP_POST,
	 .pattern = "/v1/calls/{id}/signal",
	 .scopes = MAY_EXECUTE,
	 .to = TO_CALLS,
	 .keep = KEEP_SIGNAL,
	 .body = "signal",
	 .answer = "signalled",
	 .status = 200,
	 .name = "signalCall",
	 .summary = "A signal for the program of a call"},
	/* Sessions */
	{.method = HTTP_POST,
	 .pattern = "/v1/sessions",
	 .scopes = MAY_EXECUTE,
	 .to = TO_OPEN,
	 .keep = KEEP_OPEN,
	 .body = "session_open",
	 .answer = "session",
	 .status = 201,
	 .name = "openSession",
	 .summary = "A box that is kept"},
	{.method = HTTP_GET,
	 .pattern = "/v1/sessions",
	 .scopes = BOTH,
	 .to = TO_SESSIONS,
	 .does = DOES_LIST,
	 .answer = "session_list",
	 .status = 200,
	 .name = "listSessions",
	 .summary = "This client's sessions"},
	{.method = HTTP_GET,
	 .pattern = SESSION,
	 .scopes = BOTH,
	 .to = TO_SESSION,
	 .keep = KEEP_DESCRIBE,
	 .answer = "session",
	 .status = 200,
	 .name = "getSession",
	 .summary = "A session: what it has used, and when it ends"},
	{.method = HTTP_DELETE,
	 .pattern = SESSION,
	 .scopes = MAY_EXECUTE,
	 .flags = ROUTE_EMPTY,
	 .to = TO_SESSION,
	 .keep = KEEP_CLOSE,
	 .answer = "session",
	 .status = 200,
	 .name = "deleteSession",
	 .summary = "End a session and everything in it"},
	{.method = HTTP_POST,
	 .pattern = SESSION "/kill",
	 .scopes = MAY_EXECUTE,
	 .flags = ROUTE_EMPTY,
	 .to = TO_SESSION,
	 .keep = KEEP_CLOSE,
	 .answer = "session",
	 .status = 200,
	 .name = "killSession",
	 .summary = "The same as DELETE"},
	{.method = HTTP_POST,
	 .pattern = SESSION "/extend",
	 .scopes = MAY_EXECUTE,
	 .to = TO_SESSION,
	 .keep = KEEP_EXTEND,
	 .body = "extend",
	 .answer = "session",
	 .status = 200,
	 .name = "extendSession",
	 .summary = "More time for a session, as far as the policy goes"},
	{.method = HTTP_POST,
	 .pattern = SESSION "/fork",
	 .scopes = MAY_EXECUTE,
	 .flags = ROUTE_EMPTY,
	 .to = TO_FORK,
	 .keep = KEEP_FORK,
	 .answer = "session",
	 .status = 201,
	 .name = "forkSession",
	 .summary =
		 "A copy of a session of Python: variables and files, with a whole ttl of its own"},
	{.method = HTTP_POST,
	 .pattern = SESSION "/exec",
	 .scopes = MAY_EXECUTE,
	 .flags = ROUTE_STREAMS | ROUTE_RUNS,
	 .to = TO_SESSION,
	 .keep = KEEP_EXEC,
	 .body = "exec",
	 .answer = "execution",
	 .status = 200,
	 .name = "execInSession",
	 .summary = "Run a program in a session's box"},
	{.method = HTTP_POST,
	 .pattern = SESSION "/code",
	 .scopes = MAY_EXECUTE,
	 .flags = ROUTE_STREAMS | ROUTE_RUNS,
	 .to = TO_SESSION,
	 .keep = KEEP_CODE,
	 .body = "code",
	 .answer = "execution",
	 .status = 200,
	 .name = "codeInSession",
	 .summary = "Run code in a session's interpreter; its variables stay"},
	{.method = HTTP_GET,
	 .pattern = SESSION "/processes",
	 .scopes = BOTH,
	 .to = TO_SESSION,
	 .keep = KEEP_PROCESSES,
	 .answer = "processes",
	 .status = 200,
	 .name = "listProcesses",
	 .summary = "What runs in a session's box"},
	{.method = HTTP_GET,
	 .pattern = SESSION "/execs/{exec}",
	 .scopes = BOTH,
	 .to = TO_CALLS,
	 .does = DOES_SHOW,
	 .answer = "call_state",
	 .status = 200,
	 .name = "getExec",
	 .query = "wait",
	 .summary = "A program of a session, as GET /v1/calls/{id}"},
	{.method = HTTP_POST,
	 .pattern = SESSION "/execs/{exec}/stdin",
	 .scopes = MAY_EXECUTE,
	 .flags = ROUTE_BYTES,
	 .to = TO_SESSION,
	 .keep = KEEP_INPUT,
	 .answer = "input",
	 .status = 200,
	 .name = "writeStdin",
	 .query = "eof",
	 .summary = "Bytes for the standard input of a program that was started with stdin_open"},
	{.method = HTTP_POST,
	 .pattern = SESSION "/execs/{exec}/signal",
	 .scopes = MAY_EXECUTE,
	 .to = TO_SESSION,
	 .keep = KEEP_SIGNAL,
	 .body = "signal",
	 .answer = "signalled",
	 .status = 200,
	 .name = "signalExec",
	 .summary = "A signal for a program"},
	{.method = HTTP_GET,
	 .pattern = SESSION "/files",
	 .scopes = BOTH,
	 .to = TO_SESSION,
	 .keep = KEEP_FILE_LIST,
	 .answer = "listing",
	 .status = 200,
	 .name = "listFiles",
	 .query = "path list",
	 .summary = "The files of a directory beneath /work"},
	{.method = HTTP_GET,
	 .pattern = SESSION "/files/{path...}",
	 .scopes = BOTH,
	 .flags = ROUTE_RANGE,
	 .to = TO_SESSION,
	 .keep = KEEP_FILE_GET,
	 .answer = "bytes",
	 .status = 200,
	 .name = "getFile",
	 .query = "stat list",
	 .summary = "A file, or with Range a part of it; stat=1: about it; list=1: a directory"},
	{.method = HTTP_PUT,
	 .pattern = SESSION "/files/{path...}",
	 .scopes = MAY_EXECUTE,
	 .flags = ROUTE_BYTES,
	 .to = TO_SESSION,
	 .keep = KEEP_FILE_PUT,
	 .answer = "written",
	 .status = 201,
	 .name = "putFile",
	 .query = "executable",
	 .summary = "Write a file"},
	{.method = HTTP_DELETE,
	 .pattern = SESSION "/files/{path...}",
	 .scopes = MAY_EXECUTE,
	 .flags = ROUTE_EMPTY,
	 .to = TO_SESSION,
	 .keep = KEEP_FILE_REMOVE,
	 .answer = "removed",
	 .status = 200,
	 .name = "removeFile",
	 .query = "recursive",
	 .summary = "Remove a file"},
	/* The log */
	{.method = HTTP_GET,
	 .pattern = "/v1/audit",
	 .scopes = MAY_AUDIT,
	 .to = TO_READER,
	 .read = READ_QUERY,
	 .answer = "audit_list",
	 .status = 200,
	 .name = "queryAudit",
	 .query = "tool client session status decision kind since until limit after",
	 .summary = "Calls in the audit log"},
	{.method = HTTP_GET,
	 .pattern = "/v1/audit/checkpoint",
	 .scopes = MAY_AUDIT,
	 .to = TO_READER,
	 .read = READ_CHECKPOINT,
	 .answer = "audit_checkpoint",
	 .status = 200,
	 .name = "getCheckpoint",
	 .summary = "The newest signed checkpoint of the log"},
	{.method = HTTP_POST,
	 .pattern = "/v1/audit/verify",
	 .scopes = MAY_AUDIT,
	 .flags = ROUTE_EMPTY,
	 .to = TO_READER,
	 .read = READ_VERIFY,
	 .answer = "audit_verdict",
	 .status = 200,
	 .name = "verifyAudit",
	 .summary = "Check the whole log"},
	{.method = HTTP_GET,
	 .pattern = "/v1/audit/{index}/proof",
	 .scopes = MAY_AUDIT,
	 .to = TO_READER,
	 .read = READ_PROOF,
	 .answer = "audit_proof",
	 .status = 200,
	 .name = "proveRecord",
	 .summary = "A proof that a record is in the log, to be checked elsewhere"},
	{.method = HTTP_GET,
	 .pattern = "/v1/audit/{index}/record",
	 .scopes = MAY_AUDIT,
	 .to = TO_READER,
	 .read = READ_RECORD,
	 .answer = "audit_record",
	 .status = 200,
	 .name = "getRecord",
	 .summary = "One record"},
	{.method = HTTP_GET,
	 .pattern = "/v1/audit/{id}",
	 .scopes = MAY_AUDIT,
	 .to = TO_READER,
	 .read = READ_SHOW,
	 .answer = "audit_call",
	 .status = 200,
	 .name = "getAuditedCall",
	 .summary = "The records of a call"},
	/* The service itself */
	{.method = HTTP_POST,
	 .pattern = "/v1/admin/reload",
	 .scopes = MAY_ADMIN,
	 .flags = ROUTE_EMPTY,
	 .to = TO_SELF,
	 .does = DOES_RELOAD,
	 .answer = "reload",
	 .status = 200,
	 .name = "reload",
	 .summary = "Read the policy again, as SIGHUP does, and say what came of it"},
	{.method = HTTP_GET,
	 .pattern = "/healthz",
	 .flags = ROUTE_OPEN,
	 .to = TO_SELF,
	 .does = DOES_HEALTH,
	 .answer = "health",
	 .status = 200,
	 .name = "health",
	 .summary = "It is alive"},
	{.method = HTTP_GET,
	 .pattern = "/readyz",
	 .flags = ROUTE_OPEN,
	 .to = TO_SELF,
	 .does = DOES_READY,
	 .answer = "readiness",
	 .status = 200,
	 .name = "ready",
	 .summary = "It can take calls; 503 and what is missing if not"},
	{.method = HTTP_GET,
	 .pattern = "/version",
	 .to = TO_SELF,
	 .does = DOES_VERSION,
	 .answer = "version",
	 .status = 200,
	 .name = "version",
	 .summary = "Which belljar this is"},
	{.method = HTTP_GET,
	 .pattern = "/metrics",
	 .scopes = MAY_READ,
	 .to = TO_SELF,
	 .does = DOES_METRICS,
	 .answer = "text",
	 .status = 200,
	 .name = "metrics",
	 .summary = "Counters, as Prometheus reads them"},
	{.method = HTTP_GET,
	 .pattern = "/openapi.json",
	 .scopes = BOTH,
	 .to = TO_SELF,
	 .does = DOES_OPENAPI,
	 .answer = "openapi",
	 .status = 200,
	 .name = "openapi",
	 .summary = "This API as OpenAPI 3.1"},
};

static const char *const method_names[] = {
	[HTTP_OTHER] = "OTHER",     [HTTP_GET] = "GET", [HTTP_HEAD] = "HEAD",
	[HTTP_POST] = "POST",       [HTTP_PUT] = "PUT", [HTTP_DELETE] = "DELETE",
	[HTTP_OPTIONS] = "OPTIONS",
};

const char *routes_method_name(enum http_method m)
{
	return (size_t)m < ARRAY_LEN(method_names) ? method_names[m] : "OTHER";
}

const struct route *routes_all(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(routes);
	return routes;
}

size_t routes_place(const struct route *r)
{
	return (size_t)(r - routes);
}

/* The segment at the beginning of text, which stands behind a slash. */
static size_t segment(const char *text)
{
	return (size_t)(strchrnul(text, '/') - text);
}

static bool takes_rest(const char *pattern, size_t len)
{
	return len > 4 && memcmp(pattern + len - 4, "...}", 4) == 0;
}

static bool matches(const char *pattern, const char *path, struct route_param *ret)
{
	size_t n = 0;

	while (*pattern == '/' && *path == '/') {
		size_t want = segment(++pattern), have = segment(++path);

		if (*pattern == '{') {
			if (takes_rest(pattern, want))
				have = strlen(path);
			if (have == 0 || n == ROUTE_PARAMS)
				return false;
			ret[n++] = (struct route_param){path, have};
		} else if (want != have || memcmp(pattern, path, want) != 0) {
			return false;
		}
		pattern += want;
		path += have;
	}
	return *pattern == '\0' && *path == '\0';
}

void routes_find(enum http_method method, const char *path, struct route_match *ret)
{
	enum http_method wanted = method == HTTP_HEAD ? HTTP_GET : method;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < ARRAY_LEN(routes); i++) {
		struct route_param params[ROUTE_PARAMS] = {0};

		if (!matches(routes[i].pattern, path, params))
			continue;
		ret->methods |= 1U << routes[i].method;
		if (routes[i].method == HTTP_GET)
			ret->methods |= 1U << HTTP_HEAD;
		if (ret->route || routes[i].method != wanted)
			continue;
		ret->route = &routes[i];
		memcpy(ret->params, params, sizeof(params));
	}
}

void routes_allow(uint32_t methods, char *ret, size_t room)
{
	size_t at = 0;

	ret[0] = '\0';
	methods |= 1U << HTTP_OPTIONS;
	for (size_t i = HTTP_GET; i < ARRAY_LEN(method_names); i++)
		if (methods & (1U << i) && at < room)
			at += (size_t)snprintf(ret + at, room - at, "%s%s", at ? ", " : "",
					       method_names[i]);
}
