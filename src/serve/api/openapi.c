/* SPDX-License-Identifier: Apache-2.0 */
/* openapi.c - the table of paths and the rows of objects as OpenAPI 3.1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/apitable.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "serve/api/front.h"

static const struct {
	const char *name, *type, *help;
} queries[] = {
	{"wait", "integer", "Seconds to wait for news, at most 60."},
	{"stream", "string", "stdout or stderr; as events without it: both."},
	{"from", "integer", "Offset of the first byte that is wanted."},
	{"eof", "string", "1: these are the last bytes."},
	{"path", "string", "A directory beneath /work; without it /work itself."},
	{"list", "string", "1: the entries of a directory."},
	{"stat", "string", "1: about the file, not its bytes."},
	{"executable", "string", "1: the file may be executed."},
	{"tool", "string", "Only calls of this tool."},
	{"client", "string", "Only calls of this client."},
	{"session", "string", "Only what was done in this session."},
	{"status", "string", "Only calls that ended so."},
	{"decision", "string", "Only calls of which the policy said so."},
	{"kind", "string", "Only records of this kind."},
	{"since", "string", "Not before; a time, or how long ago: 2h."},
	{"until", "string", "Not after."},
	{"limit", "integer", "At most so many, up to 1000."},
	{"after", "string", "Behind this record: next of the answer before."},
};

/* A schema of that name, or any object where there are no rows for it. */
static json_t *schema_of(const char *name)
{
	char ref[96];

	if (!api_object(name))
		return json_pack("{s:s}", "type", "object");
	(void)snprintf(ref, sizeof(ref), "#/components/schemas/%s", name);
	return json_pack("{s:s}", "$ref", ref);
}

static json_t *string_schema(void)
{
	return json_pack("{s:s}", "type", "string");
}

static json_t *parameter(const char *name, const char *in, const char *type, const char *help)
{
	return json_pack("{s:s#, s:s, s:b, s:s, s:{s:s}}", "name", name, (int)strcspn(name, ". }"),
			 "in", in, "required", strcmp(in, "path") == 0, "description", help,
			 "schema", "type", type);
}

static void add_path_parameters(json_t *list, const char *pattern)
{
	while ((pattern = strchr(pattern, '{'))) {
		pattern++;
		(void)json_array_append_new(list, parameter(pattern, "path", "string",
							    strncmp(pattern, "path...", 7) == 0
								    ? "A path beneath /work."
								    : "As the API has named it."));
	}
}

static void add_query_parameters(json_t *list, const char *words)
{
	while (words && *words) {
		size_t len = strcspn(words, " ");

		for (size_t i = 0; i < ARRAY_LEN(queries); i++)
			if (strlen(queries[i].name) == len &&
			    memcmp(queries[i].name, words, len) == 0)
				(void)json_array_append_new(
					list, parameter(queries[i].name, "query", queries[i].type,
							queries[i].help));
		words += len + (words[len] == ' ');
	}
}

static json_t *parameters_of(const struct route *r)
{
	json_t *list = json_array();

	add_path_parameters(list, r->pattern);
	add_query_parameters(list, r->query);
	(void)json_array_append_new(
		list, parameter("X-Request-Id", "header", "string",
				"A name for this request: 1 to 64 of letters, digits, . _ -"));
	if (r->flags & ROUTE_ONCE)
		(void)json_array_append_new(
			list, parameter("Idempotency-Key", "header", "string",
					"The same key and body run once, and are answered the "
					"same; 1 to 255 printable characters."));
	if (r->flags & ROUTE_RANGE)
		(void)json_array_append_new(
			list, parameter("Range", "header", "string", "One range of bytes."));
	return list;
}

static json_t *body_of(const struct route *r)
{
	if (r->flags & ROUTE_BYTES)
		return json_pack("{s:b, s:{s:{s:{}}}}", "required", 0, "content",
				 "application/octet-stream", "schema");
	if (!r->body)
		return NULL;
	return json_pack("{s:b, s:{s:{s:o}}}", "required", 1, "content", "application/json",
			 "schema", schema_of(r->body));
}

static json_t *content_of(const struct route *r)
{
	json_t *content = json_object();

	if (strcmp(r->answer, "bytes") == 0)
		(void)json_object_set_new(content, "application/octet-stream",
					  json_pack("{s:{}}", "schema"));
	if (strcmp(r->answer, "bytes") == 0) /* stat=1, list=1 */
		(void)json_object_set_new(content, "application/json",
					  json_pack("{s:{s:[o, o]}}", "schema", "anyOf",
						    schema_of("file_state"), schema_of("listing")));
	else if (strcmp(r->answer, "text") == 0)
		(void)json_object_set_new(content, "text/plain",
					  json_pack("{s:o}", "schema", string_schema()));
	else
		(void)json_object_set_new(content, "application/json",
					  json_pack("{s:o}", "schema", schema_of(r->answer)));
	if (r->flags & ROUTE_STREAMS) {
		(void)json_object_set_new(content, "text/event-stream",
					  json_pack("{s:o}", "schema", string_schema()));
		(void)json_object_set_new(content, "application/x-ndjson",
					  json_pack("{s:o}", "schema", string_schema()));
	}
	return content;
}

static void add_response(json_t *responses, const char *status, const char *what, json_t *content)
{
	(void)json_object_set_new(responses, status,
				  json_pack("{s:s, s:o}", "description", what, "content", content));
}

static json_t *json_content(const char *object)
{
	return json_pack("{s:{s:o}}", "application/json", "schema", schema_of(object));
}

/* Statuses that say something else than "done" and yet are no problem. */
static void add_others(json_t *responses, const struct route *r)
{
	json_t *full;

	if (r->flags & ROUTE_RANGE)
		add_response(responses, "206", "The part that was asked for", content_of(r));
	if (r->flags & ROUTE_RUNS) {
		add_response(responses, "202", "It is detached and runs (Prefer: respond-async)",
			     json_content("begun"));
		full = json_content(r->answer);
		(void)json_object_set_new(full, "application/problem+json",
					  json_pack("{s:o}", "schema", schema_of("problem")));
		add_response(responses, "429",
			     "Too often, too many or too much; Retry-After says when", full);
	}
	if (r->does == DOES_CANCEL)
		add_response(responses, "200", "It had ended already", content_of(r));
	if (r->does == DOES_READY)
		add_response(responses, "503", "Something is missing", content_of(r));
}

static json_t *responses_of(const struct route *r)
{
	json_t *responses = json_object();
	char status[8];

	(void)snprintf(status, sizeof(status), "%d", r->status);
	add_response(responses, status, r->summary, content_of(r));
	add_others(responses, r);
	(void)json_object_set_new(responses, "default",
				  json_pack("{s:s}", "$ref", "#/components/responses/problem"));
	return responses;
}

static void describe_scopes(const struct route *r, char *ret, size_t room)
{
	size_t at = 0;

	if (r->flags & ROUTE_OPEN || r->scopes == 0) {
		(void)snprintf(ret, room, "%s",
			       r->flags & ROUTE_OPEN ? "Needs no key." : "Needs a client.");
		return;
	}
	at = (size_t)snprintf(ret, room, "Needs the scope");
	for (uint32_t bit = MAY_EXECUTE, n = 0; bit <= MAY_ADMIN; bit <<= 1)
		if (r->scopes & bit && at < room)
			at += (size_t)snprintf(ret + at, room - at, "%s %s", n++ ? " or" : "",
					       view_scope_name((enum scope)bit));
}

static json_t *operation(const struct route *r)
{
	char scopes[128];
	json_t *o, *body = body_of(r);

	describe_scopes(r, scopes, sizeof(scopes));
	o = json_pack("{s:s, s:s, s:s, s:o, s:o}", "operationId", r->name, "summary", r->summary,
		      "description", scopes, "parameters", parameters_of(r), "responses",
		      responses_of(r));
	if (body)
		(void)json_object_set_new(o, "requestBody", body);
	if (r->flags & ROUTE_OPEN)
		(void)json_object_set_new(o, "security", json_array());
	return o;
}

static const char *method_key(enum http_method m)
{
	return m == HTTP_GET ? "get" : m == HTTP_POST ? "post" : m == HTTP_PUT ? "put" : "delete";
}

static json_t *paths(void)
{
	json_t *all = json_object();
	size_t n;
	const struct route *routes = routes_all(&n);

	for (size_t i = 0; i < n; i++) {
		char path[128];
		const char *dots = strstr(routes[i].pattern, "...}");
		json_t *item;

		/* OpenAPI has no word for "and all the rest". */
		(void)snprintf(path, sizeof(path), "%.*s%s",
			       dots ? (int)(dots - routes[i].pattern) : 127, routes[i].pattern,
			       dots ? "}" : "");
		item = json_object_get(all, path);
		if (!item) {
			item = json_object();
			(void)json_object_set_new(all, path, item);
		}
		(void)json_object_set_new(item, method_key(routes[i].method),
					  operation(&routes[i]));
	}
	return all;
}

static json_t *components(void)
{
	json_t *schemas = json_object();
	const struct api_object *o;

	for (size_t i = 0; (o = api_object_at(i)); i++)
		(void)json_object_set_new(schemas, o->name, api_schema(o));
	return json_pack("{s:o, s:{s:{s:s, s:{s:{s:o}}}}, s:{s:{s:s, s:s}, s:{s:s, s:s, s:s}}}",
			 "schemas", schemas, "responses", "problem", "description",
			 "What is wrong with the request (RFC 9457)", "content",
			 "application/problem+json", "schema", schema_of("problem"),
			 "securitySchemes", "bearer", "type", "http", "scheme", "bearer", "key",
			 "type", "apiKey", "in", "header", "name", "X-API-Key");
}

int openapi_write(struct buf *out, struct error *err)
{
	own_json root = json_pack(
		"{s:s, s:{s:s, s:s, s:s, s:{s:s, s:s}}, s:[{s:s}], s:[{s:[]}, {s:[]}], s:o, s:o}",
		"openapi", "3.1.0", "info", "title", "belljar", "version", BELLJAR_VERSION,
		"description",
		"Runs the tool calls of LLM agents in sealed boxes.  A call that was refused, "
		"failed or was killed is answered with 200 and its verdict; 4xx and 5xx are about "
		"the request.",
		"license", "name", "Apache-2.0", "identifier", "Apache-2.0", "servers", "url", "/",
		"security", "bearer", "key", "paths", paths(), "components", components());
	own_str text = root ? json_dumps(root, JSON_COMPACT) : NULL;

	if (!text)
		return fail(err, ERR_SYSTEM, "describe the API: out of memory");
	return buf_add_str(out, text, err);
}
