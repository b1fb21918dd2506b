/* SPDX-License-Identifier: Apache-2.0 */
/* proof.c - a receipt that holds without the log: written, and read strictly. */
#include "audit/proof.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "audit/base64.h"
#include "base/own.h"
#include "base/text.h"

static const char first_line[] = "c2sp.org/tlog-proof@v1";

static int put_base64(struct buf *b, const char *before, const void *data, size_t len,
		      struct error *err)
{
	own_str text = malloc(BASE64_LEN(len) + 1);

	if (!text)
		return fail_sys(err, "allocate for a proof");
	base64_put(data, len, text);
	return buf_printf(b, err, "%s%s\n", before, text);
}

static int write_text(struct buf *b, const struct proof *p, const struct tree_path *path,
		      const char *checkpoint, struct error *err)
{
	const void *extra = p->line.data ? (const void *)p->line.data : p->leaf.bytes;
	size_t extra_len = p->line.data ? p->line.len : HASH_BYTES;

	b->len = 0;
	if (buf_printf(b, err, "%s\n", first_line) < 0 ||
	    put_base64(b, "extra ", extra, extra_len, err) < 0 ||
	    buf_printf(b, err, "index %" PRIu64 "\n", p->index) < 0)
		return -1;
	for (size_t i = 0; i < path->n; i++)
		if (put_base64(b, "", path->hashes[i].bytes, HASH_BYTES, err) < 0)
			return -1;
	return buf_printf(b, err, "\n%s", checkpoint);
}

int proof_make(struct log_reader *r, uint64_t index, bool with_line, struct buf *ret,
	       struct error *err)
{
	struct tree_source hashes = log_reader_hashes(r);
	struct proof p = {.index = index};
	char checkpoint[NOTE_MAX];
	struct tree_path path;

	if (log_reader_checkpoint(r, &p.checkpoint, checkpoint, err) < 0)
		return -1;
	if (index >= p.checkpoint.size)
		return fail(err, ERR_NOT_FOUND,
			    "record %" PRIu64 " is not signed (yet): %" PRIu64 " records are",
			    index, p.checkpoint.size);
	if (tree_prove(index, p.checkpoint.size, &hashes, &path, err) < 0 ||
	    log_read(r, index, &p.line, err) < 0)
		return -1;
	hash_leaf(p.line.data, p.line.len, &p.leaf);
	/* What we hand out holds, or the log is broken and we say so. */
	if (!tree_includes(&p.leaf, index, p.checkpoint.size, &path, &p.checkpoint.root))
		return fail(err, ERR_REFUSED,
			    "record %" PRIu64 " is not in the tree that was signed: verify the log",
			    index);
	if (!with_line)
		p.line.data = NULL;
	return write_text(ret, &p, &path, checkpoint, err);
}

struct reader {
	const char *at, *end;
};

static bool next_line(struct reader *r, const char **ret, size_t *ret_len)
{
	const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));

	if (!newline)
		return false;
	*ret = r->at;
	*ret_len = (size_t)(newline - r->at);
	r->at = newline + 1;
	return true;
}

/* The rest of a line that begins with word. */
static bool after_word(struct reader *r, const char *word, const char **ret, size_t *ret_len)
{
	size_t len = strlen(word);

	if (!next_line(r, ret, ret_len) || *ret_len < len || memcmp(*ret, word, len) != 0)
		return false;
	*ret += len;
	*ret_len -= len;
	return true;
}

static bool read_index(struct reader *r, uint64_t *ret)
{
	char digits[21];
	struct error none;
	const char *text;
	size_t len;

	if (!after_word(r, "index ", &text, &len) || len == 0 || len >= sizeof(digits) ||
	    (len > 1 && text[0] == '0'))
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	return strlen(digits) == len && text_parse_uint(digits, ret, &none) == 0;
}

static bool read_path(struct reader *r, struct tree_path *ret)
{
	const char *text;
	size_t len;

	for (ret->n = 0; next_line(r, &text, &len); ret->n++) {
		if (len == 0)
			return true;
		if (ret->n == TREE_DEPTH_MAX ||
		    base64_get(text, len, ret->hashes[ret->n].bytes, HASH_BYTES) != HASH_BYTES)
			return false;
	}
	return false;
}

/* The record, or its leaf hash: no record is as short as that. */
static bool read_extra(struct reader *r, struct proof *p, char *room)
{
	const char *text;
	ssize_t n;
	size_t len;

	if (!after_word(r, "extra ", &text, &len))
		return false;
	n = base64_get(text, len, room, LOG_LINE_MAX);
	if (n < HASH_BYTES)
		return false;
	if (n == HASH_BYTES) {
		memcpy(p->leaf.bytes, room, HASH_BYTES);
		return true;
	}
	hash_leaf(room, (size_t)n, &p->leaf);
	p->line = (struct log_line){.data = room, .len = (size_t)n};
	return true;
}

int proof_verify(const struct note_key *key, const char *text, size_t len, struct proof *ret,
		 char *room, struct error *err)
{
	struct reader r = {.at = text, .end = text + len};
	struct proof p = {0};
	struct tree_path path;
	size_t rest;

	if (len > PROOF_MAX || !after_word(&r, first_line, &text, &rest) || rest != 0 ||
	    !read_extra(&r, &p, room) || !read_index(&r, &p.index) || !read_path(&r, &path))
		return fail(err, ERR_CALLER, "not a proof as belljar writes them");
	if (note_verify(key, r.at, (size_t)(r.end - r.at), &p.checkpoint, err) < 0)
		return -1;
	if (!tree_includes(&p.leaf, p.index, p.checkpoint.size, &path, &p.checkpoint.root))
		return fail(err, ERR_CALLER,
			    "the record is not number %" PRIu64 " of the log that was signed",
			    p.index);
	*ret = p;
	return 0;
}
