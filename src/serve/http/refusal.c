/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.c - the answer to a request that is refused before anybody else sees it. */
#include "serve/http/refusal.h"

#include <stdio.h>
#include <sys/random.h>

#include "base/own.h"
#include "serve/http/answer.h"

static const struct {
	int status;
	const char *code;
} codes[] = {
	{400, "bad_request"},          /* */
	{403, "forbidden"},            /* */
	{408, "request_timeout"},      /* */
	{413, "too_large"},            /* */
	{414, "uri_too_long"},         /* */
	{417, "expectation_failed"},   /* */
	{421, "misdirected"},          /* */
	{429, "too_many_requests"},    /* */
	{431, "headers_too_large"},    /* */
	{500, "internal"},             /* */
	{501, "not_implemented"},      /* */
	{503, "overloaded"},           /* */
	{505, "version_not_supported"} /* */
};

const char *refusal_code(int status)
{
	for (size_t i = 0; i < ARRAY_LEN(codes); i++)
		if (codes[i].status == status)
			return codes[i].code;
	return "internal";
}

void refusal_id(char ret_id[REFUSAL_ID_MAX + 1])
{
	static const char letters[] = "0123456789abcdefghijkmnpqrstuvwx";
	unsigned char noise[16] = {0};
	char *to = ret_id;

	if (getrandom(noise, sizeof(noise), GRND_NONBLOCK) < 0)
		noise[0] = 1; /* a name, no secret: better the same one than none */
	*to++ = 'r';
	*to++ = '-';
	for (size_t i = 0; i < sizeof(noise); i++)
		*to++ = letters[noise[i] % 32];
	*to = '\0';
}

int refusal_body(struct buf *out, const struct fault *f, const char *id, struct error *err)
{
	const char *code = refusal_code(f->status);

	return buf_printf(
		out, err,
		"{\"type\":\"https://belljar.dev/problems/%s\",\"title\":\"%s\","
		"\"status\":%d,\"detail\":\"%s\",\"code\":\"%s\",\"request_id\":\"%s\"}\n",
		code, answer_reason(f->status), f->status, f->detail, code, id);
}
