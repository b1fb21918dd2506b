/* SPDX-License-Identifier: Apache-2.0 */
/* doors.c - the sockets that the service listens at; they outlive every front.
 *
 * The supervisor opens them and never accepts: while there is no front, whoever
 * connects waits in the kernel's queue for the next one.
 */
#include "serve/roles/doors.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

enum { BACKLOG = 1024 };

/* A socket's file that nobody listens behind is what somebody who was killed has left. */
static int remove_stale(const struct listen_word *w, struct error *err)
{
	const char *path = w->address.un.sun_path;
	struct stat st;
	own_fd try = -1;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : fail_sys(err, "look at %s", path);
	if (!S_ISSOCK(st.st_mode))
		return fail(err, ERR_CONFIG, "%s is there already and no socket", path);
	try = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (try < 0)
		return fail_sys(err, "make a socket");
	if (connect(try, &w->address.any, w->address_len) == 0 || errno == EAGAIN)
		return fail(err, ERR_CONFIG, "somebody listens at unix:%s already", path);
	if (errno != ECONNREFUSED)
		return fail_sys(err, "try unix:%s", path);
	return unlink(path) < 0 ? fail_sys(err, "remove %s", path) : 0;
}

static int explain_bind(const char *word, struct error *err)
{
	int why = errno;

	(void)fail_sys(err, "listen at %s", word);
	if (why == EADDRINUSE)
		return fail(err, ERR_CONFIG,
			    "somebody listens at %s already: another belljar serve?  End it (ss "
			    "-ltnp shows it), or give another address with --listen",
			    word);
	if (why == EACCES)
		return fail(err, ERR_CONFIG,
			    "%s needs more rights than we have: take a port above 1023, or a "
			    "directory that is yours",
			    word);
	if (why == EADDRNOTAVAIL)
		return fail(err, ERR_CONFIG, "this host does not have the address of %s", word);
	return -1;
}

/* As it can be written again; a port that was 0 has a number by now. */
static void name_door(struct door *d)
{
	const struct listen_word *w = &d->word;
	char host[INET6_ADDRSTRLEN] = "";

	if (w->is_unix) {
		(void)snprintf(d->address, sizeof(d->address), "unix:%s",
			       w->address.un.sun_path[0] ? w->address.un.sun_path : "?");
	} else if (w->address.any.sa_family == AF_INET6) {
		(void)inet_ntop(AF_INET6, &w->address.in6.sin6_addr, host, sizeof(host));
		(void)snprintf(d->address, sizeof(d->address), "[%s]:%u", host,
			       ntohs(w->address.in6.sin6_port));
	} else {
		(void)inet_ntop(AF_INET, &w->address.in.sin_addr, host, sizeof(host));
		(void)snprintf(d->address, sizeof(d->address), "%s:%u", host,
			       ntohs(w->address.in.sin_port));
	}
}

static int look_up(struct door *d, struct error *err)
{
	struct listen_word *w = &d->word;

	w->address_len = sizeof(w->address);
	if (getsockname(d->fd, &w->address.any, &w->address_len) < 0)
		return fail_sys(err, "ask a socket for its address");
	switch (w->address.any.sa_family) {
	case AF_UNIX:
		w->is_unix = w->loopback = true;
		break;
	case AF_INET:
		w->loopback = ntohl(w->address.in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
		break;
	case AF_INET6:
		w->loopback = IN6_IS_ADDR_LOOPBACK(&w->address.in6.sin6_addr);
		break;
	default:
		return fail(err, ERR_CONFIG, "a socket is neither TCP nor Unix");
	}
	name_door(d);
	return 0;
}

static struct door *next_door(struct doors *d, struct error *err)
{
	if (d->n == DOORS_MAX) {
		(void)fail(err, ERR_CONFIG, "at most %d addresses are listened at", DOORS_MAX);
		return NULL;
	}
	d->door[d->n] = (struct door){.fd = -1};
	return &d->door[d->n];
}

/* Who is a client is the policy's to say: by uid, so that everybody may knock. */
static int bind_door(struct door *d, const char *word, struct error *err)
{
	struct listen_word *w = &d->word;
	mode_t mask;
	int yes = 1, bound;

	if (w->is_unix && remove_stale(w, err) < 0)
		return -1;
	d->fd = socket(w->address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (d->fd < 0)
		return fail_sys(err, "make a socket");
	if (!w->is_unix)
		(void)setsockopt(d->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (w->address.any.sa_family == AF_INET6)
		(void)setsockopt(d->fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
	mask = umask(0111);
	bound = bind(d->fd, &w->address.any, w->address_len);
	(void)umask(mask);
	if (bound < 0)
		return explain_bind(word, err);
	if (w->is_unix)
		(void)snprintf(d->path, sizeof(d->path), "%s", w->address.un.sun_path);
	return listen(d->fd, BACKLOG) < 0 ? explain_bind(word, err) : 0;
}

int doors_open(struct doors *d, const char *word, const struct door_rules *rules, struct error *err)
{
	struct door *one = next_door(d, err);

	if (!one || listen_parse(word, &one->word, err) < 0 ||
	    listen_check(&one->word, rules->tls, rules->plaintext, err) < 0)
		return fail_in(err, "listen at '%.100s'", word);
	one->ours = true;
	one->tls = one->word.tls;
	d->n++;
	if (bind_door(one, word, err) < 0)
		return -1;
	return look_up(one, err);
}

int doors_take(struct doors *d, int fd, const char *name, const struct door_rules *rules,
	       struct error *err)
{
	struct door *one = next_door(d, err);
	int kind = 0, listening = 0;
	socklen_t len = sizeof(int);

	if (!one)
		return -1;
	one->fd = fd;
	one->tls = one->word.tls = strcmp(name, "tls") == 0;
	d->n++;
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &len) < 0 || kind != SOCK_STREAM ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &len) < 0 || !listening)
		return fail(err, ERR_CONFIG,
			    "descriptor %d of LISTEN_FDS is no stream socket that listens", fd);
	/* The front takes what has come and waits for nobody. */
	if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return fail_sys(err, "set up descriptor %d of LISTEN_FDS", fd);
	if (look_up(one, err) < 0 ||
	    listen_check(&one->word, rules->tls, rules->plaintext, err) < 0)
		return fail_in(err, "descriptor %d of LISTEN_FDS", fd);
	return 0;
}

void doors_close(struct doors *d)
{
	for (size_t i = 0; i < d->n; i++) {
		if (d->door[i].fd >= 0)
			(void)close(d->door[i].fd);
		if (d->door[i].ours && d->door[i].path[0])
			(void)unlink(d->door[i].path);
	}
	d->n = 0;
}
