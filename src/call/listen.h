/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - a word such as 127.0.0.1:8640 becomes a place to listen at. */
#ifndef CALL_LISTEN_H
#define CALL_LISTEN_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/un.h>

#include "base/error.h"

/* "127.0.0.1:8640", "[::1]:8640", "unix:/run/x.sock"; "tls:" in front of a TCP one. */
struct listen_word {
	bool is_unix, tls;
	bool loopback; /* nobody but this host can come: 127.0.0.0/8, ::1, a Unix socket */
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_un un;
	} address;
	socklen_t address_len;
};

/* Names are not looked up: what a name means tomorrow is not what was checked today. */
int listen_parse(const char *word, struct listen_word *ret, struct error *err);
/* May it be listened at?  tls: there is a certificate; plaintext: the owner said so. */
int listen_check(const struct listen_word *w, bool tls, bool plaintext, struct error *err);

#endif
