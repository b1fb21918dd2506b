/* SPDX-License-Identifier: Apache-2.0 */
/* sha256.c - SHA-256 by OpenSSL's libcrypto, loaded when somebody asks for it. */
#include "base/sha256.h"

#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"

/* OpenSSL 3's own, declared here: its headers are not needed to build belljar. */
enum { DIGEST_BYTES = 32 };
#define INIT_NO_LOAD_CONFIG 0x00000080L
#define INIT_NO_ATEXIT      0x00080000L

static struct {
	int (*init_crypto)(uint64_t options, const void *settings);
	void *(*context_new)(void);
	void (*context_free)(void *context);
	const void *(*sha256)(void);
	int (*digest_init)(void *context, const void *type, void *engine);
	int (*digest_update)(void *context, const void *data, size_t len);
	int (*digest_final)(void *context, unsigned char *ret_digest, unsigned *ret_len);
} crypto;

static const struct {
	const char *name;
	void *slot;
} symbols[] = {
	{"OPENSSL_init_crypto", &crypto.init_crypto}, /* before anything else */
	{"EVP_MD_CTX_new", &crypto.context_new},      /* */
	{"EVP_MD_CTX_free", &crypto.context_free},    /* */
	{"EVP_sha256", &crypto.sha256},               /* */
	{"EVP_DigestInit_ex", &crypto.digest_init},   /* */
	{"EVP_DigestUpdate", &crypto.digest_update},  /* */
	{"EVP_DigestFinal_ex", &crypto.digest_final}, /* */
};

/* A library's caller may have threads. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;
static bool guest;

static int find_symbols(void *library, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
		void *found = dlsym(library, symbols[i].name);

		if (!found)
			return fail(err, ERR_CONFIG, "libcrypto.so.3 has no %s", symbols[i].name);
		memcpy(symbols[i].slot, &found, sizeof(found));
	}
	return 0;
}

/* The first digest makes the library look for its providers: better now than behind a seal. */
static int try_it(struct error *err)
{
	static const char expected[] =
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
	char hex[SHA256_HEX];
	own(sha256) s = {0};

	if (sha256_init(&s, err) < 0 || sha256_add(&s, "abc", 3, err) < 0 ||
	    sha256_done(&s, hex, err) < 0)
		return -1;
	if (strcmp(hex, expected) != 0)
		return fail(err, ERR_CONFIG, "libcrypto.so.3 computes a wrong SHA-256");
	return 0;
}

static int start_library(void *library, struct error *err)
{
	if (find_symbols(library, err) < 0)
		return -1;
	/* A host's OpenSSL configuration may load modules; a plain digest needs none of it.  But in
	 * somebody else's process this would decide for everybody who uses OpenSSL there. */
	if (!guest && !crypto.init_crypto(INIT_NO_LOAD_CONFIG | INIT_NO_ATEXIT, NULL))
		return fail(err, ERR_CONFIG, "libcrypto.so.3 does not start");
	return try_it(err);
}

static int load(struct error *err)
{
	void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return fail(err, ERR_CONFIG,
			    "SHA-256 needs OpenSSL's libcrypto.so.3: install libssl3");
	if (start_library(library, err) < 0) {
		(void)dlclose(library);
		return -1;
	}
	return 0;
}

int sha256_load(struct error *err)
{
	int result = 0;

	(void)pthread_mutex_lock(&loading);
	if (!loaded)
		result = load(err);
	loaded = loaded || result == 0;
	(void)pthread_mutex_unlock(&loading);
	return result;
}

void sha256_be_guest(void)
{
	(void)pthread_mutex_lock(&loading);
	guest = true;
	(void)pthread_mutex_unlock(&loading);
}

int sha256_init(struct sha256 *s, struct error *err)
{
	assert(crypto.context_new);
	s->context = crypto.context_new();
	if (!s->context || !crypto.digest_init(s->context, crypto.sha256(), NULL)) {
		sha256_end(s);
		return fail(err, ERR_CONFIG, "libcrypto.so.3 offers no SHA-256");
	}
	return 0;
}

int sha256_add(struct sha256 *s, const void *data, size_t len, struct error *err)
{
	if (!crypto.digest_update(s->context, data, len))
		return fail(err, ERR_INTERNAL, "SHA-256 over %zu bytes failed", len);
	return 0;
}

int sha256_done(struct sha256 *s, char ret_hex[static SHA256_HEX], struct error *err)
{
	unsigned char digest[64]; /* EVP_MAX_MD_SIZE */
	unsigned len = 0;
	int good = crypto.digest_final(s->context, digest, &len);

	sha256_end(s);
	if (!good || len != DIGEST_BYTES)
		return fail(err, ERR_INTERNAL, "SHA-256 did not finish");
	for (size_t i = 0; i < DIGEST_BYTES; i++)
		(void)snprintf(ret_hex + 2 * i, 3, "%02x", digest[i]);
	return 0;
}

void sha256_end(struct sha256 *s)
{
	if (s->context)
		crypto.context_free(s->context);
	s->context = NULL;
}
