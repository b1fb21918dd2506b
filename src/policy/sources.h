/* SPDX-License-Identifier: Apache-2.0 */
/* sources.h - the files behind a policy: each trusted, read once, and counted in its hash. */
#ifndef POLICY_SOURCES_H
#define POLICY_SOURCES_H

#include <sys/types.h>

#include "base/sha256.h"
#include "policy/reader.h"

enum { SOURCES_MAX = 64, INCLUDE_DEPTH_MAX = 8 };

struct source {
	const char *name; /* its path; lives as long as the policy */
	const char *data;
	size_t len;
	dev_t dev;
	ino_t ino;
	bool open; /* its includes are being read */
};

struct sources {
	struct policy *policy;
	struct sha256 hash;
	bool in_memory;                /* no file is read */
	const struct policypack *pack; /* files are read from this; NULL: from where they are */
	struct source list[SOURCES_MAX];
	size_t n;
};

int sources_init(struct sources *s, struct policy *p, struct error *err);
void sources_end(struct sources *s);
/* What was given in memory is hashed, too. */
int sources_add_memory(struct sources *s, const char *data, size_t len, struct error *err);
/* Reads a policy file that n names: relative to the file in which n stands.  Complains through r,
 * also when it was read before. */
int sources_add(struct sources *s, struct reader *r, const struct node *n, const char *file,
		struct source *ret);
/* The same for one that holds something else, and may be named twice. */
int sources_add_data(struct sources *s, struct reader *r, const struct node *n, const char *file,
		     struct source *ret);
/* The same for a policy file that nothing names. */
int sources_add_path(struct sources *s, const char *path, struct source *ret, struct error *err);
/* file as it is seen from the one in which n stands; in the policy's arena. */
char *sources_path(struct sources *s, const struct node *n, const char *file, struct error *err);
/* While its includes are read: one of them that is it again goes round in a circle. */
void sources_set_open(struct sources *s, const struct source *one, bool open);
int sources_hash(struct sources *s, char ret_hex[static SHA256_HEX], struct error *err);

#endif
