/* SPDX-License-Identifier: Apache-2.0 */
/* capture_test.c - what a program writes is kept up to its limit, counted and passed on; a filter
 * comes before all of that. */
#include "sandbox/capture.h"

#include <ctype.h>
#include <fcntl.h>

#include "base/clock.h"
#include "base/own.h"
#include "tap.h"

/* A filter that holds back everything up to a "." and makes "<x>" of "x". */
struct holding {
	char text[200000];
	size_t len;
	unsigned fed, finished;
};

static void give(struct holding *h, filter_sink *sink, void *to)
{
	sink(to, "<", 1);
	sink(to, h->text, h->len);
	sink(to, ">", 1);
	h->len = 0;
}

static bool hold(void *context, const char *data, size_t len, filter_sink *sink, void *to)
{
	struct holding *h = context;
	bool fine = true;

	h->fed++;
	for (size_t i = 0; i < len; i++) {
		h->text[h->len++] = data[i];
		fine = fine && data[i] != '!';
		if (data[i] == '.')
			give(h, sink, to);
	}
	return fine;
}

static bool finish(void *context, filter_sink *sink, void *to)
{
	struct holding *h = context;

	h->finished++;
	if (h->len)
		give(h, sink, to);
	return true;
}

struct hearing {
	char text[1024];
	size_t len;
};

static void hear(void *context, const char *data, size_t len)
{
	struct hearing *h = context;

	if (h->len + len < sizeof(h->text)) {
		memcpy(h->text + h->len, data, len);
		h->len += len;
	}
}

struct fixture {
	struct capture c;
	struct stream stream;
	struct live live;
	struct holding holding;
	struct hearing hearing;
	int in;        /* the program's end */
	int listen[2]; /* where live output goes */
};

static struct fixture f;

static void set_up(size_t limit, bool filtered, bool live)
{
	struct error err = {0};

	f.listen[0] = f.listen[1] = -1;
	if (live)
		CHECK(pipe2(f.listen, O_NONBLOCK) == 0);
	f.live = (struct live){.fd = f.listen[1], .hear = hear, .context = &f.hearing};
	if (filtered)
		f.live.filter = (struct filter){hold, finish, &f.holding};
	buf_init(&f.stream.kept, limit);
	CHECK(capture_open(&f.c, &f.stream, &f.live, getuid(), &f.in, &err) == 0);
}

static void say(const char *text)
{
	CHECK(write(f.in, text, strlen(text)) == (ssize_t)strlen(text));
	capture_move(&f.c);
}

static void end(void)
{
	(void)close(f.in);
	capture_drain(&f.c, clock_us() + 1000000);
	capture_finish(&f.c);
}

static void tear_down(void)
{
	capture_close(&f.c);
	buf_done(&f.stream.kept);
}

static const char *listened(void)
{
	static char text[1024];
	ssize_t n = read(f.listen[0], text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

TEST(without_a_filter_everything_is_passed_on_as_it_is)
{
	set_up(100, false, true);
	say("one.two");
	CHECK_STR(buf_str(&f.stream.kept), "one.two");
	CHECK_STR(listened(), "one.two");
	CHECK_STR(f.hearing.text, "one.two");
	end();
	CHECK(f.stream.seen == 7 && !f.stream.truncated);
	tear_down();
}

TEST(nobody_hears_what_a_filter_has_not_seen)
{
	set_up(100, true, true);
	say("one");
	CHECK_STR(buf_str(&f.stream.kept), "");
	CHECK_STR(listened(), "");
	CHECK_STR(f.hearing.text, "");
	say("two.three");
	CHECK_STR(buf_str(&f.stream.kept), "<onetwo.>");
	CHECK_STR(listened(), "<onetwo.>");
	CHECK_STR(f.hearing.text, "<onetwo.>");
	end();
	CHECK_STR(buf_str(&f.stream.kept), "<onetwo.><three>");
	CHECK_STR(listened(), "<three>");
	CHECK(f.holding.finished == 1);
	capture_finish(&f.c);
	CHECK(f.holding.finished == 1);
	tear_down();
}

TEST(what_the_program_wrote_counts_and_not_what_the_filter_made_of_it)
{
	set_up(100, true, false);
	say("12345.");
	end();
	CHECK(f.stream.seen == 6 && f.stream.kept.len == 8);
	tear_down();
}

TEST(the_limit_cuts_behind_the_filter)
{
	set_up(6, true, false);
	say("abc.def.");
	end();
	CHECK_STR(buf_str(&f.stream.kept), "<abc.>");
	CHECK(f.stream.truncated && f.stream.seen == 8);
	tear_down();
}

TEST(a_filter_can_want_the_program_killed)
{
	set_up(100, true, false);
	say("fine.");
	CHECK(!f.c.stop);
	say("not!");
	CHECK(f.c.stop);
	end();
	CHECK_STR(buf_str(&f.stream.kept), "<fine.><not!>");
	tear_down();
}

TEST(a_slow_listener_gets_all_that_came_out_of_the_filter)
{
	static char big[60001];
	size_t got = 0;

	memset(big, 'x', sizeof(big) - 2);
	big[sizeof(big) - 2] = '.';
	set_up(10, true, true);
	CHECK(fcntl(f.listen[1], F_SETPIPE_SZ, 4096) > 0);
	say(big);
	(void)close(f.in);
	for (int i = 0; i < 100000 && (f.c.left || f.c.fd >= 0); i++) {
		char some[700];
		ssize_t n = read(f.listen[0], some, sizeof(some));

		got += n > 0 ? (size_t)n : 0;
		capture_move(&f.c);
	}
	for (const char *rest = listened(); *rest; rest = listened())
		got += strlen(rest);
	CHECK(got == strlen(big) + 2 && !f.c.failed);
	CHECK(f.holding.fed == 1);
	tear_down();
}
