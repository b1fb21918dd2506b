/* SPDX-License-Identifier: Apache-2.0 */
/* audit_tail.c - belljar audit tail: the last records, and with -f those that come. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "cli/auditcli.h"
#include "cli/cli.h"

enum {
	TAIL_LINES = 20,
	LOOK_AGAIN_MS = 1000, /* some file systems tell nobody that a file grew */
};

static void print_bad_json(uint64_t index, const char *why)
{
	(void)printf("{\"index\":%" PRIu64 ",\"error\":\"not a record\",\"detail\":\"", index);
	for (; *why; why++)
		if (*why >= 0x20 && *why < 0x7f && *why != '"' && *why != '\\')
			(void)putchar(*why);
	(void)puts("\"}");
}

static void print_line(uint64_t index, const struct log_line *line, bool json)
{
	struct record_view v;
	struct error why = {0};

	if (record_read(line->data, line->len, &v, &why) < 0) {
		if (json)
			print_bad_json(index, why.text);
		else
			audit_print_bad(index, why.text, stdout);
		return;
	}
	if (!json) {
		audit_print_record(index, &v, stdout);
		return;
	}
	audit_json_record(index, line, stdout);
	(void)putchar('\n');
}

/* Prints (or only counts) from where the reader stands to the end. */
static int read_on(struct log_reader *r, bool print, bool json, uint64_t *next, struct error *err)
{
	struct log_line line;
	uint64_t index;
	int more;

	while ((more = log_next(r, &line, &index, err)) > 0) {
		if (print)
			print_line(index, &line, json);
		*next = index + 1;
	}
	return more;
}

/* How many records there are: those that are signed, and those behind them that are not yet. */
static int count(struct log_reader *r, uint64_t *ret, struct error *err)
{
	*ret = audit_signed_size(r);
	if (log_seek(r, *ret, err) < 0)
		return -1;
	return read_on(r, false, false, ret, err);
}

static int watch_log(struct log_reader *r, struct error *err)
{
	own_fd fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char path[64];

	if (fd < 0)
		return fail_sys(err, "watch the log");
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d/log", log_reader_directory(r));
	if (inotify_add_watch(fd, path, IN_MODIFY | IN_CREATE | IN_MOVED_TO) < 0)
		return fail_sys(err, "watch the log");
	return take_fd(&fd);
}

static void drain(int fd)
{
	char events[4096];

	while (read(fd, events, sizeof(events)) > 0)
		;
}

/* Until a signal comes, or nobody reads what we write. */
static int follow(struct log_reader *r, bool json, uint64_t next, struct error *err)
{
	own_fd signals = cli_open_signals(err);
	own_fd changes = signals < 0 ? -1 : watch_log(r, err);
	struct pollfd fds[] = {
		{.fd = signals, .events = POLLIN},
		{.fd = changes, .events = POLLIN},
		{.fd = STDOUT_FILENO, .events = 0},
	};

	if (changes < 0)
		return -1;
	for (;;) {
		if (read_on(r, true, json, &next, err) < 0)
			return -1;
		if (fflush(stdout) != 0)
			return 0;
		if (poll(fds, ARRAY_LEN(fds), LOOK_AGAIN_MS) < 0 && errno != EINTR)
			return fail_sys(err, "poll");
		if (fds[0].revents || fds[2].revents)
			return 0;
		drain(changes);
		if (log_seek(r, next, err) < 0)
			return -1;
	}
}

static int tail(const struct audit_options *o, struct error *err)
{
	own_reader r = audit_open_log(o, err);
	uint64_t lines = TAIL_LINES, size, next;

	if (!r || (o->lines && audit_number(o->lines, "-n", &lines, err) < 0))
		return -1;
	if (count(r, &size, err) < 0)
		return -1;
	next = size > lines ? size - lines : 0;
	if (log_seek(r, next, err) < 0 || read_on(r, true, o->json, &next, err) < 0)
		return -1;
	audit_check_end(size, next);
	return o->follow ? follow(r, o->json, next, err) : 0;
}

int audit_tail(const struct audit_options *o, const struct word_list *rest)
{
	struct error err = {0};

	(void)rest;
	if (tail(o, &err) < 0) {
		(void)fflush(stdout);
		return cli_complain(&err);
	}
	return audit_printed(0);
}
