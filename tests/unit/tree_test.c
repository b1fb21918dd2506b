/* SPDX-License-Identifier: Apache-2.0 */
/* tree_test.c - the Merkle tree against known roots, and its proofs against each other. */
#include "tap.h"

#include "audit/base64.h"
#include "audit/tiles.h"
#include "audit/tree.h"
#include "base/own.h"

enum { LEAVES = 70 };

static const char *const known_leaves[] = {
	"",
	"\x00",
	"\x10",
	"\x20\x21",
	"\x30\x31",
	"\x40\x41\x42\x43",
	"\x50\x51\x52\x53\x54\x55\x56\x57",
	"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
};
static const size_t known_lengths[] = {0, 1, 1, 2, 2, 4, 8, 16};
static const char *const known_roots[] = {
	"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
	"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
	"aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
	"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
	"4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
	"76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
	"ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
	"5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
};

static struct hash leaves[LEAVES];
static struct hash roots[LEAVES + 1];

static int node(void *context, unsigned level, uint64_t index, struct hash *ret, struct error *err)
{
	struct tree t = {0};

	(void)context;
	for (uint64_t i = index << level; i < (index + 1) << level; i++) {
		if (i >= LEAVES)
			return fail(err, ERR_CALLER, "leaf %d", (int)i);
		tree_add(&t, &leaves[i]);
	}
	tree_root(&t, ret);
	return 0;
}

static const struct tree_source source = {.node = node};

static void plant(void)
{
	struct tree t = {0};

	tree_root(&t, &roots[0]);
	for (size_t i = 0; i < LEAVES; i++) {
		hash_leaf(&i, sizeof(i), &leaves[i]);
		tree_add(&t, &leaves[i]);
		tree_root(&t, &roots[i + 1]);
	}
}

TEST(roots_are_those_of_rfc_6962)
{
	struct tree t = {0};
	struct hash h;
	char hex[HASH_HEX];

	tree_root(&t, &h);
	hash_hex(&h, hex);
	CHECK_STR(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	for (size_t i = 0; i < ARRAY_LEN(known_leaves); i++) {
		hash_leaf(known_leaves[i], known_lengths[i], &h);
		tree_add(&t, &h);
		tree_root(&t, &h);
		hash_hex(&h, hex);
		CHECK_STR(hex, known_roots[i]);
	}
}

TEST(every_leaf_of_every_tree_is_proved)
{
	struct tree_path path;
	struct error err;

	plant();
	for (uint64_t size = 1; size <= LEAVES; size++)
		for (uint64_t i = 0; i < size; i++) {
			CHECK(tree_prove(i, size, &source, &path, &err) == 0);
			CHECK(tree_includes(&leaves[i], i, size, &path, &roots[size]));
			CHECK(!tree_includes(&leaves[(i + 1) % LEAVES], i, size, &path,
					     &roots[size]));
			CHECK(!tree_includes(&leaves[i], i + 1, size, &path, &roots[size]));
			CHECK(!tree_includes(&leaves[i], i, size, &path, &roots[size - 1]));
		}
	CHECK(tree_prove(5, 5, &source, &path, &err) < 0);
}

TEST(a_path_with_more_or_less_or_other_hashes_leads_nowhere)
{
	struct tree_path path, bad;
	struct error err;

	plant();
	for (uint64_t i = 0; i < 37; i++) {
		CHECK(tree_prove(i, 37, &source, &path, &err) == 0);
		bad = path;
		bad.n--;
		CHECK(!tree_includes(&leaves[i], i, 37, &bad, &roots[37]));
		bad = path;
		bad.hashes[bad.n++] = roots[3];
		CHECK(!tree_includes(&leaves[i], i, 37, &bad, &roots[37]));
		for (size_t k = 0; k < path.n; k++) {
			bad = path;
			bad.hashes[k].bytes[31] ^= 1;
			CHECK(!tree_includes(&leaves[i], i, 37, &bad, &roots[37]));
		}
	}
}

TEST(every_growth_is_proved)
{
	struct tree_path path;
	struct error err;

	plant();
	for (uint64_t size = 1; size <= LEAVES; size++)
		for (uint64_t old = 0; old <= size; old++) {
			CHECK(tree_prove_growth(old, size, &source, &path, &err) == 0);
			CHECK(tree_extends(old, &roots[old], size, &roots[size], &path));
			CHECK(!tree_extends(old, &roots[(old + 1) % LEAVES], size, &roots[size],
					    &path));
			if (old == 0 || old == size)
				continue;
			path.hashes[path.n / 2].bytes[0] ^= 1;
			CHECK(!tree_extends(old, &roots[old], size, &roots[size], &path));
		}
	CHECK(tree_prove_growth(3, 2, &source, &path, &err) < 0);
}

TEST(a_tree_is_taken_up_where_it_was_left)
{
	struct error err;
	struct hash h;

	plant();
	for (uint64_t size = 0; size <= LEAVES; size++) {
		struct tree t;

		CHECK(tree_load(&t, size, &source, &err) == 0);
		tree_root(&t, &h);
		CHECK(hash_equal(&h, &roots[size]));
	}
}

TEST(tiles_have_the_names_of_the_specification)
{
	char path[TILE_PATH];

	tile_path((struct tile_name){0, 1234067, 256}, path);
	CHECK_STR(path, "tile/0/x001/x234/067");
	tile_path((struct tile_name){1, 0, 17}, path);
	CHECK_STR(path, "tile/1/000.p/17");
	tile_path((struct tile_name){7, UINT64_MAX, 255}, path);
	CHECK_STR(path, "tile/7/x018/x446/x744/x073/x709/x551/615.p/255");
}

TEST(base64_is_read_in_one_way_only)
{
	char text[BASE64_LEN(5) + 1];
	uint8_t bytes[8];

	base64_put("ab", 2, text);
	CHECK_STR(text, "YWI=");
	CHECK(base64_get("YWI=", 4, bytes, sizeof(bytes)) == 2);
	CHECK(base64_get("YWJ=", 4, bytes, sizeof(bytes)) < 0); /* bits behind the end */
	CHECK(base64_get("YW=I", 4, bytes, sizeof(bytes)) < 0);
	CHECK(base64_get("YWI", 3, bytes, sizeof(bytes)) < 0);
	CHECK(base64_get("YW-_", 4, bytes, sizeof(bytes)) < 0);
	CHECK(base64_get("YWJj", 4, bytes, 2) < 0);
	CHECK(base64_get("====", 4, bytes, sizeof(bytes)) < 0);
	CHECK(base64_get("", 0, bytes, sizeof(bytes)) == 0);
}

TEST(hex_is_lower_case_and_whole)
{
	struct hash h;

	CHECK(hash_from_hex(known_roots[0], 64, &h));
	CHECK(!hash_from_hex(known_roots[0], 63, &h));
	CHECK(!hash_from_hex("6E340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d", 64,
			     &h));
}
