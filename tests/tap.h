/* SPDX-License-Identifier: Apache-2.0 */
/* tap.h - tests are sentences: TEST(a_thing_is_so) { CHECK(...); } and TAP comes out.
 *
 * Each test runs in a child of its own, so that one that crashes or drops its
 * privileges spoils nobody else's result.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TAP_SKIP = 77, TAP_MAX = 512 };

struct tap_test {
	const char *name;
	void (*body)(void);
};

static struct tap_test tap_tests[TAP_MAX];
static size_t tap_count;
static int tap_failures; /* of the test that runs now */

#define TEST(name)                                                               \
	static void name(void);                                                  \
	__attribute__((constructor)) static void tap_add_##name(void)            \
	{                                                                        \
		if (tap_count < TAP_MAX)                                         \
			tap_tests[tap_count++] = (struct tap_test){#name, name}; \
	}                                                                        \
	static void name(void)

#define CHECK(truth)                                                                   \
	do {                                                                           \
		if (!(truth)) {                                                        \
			printf("# %s:%d: not true: %s\n", __FILE__, __LINE__, #truth); \
			tap_failures++;                                                \
		}                                                                      \
	} while (0)

#define CHECK_STR(got, want)                                                                \
	do {                                                                                \
		const char *got_ = (got), *want_ = (want);                                  \
		if (!got_ || strcmp(got_, want_) != 0) {                                    \
			printf("# %s:%d: %s is '%s', not '%s'\n", __FILE__, __LINE__, #got, \
			       got_ ? got_ : "(null)", want_);                              \
			tap_failures++;                                                     \
		}                                                                           \
	} while (0)

/* This host cannot run the test; never a silent pass. */
#define SKIP(why)                           \
	do {                                \
		printf("# SKIP %s\n", why); \
		fflush(stdout);             \
		_exit(TAP_SKIP);            \
	} while (0)

static int tap_run_one(const struct tap_test *test)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child < 0)
		return -1;
	if (child == 0) {
		test->body();
		fflush(stdout);
		_exit(tap_failures ? 1 : 0);
	}
	(void)waitpid(child, &status, 0);
	if (WIFSIGNALED(status))
		printf("# died of signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
	int failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%zu\n", tap_count);
	for (size_t i = 0; i < tap_count; i++) {
		int result;

		if (argc > 1 && !strstr(tap_tests[i].name, argv[1])) {
			printf("ok %zu - %s # SKIP not asked for\n", i + 1, tap_tests[i].name);
			continue;
		}
		result = tap_run_one(&tap_tests[i]);
		if (result == TAP_SKIP)
			printf("ok %zu - %s # SKIP see above\n", i + 1, tap_tests[i].name);
		else
			printf("%s %zu - %s\n", result == 0 ? "ok" : "not ok", i + 1,
			       tap_tests[i].name);
		failed += result != 0 && result != TAP_SKIP;
	}
	return failed ? 1 : 0;
}

#endif
