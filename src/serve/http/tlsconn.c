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

/* The queue of errors belongs to the thread, not to the connection: it is emptied before and after,
 * so that nobody stumbles over somebody else's. */
static SSL *fresh(const struct tls_conn *c)
{
	ERR_clear_error();
	return ssl_of(c);
}

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
	int result = SSL_do_handshake(fresh(c));

	return result == 1 ? 1 : later(ssl_of(c), result);
}

ssize_t tls_conn_read(struct tls_conn *c, void *data, size_t room)
{
	int n = SSL_read(fresh(c), data, room > INT_MAX ? INT_MAX : (int)room);

	return n > 0 ? n : later(ssl_of(c), n);
}

ssize_t tls_conn_write(struct tls_conn *c, const void *data, size_t len)
{
	int n = SSL_write(fresh(c), data, len > INT_MAX ? INT_MAX : (int)len);

	return n > 0 ? n : later(ssl_of(c), n);
}

bool tls_conn_holds(const struct tls_conn *c)
{
	return SSL_has_pending(ssl_of(c)) == 1;
}

/* Exactly one common name, in UTF-8, without a NUL, that fits: else it is nobody's. */
static void take_name(const X509 *cert, char *ret_name, size_t room)
{
	const X509_NAME *subject = X509_get_subject_name(cert);
	int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1), len;
	unsigned char *text = NULL;

	if (at < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0)
		return;
	len = ASN1_STRING_to_UTF8(&text,
				  X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
	if (len > 0 && (size_t)len < room && !memchr(text, '\0', (size_t)len)) {
		memcpy(ret_name, text, (size_t)len);
		ret_name[len] = '\0';
	}
	OPENSSL_free(text);
}

void tls_conn_name(const struct tls_conn *c, char *ret_name, size_t room)
{
	X509 *cert = SSL_get1_peer_certificate(ssl_of(c));

	ret_name[0] = '\0';
	if (cert && SSL_get_verify_result(ssl_of(c)) == X509_V_OK)
		take_name(cert, ret_name, room);
	X509_free(cert);
	ERR_clear_error();
}

void tls_conn_goodbye(struct tls_conn *c)
{
	(void)SSL_shutdown(fresh(c));
	ERR_clear_error();
}
