/* SPDX-License-Identifier: Apache-2.0 */
/* sha256.h - SHA-256 by OpenSSL's libcrypto, loaded when somebody asks for it.
 *
 * Nothing links against libcrypto: a run that copies nothing out does not pay for loading it.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>

#include "base/error.h"

enum { SHA256_HEX = 65 }; /* 64 digits and the NUL */

struct sha256 {
	void *context;
};

/* Loads and tries the library, so that nothing is left to load in a process that was sealed
 * since.  Cheap the second time. */
int sha256_load(struct error *err);
/* Before that: this process is somebody else's, and so is its OpenSSL's configuration. */
void sha256_be_guest(void);

/* sha256_load() comes first. */
int sha256_init(struct sha256 *s, struct error *err);
int sha256_add(struct sha256 *s, const void *data, size_t len, struct error *err);
/* Also ends s, failed or not. */
int sha256_done(struct sha256 *s, char ret_hex[static SHA256_HEX], struct error *err);
void sha256_end(struct sha256 *s); /* for own(sha256); safe after sha256_done() */

#endif
