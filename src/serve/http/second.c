/* SPDX-License-Identifier: Apache-2.0 */
/* second.c - llhttp as a second reader of what framing.h and chunked.h have read.
 *
 * It is Node's parser, read by many and attacked by more.  None of its lenient
 * flags is set.  Where the two readers differ, somebody between the client and
 * us may differ too, and the request is refused.
 */
#include "serve/http/second.h"

#include <llhttp.h>
#include <stdlib.h>
#include <string.h>

struct look {
	llhttp_t parser;
	const struct second_claim *head;
	const char *bytes;
	size_t names, values; /* rows that it has found so far */
	bool differs;
	bool headed;
	bool over;
	uint64_t body;
};

static struct look *look_of(llhttp_t *p)
{
	return p->data;
}

static int see_url(llhttp_t *p, const char *at, size_t len)
{
	struct look *l = look_of(p);

	if (l->head && (at != l->bytes + l->head->target || len != l->head->target_len))
		l->differs = true;
	return l->differs ? -1 : 0;
}

static int see_name(llhttp_t *p, const char *at, size_t len)
{
	struct look *l = look_of(p);
	const struct head_row *row;

	if (!l->head) /* a trailer */
		return -1;
	if (l->names >= l->head->n_rows)
		return -1;
	row = &l->head->rows[l->names++];
	return at == l->bytes + row->name && len == row->name_len ? 0 : -1;
}

/* Its values may have blanks behind them, and come with an empty one, or without. */
static int see_value(llhttp_t *p, const char *at, size_t len)
{
	struct look *l = look_of(p);
	const struct head_row *row;

	if (!l->head || l->names == 0)
		return -1;
	row = &l->head->rows[l->names - 1];
	while (len > 0 && (at[len - 1] == ' ' || at[len - 1] == '\t'))
		len--;
	if (len != row->value_len)
		return -1;
	return len == 0 || at == l->bytes + row->value ? 0 : -1;
}

static int see_head_end(llhttp_t *p)
{
	struct look *l = look_of(p);

	l->headed = true;
	return 0;
}

static int see_body(llhttp_t *p, const char *at, size_t len)
{
	(void)at;
	look_of(p)->body += len;
	return 0;
}

static int see_end(llhttp_t *p)
{
	look_of(p)->over = true;
	return 0;
}

static void prepare(llhttp_settings_t *settings)
{
	llhttp_settings_init(settings);
	settings->on_url = see_url;
	settings->on_header_field = see_name;
	settings->on_header_value = see_value;
	settings->on_headers_complete = see_head_end;
	settings->on_body = see_body;
	settings->on_message_complete = see_end;
}

/* It must be content with all of it.  "Upgrade" makes it pause behind the request; we upgrade to
 * nothing. */
static bool read_all(struct look *l, const char *bytes, size_t len)
{
	llhttp_errno_t e = llhttp_execute(&l->parser, bytes, len);

	if (e == HPE_OK)
		return true;
	return e == HPE_PAUSED_UPGRADE && llhttp_get_error_pos(&l->parser) == bytes + len;
}

static bool same_framing(const struct look *l, const struct second_claim *h)
{
	const llhttp_t *p = &l->parser;
	bool body = h->chunked || h->length > 0;

	if (!l->headed || l->names != h->n_rows || l->over == body)
		return false;
	if (p->http_major != 1 || p->http_minor != (h->http10 ? 0 : 1))
		return false;
	if (h->chunked != ((p->flags & F_CHUNKED) != 0))
		return false;
	return l->over || h->chunked || p->content_length == h->length;
}

bool second_agrees(const struct second_claim *h, const char *bytes, size_t len)
{
	struct look l = {.head = h, .bytes = bytes};
	llhttp_settings_t settings;
	const char *method;

	prepare(&settings);
	llhttp_init(&l.parser, HTTP_REQUEST, &settings);
	l.parser.data = &l;
	if (!read_all(&l, bytes, len) || !same_framing(&l, h))
		return false;
	method = llhttp_method_name((llhttp_method_t)l.parser.method);
	return strlen(method) == h->method_len && memcmp(method, bytes, h->method_len) == 0;
}

struct second_body {
	struct look look;
	llhttp_settings_t settings;
};

struct second_body *second_body_new(void)
{
	static const char head[] = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
	struct second_body *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	llhttp_settings_init(&s->settings);
	s->settings.on_body = see_body;
	s->settings.on_message_complete = see_end;
	llhttp_init(&s->look.parser, HTTP_REQUEST, &s->settings);
	s->look.parser.data = &s->look;
	(void)llhttp_execute(&s->look.parser, head, sizeof(head) - 1);
	s->settings.on_header_field = see_name; /* of a trailer: refused */
	return s;
}

void second_body_free(struct second_body *s)
{
	free(s);
}

bool second_body_agrees(struct second_body *s, const char *bytes, size_t len, bool done,
			uint64_t total)
{
	return read_all(&s->look, bytes, len) && s->look.over == done && s->look.body == total;
}
