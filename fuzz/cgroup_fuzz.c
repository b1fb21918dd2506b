/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's tables about control groups: every line through every parser. */
#include "sandbox/native/cgroup_parse.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static const unsigned every = (1U << CONTROLLER_COUNT) - 1;

static bool climbs(const char *path)
{
	const char *end = path + strlen(path);

	for (; (path = strstr(path, "/..")); path += 3)
		if (path + 3 == end || path[3] == '/')
			return true;
	return false;
}

/* What cgroup_find relies on: absolute paths that lead nowhere but down. */
static void check_path(const char *path)
{
	assert(strlen(path) < CGROUP_PATH_MAX);
	assert(path[0] == '/' && !climbs(path));
}

static void try_line(const char *line)
{
	struct cgroup_mount mount;
	struct cgroup_self self;
	char rest[CGROUP_PATH_MAX];
	bool is_mount = cgroup_parse_mount(line, &mount);
	bool is_self = cgroup_parse_self(line, &self);

	if (is_mount) {
		assert(mount.version == 1 || mount.version == 2);
		assert((mount.version == 1) == (mount.controllers != 0));
		assert((mount.controllers & ~every) == 0);
		check_path(mount.root);
		if (mount.point[0])
			check_path(mount.point);
		if (cgroup_parse_beneath(mount.root, line, rest, sizeof(rest)))
			assert(rest[0] == '\0' || rest[0] == '/');
	}
	if (is_self) {
		assert(self.version == 2 || self.controllers != 0);
		check_path(self.path);
	}
}

static void try_counters(const char *text)
{
	static const char *const keys[] = {"", "oom_kill", "max", "usage_usec", "rbytes", "a"};
	uint64_t value;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		(void)cgroup_parse_value(text, keys[i], &value);
		(void)cgroup_parse_sum(text, keys[i]);
		(void)cgroup_parse_has_word(text, keys[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	try_counters(text);
	for (char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		try_line(line);
	}
	free(text);
	return 0;
}
