/* SPDX-License-Identifier: Apache-2.0 */
/* hostcheck.h - is this request meant for us, and not sent by a page in somebody's browser?
 *
 * A page of any site can make a browser send requests to a server on its own
 * machine, and by DNS rebinding even read the answers; but it cannot choose
 * what the headers Host, Origin and Sec-Fetch-Site say.
 */
#ifndef SERVE_HTTP_HOSTCHECK_H
#define SERVE_HTTP_HOSTCHECK_H

#include <stdbool.h>

#include "serve/http/http.h"

/* Both lists end with NULL; either may be NULL. */
struct hostcheck {
	/* Names and addresses beside localhost, 127.0.0.1 and [::1]: "box.example" with any port,
	 * "box.example:8640" with that one. */
	const char *const *hosts;
	/* "https://app.example": pages that may send requests. */
	const char *const *origins;
};

struct hostcheck_ask {
	const char *host, *origin, *fetch_site; /* NULL: absent */
	bool is_unix;                           /* no browser speaks to those */
	bool tls;
};

/* 0: fine; else 421 (the Host is not ours) or 403 (the Origin may not).  *ret_detail: a sentence.
 */
int hostcheck_judge(const struct hostcheck *c, const struct hostcheck_ask *ask,
		    const char **ret_detail);
int hostcheck_exchange(const struct hostcheck *c, const struct http_exchange *x,
		       const char **ret_detail);

#endif
