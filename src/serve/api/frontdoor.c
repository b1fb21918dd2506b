/* SPDX-License-Identifier: Apache-2.0 */
/* frontdoor.c - the doors between a request's head and its body: host, who, which path, may they.
 *
 * Whoever is not known learns nothing, not even which paths there are.
 */
#include "serve/api/frontdoor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "base/text.h"
#include "serve/api/auth.h"
#include "serve/http/hostcheck.h"

enum { IGNORED_BODY = 1024 }; /* bytes, where none is wanted */

/* A name from the client, if it is a plain one. */
static bool name_it(struct visit *v)
{
	const char *given = http_header(v->x, "X-Request-Id");

	if (given && request_id_fits(given))
		text_copy(given, v->request_id, sizeof(v->request_id));
	else
		id_make("req-", v->request_id, sizeof(v->request_id));
	http_set_id(v->x, v->request_id);
	return true;
}

static bool has_view(struct visit *v)
{
	if (v->front->view)
		return true;
	respond_problem(v, PROBLEM_UNAVAILABLE, "no policy was loaded yet");
	return false;
}

/* A page of another name must not reach us through somebody's browser. */
static bool host_fits(struct visit *v)
{
	const struct view *view = v->front->view;
	const struct hostcheck rules = {
		.hosts = (const char *const *)view->hosts.items,
		.origins = (const char *const *)view->origins.items,
	};
	const char *detail = "";
	int status = hostcheck_exchange(&rules, v->x, &detail);

	if (status == 0)
		return true;
	respond_problem(v, status == 421 ? PROBLEM_MISDIRECTED : PROBLEM_FORBIDDEN, detail);
	return false;
}

static bool refuse_stranger(struct visit *v, enum auth result)
{
	struct http_header ask[2] = {{"WWW-Authenticate", "Bearer realm=\"belljar\""}, {0}};

	if (result == AUTH_THROTTLED) {
		v->front->metrics.throttled++;
		respond_problem(v, PROBLEM_TOO_MANY_REQUESTS,
				"too many wrong keys came from this address");
		return false;
	}
	if (result == AUTH_BAD) {
		v->front->metrics.bad_keys++;
		ask[0].value = "Bearer realm=\"belljar\", error=\"invalid_token\"";
	}
	respond_problem_more(v, PROBLEM_UNAUTHORIZED,
			     result == AUTH_BAD ? "this is no key of any client"
						: "a key is needed: Authorization: Bearer KEY",
			     ask);
	return false;
}

/* Whoever comes through a proxy is not on this host, though the proxy is. */
static bool was_forwarded(const struct visit *v)
{
	static const char *const signs[] = {"Forwarded",        "X-Forwarded-For",
					    "X-Forwarded-Host", "X-Forwarded-Proto",
					    "X-Real-IP",        "Via",
					    "CF-Connecting-IP"};

	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (http_header(v->x, signs[i]))
			return true;
	return false;
}

static enum auth who_asks(const struct visit *v, struct throttle *t, const struct view_client **ret)
{
	const struct auth_ask ask = {
		.peer = http_peer(v->x),
		.authorization = http_header(v->x, "Authorization"),
		.api_key = http_header(v->x, "X-API-Key"),
		.forwarded = was_forwarded(v),
		.now_us = v->begun_us,
	};

	return auth_who(v->front->view, t, &ask, ret);
}

static bool is_known(struct visit *v)
{
	struct front *f = v->front;
	const struct view_client *client = NULL;
	enum auth result;

	routes_find(http_method(v->x), http_path(v->x), &v->match);
	if (v->match.route && v->match.route->flags & ROUTE_OPEN)
		return true;
	result = who_asks(v, &f->throttle, &client);
	if (result != AUTH_OK)
		return refuse_stranger(v, result);
	v->party = party_get(&f->parties, client->name);
	if (!v->party) {
		respond_problem(v, PROBLEM_OVERLOADED, "out of memory");
		return false;
	}
	v->party->visits++;
	v->scopes = client->scopes;
	v->max_concurrent = client->max_concurrent;
	return true;
}

static bool has_path(struct visit *v)
{
	char allow[64], detail[120];
	struct http_header more[2] = {{"Allow", allow}, {0}};

	if (v->match.route)
		return true;
	if (!v->match.methods) {
		respond_problem(v, PROBLEM_NOT_FOUND,
				"there is no such path; /openapi.json has all of them");
		return false;
	}
	routes_allow(v->match.methods, allow, sizeof(allow));
	if (http_method(v->x) == HTTP_OPTIONS) {
		respond(v, &(struct response){.status = 204, .more = {{"Allow", allow}}});
		return false;
	}
	(void)snprintf(detail, sizeof(detail), "this path does not have that method; it has: %s",
		       allow);
	respond_problem_more(v, PROBLEM_METHOD_NOT_ALLOWED, detail, more);
	return false;
}

static bool has_scope(const struct visit *v)
{
	const struct route *r = v->match.route;

	return r->flags & ROUTE_OPEN || r->scopes == 0 || v->scopes & (r->scopes | MAY_ADMIN);
}

static bool may(struct visit *v)
{
	const struct route *r = v->match.route;
	char detail[160];
	size_t at;

	if (has_scope(v))
		return true;
	at = (size_t)snprintf(detail, sizeof(detail), "this client lacks the scope");
	for (uint32_t bit = MAY_EXECUTE, n = 0; bit <= MAY_ADMIN; bit <<= 1)
		if (r->scopes & bit)
			at += (size_t)snprintf(detail + at, sizeof(detail) - at, "%s %s",
					       n++ ? " or" : "", view_scope_name((enum scope)bit));
	respond_problem(v, PROBLEM_FORBIDDEN, detail);
	return false;
}

static bool is_open_for_business(struct visit *v)
{
	enum route_to to = v->match.route->to;

	if (!v->front->draining || (to != TO_POOL && to != TO_OPEN && to != TO_FORK))
		return true;
	respond_problem(v, PROBLEM_DRAINING, "the service is being stopped");
	return false;
}

/* Clients may come from one address, and then share what that may open: one that has many requests
 * waiting must leave some to the others. */
static bool has_share(struct visit *v)
{
	const struct view *view = v->front->view;

	if (!v->party || view->n_clients < 2 || v->match.route->to == TO_SELF ||
	    v->party->visits <= view->connections / 2)
		return true;
	respond_problem(v, PROBLEM_TOO_MANY_REQUESTS,
			"this client has as many requests open as it may");
	return false;
}

static bool form_fits(struct visit *v)
{
	if (!(v->match.route->flags & ROUTE_STREAMS))
		return true;
	v->form = accept_form(http_header(v->x, "Accept"));
	if (v->form != FORM_NONE)
		return true;
	v->form = FORM_JSON;
	respond_problem(v, PROBLEM_NOT_ACCEPTABLE,
			"there is application/json, text/event-stream and application/x-ndjson");
	return false;
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (; words && *words; words += strspn(words, " ")) {
		size_t n = strcspn(words, " ");

		if (n == len && memcmp(words, word, n) == 0)
			return true;
		words += n;
	}
	return false;
}

/* A filter with a slip of the pen would answer more than was asked for. */
static bool query_fits(struct visit *v)
{
	char detail[200];
	const char *name;

	for (size_t i = 0; (name = http_query_name(v->x, i)); i++)
		if (!has_word(v->match.route->query, name)) {
			(void)snprintf(detail, sizeof(detail),
				       "there is no parameter '%.60s' here%s%s", name,
				       v->match.route->query ? "; there is: " : "",
				       v->match.route->query ? v->match.route->query : "");
			respond_problem(v, PROBLEM_BAD_REQUEST, detail);
			return false;
		}
	return true;
}

/* Bytes that the body will have; chunked ones count as the most they may have. */
static bool body_size(const struct visit *v, uint64_t *ret)
{
	const char *length = http_header(v->x, "Content-Length");
	struct error err;

	*ret = 0;
	if (length)
		return text_parse_uint(length, ret, &err) == 0;
	if (http_header(v->x, "Transfer-Encoding"))
		*ret = v->front->view->body_bytes;
	return true;
}

/* Whoever stands between may unpack it and judge something else than we would read. */
static bool is_encoded(const struct visit *v)
{
	const char *encoding = http_header(v->x, "Content-Encoding");

	return encoding && strcasecmp(encoding, "identity") != 0;
}

static bool body_fits(struct visit *v)
{
	const struct route *r = v->match.route;
	struct front *f = v->front;
	bool wanted = r->body || r->flags & ROUTE_BYTES;
	uint64_t size, cap = wanted ? f->view->body_bytes : IGNORED_BODY;
	char detail[120];

	if (!body_size(v, &size) || (http_header(v->x, "Content-Length") && size > cap)) {
		(void)snprintf(detail, sizeof(detail), "the body has more than %" PRIu64 " bytes%s",
			       cap, wanted ? " (serve.body in the policy)" : "");
		respond_problem(v, PROBLEM_TOO_LARGE, detail);
		return false;
	}
	if (is_encoded(v)) {
		respond_problem(v, PROBLEM_UNSUPPORTED_MEDIA_TYPE,
				"the body is taken as it is: no Content-Encoding");
		return false;
	}
	if (r->body && !accept_is_json(http_header(v->x, "Content-Type"))) {
		respond_problem(v, PROBLEM_UNSUPPORTED_MEDIA_TYPE,
				"the body is JSON: Content-Type: application/json");
		return false;
	}
	size = size < cap ? size : cap;
	if (r->to == TO_SELF) /* small, and wanted most when there is too much of all else */
		size = 0;
	else if (f->body_bytes + size > BODIES_MAX || !respond_fits(v, 0) ||
		 (v->party && f->view->n_clients > 1 &&
		  v->party->body_bytes + size > BODIES_MAX / 2)) {
		respond_problem(v, PROBLEM_OVERLOADED,
				"too much is being received and sent at this moment");
		return false;
	}
	http_cap_body(v->x, cap);
	v->reserved = size;
	f->body_bytes += size;
	if (v->party)
		v->party->body_bytes += size;
	return true;
}

/* Keep the order: it decides what a stranger learns. */
static bool (*const doors[])(struct visit *v) = {
	name_it,   has_view,  host_fits,  is_known,  has_path, may, is_open_for_business,
	has_share, form_fits, query_fits, body_fits,
};

bool frontdoor_pass(struct visit *v)
{
	for (size_t i = 0; i < ARRAY_LEN(doors); i++)
		if (!doors[i](v))
			return false;
	return true;
}

bool frontdoor_still(struct visit *v)
{
	const struct view_client *client = NULL;

	if (!v->party || !v->match.route)
		return true;
	if (who_asks(v, NULL, &client) != AUTH_OK || strcmp(client->name, v->party->name) != 0)
		return false;
	v->scopes = client->scopes;
	v->max_concurrent = client->max_concurrent;
	return has_scope(v) && (!v->call || visit_owns(v, v->call->party));
}
