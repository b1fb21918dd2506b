/* SPDX-License-Identifier: Apache-2.0 */
/* tls.c - TLS contexts: which versions, which ciphers, whose certificates. */
#include "serve/http/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "serve/http/tlscontext.h"

enum { PEM_MAX = 1 << 20 };

#define CIPHERS_12                                                   \
	"ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:" \
	"ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:" \
	"ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
#define CIPHERS_13 "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"

static int fail_tls(struct error *err, const char *what)
{
	const char *why = ERR_reason_error_string(ERR_peek_last_error());

	ERR_clear_error();
	return fail(err, ERR_CONFIG, "%s: %s", what, why ? why : "not usable");
}

static BIO *text_bio(const char *text)
{
	return BIO_new_mem_buf(text, -1);
}

/* A key with a passphrase is refused: there is nobody to ask. */
static int no_passphrase(char *out, int room, int writing, void *context)
{
	(void)out, (void)room, (void)writing, (void)context;
	return -1;
}

static bool add_chain(SSL_CTX *ctx, BIO *bio)
{
	X509 *link;

	while ((link = PEM_read_bio_X509(bio, NULL, no_passphrase, NULL))) {
		if (SSL_CTX_add0_chain_cert(ctx, link) != 1) {
			X509_free(link);
			return false;
		}
	}
	/* The end of the text is no failure, anything else is. */
	if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
		return false;
	ERR_clear_error();
	return true;
}

static int use_cert(SSL_CTX *ctx, const char *pem, struct error *err)
{
	BIO *bio = text_bio(pem);
	X509 *cert = bio ? PEM_read_bio_X509_AUX(bio, NULL, no_passphrase, NULL) : NULL;
	bool ok = cert && SSL_CTX_use_certificate(ctx, cert) == 1 && add_chain(ctx, bio);

	X509_free(cert);
	BIO_free(bio);
	return ok ? 0 : fail_tls(err, "the certificate");
}

static int use_key(SSL_CTX *ctx, const char *pem, struct error *err)
{
	BIO *bio = text_bio(pem);
	EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL) : NULL;
	bool ok =
		key && SSL_CTX_use_PrivateKey(ctx, key) == 1 && SSL_CTX_check_private_key(ctx) == 1;

	EVP_PKEY_free(key);
	BIO_free(bio);
	return ok ? 0 : fail_tls(err, "the private key");
}

static bool add_ca(SSL_CTX *ctx, BIO *bio)
{
	X509_STORE *store = SSL_CTX_get_cert_store(ctx);
	size_t n = 0;
	X509 *ca;

	while ((ca = PEM_read_bio_X509(bio, NULL, no_passphrase, NULL))) {
		bool ok =
			X509_STORE_add_cert(store, ca) == 1 && SSL_CTX_add_client_CA(ctx, ca) == 1;

		X509_free(ca);
		if (!ok)
			return false;
		n++;
	}
	if (n == 0 || ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
		return false;
	ERR_clear_error();
	return true;
}

/* Only those that this CA has signed: the host's own store of CAs has no say. */
static int use_client_ca(SSL_CTX *ctx, const char *pem, struct error *err)
{
	BIO *bio = text_bio(pem);
	bool ok = bio && add_ca(ctx, bio);

	BIO_free(bio);
	if (!ok)
		return fail_tls(err, "the clients' CA");
	SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
	SSL_CTX_set_verify_depth(ctx, 4);
	return 0;
}

static int set_rules(SSL_CTX *ctx, struct error *err)
{
	SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
					 SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_TICKET);
	SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
				      SSL_MODE_RELEASE_BUFFERS);
	/* No resumption: a session that outlives a reload would outlive its client's right. */
	(void)SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
	(void)SSL_CTX_set_num_tickets(ctx, 0);
	(void)SSL_CTX_set_session_id_context(ctx, (const unsigned char *)"belljar", 7);
	if (SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) != 1 ||
	    SSL_CTX_set_cipher_list(ctx, CIPHERS_12) != 1 ||
	    SSL_CTX_set_ciphersuites(ctx, CIPHERS_13) != 1)
		return fail_tls(err, "TLS");
	return 0;
}

struct http_tls *http_tls_new(const struct http_tls_pem *pem, struct error *err)
{
	struct http_tls *t = calloc(1, sizeof(*t));

	if (!t) {
		(void)fail_sys(err, "TLS");
		return NULL;
	}
	ERR_clear_error();
	t->ctx = SSL_CTX_new(TLS_server_method());
	if (!t->ctx)
		(void)fail_tls(err, "TLS");
	if (!t->ctx || set_rules(t->ctx, err) < 0 || use_cert(t->ctx, pem->cert, err) < 0 ||
	    use_key(t->ctx, pem->key, err) < 0 ||
	    (pem->client_ca && use_client_ca(t->ctx, pem->client_ca, err) < 0)) {
		http_tls_free(t);
		return NULL;
	}
	return t;
}

static int read_pem(const char *path, struct buf *out, struct error *err)
{
	own_fd fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char piece[4096];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail_sys(err, "%s", path);
	if (!S_ISREG(st.st_mode))
		return fail(err, ERR_CONFIG, "%s is not a file", path);
	buf_init(out, PEM_MAX);
	while ((n = read(fd, piece, sizeof(piece))) > 0)
		if (buf_add(out, piece, (size_t)n, err) < 0)
			return -1;
	explicit_bzero(piece, sizeof(piece));
	if (n < 0)
		return fail_sys(err, "%s", path);
	return out->cut ? fail(err, ERR_CONFIG, "%s is too large", path) : 0;
}

struct http_tls *http_tls_load(const char *cert, const char *key, const char *client_ca,
			       struct error *err)
{
	own(buf) cert_text = {0}, key_text = {0}, ca_text = {0};
	struct http_tls_pem pem;
	struct http_tls *t;

	if (read_pem(cert, &cert_text, err) < 0 || read_pem(key, &key_text, err) < 0 ||
	    (client_ca && read_pem(client_ca, &ca_text, err) < 0))
		return NULL;
	pem = (struct http_tls_pem){buf_str(&cert_text), buf_str(&key_text),
				    client_ca ? buf_str(&ca_text) : NULL};
	t = http_tls_new(&pem, err);
	if (key_text.data)
		explicit_bzero(key_text.data, key_text.len);
	return t;
}

void http_tls_free(struct http_tls *t)
{
	if (!t)
		return;
	SSL_CTX_free(t->ctx);
	free(t);
}
