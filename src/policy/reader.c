/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - where we are in a policy file, and what is said about it. */
#include "policy/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

size_t reader_enter(struct reader *r, const char *fmt, ...)
{
	size_t old = r->path_len, room = sizeof(r->path) - old;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(r->path + old, room, fmt, args);
	va_end(args);
	/* A path that does not fit is cut: it is for people, the place is exact. */
	if (len > 0)
		r->path_len += (size_t)len < room ? (size_t)len : room - 1;
	return old;
}

size_t reader_enter_key(struct reader *r, const char *key)
{
	size_t old = r->path_len, room = sizeof(r->path) - 1 - old, len = strlen(key);

	if (room > 0)
		r->path[r->path_len++] = '.';
	if (len > sizeof(r->path) - 1 - r->path_len)
		len = sizeof(r->path) - 1 - r->path_len;
	memcpy(r->path + r->path_len, key, len);
	r->path_len += len;
	r->path[r->path_len] = '\0';
	return old;
}

void reader_leave(struct reader *r, size_t old)
{
	r->path_len = old;
	r->path[old] = '\0';
}

void reader_complain(struct reader *r, const struct node *n, const char *fmt, ...)
{
	char text[sizeof(r->complaints->list[0].text)];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* The top of the file has no name. */
	complain(r->complaints, n->place, r->path[0] == '.' ? r->path + 1 : r->path, "%s", text);
}

void *reader_alloc(struct reader *r, const struct node *n, size_t count, size_t size)
{
	struct error err;
	void *ret = arena_array(&r->policy->arena, count, size, &err);

	if (!ret)
		reader_complain(r, n, "the policy %s", err.text);
	return ret;
}

void reader_refer(struct reader *r, const struct node *n, const char *tool)
{
	struct reference *one = reader_alloc(r, n, 1, sizeof(*one));
	struct error err;

	if (!one)
		return;
	*one = (struct reference){.next = *r->references, .tool = tool, .place = n->place};
	one->path = arena_str(&r->policy->arena, r->path + 1, &err);
	if (one->path)
		*r->references = one;
	else
		reader_complain(r, n, "the policy %s", err.text);
}

void reader_suggest(const char *word, const char *const *names, char *ret, size_t room)
{
	const char *near = text_nearest(word, names);

	ret[0] = '\0';
	if (near)
		(void)snprintf(ret, room, "; did you mean '%s'?", near);
}

bool read_is_name(const char *text)
{
	size_t len = strlen(text);

	/* One that begins with a dash or a dot is an option or a directory to somebody. */
	return len >= 1 && len <= 64 && text[0] != '-' && text[0] != '.' &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
		       len;
}
