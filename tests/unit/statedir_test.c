/* SPDX-License-Identifier: Apache-2.0 */
/* Where something is kept between runs. */
#include "base/statedir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

static const struct statedir state = {"state directory", "BELLJAR_STATE", "", NULL};
static const struct statedir log_in_state = {"audit directory", "BELLJAR_AUDIT", "/audit", NULL};

static const char *found(const struct statedir *which, const char *dir)
{
	static char path[256];
	struct error err;

	return statedir_find(which, dir, path, sizeof(path), &err) < 0 ? "" : path;
}

TEST(what_is_named_beats_the_environment)
{
	(void)setenv("BELLJAR_STATE", "/from/environment", 1);
	CHECK(strcmp(found(&state, "/named/"), "/named") == 0);
	CHECK(strcmp(found(&state, "beside"), "beside") == 0);
	CHECK(strcmp(found(&state, NULL), "/from/environment") == 0);
	CHECK(strcmp(found(&log_in_state, NULL), "/from/environment/audit") == 0);
}

TEST(a_relative_path_in_the_environment_is_refused)
{
	(void)setenv("BELLJAR_STATE", "beside", 1);
	CHECK(strcmp(found(&state, NULL), "") == 0);
	(void)setenv("BELLJAR_AUDIT", "beside", 1);
	CHECK(strcmp(found(&log_in_state, NULL), "") == 0);
}

/* Nobody makes a directory there, root included. */
TEST(what_keeps_it_from_being_made_is_told)
{
	struct error err = {0};

	if (access("/sys/kernel", F_OK) < 0)
		SKIP("no /sys");
	CHECK(statedir_open(&state, "/sys/none/of/these", &err) < 0);
	CHECK(err.sys != ENOENT && err.sys != 0);
}

TEST(a_path_that_does_not_fit_is_refused)
{
	char small[8];
	struct error err;

	CHECK(statedir_find(&state, "/longer/than/eight", small, sizeof(small), &err) < 0);
}
