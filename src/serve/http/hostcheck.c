/* SPDX-License-Identifier: Apache-2.0 */
/* hostcheck.c - is this request meant for us, and not sent by a page in somebody's browser? */
#include "serve/http/hostcheck.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const always[] = {"localhost", "127.0.0.1", "[::1]", NULL};

/* Where the port begins (at its colon), or the end; NULL: that is no host. */
static const char *find_port(const char *host)
{
	const char *p = host, *digits;

	if (*p == '[') {
		p = strchr(p, ']');
		if (!p)
			return NULL;
		p++;
	} else {
		p += strcspn(p, ":");
	}
	if (*p == '\0')
		return p;
	digits = p + 1;
	if (*p != ':' || strspn(digits, "0123456789") != strlen(digits) || strlen(digits) > 5)
		return NULL;
	return p;
}

/* A row without a port stands for every port. */
static bool is_listed(const char *const *rows, const char *host, const char *port)
{
	for (; rows && *rows; rows++) {
		const char *row_port = find_port(*rows);
		size_t len = row_port ? (size_t)(row_port - *rows) : 0;

		if (!row_port || len == 0 || len != (size_t)(port - host) ||
		    strncasecmp(*rows, host, len) != 0)
			continue;
		if (*row_port == '\0' || strcmp(row_port, port) == 0)
			return true;
	}
	return false;
}

static bool host_is_ours(const struct hostcheck *c, const char *host)
{
	const char *port = host ? find_port(host) : NULL;

	if (!port || port == host)
		return false;
	return is_listed(always, host, port) || is_listed(c->hosts, host, port);
}

/* A page that came from us may speak to us. */
static bool is_same_origin(const struct hostcheck_ask *ask)
{
	const char *scheme = ask->tls ? "https://" : "http://";
	size_t len = strlen(scheme);

	return ask->host && strncasecmp(ask->origin, scheme, len) == 0 &&
	       strcasecmp(ask->origin + len, ask->host) == 0;
}

static bool origin_may(const struct hostcheck *c, const struct hostcheck_ask *ask)
{
	if (is_same_origin(ask))
		return true;
	for (const char *const *row = c->origins; row && *row; row++)
		if (strcasecmp(*row, ask->origin) == 0)
			return true;
	return false;
}

int hostcheck_judge(const struct hostcheck *c, const struct hostcheck_ask *ask,
		    const char **ret_detail)
{
	if (!ask->is_unix && !host_is_ours(c, ask->host)) {
		*ret_detail =
			"The Host is none of this server's names (serve.hosts in the policy).";
		return 421;
	}
	if (ask->origin && !origin_may(c, ask)) {
		*ret_detail =
			"Pages of this Origin may not send requests (serve.origins in the policy).";
		return 403;
	}
	/* Requests without an Origin, such as for an image, say this; "none" is an address bar. */
	if (!ask->origin && ask->fetch_site && strcmp(ask->fetch_site, "same-origin") != 0 &&
	    strcmp(ask->fetch_site, "none") != 0) {
		*ret_detail = "A page of another site may not send requests.";
		return 403;
	}
	*ret_detail = NULL;
	return 0;
}

int hostcheck_exchange(const struct hostcheck *c, const struct http_exchange *x,
		       const char **ret_detail)
{
	const struct hostcheck_ask ask = {
		.host = http_header(x, "host"),
		.origin = http_header(x, "origin"),
		.fetch_site = http_header(x, "sec-fetch-site"),
		.is_unix = http_peer(x)->is_unix,
		.tls = http_peer(x)->tls,
	};

	return hostcheck_judge(c, &ask, ret_detail);
}
