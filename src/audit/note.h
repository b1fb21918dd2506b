/* SPDX-License-Identifier: Apache-2.0 */
/* note.h - signed checkpoints: "this log has so many records, and this is their root".
 *
 * The text is a C2SP signed note (c2sp.org/signed-note, c2sp.org/tlog-checkpoint), signed with
 * Ed25519:
 *
 *     origin            the name of the log, also the name of its key
 *     20852163          records
 *     base64            root of their tree
 *
 *     — origin base64(key id, signature)
 */
#ifndef AUDIT_NOTE_H
#define AUDIT_NOTE_H

#include "audit/tree.h"

enum {
	NOTE_NAME_MAX = 128, /* an origin with its NUL */
	NOTE_MAX = 16384,    /* a whole note; foreign ones may carry signatures of witnesses */
	NOTE_KEY_MAX = 256,  /* a key as text */
	NOTE_SEED = 32,
	NOTE_PUBLIC = 32,
};

/* Who is believed. */
struct note_key {
	char name[NOTE_NAME_MAX];
	uint8_t id[4];
	uint8_t public[NOTE_PUBLIC];
};

/* Who signs; note_signer_done() wipes it. */
struct note_signer {
	struct note_key key;
	void *secret; /* of OpenSSL */
};

struct checkpoint {
	char origin[NOTE_NAME_MAX];
	uint64_t size;
	struct hash root;
};

/* No spaces, plus signs or control characters, not empty, short enough. */
bool note_name_is_fine(const char *name);

/* "name+hex id+base64(0x01, key)": the form that tlog tools read.  Strict; a newline at the end is
 * fine. */
int note_key_parse(const char *text, size_t len, struct note_key *ret, struct error *err);
void note_key_text(const struct note_key *key, char ret_text[static NOTE_KEY_MAX]);
/* From a file beneath dir (AT_FDCWD works). */
int note_key_read(int dir, const char *path, struct note_key *ret, struct error *err);

/* Makes a key pair in two files beneath dir: secret (0600) and public (0644).  Fails if the secret
 * one exists. */
int note_signer_create(int dir, const char *secret, const char *public, const char *name,
		       struct error *err);
/* Refuses a file that others may read. */
int note_signer_open(struct note_signer *ret, int dir, const char *secret, struct error *err);
void note_signer_done(struct note_signer *s);

/* The signed text, NUL-terminated; returns its length. */
int note_sign(const struct note_signer *s, const struct checkpoint *c, char *ret_text, size_t room,
	      struct error *err);
/* Believes it only if this key signed it and the origin is the key's name.  Signatures by others
 * are passed over. */
int note_verify(const struct note_key *key, const char *text, size_t len, struct checkpoint *ret,
		struct error *err);

#endif
