/* SPDX-License-Identifier: Apache-2.0 */
/* readanswer.c - a request becomes an answer: which function, and what becomes of its errors. */
#include <assert.h>
#include <stdio.h>

#include "base/jsonout.h"
#include "base/own.h"
#include "base/text.h"
#include "reader/readrole.h"

static int (*const kinds[])(struct reader *r, const struct read_request *q, struct read_answer *a,
			    struct error *err) = {
	[READ_QUERY] = read_calls,         [READ_SHOW] = read_call,
	[READ_RECORD] = read_record,       [READ_PROOF] = read_proof,
	[READ_VERIFY] = read_verification, [READ_CHECKPOINT] = read_checkpoint,
};
static_assert(ARRAY_LEN(kinds) == READ_ASK_COUNT, "one function for each kind");

static const struct {
	unsigned status;
	const char *code, *title;
} problems[] = {
	{400, "bad_request", "Bad request"},
	{404, "not_found", "Not found"},
	{503, "overloaded", "Overloaded"},
	{500, "internal", "Internal error"}, /* the last: everything else */
};

int read_number(struct read_answer *a, const char *name, const char *text, uint64_t *ret,
		struct error *err)
{
	a->parameter = name;
	if (text[0] == '\0')
		return fail(err, ERR_CALLER, "%s is missing", name);
	if (text_parse_uint(text, ret, err) < 0)
		return err->kind = ERR_CALLER, fail_in(err, "%s", name);
	a->parameter = NULL;
	return 0;
}

static unsigned status_of(const struct read_answer *a, const struct error *why)
{
	if (a->status != 200)
		return a->status;
	if (why->kind == ERR_CALLER)
		return 400;
	return why->kind == ERR_NOT_FOUND ? 404 : 500;
}

/* What went wrong with a file of ours is for the owner and not for whoever asks. */
static int write_problem(const struct read_request *q, struct read_answer *a,
			 const struct error *why, struct error *err)
{
	struct jsonout j;
	char type[96];
	size_t i = 0;

	a->problem = true;
	a->status = status_of(a, why);
	while (i + 1 < ARRAY_LEN(problems) && problems[i].status != a->status)
		i++;
	(void)snprintf(type, sizeof(type), "https://belljar.dev/problems/%s", problems[i].code);
	a->body.len = 0;
	a->body.cut = false;
	jsonout_start(&j, &a->body, err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "type", type);
	jsonout_str(&j, "title", problems[i].title);
	jsonout_int(&j, "status", a->status);
	jsonout_str(&j, "detail", a->status == 500 ? "the log could not be read" : why->text);
	jsonout_str(&j, "code", problems[i].code);
	if (q->request_id[0])
		jsonout_str(&j, "request_id", q->request_id);
	if (a->parameter && a->status == 400) {
		jsonout_array(&j, "errors");
		jsonout_object(&j, NULL);
		jsonout_str(&j, "parameter", a->parameter);
		jsonout_str(&j, "detail", why->text);
		jsonout_object_end(&j);
		jsonout_array_end(&j);
	}
	jsonout_object_end(&j);
	return jsonout_end(&j);
}

static void complain(const struct error *why)
{
	char line[2 * sizeof(why->text)];

	text_one_line(why->text, line, sizeof(line));
	(void)fprintf(stderr, "belljar-audit reader: %s\n", line);
}

int reader_answer(struct reader *r, const struct read_request *q, struct read_answer *ret,
		  struct error *err)
{
	struct error why = {0};

	if (kinds[q->kind](r, q, ret, &why) == 0 && !ret->body.cut)
		return 0;
	if (why.kind == ERR_NONE)
		(void)fail(&why, ERR_SYSTEM, "the answer is larger than %d bytes", READ_BODY_MAX);
	if (status_of(ret, &why) == 500)
		complain(&why);
	return write_problem(q, ret, &why, err);
}
