/* SPDX-License-Identifier: Apache-2.0 */
/* finish_serve.c - do the settings of the service belong together? */
#include <string.h>

#include "call/listen.h"
#include "policy/reader.h"
#include "policy/sources.h"

enum { KEYS_MAX = 8 };

static void check_key(struct reader *r, const struct node *n)
{
	const char *text;

	if (read_text(r, n, &text) &&
	    (strlen(text) != 64 || strspn(text, "0123456789abcdef") != 64))
		reader_complain(r, n, "must be 64 hexadecimal digits in lower case");
}

void own_keys(struct reader *r, const struct node *n, void *target)
{
	struct words *keys = target;
	struct node one = *n, list = {.kind = NODE_LIST, .place = n->place, .n = 1, .first = &one};
	size_t at = 0;

	one.next = NULL;
	if (n->kind != NODE_LIST) {
		check_key(r, n);
		(void)read_texts(r, &list, keys);
		return;
	}
	if (n->n < 1 || n->n > KEYS_MAX) {
		reader_complain(r, n, "from 1 to %d keys are expected here, not %zu", KEYS_MAX,
				n->n);
		return;
	}
	for (const struct node *c = n->first; c; c = c->next, at++) {
		size_t old = reader_enter(r, "[%zu]", at);

		check_key(r, c);
		reader_leave(r, old);
	}
	(void)read_texts(r, n, keys);
}

static void check_listen(struct reader *r, const struct node *n, const struct serve_rules *s)
{
	const struct node *list = node_find(n, "listen");
	const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL;
	bool tls = s->tls.cert && s->tls.key;

	for (size_t i = 0; item && i < s->listen.n; i++, item = item->next) {
		size_t old = reader_enter(r, ".listen[%zu]", i);
		struct listen_word word;
		struct error err;

		if (listen_parse(s->listen.word[i], &word, &err) < 0 ||
		    listen_check(&word, tls, s->plaintext, &err) < 0)
			reader_complain(r, item, "%s", err.text);
		reader_leave(r, old);
	}
}

/* Relative to the file that names it, as includes and secrets are; what came from no file has no
 * place to begin at. */
static void find_file(struct reader *r, const struct node *at, const char **file)
{
	struct error err;

	if (!*file)
		return;
	if ((*file)[0] != '/' && r->sources->in_memory) {
		reader_complain(r, at, "'%.80s' must be an absolute path", *file);
		return;
	}
	*file = sources_path(r->sources, at, *file, &err);
	if (!*file)
		reader_complain(r, at, "%s", err.text);
}

/* Both or none. */
static void check_tls(struct reader *r, const struct node *n, struct serve_rules *s)
{
	const struct node *at = node_find(n, "tls");
	const char **files[] = {&s->tls.cert, &s->tls.key, &s->tls.client_ca};
	size_t old = reader_enter_key(r, "tls");

	if (!at)
		at = n;
	if (!s->tls.cert != !s->tls.key)
		reader_complain(r, at, "cert and key belong together: one of them is missing");
	if (s->tls.client_ca && !s->tls.cert)
		reader_complain(r, at, "client_ca needs cert and key");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		find_file(r, at, files[i]);
	reader_leave(r, old);
}

/* As browsers send it: SCHEME://HOST[:PORT], nothing behind. */
static bool is_origin(const char *text)
{
	const char *host = strstr(text, "://");

	return host && host != text && host[3] && !strpbrk(host + 3, "/?#@ *");
}

static void check_names(struct reader *r, const struct node *n, const struct serve_rules *s)
{
	size_t old = reader_enter_key(r, "hosts");

	for (size_t i = 0; i < s->hosts.n; i++)
		if (!s->hosts.word[i][0] || strpbrk(s->hosts.word[i], "/?#@* "))
			reader_complain(r, node_find(n, "hosts"),
					"'%.80s' is not like belljar.example.com or "
					"belljar.example.com:8640",
					s->hosts.word[i]);
	reader_leave(r, old);
	old = reader_enter_key(r, "origins");
	for (size_t i = 0; i < s->origins.n; i++)
		if (!is_origin(s->origins.word[i]))
			reader_complain(r, node_find(n, "origins"),
					"'%.80s' is not like https://app.example.com",
					s->origins.word[i]);
	reader_leave(r, old);
}

void finish_serve(struct reader *r, const struct node *n, void *target)
{
	struct serve_rules *s = target;

	check_tls(r, n, s);
	check_listen(r, n, s);
	check_names(r, n, s);
}
