/* SPDX-License-Identifier: Apache-2.0 */
/* why.c - every refusal has one shape, whoever refuses. */
#include "call/why.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

static const char *const layer_names[] = {
	[WHY_NONE] = "none",     [WHY_REQUEST] = "request", [WHY_POLICY] = "policy",
	[WHY_SCREEN] = "screen", [WHY_LIMIT] = "limit",     [WHY_FILE] = "file",
	[WHY_EGRESS] = "egress", [WHY_KERNEL] = "kernel",   [WHY_OUTPUT] = "output",
};
static_assert(ARRAY_LEN(layer_names) == WHY_COUNT, "one name per layer");

const char *why_layer_name(enum why_layer layer)
{
	return layer < WHY_COUNT ? layer_names[layer] : "none";
}

__attribute__((format(printf, 3, 0))) static void write_line(char *ret, size_t room,
							     const char *fmt, va_list args)
{
	char raw[1024];

	(void)vsnprintf(raw, sizeof(raw), fmt, args);
	raw[text_utf8_floor(raw, strlen(raw))] = '\0';
	text_one_line(raw, ret, room);
}

enum answer why_deny(struct why *w, enum why_layer layer, const char *rule, const char *fmt, ...)
{
	va_list args;

	*w = (struct why){.layer = layer, .permanent = true};
	text_one_line(rule, w->rule, sizeof(w->rule));
	va_start(args, fmt);
	write_line(w->what, sizeof(w->what), fmt, args);
	va_end(args);
	return ANSWER_DENY;
}

void why_hint(struct why *w, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	write_line(w->hint, sizeof(w->hint), fmt, args);
	va_end(args);
}

void why_retry(struct why *w, uint64_t after_ms)
{
	w->permanent = false;
	w->retry_after_ms = after_ms;
}

enum answer why_internal(struct why *w, const struct error *err)
{
	(void)err;
	(void)why_deny(w, WHY_KERNEL, "internal", "belljar could not do its own work");
	why_hint(w, "try again; if it happens again, tell the operator");
	why_retry(w, 0);
	return ANSWER_DENY;
}

void why_json(const struct why *w, struct jsonout *j, const char *key)
{
	if (w->layer == WHY_NONE) {
		jsonout_null(j, key);
		return;
	}
	jsonout_object(j, key);
	jsonout_str(j, "layer", why_layer_name(w->layer));
	jsonout_str(j, "rule", w->rule);
	jsonout_str(j, "what", w->what);
	jsonout_bool(j, "permanent", w->permanent);
	if (w->retry_after_ms > 0)
		jsonout_uint(j, "retry_after_ms", w->retry_after_ms);
	else
		jsonout_null(j, "retry_after_ms");
	jsonout_str(j, "hint", w->hint[0] ? w->hint : NULL);
	jsonout_object_end(j);
}
