/* SPDX-License-Identifier: Apache-2.0 */
/* listeners_test.c - words for addresses: those that are read, as what, and those that are not. */
#include "serve/http/listeners.h"

#include "base/own.h"
#include "tap.h"

TEST(words_that_are_read_come_out_again)
{
	static const struct {
		const char *word;
		bool tls, local;
	} rows[] = {
		{"127.0.0.1:8640", false, true},
		{"127.1.2.3:1", false, true},
		{"0.0.0.0:65535", false, false},
		{"192.168.0.1:0", false, false},
		{"tls:10.0.0.1:443", true, false},
		{"[::1]:8640", false, true},
		{"[::]:8640", false, false},
		{"tls:[2001:db8::1]:8640", true, false},
		{"unix:/run/belljar.sock", false, true},
		{"tls:unix:/run/a b", true, true},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[LISTEN_TEXT_MAX] = "";
		struct listen_word w;
		struct error err;
		int result = listen_parse(rows[i].word, &w, &err);

		CHECK(result == 0);
		if (result < 0)
			continue;
		listen_text(&w, text);
		CHECK_STR(text, rows[i].word);
		CHECK(w.tls == rows[i].tls && listen_is_local(&w) == rows[i].local);
	}
}

TEST(other_words_are_errors_of_whoever_wrote_them)
{
	static const char *const rows[] = {
		"",
		":",
		"8640",
		":8640",
		"127.0.0.1",
		"127.0.0.1:",
		"127.0.0.1:65536",
		"127.0.0.1:-1",
		"127.0.0.1:+1",
		"127.0.0.1: 1",
		"127.0.0.1:080",
		"127.0.0.1:1x",
		"127.0.0.1:99999999999999999999",
		"127.1:80",
		"0x7f.0.0.1:80",
		"localhost:8640",
		"*:8640",
		"::1:8640",
		"[::1]",
		"[::1]8640",
		"[::1:8640",
		"[::1%lo]:8640",
		"[]:1",
		"[127.0.0.1]:80",
		"unix:",
		"unix:run/x",
		"unix:\n/x",
		"unix:/a\x7f",
		"tls:",
		"tls:tls:127.0.0.1:1",
		"http://127.0.0.1:80",
		"127.0.0.1:80 ",
		" 127.0.0.1:80",
		"[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0001]:1",
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct error err = {0};
		struct listen_word w;
		int result = listen_parse(rows[i], &w, &err);

		if (result == 0)
			printf("# '%s' was read\n", rows[i]);
		CHECK(result < 0 && err.kind == ERR_CALLER && err.text[0]);
	}
}

TEST(a_path_that_does_not_fit_is_an_error)
{
	char word[200] = "unix:/";
	struct listen_word w;
	struct error err;

	memset(word + 6, 'a', 106);
	CHECK(listen_parse(word, &w, &err) == 0);
	memset(word + 6, 'a', 107);
	CHECK(listen_parse(word, &w, &err) < 0);
}

TEST(a_port_that_is_taken_is_named)
{
	struct listen_word w, again;
	struct error err = {0};
	char text[LISTEN_TEXT_MAX];
	int fd;

	CHECK(listen_parse("127.0.0.1:0", &w, &err) == 0);
	fd = listen_open(&w, &err);
	CHECK(fd >= 0 && listen_name(fd, &again, &err) == 0 && again.address.in.sin_port != 0);
	listen_text(&again, text);
	CHECK(listen_open(&again, &err) < 0 && strstr(err.text, text));
	(void)close(fd);
}

TEST(descriptors_meant_for_others_are_left_alone)
{
	int fds[LISTEN_INHERITED_MAX];
	struct error err = {0};
	char pid[32];

	CHECK(listen_inherit(fds, &err) == 0);
	(void)setenv("LISTEN_FDS", "1", 1);
	(void)setenv("LISTEN_PID", "1", 1);
	CHECK(listen_inherit(fds, &err) == 0 && !getenv("LISTEN_FDS"));
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	(void)setenv("LISTEN_FDS", "99", 1);
	(void)setenv("LISTEN_PID", pid, 1);
	CHECK(listen_inherit(fds, &err) < 0);
	(void)setenv("LISTEN_FDS", "1", 1); /* 3 is no socket */
	(void)setenv("LISTEN_PID", pid, 1);
	(void)dup2(1, 3);
	CHECK(listen_inherit(fds, &err) < 0 && strstr(err.text, "3"));
}
