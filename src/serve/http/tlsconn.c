/* SPDX-License-Identifier: Apache-2.0 */
/* tlsconn.c - one connection's TLS, over a socket that never waits. */
#include "serve/http/tlsconn.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <string.h>

#include "serve/http/tlscontext.h"

struct tls_conn *tls_conn_new(struct http_tls *t, int fd)
{
	SSL *ssl = SSL_new(t->ctx);

	if (ssl && SSL_set_fd(ssl, fd) == 1) {
		SSL_set_accept_state(ssl);
		return (struct tls_conn *)ssl;
	}
	SSL_free(ssl);
	ERR_clear_error();
	return NULL;
}

static SSL *ssl_of(const struct tls_conn *c)
{
	return (SSL *)(uintptr_t)c;
}

void tls_conn_free(struct tls_conn *c)
{
	SSL_free(ssl_of(c));
}

/* Each failure empties the queue of errors: it belongs to the thread, not to the connection, and
 * the next connection must not stumble over it. */
static int later(SSL *ssl, int result)
{
	int why = SSL_get_error(ssl, result);

	ERR_clear_error();
	switch (why) {
	case SSL_ERROR_WANT_READ:
		return IO_LATER_IN;
	case SSL_ERROR_WANT_WRITE:
		return IO_LATER_OUT;
	case SSL_ERROR_ZERO_RETURN:
		return 0;
	default:
		return IO_BROKEN;
	}
}

int tls_conn_shake(struct tls_conn *c)
{
	int result = SSL_do_handshake(ssl_of(c));

	return result == 1 ? 1 : later(ssl_of(c), result);
}

ssize_t tls_conn_read(struct tls_conn *c, void *data, size_t room)
{
	int n = SSL_read(ssl_of(c), data, room > INT_MAX ? INT_MAX : (int)room);

	return n > 0 ? n : later(ssl_of(c), n);
}

ssize_t tls_conn_write(struct tls_conn *c, const void *data, size_t len)
{
	int n = SSL_write(ssl_of(c), data, len > INT_MAX ? INT_MAX : (int)len);

	return n > 0 ? n : later(ssl_of(c), n);
}

bool tls_conn_holds(const struct tls_conn *c)
{
	return SSL_has_pending(ssl_of(c)) == 1;
}

void tls_conn_name(const struct tls_conn *c, char *ret_name, size_t room)
{
	X509 *cert = SSL_get1_peer_certificate(ssl_of(c));
	X509_NAME *subject = cert ? X509_get_subject_name(cert) : NULL;
	int n = -1;

	ret_name[0] = '\0';
	if (subject && SSL_get_verify_result(ssl_of(c)) == X509_V_OK)
		n = X509_NAME_get_text_by_NID(subject, NID_commonName, ret_name, (int)room);
	/* One that does not fit, or has a NUL in it, is nobody's. */
	if (n < 0 || (size_t)n != strlen(ret_name) || (size_t)n + 1 >= room)
		ret_name[0] = '\0';
	X509_free(cert);
}

void tls_conn_goodbye(struct tls_conn *c)
{
	(void)SSL_shutdown(ssl_of(c));
	ERR_clear_error();
}
