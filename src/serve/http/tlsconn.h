/* SPDX-License-Identifier: Apache-2.0 */
/* tlsconn.h - one connection's TLS, over a socket that never waits. */
#ifndef SERVE_HTTP_TLSCONN_H
#define SERVE_HTTP_TLSCONN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "serve/http/tls.h"

/* What reading and writing say instead of a count; 0 is the end. */
enum {
	IO_LATER_IN = -1,  /* when there is something to read */
	IO_LATER_OUT = -2, /* when there is room to write */
	IO_BROKEN = -3,
};

struct tls_conn;

struct tls_conn *tls_conn_new(struct http_tls *t, int fd); /* NULL: no memory */
void tls_conn_free(struct tls_conn *c);
/* 1: done. */
int tls_conn_shake(struct tls_conn *c);
ssize_t tls_conn_read(struct tls_conn *c, void *data, size_t room);
ssize_t tls_conn_write(struct tls_conn *c, const void *data, size_t len);
/* Bytes that were taken from the socket and not read yet. */
bool tls_conn_holds(const struct tls_conn *c);
/* The common name of the client's verified certificate; empty: none. */
void tls_conn_name(const struct tls_conn *c, char *ret_name, size_t room);
/* Says that nothing more comes.  Does not wait for the same from the other side. */
void tls_conn_goodbye(struct tls_conn *c);

#endif
