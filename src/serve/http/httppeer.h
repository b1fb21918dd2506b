/* SPDX-License-Identifier: Apache-2.0 */
/* httppeer.h - who is at the other end of a socket. */
#ifndef SERVE_HTTP_HTTPPEER_H
#define SERVE_HTTP_HTTPPEER_H

#include <stdbool.h>

#include "serve/http/http.h"
#include "serve/http/peercount.h"

/* Fills in what the socket says; false: nothing that we know, or it is gone.  Sets
 * the options of a TCP socket, too. */
bool http_peer_of(int fd, struct http_peer *ret_peer, struct peer_key *ret_key);

#endif
