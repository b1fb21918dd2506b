/* SPDX-License-Identifier: Apache-2.0 */
/* anchors_fuzz.c - a file of checkpoints from any bytes: none is believed that nobody signed. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "auditread/anchors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct note_key key = {.name = "example.com/test", .id = {1, 2, 3, 4}};
	struct anchors a = {0};
	struct checkpoint c;
	struct error err = {0};

	assert(anchors_add(&a, "file", (const char *)data, size, &err) == 0);
	for (size_t i = 0; i < a.n; i++) {
		assert(strncmp(a.list[i].name, "file:", 5) == 0);
		assert(a.list[i].len > 0 && a.list[i].len <= NOTE_MAX);
		assert(note_verify(&key, a.list[i].text, a.list[i].len, &c, &err) < 0);
	}
	anchors_done(&a);
	return 0;
}
