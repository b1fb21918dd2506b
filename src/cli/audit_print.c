/* SPDX-License-Identifier: Apache-2.0 */
/* audit_print.c - one record on one line: for people, or as JSON. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "auditread/plain.h"
#include "base/own.h"
#include "cli/auditcli.h"

enum { SHORT = 128 };

#define RED    "31"
#define GREEN  "32"
#define YELLOW "33"
#define FAINT  "2"

static const char *colour_of(const struct record_view *v)
{
	switch (v->kind) {
	case RECORD_DENIED:
	case RECORD_POLICY_REFUSED:
		return RED;
	case RECORD_ABORTED:
	case RECORD_KEY_CHANGED:
		return YELLOW;
	case RECORD_FINISHED:
		return v->status.len == 7 && memcmp(v->status.data, "success", 7) == 0 ? GREEN
										       : YELLOW;
	case RECORD_NONE:
	case RECORD_STARTED:
	case RECORD_STARTED_UP:
	case RECORD_SHUT_DOWN:
	case RECORD_POLICY_LOADED:
	case RECORD_BODIES_DROPPED:
	case RECORD_KIND_COUNT:
		break;
	}
	return FAINT;
}

void audit_duration(uint64_t us, char *ret, size_t room)
{
	if (us < 1000000)
		(void)snprintf(ret, room, "%" PRIu64 ".%01" PRIu64 " ms", us / 1000,
			       us % 1000 / 100);
	else
		(void)snprintf(ret, room, "%" PRIu64 ".%02" PRIu64 " s", us / 1000000,
			       us % 1000000 / 10000);
}

/* What was done in a session, and which: without it an opening looks like a call. */
static void session_text(const struct record_view *v, char *ret, size_t room)
{
	char action[SHORT], session[SHORT];

	ret[0] = '\0';
	if (v->session.data)
		(void)snprintf(ret, room, "; %s in %s",
			       audit_text(v->action, action, sizeof(action)),
			       audit_text(v->session, session, sizeof(session)));
}

void audit_outcome_text(const struct record_view *v, char *ret, size_t room)
{
	char one[SHORT], two[SHORT], why[2 * AUDIT_SHOWN], took[32], session[3 * SHORT];

	switch (v->kind) {
	case RECORD_DENIED:
		(void)snprintf(ret, room, "%s: %s", audit_text(v->rule, one, sizeof(one)),
			       audit_text(v->reason, why, sizeof(why)));
		return;
	case RECORD_FINISHED:
		audit_duration(v->run_us, took, sizeof(took));
		session_text(v, session, sizeof(session));
		(void)snprintf(ret, room, "%s%s%s, %s%s", audit_text(v->status, one, sizeof(one)),
			       v->cause.data ? ": " : "",
			       v->cause.data ? audit_text(v->cause, two, sizeof(two)) : "", took,
			       session);
		return;
	case RECORD_STARTED:
		session_text(v, session, sizeof(session));
		(void)snprintf(ret, room, "%s%s", audit_text(v->decision, one, sizeof(one)),
			       session);
		return;
	case RECORD_POLICY_LOADED:
		(void)snprintf(ret, room, "policy %.16s",
			       audit_text(v->policy_sha256, one, sizeof(one)));
		return;
	case RECORD_NONE:
	case RECORD_ABORTED:
	case RECORD_STARTED_UP:
	case RECORD_SHUT_DOWN:
	case RECORD_POLICY_REFUSED:
	case RECORD_KEY_CHANGED:
	case RECORD_BODIES_DROPPED:
	case RECORD_KIND_COUNT:
		break;
	}
	(void)snprintf(ret, room, "%s",
		       v->detail.data ? audit_text(v->detail, why, sizeof(why))
				      : audit_text(v->reason, why, sizeof(why)));
}

void audit_print_record(uint64_t index, const struct record_view *v, FILE *to)
{
	char time[RECORD_TIME], tool[SHORT], client[SHORT], end[3 * AUDIT_SHOWN];
	bool colour = audit_wants_colour(to);

	record_time(v->time_ms, time);
	audit_outcome_text(v, end, sizeof(end));
	(void)fprintf(to, "%8" PRIu64 "  %s  %s%s%s%-14s%s  %-20s  %-12s  %s\n", index, time,
		      colour ? "\033[" : "", colour ? colour_of(v) : "", colour ? "m" : "",
		      record_kind_name(v->kind), colour ? "\033[0m" : "",
		      audit_text(v->tool, tool, sizeof(tool)),
		      audit_text(v->client, client, sizeof(client)), end);
}

void audit_print_bad(uint64_t index, const char *why, FILE *to)
{
	bool colour = audit_wants_colour(to);

	(void)fprintf(to, "%8" PRIu64 "  %sNO RECORD%s: %s\n", index, colour ? "\033[" RED "m" : "",
		      colour ? "\033[0m" : "", why);
}

void audit_json_record(uint64_t index, const struct log_line *line, FILE *to)
{
	struct hash leaf;
	char hex[HASH_HEX];

	hash_leaf(line->data, line->len, &leaf);
	hash_hex(&leaf, hex);
	(void)fprintf(to, "{\"index\":%" PRIu64 ",\"leaf_hash\":\"%s\",\"record\":", index, hex);
	if (isatty(fileno(to)))
		plain_json(line->data, line->len, to);
	else
		(void)fwrite(line->data, 1, line->len, to);
	(void)fputc('}', to);
}
