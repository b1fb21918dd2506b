/* SPDX-License-Identifier: Apache-2.0 */
/* url.h - the one strict parser of URLs: what it does not understand whole, it refuses. */
#ifndef POLICY_URL_H
#define POLICY_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { URL_TEXT_MAX = 4608 }; /* the longest that is read or written */

struct url {
	char scheme[16];  /* lower case */
	char host[256];   /* lower case, A-labels only, no trailing dot; an address in its one form
			   */
	bool is_address;  /* IPv4, or IPv6 without its brackets */
	uint16_t port;    /* the scheme's own if none was given */
	char path[2049];  /* begins with /; percent-encoding kept, checked */
	char query[2049]; /* without the ?; empty: none */
};

/* No userinfo, no backslash, no fragment, no percent-encoded or non-ASCII host, no number that is
 * an address in disguise (0x7f.1, 2130706433). */
int url_parse(const char *text, size_t len, struct url *ret, struct error *err);
/* The URL written again from its parts: what was judged is what is used. */
int url_text(const struct url *u, char *ret, size_t room, struct error *err);
/* "api.example.com" or "*.example.com" (one or more labels); "*", "*.com" and "a*.b" are refused.
 */
int url_check_host_pattern(const char *pattern, struct error *err);
/* Of http, https, ws and wss; 0: a scheme that is not known. */
uint16_t url_scheme_port(const char *scheme);
bool url_host_matches(const char *host, const char *pattern);

#endif
