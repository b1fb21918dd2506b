/* SPDX-License-Identifier: Apache-2.0 */
/* tlscontext.h - what tls.c makes and tlsconn.c uses. */
#ifndef SERVE_HTTP_TLSCONTEXT_H
#define SERVE_HTTP_TLSCONTEXT_H

#include <openssl/ssl.h>

struct http_tls {
	SSL_CTX *ctx; /* counts its users itself */
};

#endif
