/* SPDX-License-Identifier: Apache-2.0 */
/* target.h - the path of a request and the parameters behind it, decoded once and checked. */
#ifndef SERVE_HTTP_TARGET_H
#define SERVE_HTTP_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "serve/http/framing.h"

enum { TARGET_PARAMETERS_MAX = 32 };

struct target {
	char *text; /* everything below points into it */
	const char *path;
	size_t n;
	struct {
		const char *name, *value;
	} parameters[TARGET_PARAMETERS_MAX];
};

/* target: "/path?query", printable ASCII, begins with a slash. */
int target_read(struct target *t, const char *target, size_t len, struct fault *fault);
void target_done(struct target *t);
const char *target_parameter(const struct target *t, const char *name); /* NULL: absent */

#endif
