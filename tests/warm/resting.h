/* SPDX-License-Identifier: Apache-2.0 */
/* resting.h - a resident slot between two calls: it goes on with what it does by itself. */
#ifndef WARM_RESTING_H
#define WARM_RESTING_H

#include <poll.h>

#include "base/clock.h"
#include "sandbox/native/slot.h"

static inline void rest(struct slot *s, unsigned ms)
{
	uint64_t until = clock_us() + ms * 1000ULL;

	for (;;) {
		uint64_t now = clock_us();
		struct pollfd fd = {.fd = slot_fd(s), .events = POLLIN};

		if (now >= until)
			return;
		(void)poll(&fd, 1, (int)((until - now + 999) / 1000));
		(void)slot_step(s);
	}
}

#endif
