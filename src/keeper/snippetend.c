/* SPDX-License-Identifier: Apache-2.0 */
/* snippetend.c - what an interpreter's driver says at the end of a snippet.
 *
 * Whoever says it may be the snippet itself: so there is one form, and nothing
 * else is taken for an end.
 */
#include "keeper/snippetend.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

/* head is NUL-terminated, and holds no other NUL. */
static bool read_head(char *head, const char *nonce, struct snippet_end *ret)
{
	size_t nonce_len = strlen(nonce);
	struct error ignored;
	char *status, *length;
	uint64_t n;

	if (strncmp(head, nonce, nonce_len) != 0 || head[nonce_len] != ' ')
		return false;
	status = head + nonce_len + 1;
	length = strchr(status, ' ');
	if (!length)
		return false;
	*length++ = '\0';
	if (text_parse_uint(status, &n, &ignored) < 0 || n > 255)
		return false;
	ret->status = (unsigned)n;
	ret->has_result = strcmp(length, "-") != 0;
	if (!ret->has_result)
		return true;
	if (text_parse_uint(length, &n, &ignored) < 0 || n > SNIPPET_RESULT_MAX)
		return false;
	ret->result_len = n;
	return true;
}

int snippet_end_read(const char *data, size_t len, const char *nonce, struct snippet_end *ret)
{
	const char *end = len ? memchr(data, '\n', len) : NULL;
	char head[SNIPPET_HEAD_MAX + 1];
	size_t whole;

	*ret = (struct snippet_end){0};
	if (!end)
		return len > SNIPPET_HEAD_MAX ? -1 : 0;
	ret->head_len = (size_t)(end - data) + 1;
	if (ret->head_len > SNIPPET_HEAD_MAX || memchr(data, '\0', ret->head_len))
		return -1;
	memcpy(head, data, ret->head_len - 1);
	head[ret->head_len - 1] = '\0';
	if (!read_head(head, nonce, ret))
		return -1;
	whole = ret->head_len + ret->result_len;
	return len > whole ? -1 : len == whole;
}
