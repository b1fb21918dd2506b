/* SPDX-License-Identifier: Apache-2.0 */
/* needskeep_fuzz.c - any bytes as what the program "true" needs: nothing, or whole within them. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/native/needskeep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const programs[] = {"true"};
	char *bytes = malloc(size + 1); /* aligned, as a mapping is */
	struct needed_list list = {0};
	struct kept_needs kept;

	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	if (needskeep_read(bytes, size, programs, 1, &kept, &list)) {
		for (size_t i = 0; i < list.n; i++)
			assert(list.items[i].source[0] == '/' && list.items[i].inside[0] == '/');
		for (size_t i = 0; i < kept.n_sights; i++) {
			const char *path = needskeep_path(&kept, i);

			assert(path > bytes && path + strlen(path) < bytes + size);
		}
		needed_list_done(&list);
	} else {
		assert(list.n == 0 && !list.items);
	}
	free(bytes);
	return 0;
}
