/* SPDX-License-Identifier: Apache-2.0 */
/* scribetalk_test.c - what the scribe takes for a message, and what it does not. */
#include "audit/scribetalk.h"

#include "tap.h"

struct message {
	struct scribe_request request;
	char line[SCRIBE_LINE_MAX + 16];
};

static size_t make(struct message *m, uint32_t kind, const char *key, const char *line, size_t len)
{
	memset(m, 0, sizeof(*m));
	scribe_begin(&m->request.head, kind, 7, sizeof(m->request) + len);
	m->request.line_len = (uint32_t)len;
	(void)snprintf(m->request.key, sizeof(m->request.key), "%s", key);
	memcpy(m->line, line, len);
	return sizeof(m->request) + len;
}

static bool is_taken(const struct message *m, size_t size)
{
	const char *line;
	struct error err;

	return scribe_check_request(&m->request, size, &line, &err) == 0;
}

static bool takes_line(const char *line, size_t len)
{
	static struct message m;

	return is_taken(&m, make(&m, PUT_SINGLE, "", line, len));
}

TEST(a_record_is_taken_as_it_is)
{
	static struct message m;
	const char *line;
	struct error err;
	size_t size = make(&m, PUT_STARTED, "bj-1", "{\"a\":1}", 7);

	CHECK(scribe_check_request(&m.request, size, &line, &err) == 0);
	CHECK(line == m.line && m.request.head.ticket == 7);
}

TEST(what_is_not_one_line_is_no_record)
{
	CHECK(takes_line("{}", 2));
	CHECK(takes_line("{\"\xc3\xa4\"}", 6));
	CHECK(!takes_line("", 0));
	CHECK(!takes_line("{", 1));
	CHECK(!takes_line("{\n}", 3));
	CHECK(!takes_line("{\0}", 3));
	CHECK(!takes_line("{\x7f}", 3));
	CHECK(!takes_line("{\xc3}", 3));
	CHECK(!takes_line("[]", 2));
	CHECK(!takes_line("{}\n", 3));
}

TEST(a_record_has_its_greatest_length_and_no_more)
{
	static char line[SCRIBE_LINE_MAX + 1];

	memset(line, ' ', sizeof(line));
	line[0] = '{';
	line[SCRIBE_LINE_MAX - 1] = '}';
	CHECK(takes_line(line, SCRIBE_LINE_MAX));
	line[SCRIBE_LINE_MAX - 1] = ' ';
	line[SCRIBE_LINE_MAX] = '}';
	CHECK(!takes_line(line, SCRIBE_LINE_MAX + 1));
}

TEST(sizes_must_agree)
{
	static struct message m;
	size_t size = make(&m, PUT_SINGLE, "", "{}", 2);

	CHECK(is_taken(&m, size));
	CHECK(!is_taken(&m, size - 1));
	CHECK(!is_taken(&m, size + 1));
	CHECK(!is_taken(&m, 0));
	CHECK(!is_taken(&m, sizeof(m.request.head) - 1));
	m.request.line_len = 1;
	CHECK(!is_taken(&m, size));
	m.request.line_len = UINT32_MAX;
	CHECK(!is_taken(&m, size));
}

TEST(a_call_needs_a_name_that_is_one)
{
	static struct message m;

	CHECK(!is_taken(&m, make(&m, PUT_STARTED, "", "{}", 2)));
	CHECK(!is_taken(&m, make(&m, PUT_FINISHED, "a b", "{}", 2)));
	CHECK(!is_taken(&m, make(&m, PUT_ONCE, "\"", "{}", 2)));
	CHECK(is_taken(&m, make(&m, PUT_ONCE, "ab12", "{}", 2)));
	(void)make(&m, PUT_STARTED, "x", "{}", 2);
	memset(m.request.key, 'x', sizeof(m.request.key)); /* no end */
	CHECK(!is_taken(&m, sizeof(m.request) + 2));
}

TEST(kinds_and_flags_that_nobody_knows_are_refused)
{
	static struct message m;
	size_t size = make(&m, PUT_COUNT, "x", "{}", 2);

	CHECK(!is_taken(&m, size));
	size = make(&m, PUT_NONE, "x", "{}", 2);
	CHECK(!is_taken(&m, size));
	size = make(&m, PUT_SINGLE, "x", "{}", 2);
	m.request.flags = PUT_FLAGS + 1;
	CHECK(!is_taken(&m, size));
	m.request.flags = PUT_DURABLE;
	CHECK(is_taken(&m, size));
}

TEST(another_version_is_called_by_its_name)
{
	static struct message m;
	size_t size = make(&m, PUT_SINGLE, "", "{}", 2);
	const char *line;
	struct error err;

	m.request.head.version++;
	CHECK(scribe_check_request(&m.request, size, &line, &err) < 0);
	CHECK(err.kind == ERR_CONFIG && strstr(err.text, "different versions"));
	m.request.head.magic = 0;
	CHECK(scribe_check_request(&m.request, size, &line, &err) < 0);
	CHECK(err.kind == ERR_INTERNAL);
}

TEST(an_answer_is_tame)
{
	struct scribe_reply r;
	struct error err;

	memset(&r, 0xff, sizeof(r));
	scribe_begin(&r.head, GOT_REFUSED, 1, sizeof(r));
	CHECK(scribe_check_reply(&r, sizeof(r), &err) == 0);
	CHECK(r.error.kind == ERR_INTERNAL && strlen(r.error.text) < sizeof(r.error.text));
	CHECK(scribe_check_reply(&r, sizeof(r) - 1, &err) < 0);
	scribe_begin(&r.head, GOT_COUNT, 1, sizeof(r));
	CHECK(scribe_check_reply(&r, sizeof(r), &err) < 0);
}
