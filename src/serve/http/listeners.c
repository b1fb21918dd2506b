/* SPDX-License-Identifier: Apache-2.0 */
/* listeners.c - from a word such as "127.0.0.1:8640" to a socket that listens. */
#include "serve/http/listeners.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"

enum { BACKLOG = 4096, FIRST_INHERITED = 3 };

static int parse_port(const char *text, in_port_t *ret, struct error *err)
{
	uint64_t port;

	if (text_parse_uint(text, &port, err) < 0 || port > 65535 ||
	    (text[0] == '0' && text[1] != '\0'))
		return fail(err, ERR_CALLER, "'%s' is not a port", text);
	*ret = htons((uint16_t)port);
	return 0;
}

static int parse_unix(const char *path, struct listen_word *ret, struct error *err)
{
	struct sockaddr_un *a = &ret->address.un;

	if (path[0] != '/')
		return fail(err, ERR_CALLER, "the path of a Unix socket begins with a slash");
	if (strlen(path) >= sizeof(a->sun_path))
		return fail(err, ERR_CALLER, "the path of a Unix socket has at most %zu bytes",
			    sizeof(a->sun_path) - 1);
	a->sun_family = AF_UNIX;
	memcpy(a->sun_path, path, strlen(path) + 1);
	return 0;
}

/* "[::1]:8640": text behind the bracket. */
static int parse_six(const char *text, struct listen_word *ret, struct error *err)
{
	struct sockaddr_in6 *a = &ret->address.in6;
	const char *end = strchr(text, ']');
	char host[INET6_ADDRSTRLEN];

	if (!end || end[1] != ':')
		return fail(err, ERR_CALLER, "an IPv6 address looks like [::1]:8640");
	(void)snprintf(host, sizeof(host), "%.*s", (int)(end - text), text);
	a->sin6_family = AF_INET6;
	if ((size_t)(end - text) >= sizeof(host) || inet_pton(AF_INET6, host, &a->sin6_addr) != 1)
		return fail(err, ERR_CALLER, "'%.*s' is not an IPv6 address", (int)(end - text),
			    text);
	return parse_port(end + 2, &a->sin6_port, err);
}

static int parse_four(const char *text, struct listen_word *ret, struct error *err)
{
	struct sockaddr_in *a = &ret->address.in;
	const char *colon = strchr(text, ':');
	char host[INET_ADDRSTRLEN];

	if (!colon)
		return fail(err, ERR_CALLER,
			    "an address looks like 127.0.0.1:8640, [::1]:8640 or unix:/path");
	(void)snprintf(host, sizeof(host), "%.*s", (int)(colon - text), text);
	a->sin_family = AF_INET;
	if ((size_t)(colon - text) >= sizeof(host) || inet_pton(AF_INET, host, &a->sin_addr) != 1)
		return fail(err, ERR_CALLER, "'%.*s' is not an IPv4 address", (int)(colon - text),
			    text);
	return parse_port(colon + 1, &a->sin_port, err);
}

int listen_parse(const char *word, struct listen_word *ret, struct error *err)
{
	struct listen_word w = {0};
	int result;

	for (const char *p = word; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return fail(err, ERR_CALLER, "a control character in an address");
	if (strncmp(word, "tls:", 4) == 0) {
		w.tls = true;
		word += 4;
	}
	if (strncmp(word, "unix:", 5) == 0)
		result = parse_unix(word + 5, &w, err);
	else if (word[0] == '[')
		result = parse_six(word + 1, &w, err);
	else
		result = parse_four(word, &w, err);
	if (result == 0)
		*ret = w;
	return result;
}

void listen_text(const struct listen_word *w, char ret_text[LISTEN_TEXT_MAX])
{
	const char *tls = w->tls ? "tls:" : "";
	char host[INET6_ADDRSTRLEN] = "";

	if (w->address.any.sa_family == AF_UNIX) {
		(void)snprintf(ret_text, LISTEN_TEXT_MAX, "%sunix:%s", tls, w->address.un.sun_path);
	} else if (w->address.any.sa_family == AF_INET6) {
		(void)inet_ntop(AF_INET6, &w->address.in6.sin6_addr, host, sizeof(host));
		(void)snprintf(ret_text, LISTEN_TEXT_MAX, "%s[%s]:%u", tls, host,
			       ntohs(w->address.in6.sin6_port));
	} else {
		(void)inet_ntop(AF_INET, &w->address.in.sin_addr, host, sizeof(host));
		(void)snprintf(ret_text, LISTEN_TEXT_MAX, "%s%s:%u", tls, host,
			       ntohs(w->address.in.sin_port));
	}
}

bool listen_is_local(const struct listen_word *w)
{
	if (w->address.any.sa_family == AF_INET)
		return (ntohl(w->address.in.sin_addr.s_addr) >> 24) == 127;
	if (w->address.any.sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&w->address.in6.sin6_addr);
	return w->address.any.sa_family == AF_UNIX;
}

static socklen_t length_of(const struct listen_word *w)
{
	switch (w->address.any.sa_family) {
	case AF_INET:
		return sizeof(w->address.in);
	case AF_INET6:
		return sizeof(w->address.in6);
	default:
		return sizeof(w->address.un);
	}
}

/* Only a socket that refuses connections is dead; one that is busy is alive. */
static int clear_way(const struct listen_word *w, struct error *err)
{
	const char *path = w->address.un.sun_path;
	struct stat st;
	own_fd probe = -1;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : fail_sys(err, "%s", path);
	if (!S_ISSOCK(st.st_mode))
		return fail(err, ERR_CONFIG, "%s is there already, and is no socket", path);
	probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (probe < 0)
		return fail_sys(err, "%s", path);
	if (connect(probe, &w->address.any, length_of(w)) == 0 || errno != ECONNREFUSED)
		return fail(err, ERR_CONFIG, "somebody listens on %s already", path);
	if (unlink(path) < 0 && errno != ENOENT)
		return fail_sys(err, "remove the dead socket %s", path);
	return 0;
}

/* The mode is right from the first moment on. */
static int bind_unix(int fd, const struct listen_word *w, struct error *err)
{
	mode_t before;
	int result;

	if (clear_way(w, err) < 0)
		return -1;
	before = umask(0117);
	result = bind(fd, &w->address.any, length_of(w));
	(void)umask(before);
	return result < 0 ? fail_sys(err, "bind") : 0;
}

static int bind_address(int fd, const struct listen_word *w, struct error *err)
{
	int yes = 1;

	if (w->address.any.sa_family == AF_UNIX)
		return bind_unix(fd, w, err);
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0)
		return fail_sys(err, "SO_REUSEADDR");
	/* "[::]" is IPv6 only: an IPv4 peer has an IPv4 address, and its own listener. */
	if (w->address.any.sa_family == AF_INET6 &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes)) < 0)
		return fail_sys(err, "IPV6_V6ONLY");
	return bind(fd, &w->address.any, length_of(w)) < 0 ? fail_sys(err, "bind") : 0;
}

int listen_open(const struct listen_word *w, struct error *err)
{
	char text[LISTEN_TEXT_MAX];
	own_fd fd = socket(w->address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	listen_text(w, text);
	if (fd < 0)
		return fail_sys(err, "listen on %s", text);
	if (bind_address(fd, w, err) < 0)
		return fail_in(err, "listen on %s", text);
	if (listen(fd, BACKLOG) < 0)
		return fail_sys(err, "listen on %s", text);
	return take_fd(&fd);
}

/* 0 unless the variables are there and meant for this very process. */
static uint64_t count_inherited(void)
{
	const char *pid = secure_getenv("LISTEN_PID"), *fds = secure_getenv("LISTEN_FDS");
	uint64_t number = 0, n = 0;
	struct error err;

	if (!pid || !fds || text_parse_uint(pid, &number, &err) < 0 ||
	    number != (uint64_t)getpid() || text_parse_uint(fds, &n, &err) < 0)
		return 0;
	return n;
}

static int check_inherited(int fd, struct error *err)
{
	int value = 0, flags;
	socklen_t len = sizeof(value);

	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &len) < 0 || !value)
		return fail(err, ERR_CONFIG, "inherited descriptor %d is no listening socket", fd);
	len = sizeof(value);
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &len) < 0 || value != SOCK_STREAM)
		return fail(err, ERR_CONFIG, "inherited descriptor %d is no stream socket", fd);
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return fail_sys(err, "inherited descriptor %d", fd);
	return 0;
}

int listen_inherit(int ret_fds[LISTEN_INHERITED_MAX], struct error *err)
{
	uint64_t n = count_inherited();

	(void)unsetenv("LISTEN_PID");
	(void)unsetenv("LISTEN_FDS");
	(void)unsetenv("LISTEN_FDNAMES");
	if (n > LISTEN_INHERITED_MAX)
		return fail(err, ERR_CONFIG, "at most %d sockets can be inherited",
			    LISTEN_INHERITED_MAX);
	for (int i = 0; i < (int)n; i++) {
		ret_fds[i] = FIRST_INHERITED + i;
		if (check_inherited(ret_fds[i], err) < 0)
			return -1;
	}
	return (int)n;
}

int listen_name(int fd, struct listen_word *ret, struct error *err)
{
	struct listen_word w = {0};
	socklen_t len = sizeof(w.address);

	if (getsockname(fd, &w.address.any, &len) < 0)
		return fail_sys(err, "name of a socket");
	*ret = w;
	return 0;
}
