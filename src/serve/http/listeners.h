/* SPDX-License-Identifier: Apache-2.0 */
/* listeners.h - from a word such as "127.0.0.1:8640" to a socket that listens. */
#ifndef SERVE_HTTP_LISTENERS_H
#define SERVE_HTTP_LISTENERS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/un.h>

#include "base/error.h"

enum { LISTEN_TEXT_MAX = 128, LISTEN_INHERITED_MAX = 16 };

struct listen_word {
	bool tls;
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_un un;
	} address;
};

/* "127.0.0.1:8640", "[::1]:8640", "unix:/run/belljar.sock", each also behind "tls:".  Addresses,
 * not names: what a name stands for is somebody else's to say.  Port 0: the kernel's choice. */
int listen_parse(const char *word, struct listen_word *ret, struct error *err);
/* The word again; the only one that is read as this. */
void listen_text(const struct listen_word *w, char ret_text[LISTEN_TEXT_MAX]);
/* Can only this machine's users connect? */
bool listen_is_local(const struct listen_word *w);
/* A descriptor.  A Unix socket that nobody listens on any more is replaced, and gets mode 0660; one
 * where somebody does is an error, as is any other file. */
int listen_open(const struct listen_word *w, struct error *err);
/* Sockets from whoever started us (LISTEN_FDS, LISTEN_PID), which are ours now; their number, 0 for
 * none.  The variables are removed. */
int listen_inherit(int ret_fds[LISTEN_INHERITED_MAX], struct error *err);
/* What the socket is bound to, as a word. */
int listen_name(int fd, struct listen_word *ret, struct error *err);

#endif
