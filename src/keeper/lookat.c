/* SPDX-License-Identifier: Apache-2.0 */
/* lookat.c - code or a command line is looked at without being run. */
#include <string.h>

#include "base/jsonout.h"
#include "base/jsonread.h"
#include "base/own.h"
#include "keeper/keepanswer.h"
#include "keeper/keepfacts.h"

enum { ARENA_BYTES = 64 << 20, ANSWER_MAX = 4 << 20 };

struct look {
	const char *language;
	const char *text;
	size_t len;
	const struct tool *tool; /* NULL: every rule as it comes */
	struct arena arena;
	struct findings findings;
	struct why why;
	enum answer answer;
};

static void look_end(struct look *l)
{
	arena_done(&l->arena);
}

static void look(struct look *l)
{
	static const struct screen_policy standard;
	static const struct words any;
	const struct screen_policy *rules = l->tool ? &l->tool->screen : &standard;
	struct shell_reading reading;

	if (strcmp(l->language, "command") == 0)
		l->answer = screen_command(l->tool ? &l->tool->programs : &any, rules, l->text,
					   l->len, &l->arena, &l->findings, &reading, &l->why);
	else
		l->answer = screen_code(l->language, rules, l->text, l->len, &l->arena,
					&l->findings, &l->why);
}

static int write_answer(const struct look *l, const struct keep_request *r, struct buf *out,
			struct error *err)
{
	struct jsonout j;

	jsonout_start(&j, out, err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "request_id", r->request_id);
	jsonout_str(&j, "language", l->language);
	jsonout_bool(&j, "blocks", l->answer != ANSWER_ALLOW);
	why_json(&l->why, &j, "why");
	findings_json(&l->findings, &j, "screening");
	jsonout_object_end(&j);
	return jsonout_end(&j);
}

/* A tool that this client may not see is one that there is not.  false: it was answered. */
static bool find_tool(struct keeper *k, const struct keep_request *r, const json_t *value,
		      const struct tool **ret)
{
	const char *name = json_string_value(json_object_get(value, "tool_name"));
	const struct client *c = policy_client(k->policy, r->client);

	*ret = NULL;
	if (!name)
		return true;
	*ret = c && policy_may_see(c, name) ? policy_tool(k->policy, name) : NULL;
	if (*ret)
		return true;
	answer_problem(k, r, 404, "not_found", "there is no such tool", NULL);
	return false;
}

/* false: it was answered. */
static bool read_text(struct keeper *k, const struct keep_request *r, const json_t *value,
		      struct look *l)
{
	const json_t *code = json_object_get(value, "code");
	const json_t *text = code ? code : json_object_get(value, "command");
	const struct words *known = l->tool ? &l->tool->languages : NULL;
	struct api_problems problems = {0};

	l->language = code ? json_string_value(json_object_get(value, "language")) : "command";
	l->text = json_string_value(text);
	l->len = json_string_length(text);
	if (!l->language && known && known->n == 1)
		l->language = known->word[0];
	if (!l->language)
		api_complain(&problems, "/language", "'language' is missing");
	else if (!code && json_object_get(value, "language"))
		api_complain(&problems, "/language", "a command line has no language");
	if (problems.n == 0)
		return true;
	answer_problem(k, r, 400, "invalid_body", problems.list[0].detail, &problems);
	return false;
}

void obey_screen(struct keeper *k, const struct keep_request *r, const struct buf *body)
{
	own_json value = answer_body(k, r, body, "screen");
	struct keep_reply reply = {0};
	struct error err = {0};
	own(look) l = {0};
	own(buf) out;

	buf_init(&out, ANSWER_MAX);
	arena_init(&l.arena, ARENA_BYTES);
	if (!value || !find_tool(k, r, value, &l.tool) || !read_text(k, r, value, &l))
		return;
	look(&l);
	facts_found(&l.findings, &reply.facts);
	if (write_answer(&l, r, &out, &err) < 0)
		answer_problem(k, r, 500, "internal", "the answer got lost", NULL);
	else
		answer_json(k, r, &reply, &out);
}
