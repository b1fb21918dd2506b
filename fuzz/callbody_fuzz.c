/* SPDX-License-Identifier: Apache-2.0 */
/* callbody_fuzz.c - the body of a call, from any bytes: what passes the rows can be read. */
#include "fuzz.h"

#include <assert.h>
#include <string.h>

#include "base/jsonread.h"
#include "base/own.h"
#include "keeper/callbody.h"

static void check_wishes(const struct callbody *b)
{
	const struct wishes *w = &b->wishes;

	assert(json_is_object(b->arguments) && b->tool && b->tool[0]);
	assert(w->n_files <= 64 && w->n_artifacts <= 16 && w->n_env <= 64 && w->input_fd == -1);
	for (size_t i = 0; i < w->n_files; i++)
		assert(w->files[i].inside && w->files[i].inside[0] && w->files[i].data &&
		       !w->files[i].source);
	for (size_t i = 0; i < w->n_env; i++)
		assert(w->env[i].name && w->env[i].value);
	for (size_t i = 0; i < w->n_artifacts; i++)
		assert(w->artifacts[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct keep_request request = {.kind = KEEP_CALL, .shape = SHAPE_EXECUTE};
	struct api_problems problems = {0};
	struct error err = {0};
	own_json value = jsonread((const char *)data, size, 1 << 20, &err);
	own(callbody) body = {0};

	for (size_t i = 0; value && api_object_at(i); i++) {
		struct api_problems ignored = {0};

		(void)api_check(api_object_at(i), value, &ignored);
		for (size_t k = 0; k < ignored.n; k++)
			assert(memchr(ignored.list[k].pointer, '\0',
				      sizeof(ignored.list[k].pointer)));
	}
	if (!value || !api_check(api_object("execute"), value, &problems))
		return 0;
	if (callbody_read(&body, TAKE(value), &request, &problems, &err) == 0 && problems.n == 0)
		check_wishes(&body);
	return 0;
}
