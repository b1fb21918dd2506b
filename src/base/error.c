/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - how a failure gets its words. */
#include "base/error.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"

/* Here they are defined: not what error.h makes of them for clang-tidy. */
#undef fail
#undef fail_sys
#undef fail_in

static const char *const kind_names[] = {
	[ERR_NONE] = "none",         [ERR_CALLER] = "caller",       [ERR_CONFIG] = "config",
	[ERR_SYSTEM] = "system",     [ERR_NOT_FOUND] = "not_found", [ERR_REFUSED] = "refused",
	[ERR_INTERNAL] = "internal",
};
static_assert(ARRAY_LEN(kind_names) == ERR_KIND_COUNT, "one name per kind");

const char *error_kind_name(enum error_kind kind)
{
	return (unsigned)kind < ERR_KIND_COUNT ? kind_names[kind] : "internal";
}

int fail(struct error *err, enum error_kind kind, const char *fmt, ...)
{
	va_list ap;

	err->kind = kind;
	err->sys = 0;
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -1;
}

int fail_sys(struct error *err, const char *fmt, ...)
{
	int saved = errno;
	size_t used;
	va_list ap;

	err->kind = ERR_SYSTEM;
	err->sys = saved;
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	(void)snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(saved));
	return -1;
}

int fail_in(struct error *err, const char *fmt, ...)
{
	char inner[sizeof(err->text)];
	size_t used;
	va_list ap;

	memcpy(inner, err->text, sizeof(inner));
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	/* What does not fit is cut at the end: the outermost context says where to look. */
	for (const char *p = ": "; *p && used + 1 < sizeof(err->text); p++)
		err->text[used++] = *p;
	for (const char *p = inner; *p && used + 1 < sizeof(err->text); p++)
		err->text[used++] = *p;
	err->text[used] = '\0';
	return -1;
}
