/* SPDX-License-Identifier: Apache-2.0 */
/* fake_helper.c - what libbelljar may meet instead of belljar slot; --cgroup=/WORD says what. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "lib/talk.h"

enum { SOCKET = 3 };

static void say(enum talk_say what, struct talk_reply *reply)
{
	struct error err;

	talk_begin(&reply->head, what, sizeof(*reply));
	if (fd_send(SOCKET, reply, sizeof(*reply), NULL, 0, &err) < 0)
		_exit(1);
}

static void say_ready(void)
{
	struct talk_reply reply = {.uid = getuid(), .gid = getgid(), .usable = 1};

	say(SAY_READY, &reply);
}

static void hear(void)
{
	struct talk_request request;
	struct error err;
	int fds[FD_PASS_MAX];
	size_t n_fds = FD_PASS_MAX;

	if (talk_take_request(SOCKET, &request, fds, &n_fds, &err) <= 0)
		_exit(0);
	while (n_fds)
		(void)close(fds[--n_fds]);
}

static void send_raw(const void *data, size_t len)
{
	if (send(SOCKET, data, len, MSG_NOSIGNAL) < 0)
		_exit(1);
}

static void be_silent(void)
{
}

static void babble(void)
{
	char noise[300];

	memset(noise, 'x', sizeof(noise));
	send_raw(noise, sizeof(noise));
}

static void be_brief(void)
{
	send_raw("bel", 3);
}

static void be_newer(void)
{
	struct {
		struct talk_reply reply;
		char more[100];
	} message = {0};

	talk_begin(&message.reply.head, SAY_READY, sizeof(message));
	message.reply.head.version = TALK_VERSION + 1;
	send_raw(&message, sizeof(message));
}

static void be_older(void)
{
	struct talk_head head;

	talk_begin(&head, SAY_READY, sizeof(head));
	head.version = TALK_VERSION - 1;
	send_raw(&head, sizeof(head));
}

static void be_short(void)
{
	struct talk_head head;

	talk_begin(&head, SAY_READY, sizeof(head));
	send_raw(&head, sizeof(head));
}

static void fail_to_open(void)
{
	struct talk_reply reply = {0};

	(void)fail(&reply.error, ERR_CONFIG, "layer tea: there is no kettle");
	say(SAY_FAILED, &reply);
}

static void die_in_call(void)
{
	say_ready();
	hear();
}

static void babble_in_call(void)
{
	die_in_call();
	babble();
}

/* Every text unterminated, every enum out of range, every number large. */
static void exaggerate(void)
{
	struct talk_reply reply;

	die_in_call();
	memset(&reply, 0x7f, sizeof(reply));
	say(SAY_ENDED, &reply);
	hear();
}

static void end_once(bool usable)
{
	struct talk_reply reply = {.usable = usable, .outcome = {.end = END_EXITED}};

	hear();
	reply.outcome.exit_code = 3;
	say(SAY_ENDED, &reply);
}

/* Serves one call and goes although it said that it would stay. */
static void leave(void)
{
	say_ready();
	end_once(true);
}

static void give_up(void)
{
	say_ready();
	end_once(false);
	hear();
}

static void serve(void)
{
	say_ready();
	for (;;)
		end_once(true);
}

static const struct {
	const char *name;
	void (*act)(void);
} acts[] = {
	{"silent", be_silent},
	{"babble", babble},
	{"brief", be_brief},
	{"newer", be_newer},
	{"older", be_older},
	{"short", be_short},
	{"fail", fail_to_open},
	{"die-in-call", die_in_call},
	{"babble-in-call", babble_in_call},
	{"exaggerate", exaggerate},
	{"leave", leave},
	{"give-up", give_up},
	{"serve", serve},
};

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		for (size_t j = 0; j < sizeof(acts) / sizeof(acts[0]); j++)
			if (strncmp(argv[i], "--cgroup=/", 10) == 0 &&
			    strcmp(argv[i] + 10, acts[j].name) == 0)
				acts[j].act();
	return 0;
}
