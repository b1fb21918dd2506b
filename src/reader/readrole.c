/* SPDX-License-Identifier: Apache-2.0 */
/* readrole.c - the reader of the log: one front asks, and it answers.
 *
 * It is sealed before it hears the first word: it may read the log's
 * directory, write an index of its own in a directory beneath, and nothing
 * else.  The log's text is what callers made of it, so it is read here and in
 * no process that has a listening socket or a key.
 */
#include "reader/readrole.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/statedir.h"
#include "base/text.h"
#include "call/call.h"

enum { EXIT_TROUBLE = 125, FRONT_WAIT_MS = 60000 };

struct log_reader *reader_log(struct reader *r, struct error *err)
{
	/* Made before there was a log it has no key, and can believe nothing. */
	if (r->log && log_reader_key(r->log)->name[0] == '\0' && !r->verifying) {
		logindex_close(r->index);
		log_reader_close(r->log);
		r->index = NULL;
		r->log = NULL;
	}
	if (!r->log)
		r->log = log_reader_open(r->path, err);
	return r->log;
}

struct logindex *reader_index(struct reader *r, struct error *err)
{
	struct index_options options = {
		.in_memory = r->place[0] == '\0',
		.directory = r->place,
	};

	if (!reader_log(r, err))
		return NULL;
	if (r->index && logindex_update(r->index, err) == 0)
		return r->index;
	logindex_close(r->index);
	r->index = logindex_open(r->log, &options, err);
	return r->index;
}

uint64_t reader_signed(struct reader *r)
{
	struct error why = {0};
	struct checkpoint c;

	return reader_log(r, &why) && log_reader_checkpoint(r->log, &c, NULL, &why) == 0 ? c.size
											 : 0;
}

/* The front takes answers as they come; one that does not for a minute is none. */
static int send_answer(struct reader *r, struct read_reply *reply, const struct buf *body,
		       struct error *err)
{
	struct pollfd fd = {.fd = r->sock, .events = POLLOUT};

	for (;;) {
		*err = (struct error){0};
		if (read_send_reply(r->sock, reply, buf_str(body), body->len, err) == 0)
			return 0;
		if (err->sys != EAGAIN)
			return -1;
		if (poll(&fd, 1, FRONT_WAIT_MS) <= 0 && errno != EINTR)
			return -1;
	}
}

static int obey(struct reader *r, const struct read_request *q, struct error *err)
{
	struct read_answer a = {.status = 200};
	struct read_reply reply = {.kind = READ_ANSWER, .serial = q->serial};
	int result = -1;

	buf_init(&a.body, READ_BODY_MAX);
	if (reader_answer(r, q, &a, err) == 0) {
		reply.http_status = a.status;
		reply.content = a.problem ? READ_PROBLEM : READ_JSON;
		reply.retry_after_s = a.retry_after_s;
		result = send_answer(r, &reply, &a.body, err);
	}
	buf_done(&a.body);
	return result;
}

bool reader_serve(struct reader *r)
{
	struct read_request *q = malloc(sizeof(*q));
	struct error err = {0};
	int came = -1;

	while (q && reader_key_is_covered(r) && (came = read_take_request(r->sock, q, &err)) > 0)
		if (obey(r, q, &err) < 0)
			break;
	free(q);
	return came < 0 && err.sys == EAGAIN;
}

/* Starting. */

struct reader_options {
	int fd;
	const char *audit;
	uint32_t allow_degraded;
};

static int take_option(int letter, const char *value, struct reader_options *o, struct error *err)
{
	uint64_t number = 0;
	int layer;

	switch (letter) {
	case 'f':
		if (text_parse_uint(value, &number, err) < 0)
			return -1;
		o->fd = number <= INT_MAX ? (int)number : -1;
		return 0;
	case 'a':
		o->audit = value;
		return 0;
	case 'd':
		layer = layer_by_name(value);
		if (layer < 0)
			return fail(err, ERR_CALLER, "there is no layer '%s'", value);
		o->allow_degraded |= 1u << layer;
		return 0;
	default:
		return fail(err, ERR_CALLER,
			    "usage: belljar-audit reader --fd N [--audit DIR] "
			    "[--allow-degraded LAYER]");
	}
}

static int parse(int argc, char **argv, struct reader_options *o, struct error *err)
{
	static const struct option names[] = {
		{"fd", required_argument, NULL, 'f'},
		{"audit", required_argument, NULL, 'a'},
		{"allow-degraded", required_argument, NULL, 'd'},
		{0},
	};
	int letter;

	opterr = 0;
	while ((letter = getopt_long(argc, argv, "", names, NULL)) >= 0)
		if (take_option(letter, optarg, o, err) < 0)
			return -1;
	return optind == argc && o->fd >= 3 ? 0 : take_option('?', NULL, o, err);
}

static int take_socket(struct reader *r, int fd, struct error *err)
{
	int kind = 0;
	socklen_t len = sizeof(kind);

	r->sock = fd;
	if ((fd > 3 && close_range(3, (unsigned)fd - 1, 0) < 0) ||
	    close_range((unsigned)fd + 1, ~0u, 0) < 0)
		return fail_sys(err, "close descriptors");
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &len) < 0 || kind != SOCK_SEQPACKET)
		return fail(err, ERR_CALLER, "--fd %d is no socket for messages", fd);
	return fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 ? fail_sys(err, "--fd %d", fd) : 0;
}

/* A directory for the index, if it can be had; memory will do. */
static int open_place(struct reader *r)
{
	own_fd fd = -1;
	struct error none = {0};
	own_str name = NULL;
	struct stat st;

	(void)mkdirat(r->directory, READER_PLACE, 0700);
	fd = openat(r->directory, READER_PLACE, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() ||
	    fd_name(fd, &name, &none) < 0 || strlen(name) >= sizeof(r->place))
		return -1;
	(void)snprintf(r->place, sizeof(r->place), "%s", name);
	return take_fd(&fd);
}

static int open_log(struct reader *r, const struct reader_options *o, struct error *err)
{
	static const struct statedir where = {"audit log", "BELLJAR_AUDIT", "/audit", NULL};
	char path[PATH_MAX];

	if (statedir_find(&where, o->audit, path, sizeof(path), err) < 0)
		return -1;
	if (reader_enter(r, path, o->allow_degraded, err) < 0)
		return -1;
	(void)snprintf(r->path, sizeof(r->path), "/proc/self/fd/%d", r->directory);
	return 0;
}

static int get_ready(struct reader *r, const struct reader_options *o, struct error *err)
{
	struct read_reply ready = {.kind = READ_READY};
	own_fd place = -1;

	if (take_socket(r, o->fd, err) < 0 || open_log(r, o, err) < 0)
		return -1;
	place = open_place(r);
	if (reader_seal(r, place, o->allow_degraded, err) < 0)
		return -1;
	return read_send_reply(r->sock, &ready, NULL, 0, err);
}

int reader_main(int argc, char **argv)
{
	struct reader_options o = {.fd = -1};
	static struct reader r;
	struct error err = {0};
	struct pollfd fd = {.events = POLLIN};

	r.sock = r.directory = -1;
	if (parse(argc, argv, &o, &err) < 0 || get_ready(&r, &o, &err) < 0) {
		(void)fprintf(stderr, "belljar-audit reader: %s\n", err.text);
		return EXIT_TROUBLE;
	}
	fd.fd = r.sock;
	do {
		if (poll(&fd, 1, -1) < 0 && errno != EINTR)
			break;
	} while (reader_serve(&r));
	logindex_close(r.index);
	log_reader_close(r.log);
	return 0;
}
