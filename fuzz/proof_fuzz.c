/* SPDX-License-Identifier: Apache-2.0 */
/* proof_fuzz.c - a proof from any bytes: under one key only the proofs that were made hold. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "audit/proof.h"

/* The log that the corpus was made from is gone, and its secret key with it. */
static const char key_text[] =
	"test.example/log+112a19f0+AUAMZA0L4zDIPBLhNASvs5rVYQlJ68lHCZMfy+6Mqoai";

static const struct made {
	uint64_t index;
	const char *leaf;
} made[] = {
	{0, "71ab934cde85469e31fbf68a10189cf44274e999382c34f69c8268d678f21e96"},
	{77, "7c41e18450d9f2cbffa6e6a6fd2edb66f2eb1f72adeba838e8b5f3d0ecf5fc16"},
};

static char room[PROOF_MAX];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	struct note_key key;
	struct proof p;
	char leaf[HASH_HEX];

	assert(note_key_parse(key_text, strlen(key_text), &key, &err) == 0);
	if (proof_verify(&key, (const char *)data, size, &p, room, &err) < 0) {
		assert(err.text[0]);
		return 0;
	}
	hash_hex(&p.leaf, leaf);
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		if (made[i].index == p.index && strcmp(made[i].leaf, leaf) == 0)
			return 0;
	abort();
}
