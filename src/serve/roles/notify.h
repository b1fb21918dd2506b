/* SPDX-License-Identifier: Apache-2.0 */
/* notify.h - what systemd is told and what it hands over: sd_notify and socket activation. */
#ifndef SERVE_ROLES_NOTIFY_H
#define SERVE_ROLES_NOTIFY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* All zeros with sock -1: nobody wants to know. */
struct notify {
	int sock;
	uint64_t watchdog_us; /* how often it wants a sign of life; 0: not at all */
};

enum { NOTIFY_ACTIVATED_MAX = 16 };

/* By $NOTIFY_SOCKET, $WATCHDOG_USEC and $WATCHDOG_PID. */
int notify_open(struct notify *ret, struct error *err);
void notify_close(struct notify *n);
/* Lines such as "READY=1"; lost if nobody takes it. */
void notify_say(const struct notify *n, const char *text);
/* Before a reload; the end of it is READY=1. */
void notify_reloading(const struct notify *n);

/* Sockets that were opened for us, by $LISTEN_FDS and $LISTEN_PID.  names: $LISTEN_FDNAMES, one
 * each, empty if it says none.  How many, or -1. */
int notify_activated(int *ret_fds, char (*ret_names)[32], struct error *err);

#endif
