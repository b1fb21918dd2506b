/* SPDX-License-Identifier: Apache-2.0 */
/* note.c - signed checkpoints: written, read strictly, believed only with a signature. */
#include "audit/note.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "audit/base64.h"
#include "audit/smallfile.h"
#include "base/own.h"
#include "base/text.h"

enum { TYPE_ED25519 = 1, SIGNATURE = 64, ID = 4, SIGNED_MAX = 16 };

static const char secret_mark[] = "PRIVATE+KEY+";
static const char dash[] = "\xe2\x80\x94 "; /* U+2014 and a space */

/* Our signatures must not depend on what somebody wrote into openssl.cnf. */
static void start_library(void)
{
	(void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL);
}

bool note_name_is_fine(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len >= NOTE_NAME_MAX)
		return false;
	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] >= 0x7f || name[i] == '+')
			return false;
	return true;
}

static void make_id(struct note_key *key)
{
	char text[NOTE_NAME_MAX + 2 + NOTE_PUBLIC];
	size_t n = strlen(key->name);
	struct hash h;

	memcpy(text, key->name, n);
	text[n++] = '\n';
	text[n++] = TYPE_ED25519;
	memcpy(text + n, key->public, NOTE_PUBLIC);
	hash_bytes(text, n + NOTE_PUBLIC, &h);
	memcpy(key->id, h.bytes, ID);
}

/* "name+hex id+base64(type, 32 bytes)": public and secret keys look alike. */
static void key_words(const struct note_key *key, const uint8_t *bytes,
		      char ret_text[static NOTE_KEY_MAX])
{
	uint8_t typed[1 + NOTE_PUBLIC] = {TYPE_ED25519};
	char coded[BASE64_LEN(sizeof(typed)) + 1];

	memcpy(typed + 1, bytes, NOTE_PUBLIC);
	base64_put(typed, sizeof(typed), coded);
	(void)snprintf(ret_text, NOTE_KEY_MAX, "%s+%02x%02x%02x%02x+%s", key->name, key->id[0],
		       key->id[1], key->id[2], key->id[3], coded);
	OPENSSL_cleanse(typed, sizeof(typed));
	OPENSSL_cleanse(coded, sizeof(coded));
}

void note_key_text(const struct note_key *key, char ret_text[static NOTE_KEY_MAX])
{
	key_words(key, key->public, ret_text);
}

/* Takes such words apart; the id is kept as text, to be compared. */
static int split_words(const char *text, size_t len, char ret_name[static NOTE_NAME_MAX],
		       char ret_id[static 9], uint8_t ret_bytes[static NOTE_PUBLIC])
{
	const char *plus = memchr(text, '+', len);
	uint8_t typed[1 + NOTE_PUBLIC] = {0};
	size_t n = plus ? (size_t)(plus - text) : 0;
	ssize_t got;

	if (!plus || n >= NOTE_NAME_MAX || len - n < 10 || plus[9] != '+')
		return -1;
	memcpy(ret_name, text, n);
	ret_name[n] = '\0';
	memcpy(ret_id, plus + 1, 8);
	ret_id[8] = '\0';
	got = base64_get(plus + 10, len - n - 10, typed, sizeof(typed));
	memcpy(ret_bytes, typed + 1, NOTE_PUBLIC);
	return got == sizeof(typed) && typed[0] == TYPE_ED25519 && note_name_is_fine(ret_name) &&
			       strlen(ret_name) == n
		       ? 0
		       : -1;
}

static bool id_is(const struct note_key *key, const char *hex)
{
	char want[9];

	(void)snprintf(want, sizeof(want), "%02x%02x%02x%02x", key->id[0], key->id[1], key->id[2],
		       key->id[3]);
	return strcmp(want, hex) == 0;
}

static size_t without_newline(const char *text, size_t len)
{
	return len > 0 && text[len - 1] == '\n' ? len - 1 : len;
}

int note_key_parse(const char *text, size_t len, struct note_key *ret, struct error *err)
{
	struct note_key key = {0};
	char id[9];

	if (split_words(text, without_newline(text, len), key.name, id, key.public) < 0)
		return fail(err, ERR_CONFIG, "not a public key (name+id+base64)");
	make_id(&key);
	if (!id_is(&key, id))
		return fail(err, ERR_CONFIG, "the key is not the one that its id names");
	*ret = key;
	return 0;
}

int note_key_read(int dir, const char *path, struct note_key *ret, struct error *err)
{
	char text[NOTE_KEY_MAX];
	ssize_t n = smallfile_get(dir, path, text, sizeof(text), err);

	if (n < 0)
		return -1;
	return note_key_parse(text, (size_t)n, ret, err) < 0 ? fail_in(err, "%s", path) : 0;
}

/* name is set; finds the public key that belongs to the seed. */
static int load_seed(struct note_signer *s, const uint8_t seed[static NOTE_SEED], struct error *err)
{
	size_t len = NOTE_PUBLIC;

	start_library();
	s->secret = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, NOTE_SEED);
	if (!s->secret || EVP_PKEY_get_raw_public_key(s->secret, s->key.public, &len) != 1 ||
	    len != NOTE_PUBLIC) {
		note_signer_done(s);
		return fail(err, ERR_SYSTEM, "OpenSSL does not take the key");
	}
	make_id(&s->key);
	return 0;
}

void note_signer_done(struct note_signer *s)
{
	EVP_PKEY_free(s->secret);
	*s = (struct note_signer){0};
}

static int put_key_file(int dir, const char *path, char text[static NOTE_KEY_MAX], unsigned how,
			struct error *err)
{
	size_t len = strlen(text);

	text[len] = '\n';
	return smallfile_put(dir, path, text, len + 1, how | SMALLFILE_DURABLE, err);
}

int note_signer_create(int dir, const char *secret, const char *public, const char *name,
		       struct error *err)
{
	char words[sizeof(secret_mark) + NOTE_KEY_MAX] = "", vkey[NOTE_KEY_MAX] = "";
	struct note_signer s = {0};
	uint8_t seed[NOTE_SEED];
	struct stat st;
	int ret;

	if (!note_name_is_fine(name))
		return fail(err, ERR_CONFIG, "'%s' is no name for a log", name);
	if (fstatat(dir, secret, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return fail(err, ERR_CONFIG, "%s exists already", secret);
	if (getrandom(seed, sizeof(seed), 0) != sizeof(seed))
		return fail_sys(err, "get random bytes");
	(void)snprintf(s.key.name, sizeof(s.key.name), "%s", name);
	if (load_seed(&s, seed, err) < 0)
		return -1;
	memcpy(words, secret_mark, sizeof(secret_mark) - 1);
	key_words(&s.key, seed, words + sizeof(secret_mark) - 1);
	note_key_text(&s.key, vkey);
	/* The secret one last: it is the one that says that the log has its keys. */
	ret = put_key_file(dir, public, vkey, SMALLFILE_PUBLIC, err);
	if (ret == 0)
		ret = put_key_file(dir, secret, words, 0, err);
	OPENSSL_cleanse(seed, sizeof(seed));
	OPENSSL_cleanse(words, sizeof(words));
	note_signer_done(&s);
	return ret;
}

int note_signer_open(struct note_signer *ret, int dir, const char *secret, struct error *err)
{
	const size_t mark = sizeof(secret_mark) - 1;
	char text[NOTE_KEY_MAX + sizeof(secret_mark)], id[9];
	struct note_signer s = {0};
	uint8_t seed[NOTE_SEED];
	struct stat st;
	ssize_t n = smallfile_get(dir, secret, text, sizeof(text), err);
	bool fine;

	if (n < 0)
		return -1;
	if (fstatat(dir, secret, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return fail_sys(err, "look at %s", secret);
	if (st.st_mode & 077)
		return fail(err, ERR_CONFIG, "%s may be read by others: chmod 600 it", secret);
	fine = (size_t)n > mark && memcmp(text, secret_mark, mark) == 0 &&
	       split_words(text + mark, without_newline(text, (size_t)n) - mark, s.key.name, id,
			   seed) == 0 &&
	       load_seed(&s, seed, err) == 0;
	OPENSSL_cleanse(text, sizeof(text));
	OPENSSL_cleanse(seed, sizeof(seed));
	if (!fine || !id_is(&s.key, id)) {
		note_signer_done(&s);
		return fail(err, ERR_CONFIG, "%s is no secret key", secret);
	}
	*ret = s;
	return 0;
}

static int sign_bytes(const struct note_signer *s, const char *text, size_t len,
		      uint8_t ret[static SIGNATURE])
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	size_t n = SIGNATURE;
	int ok = context && EVP_DigestSignInit(context, NULL, NULL, NULL, s->secret) == 1 &&
		 EVP_DigestSign(context, ret, &n, (const uint8_t *)text, len) == 1 &&
		 n == SIGNATURE;

	EVP_MD_CTX_free(context);
	return ok ? 0 : -1;
}

static bool signature_holds(const struct note_key *key, const char *text, size_t len,
			    const uint8_t signature[static SIGNATURE])
{
	EVP_PKEY *public;
	EVP_MD_CTX *context;
	bool ok;

	start_library();
	public = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key->public, NOTE_PUBLIC);
	context = EVP_MD_CTX_new();
	ok = public && context && EVP_DigestVerifyInit(context, NULL, NULL, NULL, public) == 1 &&
	     EVP_DigestVerify(context, signature, SIGNATURE, (const uint8_t *)text, len) == 1;
	EVP_MD_CTX_free(context);
	EVP_PKEY_free(public);
	return ok;
}

int note_sign(const struct note_signer *s, const struct checkpoint *c, char *ret_text, size_t room,
	      struct error *err)
{
	char root[BASE64_LEN(HASH_BYTES) + 1], coded[BASE64_LEN(ID + SIGNATURE) + 1];
	uint8_t signature[ID + SIGNATURE];
	int n, more;

	base64_put(c->root.bytes, HASH_BYTES, root);
	n = snprintf(ret_text, room, "%s\n%" PRIu64 "\n%s\n", c->origin, c->size, root);
	if (n < 0 || (size_t)n >= room)
		return fail(err, ERR_INTERNAL, "no room for a checkpoint");
	memcpy(signature, s->key.id, ID);
	if (sign_bytes(s, ret_text, (size_t)n, signature + ID) < 0)
		return fail(err, ERR_SYSTEM, "OpenSSL does not sign");
	base64_put(signature, sizeof(signature), coded);
	more = snprintf(ret_text + n, room - (size_t)n, "\n%s%s %s\n", dash, s->key.name, coded);
	if (more < 0 || (size_t)more >= room - (size_t)n)
		return fail(err, ERR_INTERNAL, "no room for a checkpoint");
	return n + more;
}

/* Cuts the next line off: its text without the newline.  False: there is no whole one. */
static bool next_line(const char **at, const char *end, const char **ret, size_t *ret_len)
{
	const char *newline = memchr(*at, '\n', (size_t)(end - *at));

	if (!newline)
		return false;
	*ret = *at;
	*ret_len = (size_t)(newline - *at);
	*at = newline + 1;
	return true;
}

/* Origin, size, root; lines behind them are extensions and signed like the rest. */
static bool parse_body(const char *text, const char *end, struct checkpoint *ret)
{
	struct error none;
	char digits[21];
	const char *line;
	size_t len;

	if (!next_line(&text, end, &line, &len) || len >= sizeof(ret->origin))
		return false;
	memcpy(ret->origin, line, len);
	ret->origin[len] = '\0';
	if (!note_name_is_fine(ret->origin) || strlen(ret->origin) != len)
		return false;
	if (!next_line(&text, end, &line, &len) || len == 0 || len >= sizeof(digits) ||
	    (len > 1 && line[0] == '0'))
		return false;
	memcpy(digits, line, len);
	digits[len] = '\0';
	if (text_parse_uint(digits, &ret->size, &none) < 0 || strlen(digits) != len)
		return false;
	return next_line(&text, end, &line, &len) &&
	       base64_get(line, len, ret->root.bytes, HASH_BYTES) == HASH_BYTES;
}

/* "— name base64": 1 this key signed and it holds, 0 another key, -1 a bad line or signature. */
static int judge_signature(const struct note_key *key, const char *line, size_t len,
			   const char *text, size_t text_len)
{
	uint8_t signature[NOTE_MAX];
	const size_t mark = sizeof(dash) - 1;
	size_t name_len = strlen(key->name);
	const char *space;
	ssize_t n;

	if (len <= mark || memcmp(line, dash, mark) != 0)
		return -1;
	line += mark;
	len -= mark;
	space = memchr(line, ' ', len);
	if (!space || space == line)
		return -1;
	n = base64_get(space + 1, len - (size_t)(space + 1 - line), signature, sizeof(signature));
	if (n <= ID)
		return -1;
	if ((size_t)(space - line) != name_len || memcmp(line, key->name, name_len) != 0 ||
	    memcmp(signature, key->id, ID) != 0)
		return 0;
	return n == ID + SIGNATURE && signature_holds(key, text, text_len, signature + ID) ? 1 : -1;
}

/* Where the signatures begin: behind the last empty line. */
static const char *find_signatures(const char *text, size_t len)
{
	for (size_t i = len; i >= 2; i--)
		if (text[i - 1] == '\n' && text[i - 2] == '\n')
			return text + i;
	return NULL;
}

static bool is_note_text(const char *text, size_t len)
{
	if (len == 0 || len > NOTE_MAX || text[len - 1] != '\n' || !text_is_utf8(text, len))
		return false;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\n')
			return false;
	return true;
}

int note_verify(const struct note_key *key, const char *text, size_t len, struct checkpoint *ret,
		struct error *err)
{
	const char *end = text + len, *at, *line;
	struct checkpoint c = {0};
	size_t body, line_len;
	int ours = 0, seen = 0;

	at = is_note_text(text, len) ? find_signatures(text, len) : NULL;
	if (!at || at == end)
		return fail(err, ERR_CALLER, "not a signed checkpoint");
	body = (size_t)(at - text) - 1;
	while (at < end && next_line(&at, end, &line, &line_len)) {
		int judged = judge_signature(key, line, line_len, text, body);

		if (judged < 0 || ++seen > SIGNED_MAX)
			return fail(err, ERR_CALLER, "a signature of the checkpoint does not hold");
		ours += judged;
	}
	if (ours == 0)
		return fail(err, ERR_CALLER, "the checkpoint is not signed by %s", key->name);
	if (!parse_body(text, text + body, &c))
		return fail(err, ERR_CALLER, "what is signed is no checkpoint");
	if (strcmp(c.origin, key->name) != 0)
		return fail(err, ERR_CALLER, "the checkpoint is of another log, %s", c.origin);
	*ret = c;
	return 0;
}
