/* SPDX-License-Identifier: Apache-2.0 */
/* meterkey.c - whose bucket: names become 128-bit keys.
 *
 * The file holds no names: a key is SipHash-2-4-128 of them under a secret of
 * the file, so that nobody can choose names that share a bucket or fill a sector.
 */
#include "policy/meterkey.h"

#include <endian.h>
#include <string.h>

enum { NAME_ROOM = 255 };

struct sip {
	uint64_t v0, v1, v2, v3;
};

static uint64_t turn(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static void sip_rounds(struct sip *s, int n)
{
	for (; n > 0; n--) {
		s->v0 += s->v1;
		s->v2 += s->v3;
		s->v1 = turn(s->v1, 13) ^ s->v0;
		s->v3 = turn(s->v3, 16) ^ s->v2;
		s->v0 = turn(s->v0, 32);
		s->v2 += s->v1;
		s->v0 += s->v3;
		s->v1 = turn(s->v1, 17) ^ s->v2;
		s->v3 = turn(s->v3, 21) ^ s->v0;
		s->v2 = turn(s->v2, 32);
	}
}

static void sip_word(struct sip *s, uint64_t word)
{
	s->v3 ^= word;
	sip_rounds(s, 2);
	s->v0 ^= word;
}

static uint64_t sip_result(struct sip *s, uint64_t *flavour, uint64_t with)
{
	*flavour ^= with;
	sip_rounds(s, 4);
	return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

struct meter_key meter_hash(const uint64_t secret[static 2], const void *data, size_t len)
{
	struct sip s = {secret[0] ^ 0x736f6d6570736575, secret[1] ^ 0x646f72616e646f6d ^ 0xee,
			secret[0] ^ 0x6c7967656e657261, secret[1] ^ 0x7465646279746573};
	const unsigned char *p = data;
	struct meter_key key;
	uint64_t word;
	size_t left = len;

	for (; left >= sizeof(word); left -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sip_word(&s, le64toh(word));
	}
	word = 0;
	memcpy(&word, p, left);
	sip_word(&s, le64toh(word) | (uint64_t)len << 56);
	key.a = sip_result(&s, &s.v2, 0xee);
	key.b = sip_result(&s, &s.v1, 0xdd);
	return key;
}

/* A name too long is cut: it then shares a bucket, which is stricter, never wider. */
static size_t add_name(char *out, const char *name)
{
	size_t len = name ? strnlen(name, NAME_ROOM) : 0;

	out[0] = name ? 1 : 0;
	out[1] = (char)len;
	memcpy(out + 2, name ? name : "", len);
	return len + 2;
}

struct meter_key meter_key(const uint64_t secret[static 2], enum meter_what what, size_t nth,
			   const char *client, const char *tool)
{
	char text[2 * (NAME_ROOM + 2) + 2] = {(char)what, (char)nth};
	struct meter_key key;
	size_t len = 2;

	len += add_name(text + len, client);
	len += add_name(text + len, tool);
	key = meter_hash(secret, text, len);
	if (key.a == 0 && key.b == 0)
		key.b = 1; /* zeros are nobody's */
	return key;
}
