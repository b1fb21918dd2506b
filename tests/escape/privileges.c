/* SPDX-License-Identifier: Apache-2.0 */
/* privileges.c - attacks the seal itself: is one of the things that must be gone still there?
 *
 * Each way reads /proc/self/status; the attack has succeeded if the seal is not in place.
 */
#include "escape.h"

static unsigned long long status_of(const char *key)
{
	unsigned long long value = 0;
	size_t len = strlen(key);
	char line[256];
	FILE *file = fopen("/proc/self/status", "re");

	if (!file)
		cannot("/proc/self/status: %m");
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, len) != 0)
			continue;
		/* The plain numbers we ask for have one digit: hex or not is the same. */
		if (sscanf(line + len, "%llx", &value) == 1)
			return value;
	}
	cannot("/proc/self/status has no %s", key);
}

static void find_capabilities(int argc, char **argv)
{
	static const char *const sets[] = {"CapInh:", "CapPrm:", "CapEff:", "CapAmb:"};

	(void)argc;
	(void)argv;
	tried("look for capabilities");
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (status_of(sets[i]))
			escaped("%s is not empty", sets[i]);
	blocked("all sets are empty");
}

static void find_bounding(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	tried("look at the bounding set");
	if (status_of("CapBnd:"))
		escaped("CapBnd is not empty");
	blocked("empty");
}

static void find_new_privs(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	tried("look at NoNewPrivs");
	if (status_of("NoNewPrivs:") != 1)
		escaped("new privileges are possible");
	blocked("no_new_privs is set");
}

static void find_no_filter(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	tried("look at Seccomp");
	if (status_of("Seccomp:") != 2)
		escaped("no filter");
	blocked("mode 2");
}

static const struct way ways[] = {
	{"capabilities", find_capabilities}, /* effective, permitted, inheritable, ambient */
	{"bounding", find_bounding},         /* what exec could give back */
	{"new-privs", find_new_privs},       /* what set-uid could give */
	{"filter", find_no_filter},          /* the system call filter */
};

int main(int argc, char **argv)
{
	TAKE_WAY(ways, argc, argv);
}
