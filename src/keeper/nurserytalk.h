/* SPDX-License-Identifier: Apache-2.0 */
/* nurserytalk.h - what the supervisor and the nursery of keepers say to each other.
 *
 *   supervisor                          nursery
 *             <- ready: pid 0
 *   order; the front's socket, the warden's, perhaps the template ->
 *             <- pid of the keeper                or 0 and an error
 *
 * A keeper that is to make a template has, in the front's place, a socket of the
 * supervisor's, and sends the template there: one byte, one descriptor.
 *
 * Fixed structs over a SOCK_SEQPACKET pair.  The nursery ends with the socket.
 */
#ifndef KEEPER_NURSERYTALK_H
#define KEEPER_NURSERYTALK_H

#include <stdint.h>

#include "base/error.h"

enum { NURSERY_MAGIC = 0x7372756e, NURSERY_VERSION = 2 };

/* Positions of the descriptors that come with an order. */
enum { NURSERY_FRONT, NURSERY_WARDEN, NURSERY_TEMPLATE, NURSERY_FDS };

enum nursery_wants { NURSERY_KEEPER = 0, NURSERY_MAKER, NURSERY_WANTS };

struct nursery_order {
	uint32_t magic, version;
	uint32_t wants, pad; /* enum nursery_wants */
};

struct nursery_answer {
	uint32_t magic, version;
	int32_t pid;
	struct error error;
};

#endif
