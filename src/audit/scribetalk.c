/* SPDX-License-Identifier: Apache-2.0 */
/* scribetalk.c - messages between a caller and the scribe: begun and checked. */
#include "audit/scribetalk.h"

#include <string.h>

#include "base/text.h"

void scribe_begin(struct scribe_head *head, uint32_t kind, uint64_t ticket, size_t size)
{
	*head = (struct scribe_head){
		.magic = SCRIBE_MAGIC,
		.version = SCRIBE_VERSION,
		.size = (uint32_t)size,
		.kind = kind,
		.ticket = ticket,
	};
}

bool scribe_is_line(const char *line, size_t len)
{
	if (len < 2 || len > SCRIBE_LINE_MAX || line[0] != '{' || line[len - 1] != '}')
		return false;
	/* JSON escapes what is below a space; a newline would end the record. */
	return !text_has_control(line, len) && text_is_utf8(line, len);
}

bool scribe_is_key(const char *key, size_t room)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_.:";

	return key[0] && memchr(key, '\0', room) && key[strspn(key, letters)] == '\0';
}

/* In this order: a peer of another version has messages of another size, and the version is what
 * its owner has to hear about. */
static int check_head(const struct scribe_head *head, size_t came, size_t at_least,
		      struct error *err)
{
	if (came < sizeof(*head) || head->magic != SCRIBE_MAGIC)
		return fail(err, ERR_INTERNAL, "a message of %zu bytes came that is not belljar's",
			    came);
	if (head->version != SCRIBE_VERSION)
		return fail(err, ERR_CONFIG,
			    "belljar and belljar-scribe are of different versions: they speak %u "
			    "and %u; install both from one release",
			    SCRIBE_VERSION, head->version);
	if (head->size != came || came < at_least)
		return fail(err, ERR_INTERNAL, "a message of %zu bytes came, of %u were told", came,
			    head->size);
	return 0;
}

int scribe_check_request(const struct scribe_request *r, size_t came, const char **ret_line,
			 struct error *err)
{
	const char *line = (const char *)(r + 1);

	if (check_head(&r->head, came, sizeof(*r), err) < 0)
		return -1;
	if (r->head.kind == PUT_NONE || r->head.kind >= PUT_COUNT ||
	    r->flags & ~(uint32_t)PUT_FLAGS)
		return fail(err, ERR_INTERNAL, "a request of kind %u with flags %u", r->head.kind,
			    r->flags);
	if (r->line_len != came - sizeof(*r) || !scribe_is_line(line, r->line_len))
		return fail(err, ERR_INTERNAL, "%zu bytes came that are no record",
			    came - sizeof(*r));
	if (r->head.kind != PUT_SINGLE && !scribe_is_key(r->key, sizeof(r->key)))
		return fail(err, ERR_INTERNAL, "a record came without a name");
	*ret_line = line;
	return 0;
}

int scribe_check_reply(struct scribe_reply *r, size_t came, struct error *err)
{
	if (check_head(&r->head, came, sizeof(*r), err) < 0)
		return -1;
	if (came != sizeof(*r) || r->head.kind == GOT_NONE || r->head.kind >= GOT_COUNT)
		return fail(err, ERR_INTERNAL, "an answer of kind %u and %zu bytes came",
			    r->head.kind, came);
	r->error.text[sizeof(r->error.text) - 1] = '\0';
	if ((unsigned)r->error.kind >= ERR_KIND_COUNT)
		r->error.kind = ERR_INTERNAL;
	if (r->head.kind == GOT_REFUSED && r->error.kind == ERR_NONE)
		r->error.kind = ERR_INTERNAL;
	return 0;
}
