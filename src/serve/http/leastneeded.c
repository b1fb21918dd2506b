/* SPDX-License-Identifier: Apache-2.0 */
/* leastneeded.c - which connection goes where there are as many as may be, and somebody comes.
 *
 * One that asks nothing goes first, the longest idle of them; where there is
 * none, the oldest that has not said yet what it wants.  One in which something
 * waits to be read never goes, but one that lingers: it was told all that it
 * will be.
 */
#include <string.h>
#include <sys/socket.h>

#include "serve/http/httpconn.h"
#include "serve/http/hurry.h"

enum { LOOKS_MAX = 8 };

/* What waits there is a request that nobody has read yet: if it were closed now, its client could
 * not tell whether it ran. */
static bool only_waits(const struct conn *c)
{
	char byte;
	ssize_t n;

	hurry_begin(c->hurry);
	n = recv(c->watch.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	hurry_end(c->hurry);
	return n <= 0;
}

static bool is_of(const struct conn *c, const struct peer_key *key)
{
	return !key || memcmp(&c->count->key, key, sizeof(*key)) == 0;
}

/* Those that have something are read in the next round: there is no need to look at many. */
static struct conn *longest_idle(const struct http *s, const struct peer_key *key)
{
	int looks = 0;
	struct conn *c;

	TAILQ_FOREACH(c, &s->idle, idle)
	{
		if (!is_of(c, key))
			continue;
		if (only_waits(c))
			return c;
		if (++looks == LOOKS_MAX)
			break;
	}
	return NULL;
}

/* One that has not said yet what it wants, or was told all that it will be. */
static struct conn *oldest_without_request(const struct http *s, const struct peer_key *key)
{
	int looks = 0;
	struct conn *c;

	TAILQ_FOREACH(c, &s->all, all)
	{
		if (!is_of(c, key))
			continue;
		if (c->state == CONN_LINGERING)
			return c;
		if (c->state != CONN_SHAKING && c->state != CONN_HEAD)
			continue;
		if (only_waits(c))
			return c;
		if (++looks == LOOKS_MAX)
			break;
	}
	return NULL;
}

struct conn *conn_least_needed(const struct http *s, const struct peer_key *key)
{
	struct conn *c = longest_idle(s, key);

	return c ? c : oldest_without_request(s, key);
}
