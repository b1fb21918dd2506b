/* SPDX-License-Identifier: Apache-2.0 */
/* sha256_linked.c - SHA-256 by OpenSSL's libcrypto, linked into the program.
 *
 * For the program belljar, which is linked statically because that starts
 * twice as fast: there dlopen is no choice, and of libcrypto only these three
 * functions come along, 26 kB.  They are deprecated in favour of ones that load
 * providers, which is what we do not want.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"

#if defined(__x86_64__) && defined(SHA256_ALONE)
#include <cpuid.h>

/* For a program that uses nothing else of libcrypto.  Defined by us, these two names keep a file of
 * libcrypto out that would ask the processor a dozen questions before main, in every run; a virtual
 * machine answers one in five microseconds. */
void OPENSSL_cleanse(void *ptr, size_t len);
unsigned OPENSSL_ia32cap_P[4]; /* all zero: plain instructions */

void OPENSSL_cleanse(void *ptr, size_t len)
{
	explicit_bzero(ptr, len);
}

static void look_at_processor(void)
{
	enum { SSSE3 = 1 << 9, SHA = 1 << 29 };
	unsigned a, b, c, d;

	__cpuid(1, a, b, c, d);
	OPENSSL_ia32cap_P[1] = c & SSSE3;
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
		OPENSSL_ia32cap_P[2] = b & SHA;
}
#else
static void look_at_processor(void)
{
}
#endif

void sha256_be_guest(void)
{
}

int sha256_load(struct error *err)
{
	(void)err;
	look_at_processor();
	return 0;
}

int sha256_init(struct sha256 *s, struct error *err)
{
	s->context = malloc(sizeof(SHA256_CTX));
	if (!s->context)
		return fail_sys(err, "allocate for a hash");
	return SHA256_Init(s->context) == 1 ? 0 : fail(err, ERR_SYSTEM, "SHA-256 does not start");
}

int sha256_add(struct sha256 *s, const void *data, size_t len, struct error *err)
{
	return SHA256_Update(s->context, data, len) == 1 ? 0
							 : fail(err, ERR_SYSTEM, "SHA-256 fails");
}

int sha256_done(struct sha256 *s, char ret_hex[static SHA256_HEX], struct error *err)
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	int ok = SHA256_Final(digest, s->context);

	sha256_end(s);
	if (ok != 1)
		return fail(err, ERR_SYSTEM, "SHA-256 fails");
	for (size_t i = 0; i < sizeof(digest); i++)
		(void)snprintf(ret_hex + 2 * i, 3, "%02x", digest[i]);
	return 0;
}

void sha256_end(struct sha256 *s)
{
	free(s->context);
	s->context = NULL;
}
