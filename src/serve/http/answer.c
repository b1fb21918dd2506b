/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - the head of an answer as bytes. */
#include "serve/http/answer.h"

#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/own.h"
#include "base/text.h"

enum { HEAD_USUAL = 400 };

static const struct {
	int status;
	const char *reason;
} reasons[] = {
	{200, "OK"},
	{201, "Created"},
	{202, "Accepted"},
	{204, "No Content"},
	{206, "Partial Content"},
	{304, "Not Modified"},
	{400, "Bad Request"},
	{401, "Unauthorized"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{406, "Not Acceptable"},
	{408, "Request Timeout"},
	{409, "Conflict"},
	{410, "Gone"},
	{411, "Length Required"},
	{412, "Precondition Failed"},
	{413, "Content Too Large"},
	{414, "URI Too Long"},
	{415, "Unsupported Media Type"},
	{416, "Range Not Satisfiable"},
	{417, "Expectation Failed"},
	{421, "Misdirected Request"},
	{422, "Unprocessable Content"},
	{429, "Too Many Requests"},
	{431, "Request Header Fields Too Large"},
	{500, "Internal Server Error"},
	{501, "Not Implemented"},
	{502, "Bad Gateway"},
	{503, "Service Unavailable"},
	{504, "Gateway Timeout"},
	{505, "HTTP Version Not Supported"},
};

const char *answer_reason(int status)
{
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Other";
}

bool answer_may_have_body(int status)
{
	return status >= 200 && status != 204 && status != 304;
}

static void put_two(char *at, int number)
{
	at[0] = (char)('0' + number / 10 % 10);
	at[1] = (char)('0' + number % 10);
}

static const char *date_text(struct answer_date *d)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct timespec now;
	struct tm tm;

	(void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
	if (d->when == now.tv_sec && d->text[0])
		return d->text;
	d->when = now.tv_sec;
	(void)gmtime_r(&d->when, &tm);
	text_copy("Sun, 00 Jan 0000 00:00:00 GMT", d->text, sizeof(d->text));
	memcpy(d->text, days + (size_t)(tm.tm_wday % 7) * 3, 3);
	put_two(d->text + 5, tm.tm_mday);
	memcpy(d->text + 8, months + (size_t)(tm.tm_mon % 12) * 3, 3);
	put_two(d->text + 12, (tm.tm_year + 1900) / 100);
	put_two(d->text + 14, (tm.tm_year + 1900) % 100);
	put_two(d->text + 17, tm.tm_hour);
	put_two(d->text + 20, tm.tm_min);
	put_two(d->text + 23, tm.tm_sec);
	return d->text;
}

static int add_plain(struct buf *out, const char *text, struct error *err)
{
	size_t from = out->len;

	if (buf_add_str(out, text, err) < 0)
		return -1;
	for (size_t i = from; i < out->len; i++) {
		unsigned char c = (unsigned char)out->data[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			out->data[i] = '_';
	}
	return 0;
}

int answer_head(struct buf *out, struct answer_date *date, int status,
		const struct http_header *headers, struct error *err)
{
	char code[DIGITS_ROOM];

	(void)digits_padded((uint64_t)(status < 200 || status > 599 ? 500 : status), 3, code);
	if (buf_expect(out, HEAD_USUAL, err) < 0 || buf_add_str(out, "HTTP/1.1 ", err) < 0 ||
	    buf_add_str(out, code, err) < 0 || buf_add_str(out, " ", err) < 0 ||
	    buf_add_str(out, answer_reason(status), err) < 0 ||
	    buf_add_str(out, "\r\nDate: ", err) < 0 || buf_add_str(out, date_text(date), err) < 0 ||
	    buf_add_str(out, "\r\n", err) < 0)
		return -1;
	for (; headers && headers->name; headers++)
		if (add_plain(out, headers->name, err) < 0 || buf_add(out, ": ", 2, err) < 0 ||
		    add_plain(out, headers->value, err) < 0 || buf_add(out, "\r\n", 2, err) < 0)
			return -1;
	return 0;
}

int answer_framing(struct buf *out, enum answer_framing framing, uint64_t length, bool close,
		   struct error *err)
{
	char digits[DIGITS_ROOM];

	(void)digits_uint(length, digits);
	if (framing == ANSWER_LENGTH &&
	    (buf_add_str(out, "Content-Length: ", err) < 0 || buf_add_str(out, digits, err) < 0 ||
	     buf_add_str(out, "\r\n", err) < 0))
		return -1;
	if (framing == ANSWER_CHUNKED &&
	    buf_add_str(out, "Transfer-Encoding: chunked\r\n", err) < 0)
		return -1;
	return buf_add_str(out, close ? "Connection: close\r\n\r\n" : "\r\n", err);
}
