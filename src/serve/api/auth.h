/* SPDX-License-Identifier: Apache-2.0 */
/* auth.h - which client of the policy is asking. */
#ifndef SERVE_API_AUTH_H
#define SERVE_API_AUTH_H

#include "base/error.h"
#include "serve/api/frontview.h"
#include "serve/api/throttle.h"
#include "serve/http/http.h"

enum auth {
	AUTH_NONE = 0,  /* nobody said who they are, and nothing else tells */
	AUTH_BAD,       /* what they said is wrong */
	AUTH_THROTTLED, /* too many wrong keys from there: not even looked at */
	AUTH_OK,
};

enum { AUTH_KEY_MAX = 512 };

struct auth_ask {
	const struct http_peer *peer;
	const char *authorization, *api_key; /* headers; NULL: absent */
	bool forwarded;                      /* through a proxy: its loopback is not the client's */
	uint64_t now_us;
};

/* ret is one of v's clients, written with AUTH_OK only.  A key that is wrong is never overlooked
 * in favour of something else that would have been right.  t: NULL for who was let in before and is
 * looked at again, which is no guess. */
enum auth auth_who(const struct view *v, struct throttle *t, const struct auth_ask *ask,
		   const struct view_client **ret);

#endif
