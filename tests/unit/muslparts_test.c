/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a C library that are our own: as whoever compiled against glibc expects them. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/select.h>
#include <wctype.h>

#include "base/own.h"
#include "musl/fortify.h"
#include "tap.h"

enum { ROOM = 16 };

static char room[ROOM + 1]; /* one more than is said */
static const char *volatile longer =
	"of a hundred or so"; /* as far as a compiler knows, of any length */

/* Each does what it is for, with n bytes or with descriptor n. */
static void by_memcpy(size_t n)
{
	static const char from[ROOM + 1] = "0123456789abcdef";

	CHECK(__memcpy_chk(room, from, n, ROOM) == room && memcmp(room, from, n) == 0);
}

static void by_strncpy(size_t n)
{
	memset(room, 'x', sizeof(room));
	CHECK(__strncpy_chk(room, "abc", n, ROOM) == room);
	CHECK(n < 4 || (memcmp(room, "abc", 4) == 0 && room[n - 1] == '\0'));
}

static void by_snprintf(size_t n)
{
	CHECK(__snprintf_chk(room, n, 1, ROOM, "%d-%s", 12, longer) == 21);
	CHECK(memcmp(room, "12-of a hundred", n - 1) == 0 && room[n - 1] == '\0');
}

__attribute__((format(printf, 2, 3))) static int pass_on(size_t n, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = __vsnprintf_chk(room, n, 1, ROOM, format, args);
	va_end(args);
	return len;
}

static void by_vsnprintf(size_t n)
{
	CHECK(pass_on(n, "%d-%s", 12, longer) == 21);
	CHECK(memcmp(room, "12-of a hundred", n - 1) == 0 && room[n - 1] == '\0');
}

static void by_fdelt(size_t n)
{
	CHECK(__fdelt_chk((long)n) == (long)n / 64);
}

static const struct {
	const char *name;
	void (*use)(size_t n);
	size_t least, most, beyond;
} checked[] = {
	{"memcpy", by_memcpy, 0, ROOM, ROOM + 1},
	{"strncpy", by_strncpy, 0, ROOM, ROOM + 1},
	{"snprintf", by_snprintf, 1, ROOM, ROOM + 1},
	{"vsnprintf", by_vsnprintf, 1, ROOM, ROOM + 1},
	{"fdelt", by_fdelt, 0, FD_SETSIZE - 1, FD_SETSIZE},
	{"fdelt", by_fdelt, 0, 0, (size_t)-1},
	{"memcpy", by_memcpy, 0, 0, (size_t)-1},
};

TEST(what_fits_is_done)
{
	for (size_t i = 0; i < ARRAY_LEN(checked); i++)
		for (size_t n = checked[i].least; n <= checked[i].most; n++)
			checked[i].use(n);
}

/* How a child ended that did it, and what it said. */
static int ending_of(void (*use)(size_t n), size_t n, char *ret_said, size_t space)
{
	int ends[2], status = 0;
	ssize_t len;
	pid_t child;

	CHECK(pipe2(ends, O_CLOEXEC) == 0);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		(void)dup2(ends[1], STDERR_FILENO);
		use(n);
		_exit(0);
	}
	(void)close(ends[1]);
	len = read(ends[0], ret_said, space - 1);
	ret_said[len > 0 ? len : 0] = '\0';
	(void)close(ends[0]);
	CHECK(waitpid(child, &status, 0) == child);
	return status;
}

TEST(what_does_not_fit_ends_the_process_and_says_why)
{
	for (size_t i = 0; i < ARRAY_LEN(checked); i++) {
		char said[100];
		int status = ending_of(checked[i].use, checked[i].beyond, said, sizeof(said));
		bool ended = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;

		if (!ended)
			printf("# %s of %zu: status %d\n", checked[i].name, checked[i].beyond,
			       status);
		CHECK(ended && strstr(said, "room") && strchr(said, '\n'));
	}
}

TEST(what_has_no_room_to_look_at_prints_as_ever)
{
	own_file file = tmpfile();
	own_str text = NULL;
	char line[40] = "";

	CHECK(__asprintf_chk(&text, 1, "%s %d", "seven", 7) == 7);
	CHECK_STR(text, "seven 7");
	CHECK(file && __fprintf_chk(file, 1, "%s %d\n", "seven", 7) == 8);
	rewind(file);
	CHECK(fgets(line, sizeof(line), file) != NULL);
	CHECK_STR(line, "seven 7\n");
}

/* A byte at a time, from the end that is not written over. */
static void move_slowly(unsigned char *to, const unsigned char *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = to < from ? i : n - 1 - i;

		*(volatile unsigned char *)(to + at) = from[at];
	}
}

TEST(bytes_are_moved_whole_however_many_and_wherever)
{
	enum { SPACE = 2100, MIDDLE = 700 };
	static const size_t away[] = {0, 1, 2, 7, 8, 15, 16, 17, 31, 64, 300, 690};
	static unsigned char got[SPACE], want[SPACE];

	for (size_t n = 0; n <= MIDDLE; n += n < 70 ? 1 : 29)
		for (size_t i = 0; i < 2 * ARRAY_LEN(away); i++) {
			size_t far = away[i / 2], to = i % 2 ? MIDDLE + far : MIDDLE - far;

			for (size_t at = 0; at < SPACE; at++)
				got[at] = want[at] = (unsigned char)(at * 7 + at / 256);
			move_slowly(want + to, want + MIDDLE, n);
			CHECK(memmove(got + to, got + MIDDLE, n) == got + to);
			CHECK(memcmp(got, want, SPACE) == 0);
			if (far < n)
				continue;
			CHECK(memcpy(got + MIDDLE, got + to, n) == got + MIDDLE);
			move_slowly(want + MIDDLE, want + to, n);
			CHECK(memcmp(got, want, SPACE) == 0);
		}
}

TEST(no_character_beyond_ascii_is_of_a_kind)
{
	size_t spaces = 0, letters = 0, both = 0;

	for (wint_t c = 0; c < 0x11000; c++) {
		spaces += iswspace(c) != 0;
		letters += iswalpha(c) != 0;
		both += iswalnum(c) != 0;
	}
	CHECK(spaces == 6 && letters == 52 && both == 62);
	CHECK(iswspace('\v') && iswspace(' ') && !iswspace(0xa0) && !iswspace(0x2003));
	CHECK(iswalpha('a') && iswalpha('Z') && !iswalpha(0xe9) && iswalnum('0') && !iswalnum('_'));
	CHECK(!iswspace(WEOF) && !iswalpha(WEOF) && !iswalnum(WEOF));
}

/* Its addresses are filled in at the start of the program. */
static void write_to_table(size_t n)
{
	*(const char *volatile *)(uintptr_t)&checked[n].name = NULL;
}

TEST(tables_with_addresses_cannot_be_written)
{
	char said[100];
	int status = ending_of(write_to_table, 0, said, sizeof(said));

	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}
