/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"

#include "base/own.h"
#include "tap.h"

/* FIPS 180-4 and NIST's example values. */
static const struct {
	const char *text, *hex;
} vectors[] = {
	{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static void hash(const char *data, size_t len, size_t step, char *ret_hex)
{
	own(sha256) s = {0};
	struct error err = {0};

	CHECK(sha256_load(&err) == 0);
	CHECK(sha256_init(&s, &err) == 0);
	for (size_t i = 0; i < len; i += step)
		CHECK(sha256_add(&s, data + i, step < len - i ? step : len - i, &err) == 0);
	CHECK(sha256_done(&s, ret_hex, &err) == 0);
}

TEST(known_texts_have_their_known_hashes)
{
	char hex[SHA256_HEX];

	for (size_t i = 0; i < ARRAY_LEN(vectors); i++) {
		hash(vectors[i].text, strlen(vectors[i].text), 64, hex);
		CHECK_STR(hex, vectors[i].hex);
	}
}

TEST(a_million_times_a_in_pieces_of_any_size)
{
	static char data[1000000];
	static const size_t steps[] = {1000, 4096, 65536, 1000000};
	char hex[SHA256_HEX];

	memset(data, 'a', sizeof(data));
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		hash(data, sizeof(data), steps[i], hex);
		CHECK_STR(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	}
}

TEST(loading_twice_is_loading_once)
{
	struct error err = {0};

	CHECK(sha256_load(&err) == 0);
	CHECK(sha256_load(&err) == 0);
	CHECK(err.kind == ERR_NONE);
}

TEST(an_unfinished_hash_can_be_dropped)
{
	struct sha256 s = {0};
	struct error err = {0};

	CHECK(sha256_load(&err) == 0);
	CHECK(sha256_init(&s, &err) == 0);
	sha256_end(&s);
	sha256_end(&s);
	CHECK(s.context == NULL);
}
