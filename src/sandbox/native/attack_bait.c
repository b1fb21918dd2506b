/* SPDX-License-Identifier: Apache-2.0 */
/* attack_bait.c - things of the host's that a box must not reach, and word of where they are.
 *
 * They are all made to be taken: readable by everybody, inherited on purpose.
 * What an attack finds is then a hole, not bad luck in guessing.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mqueue.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "sandbox/native/attack.h"

enum { BAIT_FD = 97 };
static const char canary[] = "BELLJAR_CANARY";

const char *const bait_paths[] = {
	"/dev/null",
	"/dev/zero",
	"/dev/full",
	"/dev/random",
	"/dev/urandom",
	"/usr",
	"/usr/bin/env",
	"/etc",
	"/etc/alternatives",
	"/etc/ld.so.cache",
	"/",
	"/tmp",
	"/etc/hostname",
	NULL,
};
static_assert(ARRAY_LEN(bait_paths) <= BAIT_PATHS_MAX, "room for every path");

static const struct {
	const char *name;
	size_t offset;
	size_t room; /* 0: a number */
} fields[] = {
	{"BAIT_FILE", offsetof(struct bait, file), sizeof(((struct bait *)0)->file)},
	{"BAIT_SOCKET", offsetof(struct bait, socket), sizeof(((struct bait *)0)->socket)},
	{"BAIT_QUEUE", offsetof(struct bait, queue), sizeof(((struct bait *)0)->queue)},
	{"BAIT_HOST", offsetof(struct bait, host), sizeof(((struct bait *)0)->host)},
	{"BAIT_PORT", offsetof(struct bait, port), 0},
	{"BAIT_SEGMENT", offsetof(struct bait, segment), 0},
	{"BAIT_PID", offsetof(struct bait, pid), 0},
	{"BAIT_PROCESSES", offsetof(struct bait, processes), 0},
	{"BAIT_DISK", offsetof(struct bait, disk_bytes), 0},
	{"BAIT_INODES", offsetof(struct bait, inodes), 0},
	{"BAIT_FILES", offsetof(struct bait, files), 0},
	{"BAIT_MEMORY", offsetof(struct bait, memory_bytes), 0},
};
static_assert(ARRAY_LEN(fields) <= BAIT_ENV_MAX, "every field has a variable");

void bait_to_env(const struct bait *bait, struct bait_env *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		const char *at = (const char *)bait + fields[i].offset;
		uint64_t number = 0;

		if (fields[i].room == 0)
			memcpy(&number, at, sizeof(number));
		if (fields[i].room)
			(void)snprintf(ret->text[i], sizeof(ret->text[i]), "%s=%s", fields[i].name,
				       at);
		else
			(void)snprintf(ret->text[i], sizeof(ret->text[i]), "%s=%" PRIu64,
				       fields[i].name, number);
		ret->list[i] = ret->text[i];
	}
	ret->list[ARRAY_LEN(fields)] = NULL;
}

int bait_from_env(struct bait *ret, struct error *err)
{
	*ret = (struct bait){.held_fd = -1, .listener = -1, .stream = -1};
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		const char *value = secure_getenv(fields[i].name);
		char *at = (char *)ret + fields[i].offset;
		uint64_t number;

		if (!value)
			return fail(err, ERR_CALLER, "%s is not set: run belljar doctor --attack",
				    fields[i].name);
		if (fields[i].room) {
			(void)snprintf(at, fields[i].room, "%s", value);
			continue;
		}
		if (text_parse_uint(value, &number, err) < 0)
			return fail_in(err, "%s", fields[i].name);
		memcpy(at, &number, sizeof(number));
	}
	return 0;
}

static int set_file(struct bait *b, struct error *err)
{
	own_fd fd = -1;

	(void)snprintf(b->file, sizeof(b->file), "/tmp/belljar-bait-XXXXXX");
	fd = mkostemp(b->file, O_CLOEXEC);
	if (fd < 0)
		return fail_sys(err, "create %s", b->file);
	if (fchmod(fd, 0644) < 0 || write(fd, b->secret, strlen(b->secret)) < 0)
		return fail_sys(err, "fill %s", b->file);
	/* Without O_CLOEXEC: whoever forgets to close what it inherits passes this on. */
	b->held_fd = fcntl(fd, F_DUPFD, BAIT_FD);
	return b->held_fd < 0 ? fail_sys(err, "keep %s open", b->file) : 0;
}

static int set_sockets(struct bait *b, struct error *err)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	socklen_t in_len = sizeof(in);
	size_t len = strlen(b->socket);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	b->stream = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (b->stream < 0 || bind(b->stream, (struct sockaddr *)&in, sizeof(in)) < 0 ||
	    listen(b->stream, 8) < 0 || getsockname(b->stream, (struct sockaddr *)&in, &in_len) < 0)
		return fail_sys(err, "listen on 127.0.0.1");
	b->port = ntohs(in.sin_port);
	memcpy(un.sun_path + 1, b->socket, len);
	b->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (b->listener < 0 ||
	    bind(b->listener, (struct sockaddr *)&un,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) < 0 ||
	    listen(b->listener, 8) < 0)
		return fail_sys(err, "listen on an abstract socket");
	return 0;
}

static int set_ipc(struct bait *b, struct error *err)
{
	struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 16};
	int segment = shmget(IPC_PRIVATE, 4096, 0666 | IPC_CREAT);
	mqd_t queue;

	if (segment < 0)
		return fail_sys(err, "make a shared memory segment");
	b->segment = (uint64_t)segment;
	/* Removed at once, it stays within reach for as long as we are attached. */
	b->attached = shmat(segment, NULL, 0);
	if (b->attached == (void *)-1 || shmctl(segment, IPC_RMID, NULL) < 0) {
		(void)shmctl(segment, IPC_RMID, NULL);
		return fail_sys(err, "attach a shared memory segment");
	}
	queue = mq_open(b->queue, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666, &attr);
	if (queue < 0)
		return fail_sys(err, "make a message queue");
	return mq_close(queue) < 0 ? fail_sys(err, "close a message queue") : 0;
}

/* Shared ones: nobody on the host is kept from locking, too, unless exclusively. */
static void set_locks(struct bait *b)
{
	for (size_t i = 0; i < BAIT_PATHS_MAX; i++)
		b->locks[i] = -1;
	for (size_t i = 0; bait_paths[i]; i++) {
		b->locks[i] = open(bait_paths[i], O_RDONLY | O_CLOEXEC);
		if (b->locks[i] >= 0)
			(void)flock(b->locks[i], LOCK_SH | LOCK_NB);
	}
}

__attribute__((noreturn)) static void touch_for_ever(pid_t parent)
{
	struct timespec moment = {.tv_nsec = 10000000};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	while (getppid() == parent) {
		for (size_t i = 0; bait_paths[i]; i++)
			(void)close(open(bait_paths[i], O_RDONLY | O_CLOEXEC));
		(void)nanosleep(&moment, NULL);
	}
	_exit(0);
}

static int set_toucher(struct bait *b, struct error *err)
{
	pid_t parent = getpid();

	b->toucher = fork();
	if (b->toucher < 0)
		return fail_sys(err, "fork");
	if (b->toucher == 0)
		touch_for_ever(parent);
	b->pid = (uint64_t)b->toucher;
	return 0;
}

int bait_set(struct bait *ret, const struct limits *limits, struct error *err)
{
	char id[40];

	*ret = (struct bait){.held_fd = -1, .listener = -1, .stream = -1};
	account_make_id(id, sizeof(id));
	(void)snprintf(ret->secret, sizeof(ret->secret), "%s", id);
	(void)snprintf(ret->socket, sizeof(ret->socket), "belljar-%s", id);
	(void)snprintf(ret->queue, sizeof(ret->queue), "/belljar-%s", id);
	(void)gethostname(ret->host, sizeof(ret->host) - 1);
	set_locks(ret);
	ret->processes = limits->processes;
	ret->disk_bytes = limits->disk_bytes;
	ret->inodes = limits->inodes;
	ret->files = limits->files;
	ret->memory_bytes = limits->memory_bytes;
	if (setenv(canary, ret->secret, 1) < 0)
		return fail_sys(err, "set %s", canary);
	if (set_file(ret, err) < 0 || set_sockets(ret, err) < 0 || set_ipc(ret, err) < 0 ||
	    set_toucher(ret, err) < 0) {
		bait_clear(ret);
		return fail_in(err, "lay out bait");
	}
	return 0;
}

void bait_clear(struct bait *bait)
{
	if (bait->toucher > 0) {
		(void)kill(bait->toucher, SIGKILL);
		(void)waitpid(bait->toucher, NULL, 0);
	}
	for (size_t i = 0; i < BAIT_PATHS_MAX; i++)
		if (bait->locks[i] > STDERR_FILENO)
			(void)close(bait->locks[i]);
	if (bait->held_fd >= 0)
		(void)close(bait->held_fd);
	if (bait->listener >= 0)
		(void)close(bait->listener);
	if (bait->stream >= 0)
		(void)close(bait->stream);
	if (bait->file[0])
		(void)unlink(bait->file);
	if (bait->queue[0])
		(void)mq_unlink(bait->queue);
	if (bait->attached && bait->attached != (void *)-1)
		(void)shmdt(bait->attached);
	(void)unsetenv(canary);
	*bait = (struct bait){.held_fd = -1, .listener = -1, .stream = -1};
}

void bait_end(struct bait *bait)
{
	bait_clear(bait);
}
