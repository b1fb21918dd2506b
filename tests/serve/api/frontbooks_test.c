/* SPDX-License-Identifier: Apache-2.0 */
/* frontbooks_test.c - what the front remembers: calls, sessions, Idempotency-Keys. */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/own.h"
#include "scratch.h"
#include "serve/api/callbook.h"
#include "serve/api/idempotency.h"
#include "serve/api/sessiontable.h"
#include "tap.h"

struct library {
	struct parties parties;
	struct callbook book;
};

static void open_book(struct library *l, size_t most)
{
	parties_init(&l->parties);
	book_init(&l->book, &l->parties);
	book_set_limits(&l->book, most, 1000);
}

static void close_book(struct library *l)
{
	book_done(&l->book);
	parties_done(&l->parties);
}

static struct book_call *begin(struct library *l, const char *who, int n)
{
	char id[32];

	(void)snprintf(id, sizeof(id), "bj-%s-%d", who, n);
	return book_begin(&l->book, id, party_get(&l->parties, who));
}

static void finish(struct library *l, struct book_call *c, size_t answer)
{
	struct keep_reply r = {.http_status = 200};
	struct error err;
	struct buf body;
	static char bytes[1 << 20];

	buf_init(&body, 64 << 20);
	while (answer > 0) {
		size_t n = answer < sizeof(bytes) ? answer : sizeof(bytes);

		(void)buf_add(&body, bytes, n, &err);
		answer -= n;
	}
	book_finish(&l->book, c, &r, &body);
	CHECK(body.data == NULL);
}

TEST(a_call_is_found_until_it_is_forgotten)
{
	struct library l;

	open_book(&l, 2);
	for (int i = 0; i < 4; i++)
		finish(&l, begin(&l, "ann", i), 10);
	CHECK(l.book.n_kept == 2);
	CHECK(!book_find(&l.book, "bj-ann-1"));
	CHECK(book_find(&l.book, "bj-ann-2") && book_find(&l.book, "bj-ann-3"));
	CHECK(begin(&l, "ann", 3) == NULL); /* no id twice */
	CHECK(book_begin(&l.book, "", party_get(&l.parties, "ann")) == NULL);
	book_sweep(&l.book, clock_us() + 2000000);
	CHECK(l.book.n_kept == 0 && l.book.bytes == 0);
	close_book(&l);
}

TEST(running_calls_are_never_forgotten)
{
	struct library l;
	struct book_call *c;

	open_book(&l, 0);
	c = begin(&l, "ann", 1);
	finish(&l, begin(&l, "ann", 2), 10);
	CHECK(l.book.n_kept == 0 && book_find(&l.book, "bj-ann-1") == c);
	book_sweep(&l.book, UINT64_MAX);
	CHECK(book_find(&l.book, "bj-ann-1") == c);
	close_book(&l);
}

TEST(whoever_has_most_forgets_first)
{
	struct library l;

	open_book(&l, 10);
	finish(&l, begin(&l, "bob", 0), 10);
	for (int i = 0; i < 50; i++)
		finish(&l, begin(&l, "ann", i), 10);
	CHECK(book_find(&l.book, "bj-bob-0") && !book_find(&l.book, "bj-ann-0"));
	CHECK(l.book.n_kept == 10);
	close_book(&l);
}

TEST(bytes_are_bounded_too)
{
	struct library l;

	open_book(&l, 1000);
	finish(&l, begin(&l, "bob", 0), 10);
	for (int i = 0; i < 40; i++) {
		finish(&l, begin(&l, "ann", i), 4 << 20);
		CHECK(l.book.bytes <= BOOK_BYTES_MAX);
	}
	CHECK(l.book.n_kept < 40 && book_find(&l.book, "bj-bob-0"));
	close_book(&l);
}

TEST(whoever_follows_keeps_it)
{
	struct library l;
	struct links one = {0};
	struct book_call *c;

	open_book(&l, 0);
	c = begin(&l, "ann", 0);
	book_follow(&l.book, c, &one);
	finish(&l, c, BOOK_ANSWER_MAX + 1);
	CHECK(c->answer.len == BOOK_ANSWER_MAX + 1); /* until it was read */
	book_unfollow(&l.book, c, &one);
	CHECK(!book_find(&l.book, "bj-ann-0"));
	CHECK(l.book.bytes == 0 && party_get(&l.parties, "ann")->kept_bytes == 0);
	book_set_limits(&l.book, 5, 1000);
	c = begin(&l, "ann", 1);
	finish(&l, c, BOOK_ANSWER_MAX + 1);
	CHECK(c->answer_dropped && c->answer.data == NULL);
	close_book(&l);
}

TEST(who_follows_and_does_not_read_pays_for_it_alone)
{
	enum { MANY = 40, SIZE = 16 << 20 };
	struct links followers[MANY + 1] = {0};
	struct book_call *c, *mine;
	struct error err;
	struct library l;

	open_book(&l, 20);
	finish(&l, begin(&l, "bob", 0), 1 << 20);
	mine = begin(&l, "bob", 1);
	book_follow(&l.book, mine, &followers[MANY]);
	finish(&l, mine, SIZE);
	for (int i = 0; i < MANY; i++) {
		c = begin(&l, "ann", i);
		CHECK(window_add(&c->streams[0], "seen", 4, &err) == 0);
		book_follow(&l.book, c, &followers[i]);
		finish(&l, c, SIZE);
		CHECK(l.book.bytes <= (size_t)BOOK_BYTES_MAX + BOOK_HELD_MAX);
	}
	/* Of the oldest there is no more than that it was. */
	c = book_find(&l.book, "bj-ann-0");
	CHECK(c && c->answer_dropped && !c->answer.data && c->streams[0].len == 0);
	CHECK(c && window_end(&c->streams[0]) == 4);
	CHECK(c && !book_find(&l.book, "bj-ann-39")->answer_dropped);
	CHECK(book_find(&l.book, "bj-bob-0") && mine->answer.len == SIZE);
	for (int i = 0; i < MANY; i++) {
		char id[32];

		(void)snprintf(id, sizeof(id), "bj-ann-%d", i);
		book_unfollow(&l.book, book_find(&l.book, id), &followers[i]);
	}
	book_unfollow(&l.book, mine, &followers[MANY]);
	CHECK(l.book.held_bytes == 0 && l.book.n_held == 0 && l.book.n_kept == 20);
	CHECK(l.book.bytes <= BOOK_BYTES_MAX && book_find(&l.book, "bj-bob-0"));
	book_sweep(&l.book, clock_us() + 2000000);
	CHECK(l.book.bytes == 0 && party_get(&l.parties, "ann")->kept_bytes == 0);
	close_book(&l);
}

TEST(sessions_are_counted_and_remembered)
{
	struct sessiontable t;
	struct parties parties;
	struct party *ann, *bob;
	struct session *s;
	char id[KEEP_ID_ROOM];

	parties_init(&parties);
	ann = party_get(&parties, "ann");
	bob = party_get(&parties, "bob");
	sessiontable_init(&t);
	t.most = 4;
	for (int i = 0; i < 3; i++)
		(void)sessiontable_add(&t, ann);
	CHECK(!sessiontable_room(&t, ann, true) && sessiontable_room(&t, ann, false));
	CHECK(sessiontable_room(&t, bob, true));
	s = sessiontable_add(&t, bob);
	memcpy(id, s->id, sizeof(id));
	CHECK(!sessiontable_room(&t, bob, true));
	sessiontable_end(&t, s, "tired");
	CHECK(sessiontable_find(&t, id) == s && s->state == SESSION_GONE && bob->sessions == 0);
	CHECK_STR(s->why, "tired");
	sessiontable_sweep(&t, clock_us());
	CHECK(sessiontable_find(&t, id) == s);
	sessiontable_sweep(&t, clock_us() + (SESSION_GONE_S + 1) * UINT64_C(1000000));
	CHECK(!sessiontable_find(&t, id));
	for (int i = 0; i < SESSION_GONE_MAX + 50; i++)
		sessiontable_end(&t, sessiontable_add(&t, bob), "x");
	CHECK(t.n_gone == SESSION_GONE_MAX);
	sessiontable_done(&t);
	CHECK(ann->sessions == 0);
	parties_done(&parties);
}

static struct once_store *open_store(const char *directory)
{
	struct error err = {0};
	char notice[256];
	struct once_store *s = once_open(directory, notice, sizeof(notice), &err);

	if (!s)
		printf("# %s\n", err.text);
	return s;
}

static enum once claim(struct once_store *s, const char *client, const char *key, int hash,
		       uint64_t now_ms)
{
	struct once_ask ask = {.client = client, .key = key, .now_ms = now_ms, .for_ms = 1000};
	struct once_answer a;
	struct error err = {0};
	enum once found;

	ask.hash[0] = (unsigned char)hash;
	found = once_claim(s, &ask, &a, &err);
	if (found == ONCE_ANSWERED)
		buf_done(&a.body);
	return found;
}

static void keep(struct once_store *s, const char *client, const char *key, size_t len)
{
	struct once_answer a = {.status = 200};
	struct error err = {0};
	static char bytes[5 << 20];

	buf_init(&a.body, 8 << 20);
	(void)buf_add(&a.body, bytes, len, &err);
	CHECK(once_keep(s, client, key, &a, &err) == 0);
	buf_done(&a.body);
}

TEST(a_key_goes_its_way)
{
	struct once_store *s = open_store(NULL);
	struct error err;

	CHECK(claim(s, "ann", "k", 1, 1) == ONCE_NEW);
	CHECK(claim(s, "ann", "k", 1, 1) == ONCE_BUSY);
	CHECK(claim(s, "ann", "k", 2, 1) == ONCE_OTHER);
	CHECK(claim(s, "bob", "k", 2, 1) == ONCE_NEW);
	keep(s, "ann", "k", 10);
	CHECK(claim(s, "ann", "k", 1, 1) == ONCE_ANSWERED);
	CHECK(claim(s, "ann", "k", 2, 1) == ONCE_OTHER);
	CHECK(once_release(s, "ann", "k", &err) == 0); /* too late for that */
	CHECK(claim(s, "ann", "k", 1, 1) == ONCE_ANSWERED);
	CHECK(once_release(s, "bob", "k", &err) == 0);
	CHECK(claim(s, "bob", "k", 3, 1) == ONCE_NEW);
	CHECK(claim(s, "ann", "k", 2, 1002) == ONCE_NEW); /* its time is over */
	CHECK(once_bytes(s) == 0);
	once_close(s);
}

TEST(what_runs_does_not_end_by_time)
{
	struct once_store *s = open_store(NULL);
	struct error err;

	CHECK(claim(s, "ann", "k", 1, 1) == ONCE_NEW);
	CHECK(once_sweep(s, 99999, &err) == 0);
	CHECK(claim(s, "ann", "k", 1, 99999) == ONCE_BUSY);
	keep(s, "ann", "k", 10);
	CHECK(once_bytes(s) == 10);
	CHECK(once_sweep(s, 99999, &err) == 0);
	CHECK(once_bytes(s) == 0);
	once_close(s);
}

TEST(answers_go_before_keys_do)
{
	struct once_store *s = open_store(NULL);
	char key[16];

	for (int i = 0; i < 10; i++) {
		(void)snprintf(key, sizeof(key), "k%d", i);
		CHECK(claim(s, "ann", key, 1, 1) == ONCE_NEW);
		keep(s, "ann", key, 3 << 20);
	}
	CHECK(once_bytes(s) <= ONCE_CLIENT_BYTES);
	CHECK(claim(s, "ann", "k0", 1, 1) == ONCE_DROPPED);
	CHECK(claim(s, "ann", "k0", 2, 1) == ONCE_OTHER);
	CHECK(claim(s, "ann", "k9", 1, 1) == ONCE_ANSWERED);
	CHECK(claim(s, "ann", "big", 1, 1) == ONCE_NEW);
	keep(s, "ann", "big", ONCE_ANSWER_MAX + 1);
	CHECK(claim(s, "ann", "big", 1, 1) == ONCE_DROPPED);
	once_close(s);
}

TEST(a_client_has_only_so_many_keys)
{
	struct once_store *s = open_store(NULL);
	char key[16];
	int i;

	for (i = 0; i < ONCE_CLIENT_ROWS; i++) {
		(void)snprintf(key, sizeof(key), "k%d", i);
		if (claim(s, "ann", key, 1, 1) != ONCE_NEW)
			break;
	}
	CHECK(i == ONCE_CLIENT_ROWS);
	CHECK(claim(s, "ann", "more", 1, 1) == ONCE_FULL);
	CHECK(claim(s, "bob", "more", 1, 1) == ONCE_NEW);
	once_close(s);
}

TEST(a_restart_forgets_nothing_and_guesses_nothing)
{
	own(scratch) dir = scratch_make();
	struct once_store *s = open_store(dir.path);
	struct stat st;

	CHECK(claim(s, "ann", "done", 1, 1) == ONCE_NEW);
	keep(s, "ann", "done", 10);
	CHECK(claim(s, "ann", "running", 1, 1) == ONCE_NEW);
	once_close(s);
	CHECK(fstatat(dir.fd, "idempotency.db", &st, 0) == 0 && (st.st_mode & 0777) == 0600);
	s = open_store(dir.path);
	CHECK(claim(s, "ann", "done", 1, 1) == ONCE_ANSWERED);
	CHECK(claim(s, "ann", "running", 1, 1) == ONCE_UNKNOWN);
	CHECK(claim(s, "ann", "running", 2, 1) == ONCE_OTHER);
	CHECK(once_bytes(s) == 10);
	once_close(s);
}

TEST(a_link_in_the_place_of_the_store_is_not_followed)
{
	own(scratch) dir = scratch_make();
	struct error err = {0};
	char notice[256];

	CHECK(symlinkat("elsewhere.db", dir.fd, "idempotency.db") == 0);
	CHECK(once_open(dir.path, notice, sizeof(notice), &err) == NULL);
}
