/* SPDX-License-Identifier: Apache-2.0 */
/* problem.c - the codes, and the object that carries one. */
#include "serve/api/problem.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/jsonout.h"
#include "base/own.h"
#include "base/text.h"

enum { INSTANCE_MAX = 512 };

static const struct {
	int status;
	const char *code, *title;
} problems[] = {
	[PROBLEM_NONE] = {500, "internal", "Internal error"},
	[PROBLEM_BAD_REQUEST] = {400, "bad_request", "Bad request"},
	[PROBLEM_UNAUTHORIZED] = {401, "unauthorized", "Who are you?"},
	[PROBLEM_FORBIDDEN] = {403, "forbidden", "Not allowed"},
	[PROBLEM_NOT_FOUND] = {404, "not_found", "Not found"},
	[PROBLEM_METHOD_NOT_ALLOWED] = {405, "method_not_allowed", "Method not allowed"},
	[PROBLEM_NOT_ACCEPTABLE] = {406, "not_acceptable", "Not acceptable"},
	[PROBLEM_CONFLICT] = {409, "conflict", "Conflict"},
	[PROBLEM_GONE] = {410, "gone", "Gone"},
	[PROBLEM_TOO_LARGE] = {413, "too_large", "Too large"},
	[PROBLEM_UNSUPPORTED_MEDIA_TYPE] = {415, "unsupported_media_type",
					    "Unsupported media type"},
	[PROBLEM_RANGE] = {416, "range_not_satisfiable", "Range not satisfiable"},
	[PROBLEM_MISDIRECTED] = {421, "misdirected", "Misdirected request"},
	[PROBLEM_UNPROCESSABLE] = {422, "unprocessable", "Unprocessable"},
	[PROBLEM_TOO_MANY_REQUESTS] = {429, "too_many_requests", "Too many requests"},
	[PROBLEM_INTERNAL] = {500, "internal", "Internal error"},
	[PROBLEM_OVERLOADED] = {503, "overloaded", "Overloaded"},
	[PROBLEM_UNAVAILABLE] = {503, "unavailable", "Unavailable"},
	[PROBLEM_DRAINING] = {503, "draining", "Shutting down"},
	[PROBLEM_TIMEOUT] = {504, "timeout", "Takes too long"},
};
static_assert(ARRAY_LEN(problems) == PROBLEM_COUNT, "one row for each problem");

int problem_status(enum problem p)
{
	return problems[p].status;
}

const char *problem_code(enum problem p)
{
	return problems[p].code;
}

const char *problem_title(enum problem p)
{
	return problems[p].title;
}

int problem_write(enum problem p, const char *detail, const char *instance, const char *request_id,
		  struct buf *out, struct error *err)
{
	size_t len = strlen(instance);
	struct jsonout j;
	char type[96];

	if (len > INSTANCE_MAX)
		len = text_utf8_floor(instance, INSTANCE_MAX);
	(void)snprintf(type, sizeof(type), "https://belljar.dev/problems/%s", problems[p].code);
	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "type", type);
	jsonout_str(&j, "title", problems[p].title);
	jsonout_int(&j, "status", problems[p].status);
	jsonout_str(&j, "detail", detail);
	jsonout_bytes(&j, "instance", instance, len);
	jsonout_str(&j, "code", problems[p].code);
	jsonout_str(&j, "request_id", request_id);
	jsonout_object_end(&j);
	return jsonout_end(&j);
}
