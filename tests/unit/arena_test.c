/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>

#include "base/own.h"
#include "tap.h"

TEST(an_arena_gives_zeroed_aligned_memory_up_to_its_limit)
{
	struct error err = {0};
	own(arena) a;
	unsigned char *last = NULL;

	arena_init(&a, 100000);
	for (size_t size = 0; size < 300; size++) {
		unsigned char *p = arena_alloc(&a, size, &err);

		CHECK(p && p != last && (uintptr_t)p % alignof(max_align_t) == 0);
		for (size_t i = 0; p && i < size; i++)
			CHECK(p[i] == 0);
		if (p)
			memset(p, 0xff, size);
		last = p;
	}
	CHECK(arena_alloc(&a, 200000, &err) == NULL && err.kind == ERR_CALLER);
	while (arena_alloc(&a, 1000, &err))
		CHECK(a.used <= 100000);
	CHECK(a.used <= 100000);
}

TEST(an_arena_refuses_sizes_that_overflow)
{
	struct error err = {0};
	own(arena) a;

	arena_init(&a, SIZE_MAX);
	CHECK(!arena_alloc(&a, SIZE_MAX, &err) && err.text[0]);
	CHECK(!arena_alloc(&a, SIZE_MAX - 3, &err));
	CHECK(!arena_array(&a, SIZE_MAX / 2, 3, &err));
	CHECK(!arena_array(&a, SIZE_MAX, SIZE_MAX, &err));
	CHECK(arena_array(&a, 0, 8, &err) != NULL);
}

TEST(large_and_small_pieces_do_not_overlap)
{
	struct error err = {0};
	own(arena) a;
	char *small[64], *large[64];

	arena_init(&a, 1 << 20);
	for (int i = 0; i < 64; i++) {
		small[i] = arena_printf(&a, &err, "small %d", i);
		large[i] = arena_alloc(&a, 5000, &err);
		CHECK(small[i] && large[i]);
		if (large[i])
			memset(large[i], 'a' + i % 26, 5000);
	}
	for (int i = 0; i < 64; i++) {
		char want[32];

		(void)snprintf(want, sizeof(want), "small %d", i);
		CHECK_STR(small[i], want);
		CHECK(large[i][0] == 'a' + i % 26 && large[i][4999] == 'a' + i % 26);
	}
}

TEST(copies_end_in_a_nul)
{
	struct error err = {0};
	own(arena) a;
	char *copy;

	arena_init(&a, 1 << 16);
	copy = arena_copy(&a, "abcdef", 3, &err);
	CHECK_STR(copy, "abc");
	CHECK_STR(arena_str(&a, "", &err), "");
	CHECK_STR(arena_copy(&a, NULL, 0, &err), "");
	CHECK_STR(arena_printf(&a, &err, "%s-%d", "x", 7), "x-7");
	arena_done(&a);
	CHECK(a.used == 0 && !a.blocks);
}
