/* SPDX-License-Identifier: Apache-2.0 */
/* searchwitness_test.c - what a search has seen, and whether it is so still. */
#include "sandbox/native/searchwitness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "tap.h"

static char place[] = "/tmp/belljar-witness-XXXXXX";

static const char *in_place(const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", place, name);
	return path;
}

static void make_file(const char *name, const char *text)
{
	own_file file = fopen(in_place(name), "we");

	CHECK(file && fputs(text, file) >= 0);
}

static void take_place(const char *from, const char *to)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s", in_place(from));
	CHECK(rename(path, in_place(to)) == 0);
}

static struct filemark look(const char *name)
{
	struct filemark mark = {0};

	if (filemark_look(AT_FDCWD, in_place(name), 0, &mark) < 0 && errno == ENOSYS)
		SKIP("mounts have no number of their own here");
	return mark;
}

static bool is_same(const char *name, const struct filemark *mark)
{
	return sight_is_same(in_place(name), mark);
}

static void begin(void)
{
	CHECK(mkdtemp(place) != NULL);
}

static void end(const char *const *names)
{
	for (; *names; names++)
		(void)remove(in_place(*names));
	CHECK(rmdir(place) == 0);
}

TEST(a_file_is_the_same_until_it_is_written_moved_or_gone)
{
	static const char *const names[] = {"a", NULL};
	struct filemark mark;

	begin();
	make_file("a", "one");
	mark = look("a");
	CHECK(is_same("a", &mark));
	make_file("a", "three");
	CHECK(!is_same("a", &mark));
	mark = look("a");
	make_file("b", "three");
	take_place("b", "a");
	CHECK(!is_same("a", &mark));
	mark = look("a");
	CHECK(unlink(in_place("a")) == 0);
	CHECK(!is_same("a", &mark));
	end(names);
}

TEST(other_rights_make_another_file)
{
	static const char *const names[] = {"a", NULL};
	const struct timespec moment = {.tv_nsec = 20000000};
	struct filemark mark;

	begin();
	make_file("a", "one");
	mark = look("a");
	(void)nanosleep(&moment, NULL); /* the clock of files ticks */
	CHECK(chmod(in_place("a"), 04755) == 0);
	CHECK(!is_same("a", &mark));
	end(names);
}

TEST(what_was_not_there_is_not_there_until_it_comes)
{
	static const char *const names[] = {"a", NULL};
	const struct filemark nothing = {0};

	begin();
	CHECK(is_same("a", &nothing));
	CHECK(is_same("a/b", &nothing));
	make_file("a", "one");
	CHECK(!is_same("a", &nothing));
	end(names);
}

TEST(a_directory_changes_when_a_name_comes)
{
	static const char *const names[] = {"a", NULL};
	const struct timespec moment = {.tv_nsec = 20000000};
	struct filemark mark;

	begin();
	mark = look(".");
	CHECK(is_same(".", &mark));
	(void)nanosleep(&moment, NULL);
	make_file("a", "");
	CHECK(!is_same(".", &mark));
	end(names);
}

TEST(what_could_still_change_unseen_will_not_do)
{
	static const char *const names[] = {"a", NULL};
	own(witness) w = {0};
	struct stat st;
	int fd;

	begin();
	(void)look(".");
	witness_begin(&w);
	witness_note(&w, in_place("b"), -1);
	fd = open("/usr/bin", O_PATH | O_CLOEXEC);
	CHECK(fd >= 0 && fstat(fd, &st) == 0);
	witness_note(&w, "/usr/bin", fd);
	(void)close(fd);
	if (st.st_ctim.tv_sec > time(NULL) - 60)
		SKIP("/usr/bin has just changed");
	CHECK(witness_will_do(&w));
	make_file("a", "");
	fd = open(in_place("a"), O_PATH | O_CLOEXEC);
	witness_note(&w, in_place("a"), fd);
	(void)close(fd);
	CHECK(!witness_will_do(&w));
	end(names);
}

TEST(what_nobody_could_look_at_will_not_do)
{
	own(witness) w = {0};

	witness_begin(&w);
	CHECK(witness_will_do(&w));
	witness_miss(&w);
	CHECK(!witness_will_do(&w));
	witness_note(NULL, "/", -1);
	witness_miss(NULL);
}

TEST(more_than_there_is_room_for_will_not_do)
{
	own(witness) w = {0};

	witness_begin(&w);
	for (int i = 0; i < WITNESS_MAX; i++)
		witness_note(&w, "/nowhere", -1);
	CHECK(witness_will_do(&w) && w.n == WITNESS_MAX);
	witness_note(&w, "/nowhere", -1);
	CHECK(!witness_will_do(&w));
}
