/* SPDX-License-Identifier: Apache-2.0 */
/* pack.h - argv and environment as one run of bytes, to travel between processes. */
#ifndef CALL_PACK_H
#define CALL_PACK_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/pages.h"

enum { PACK_WORDS_MAX = 65536, PACK_BYTES_MAX = 4 << 20 };

struct words {
	char **argv; /* NULL-terminated, into the packed bytes */
	char **env;
	void *block; /* holds both lists */
	size_t block_size;
};

void words_done(struct words *w);
void words_end(struct words *w); /* for own(words) */

int pack_words(char *const *argv, char *const *env, struct buf *out, struct error *err);
/* The same, in a memfd.  Returns the descriptor. */
int pack_words_fd(char *const *argv, char *const *env, struct error *err);
/* Strict: counts, lengths and terminators must agree.  The words point into bytes. */
int unpack_words(char *bytes, size_t len, struct words *ret, struct error *err);
/* The same with room of the caller's for both lists, where they are short. */
int unpack_words_into(char **lists, size_t room, char *bytes, size_t len, struct words *ret,
		      struct error *err);

/* What pack_words_fd() made, read anew; ret points into ret_bytes. */
int words_read(int fd, struct pages *ret_bytes, struct words *ret, struct error *err);
/* Room for what most calls bring: none need be mapped, nor given back while a program begins. */
struct few_words {
	char bytes[2048];
	char *lists[128];
};
/* The same, in room; what is larger is in more. */
int words_read_few(int fd, struct few_words *room, struct pages *ret_more, struct words *ret,
		   struct error *err);

#endif
