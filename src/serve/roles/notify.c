/* SPDX-License-Identifier: Apache-2.0 */
/* notify.c - what systemd is told and what it hands over: sd_notify(3) and sd_listen_fds(3),
 * which are a datagram and three variables. */
#include "serve/roles/notify.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/text.h"

enum { ACTIVATED_FIRST = 3 };

static int connect_to(const char *name, struct error *err)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t len = strlen(name);
	own_fd sock = -1;

	if ((name[0] != '/' && name[0] != '@') || len < 2 || len >= sizeof(to.sun_path))
		return fail(err, ERR_CONFIG, "NOTIFY_SOCKET is neither /PATH nor @NAME");
	memcpy(to.sun_path, name, len);
	if (name[0] == '@')
		to.sun_path[0] = '\0';
	sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sock < 0 || connect(sock, (const struct sockaddr *)&to,
				(socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		return fail_sys(err, "connect to NOTIFY_SOCKET");
	return take_fd(&sock);
}

/* Meant for us, and not for somebody who started us. */
static bool is_our_pid(const char *text)
{
	uint64_t pid;
	struct error ignored;

	return text && text_parse_uint(text, &pid, &ignored) == 0 && pid == (uint64_t)getpid();
}

int notify_open(struct notify *ret, struct error *err)
{
	const char *name = secure_getenv("NOTIFY_SOCKET"), *pid = secure_getenv("WATCHDOG_PID");
	const char *usec = secure_getenv("WATCHDOG_USEC");
	struct error ignored;

	*ret = (struct notify){.sock = -1};
	if (!name || !name[0])
		return 0;
	ret->sock = connect_to(name, err);
	if (ret->sock < 0)
		return -1;
	if (usec && (!pid || is_our_pid(pid)))
		(void)text_parse_uint(usec, &ret->watchdog_us, &ignored);
	return 0;
}

void notify_close(struct notify *n)
{
	if (n->sock >= 0)
		(void)close(n->sock);
	n->sock = -1;
}

void notify_say(const struct notify *n, const char *text)
{
	if (n->sock >= 0)
		(void)send(n->sock, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void notify_reloading(const struct notify *n)
{
	char text[80];

	(void)snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, clock_us());
	notify_say(n, text);
}

static void take_name(const char **names, char *ret, size_t room)
{
	size_t len = *names ? strcspn(*names, ":") : 0;

	(void)snprintf(ret, room, "%.*s", (int)(len < room ? len : 0), *names ? *names : "");
	if (*names)
		*names = (*names)[len] ? *names + len + 1 : NULL;
}

int notify_activated(int *ret_fds, char (*ret_names)[32], struct error *err)
{
	const char *count = secure_getenv("LISTEN_FDS"), *names = secure_getenv("LISTEN_FDNAMES");
	uint64_t n;

	if (!count || !is_our_pid(secure_getenv("LISTEN_PID")))
		return 0;
	if (text_parse_uint(count, &n, err) < 0 || n > NOTIFY_ACTIVATED_MAX)
		return fail(err, ERR_CONFIG, "LISTEN_FDS is '%.20s': 0 to %d sockets are taken",
			    count, NOTIFY_ACTIVATED_MAX);
	for (int i = 0; i < (int)n; i++) {
		ret_fds[i] = ACTIVATED_FIRST + i;
		if (fcntl(ret_fds[i], F_SETFD, FD_CLOEXEC) < 0)
			return fail_sys(err, "socket %d of LISTEN_FDS", i + 1);
		take_name(&names, ret_names[i], sizeof(ret_names[i]));
	}
	return (int)n;
}
