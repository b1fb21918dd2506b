/* SPDX-License-Identifier: Apache-2.0 */
/* tls.h - TLS for a listener: a certificate, its key, and perhaps whose clients are believed. */
#ifndef SERVE_HTTP_TLS_H
#define SERVE_HTTP_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "serve/http/http.h"

/* PEM as text, so that a process without files can be given them. */
struct http_tls_pem {
	const char *cert; /* the server's, and what links it to its root */
	const char *key;
	const char
		*client_ca; /* NULL: clients need no certificate; else they must have one of it */
};

/* TLS 1.2 and 1.3.  NULL: err says why, and never says the key.  May be freed while connections
 * that were made with it last. */
struct http_tls *http_tls_new(const struct http_tls_pem *pem, struct error *err);
/* The same from files; client_ca may be NULL. */
struct http_tls *http_tls_load(const char *cert, const char *key, const char *client_ca,
			       struct error *err);
void http_tls_free(struct http_tls *t);
/* New connections of every listener with TLS take this one. */
void http_set_tls(struct http *s, struct http_tls *t);

#endif
