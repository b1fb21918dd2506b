/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c - where the service listens, as it is written in a policy or behind --listen. */
#include "call/listen.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static int parse_unix(const char *path, struct listen_word *ret, struct error *err)
{
	struct sockaddr_un *un = &ret->address.un;
	size_t len = strlen(path);

	if (path[0] != '/' || !path[1])
		return fail(err, ERR_CALLER, "the path of a Unix socket is absolute, not '%.80s'",
			    path);
	if (len >= sizeof(un->sun_path))
		return fail(err, ERR_CALLER, "the path of a Unix socket has at most %zu bytes",
			    sizeof(un->sun_path) - 1);
	ret->is_unix = ret->loopback = true;
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, path, len + 1);
	ret->address_len = (socklen_t)sizeof(*un);
	return 0;
}

/* 1..65535, and 0 for any that is free; no sign, no zero in front. */
static int parse_port(const char *text, in_port_t *ret, struct error *err)
{
	uint64_t port;

	if (text_parse_uint(text, &port, err) < 0 || port > 65535 || (text[0] == '0' && text[1]))
		return fail(err, ERR_CALLER, "'%.40s' is no port: 0 to 65535", text);
	*ret = htons((in_port_t)port);
	return 0;
}

static int parse_inet6(const char *text, struct listen_word *ret, struct error *err)
{
	struct sockaddr_in6 *in6 = &ret->address.in6;
	const char *end = strchr(text, ']');
	char host[INET6_ADDRSTRLEN];
	size_t len = end ? (size_t)(end - text) : 0;

	if (!end || end[1] != ':' || len >= sizeof(host))
		return fail(err, ERR_CALLER, "'[%.60s' is not like [::1]:8640", text);
	memcpy(host, text, len);
	host[len] = '\0';
	if (inet_pton(AF_INET6, host, &in6->sin6_addr) != 1)
		return fail(err, ERR_CALLER, "'%.60s' is no IPv6 address", host);
	in6->sin6_family = AF_INET6;
	ret->loopback = IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
	ret->address_len = (socklen_t)sizeof(*in6);
	return parse_port(end + 2, &in6->sin6_port, err);
}

static int parse_inet(const char *text, struct listen_word *ret, struct error *err)
{
	struct sockaddr_in *in = &ret->address.in;
	const char *colon = strchr(text, ':');
	char host[INET_ADDRSTRLEN];
	size_t len = colon ? (size_t)(colon - text) : 0;

	if (!colon || len >= sizeof(host))
		return fail(err, ERR_CALLER,
			    "'%.60s' is not like 127.0.0.1:8640, [::1]:8640 or unix:/path", text);
	memcpy(host, text, len);
	host[len] = '\0';
	if (inet_pton(AF_INET, host, &in->sin_addr) != 1)
		return fail(err, ERR_CALLER, "'%.60s' is no IPv4 address (names are not looked up)",
			    host);
	in->sin_family = AF_INET;
	ret->loopback = ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	ret->address_len = (socklen_t)sizeof(*in);
	return parse_port(colon + 1, &in->sin_port, err);
}

int listen_parse(const char *word, struct listen_word *ret, struct error *err)
{
	struct listen_word w = {0};
	int parsed;

	if (strncmp(word, "tls:", 4) == 0) {
		w.tls = true;
		word += 4;
	}
	if (strncmp(word, "unix:", 5) == 0)
		parsed = w.tls ? fail(err, ERR_CALLER, "a Unix socket needs no tls")
			       : parse_unix(word + 5, &w, err);
	else if (word[0] == '[')
		parsed = parse_inet6(word + 1, &w, err);
	else
		parsed = parse_inet(word, &w, err);
	if (parsed == 0)
		*ret = w;
	return parsed;
}

int listen_check(const struct listen_word *w, bool tls, bool plaintext, struct error *err)
{
	if (w->tls && !tls)
		return fail(err, ERR_CALLER, "there is no certificate: set serve.tls");
	if (!w->tls && !w->loopback && !plaintext)
		return fail(err, ERR_CALLER,
			    "others than this host would send their keys in the clear: write tls: "
			    "in front of the address, or set serve.plaintext to true");
	return 0;
}
