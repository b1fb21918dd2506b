/* SPDX-License-Identifier: Apache-2.0 */
/* roletalk.h - what the supervisor and the front say to each other. */
#ifndef SERVE_ROLES_ROLETALK_H
#define SERVE_ROLES_ROLETALK_H

#include <stdint.h>

#include "base/error.h"

enum { ROLE_MAGIC = 0x726c6562, ROLE_VERSION = 2 };

enum role_word {
	ROLE_NONE = 0,
	/* front -> supervisor */
	ROLE_WANT_KEEPER, /* one more; number: 1 for a session's */
	ROLE_RELOAD,      /* an admin asked for it over HTTP; number: grows with each */
	ROLE_DRAINED,     /* nothing is open any more */
	/* supervisor -> front */
	ROLE_VIEW,   /* descriptor: the view of the policy (JSON), from now on */
	ROLE_KEEPER, /* descriptor: a keeper's socket; number: as it was asked for; policy: its
			generation.  Without a descriptor: it could not be started */
	ROLE_READER, /* descriptor: the socket of a reader of the log */
	ROLE_DRAIN,  /* accept no more; number: milliseconds until the end */
	ROLE_STATE,  /* number: bits of ROLE_UP_... */
	ROLE_TLS, /* descriptor: certificate, key and, if any, client_ca: PEM, a NUL behind each */
	/* The policy was read for every ROLE_RELOAD up to number, and counts, or the one before
	 * does.  Descriptor: a text, what is to be said about it or why not; it may be missing. */
	ROLE_RELOADED,
	ROLE_NOT_RELOADED,
	ROLE_COUNT
};

enum { ROLE_UP_WARDEN = 1, ROLE_UP_SCRIBE = 2, ROLE_UP_READER = 4, ROLE_UP_SELF_TEST = 8 };

struct role_message {
	uint32_t magic, version;
	uint32_t word;       /* enum role_word */
	uint32_t generation; /* of the policy */
	uint64_t number;
	char text[256]; /* for the log, or why it failed */
};

int role_send(int sock, struct role_message *m, int fd, struct error *err);
/* 1: one came (ret_fd -1: without a descriptor), 0: the peer is gone, -1: err. */
int role_take(int sock, struct role_message *ret, int *ret_fd, struct error *err);

#endif
