/* SPDX-License-Identifier: Apache-2.0 */
/* banner.c - what the operator sees when the service is up: where it is, and calls to paste. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "serve/roles/supervise.h"

static void door_url(const struct door *d, char *ret, size_t room)
{
	if (d->word.is_unix)
		(void)snprintf(ret, room, "%s", d->address);
	else
		(void)snprintf(ret, room, "%s://%s", d->tls ? "https" : "http", d->address);
}

static void print_json(const struct supervisor *s)
{
	own(buf) out;
	struct jsonout j;
	struct error err = {0};
	char url[160];

	buf_init(&out, 65536);
	jsonout_start(&j, &out, &err);
	jsonout_object(&j, NULL);
	jsonout_array(&j, "listening");
	for (size_t i = 0; i < s->doors.n; i++) {
		door_url(&s->doors.door[i], url, sizeof(url));
		jsonout_str(&j, NULL, url);
	}
	jsonout_array_end(&j);
	jsonout_int(&j, "pid", getpid());
	jsonout_str(&j, "policy", s->plan.policy_file ? s->plan.policy_file : "built in");
	jsonout_str(&j, "policy_sha256", s->plan.policy_sha256);
	jsonout_str(&j, "state", s->state);
	jsonout_str(&j, "audit", s->plan.audit_off ? NULL : s->audit);
	jsonout_object_end(&j);
	if (jsonout_end(&j) < 0)
		return;
	(void)printf("%s\n", buf_str(&out));
	(void)fflush(stdout);
}

/* Could anybody come in at a door that wants to know who it is? */
static bool has_keys(const struct plan *p)
{
	const json_t *clients = json_object_get(p->view, "clients");

	for (size_t i = 0; i < json_array_size(clients); i++) {
		const json_t *one = json_array_get(clients, i);

		if (json_array_size(json_object_get(one, "key_sha256")) > 0 ||
		    json_is_string(json_object_get(one, "cert")))
			return true;
	}
	return false;
}

/* A policy of somebody's own has tools that we know nothing of: which, the service says. */
static void print_question(const struct supervisor *s, const struct door *d)
{
	bool key = !s->plan.loopback_without_key && !d->word.is_unix;
	char url[160];

	if (key && !has_keys(&s->plan)) {
		supervisor_say("nobody can come in there: no client of this policy has a "
			       "key_sha256; give it one, or serve.loopback_without_key, or listen "
			       "at unix:/PATH for clients by uid (man 5 belljar-policy)");
		return;
	}
	door_url(d, url, sizeof(url));
	(void)fprintf(stderr, "\n  curl -s%s%s %s/v1/tools%s\n\n",
		      d->word.is_unix ? " --unix-socket " : "",
		      d->word.is_unix ? d->word.address.un.sun_path : "",
		      d->word.is_unix ? "http://localhost" : url,
		      key ? " -H \"Authorization: Bearer $KEY\"" : "");
}

static void print_calls(const struct supervisor *s, const struct door *d)
{
	static const struct {
		const char *path, *more, *body;
	} calls[] = {
		{"/execute", "",
		 "{\"tool_name\":\"execute_code\",\"language\":\"python\",\"code\":\"print(6*7)"
		 "\"}"},
		{"/v1/tools/run_command/call", "",
		 "{\"arguments\":{\"command\":\"echo hello | wc -c\"}}"},
		{"/execute", " -N -H 'Accept: text/event-stream'",
		 "{\"tool_name\":\"execute_code\",\"language\":\"bash\",\"code\":\"for i in 1 2 3; "
		 "do "
		 "echo $i; sleep 1; done\"}"},
	};
	bool key = !s->plan.loopback_without_key && !d->word.is_unix;
	char url[160];

	door_url(d, url, sizeof(url));
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		(void)fprintf(stderr,
			      "\n  curl -s%s%s%s %s%s -H 'Content-Type: application/json'%s \\\n"
			      "    -d '%s'\n",
			      calls[i].more, d->word.is_unix ? " --unix-socket " : "",
			      d->word.is_unix ? d->word.address.un.sun_path : "",
			      d->word.is_unix ? "http://localhost" : url, calls[i].path,
			      key ? " -H \"Authorization: Bearer $KEY\"" : "", calls[i].body);
	(void)fputc('\n', stderr);
}

void banner_print(const struct supervisor *s)
{
	char url[160];

	if (s->config->json)
		print_json(s);
	for (size_t i = 0; i < s->doors.n; i++) {
		door_url(&s->doors.door[i], url, sizeof(url));
		supervisor_say("listening at %s", url);
	}
	supervisor_say("policy %s (%.16s), log %s",
		       s->plan.policy_file ? s->plan.policy_file : "built in",
		       s->plan.policy_sha256, s->plan.audit_off ? "off" : s->audit);
	if (s->config->json || !s->doors.n)
		return;
	if (s->plan.policy_file)
		print_question(s, &s->doors.door[0]);
	else
		print_calls(s, &s->doors.door[0]);
}
