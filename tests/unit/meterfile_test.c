/* SPDX-License-Identifier: Apache-2.0 */
/* meterfile_test.c - the state file: shared, killed, damaged, removed; and whose directory it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "meter_case.h"
#include "policy/meterstore.h"
#include "scratch.h"

static uint64_t seed = 0xda3e39cb94b95bdb;

static uint64_t noise(void) /* xorshift64 */
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int state_fd(const struct scratch *s)
{
	int fd = openat(s->fd, "meter", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		_exit(99);
	return fd;
}

static off_t size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 ? -1 : st.st_size;
}

/* Refused by "state", at the latest when it is asked, with words for both sides. */
static bool is_refused(const struct scratch *s, struct meter_case *c)
{
	struct error err = {0};
	own_meter m = meter_open(s->path, &err);

	if (!m)
		return err.kind != ERR_NONE && err.text[0];
	return !admit(m, c, START_MS) && strcmp(c->why.rule, "state") == 0 &&
	       !strstr(c->why.what, s->path) && meter_error(m)->kind != ERR_NONE;
}

TEST(a_restart_resets_nothing)
{
	own(scratch) s = scratch_make();
	struct meter_case c;
	unsigned n = 0;

	case_init(&c, "5/min");
	c.client.budget = (struct budget){.per_ms = 3600000, .calls = 7};
	for (unsigned i = 0; i < 20; i++) {
		own_meter m = in_file(s.path);

		n += admit_many(m, &c, START_MS + i, 1);
	}
	CHECK(n == 5);
	for (unsigned i = 0; i < 20; i++) {
		own_meter m = in_file(s.path);

		n += admit_many(m, &c, START_MS + 120000 + i, 1);
	}
	CHECK(n == 7);
	CHECK_STR(c.why.rule, "clients.research.budget.calls");
}

static void hammer(const char *dir, unsigned *shared_count, unsigned tries)
{
	own_meter m = in_file(dir);
	struct meter_case c;

	case_init(&c, "100/hour");
	c.client.budget = (struct budget){.per_ms = 3600000, .calls = 1000, .cpu_ms = 1000000};
	c.tool.concurrency = 3;
	for (unsigned i = 0; i < tries; i++) {
		if (admit(m, &c, START_MS)) {
			__atomic_add_fetch(shared_count, 1, __ATOMIC_SEQ_CST);
			leave(m, &c, START_MS, 3, 0);
		} else if (strcmp(c.why.rule, "state") == 0) {
			printf("# %s\n", meter_error(m)->text);
			_exit(1);
		}
	}
}

static unsigned *shared_number(void)
{
	unsigned *x = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (x == MAP_FAILED)
		_exit(99);
	return x;
}

TEST(eight_processes_together_get_exactly_the_limit)
{
	own(scratch) s = scratch_make();
	unsigned *count = shared_number();
	struct meter_case c;
	own_meter m = NULL;
	int status;

	for (int i = 0; i < 8; i++)
		if (fork() == 0) { /* the file is made by whoever comes first */
			hammer(s.path, count, 400);
			_exit(0);
		}
	while (wait(&status) > 0)
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(*count == 100);
	m = in_file(s.path);
	case_init(&c, "100/hour");
	c.client.budget = (struct budget){.per_ms = 3600000, .calls = 1000, .cpu_ms = 1000000};
	CHECK(!peek(m, &c, START_MS));
	CHECK(c.left.calls == 900 && c.left.cpu_ms == 1000000 - 300);
}

static void work_until_killed(const char *dir, unsigned *count)
{
	own_meter m = in_file(dir);
	struct meter_case c;
	char name[16];

	case_init(&c, "1000000/366d");
	c.client.budget = (struct budget){.per_ms = 3600000, .calls = 10000000, .cpu_ms = 1u << 30};
	for (unsigned i = 0;; i++) {
		(void)snprintf(name, sizeof(name), "t%u", i % 50);
		c.tool.name = name;
		if (!admit(m, &c, START_MS))
			_exit(1);
		__atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
		leave(m, &c, START_MS, 1, 0);
	}
}

/* Whoever was let through is in the file; whoever died on the way may be, too. */
TEST(killed_at_any_moment_the_file_is_whole_and_says_no_less)
{
	own(scratch) s = scratch_make();
	unsigned *count = shared_number(), rounds = 250;
	uint64_t charged;
	struct meter_case c;
	own_meter m = NULL;

	for (unsigned i = 0; i < rounds; i++) {
		struct timespec pause = {.tv_nsec = (long)(noise() % 3000000)};
		pid_t child = fork();
		int status;

		if (child == 0)
			work_until_killed(s.path, count);
		(void)nanosleep(&pause, NULL);
		(void)kill(child, SIGKILL);
		(void)waitpid(child, &status, 0);
		CHECK(WIFSIGNALED(status));
	}
	m = in_file(s.path);
	case_init(&c, "1000000/366d");
	c.client.budget = (struct budget){.per_ms = 3600000, .calls = 10000000, .cpu_ms = 1u << 30};
	CHECK(peek(m, &c, START_MS));
	charged = 10000000 - c.left.calls;
	CHECK(*count > rounds && charged >= *count && charged <= *count + rounds);
	CHECK((1u << 30) - c.left.cpu_ms <= *count);
	printf("# %u calls in %u lives, %" PRIu64 " charged\n", *count, rounds, charged);
}

TEST(the_place_of_a_killed_process_is_free)
{
	own(scratch) s = scratch_make();
	own_meter m = in_file(s.path);
	struct meter_case c;
	pid_t child;
	int ready[2];
	char byte;

	case_init(&c, "1000/s");
	c.tool.concurrency = 1;
	for (int i = 0; i < 5; i++) {
		CHECK(pipe(ready) == 0);
		child = fork();
		if (child == 0) {
			struct meter *mine = in_file(s.path);

			if (!admit(mine, &c, START_MS) || write(ready[1], "x", 1) != 1)
				_exit(1);
			for (;;)
				(void)pause();
		}
		CHECK(read(ready[0], &byte, 1) == 1);
		CHECK(!admit(m, &c, START_MS));
		CHECK_STR(c.why.rule, "tools.search.concurrency");
		(void)kill(child, SIGKILL);
		(void)waitpid(child, NULL, 0);
		CHECK(peek(m, &c, START_MS));
		(void)close(ready[0]);
		(void)close(ready[1]);
	}
	CHECK(admit(m, &c, START_MS));
}

TEST(a_head_with_any_byte_changed_admits_nobody)
{
	own(scratch) s = scratch_make();
	own_meter open_before = in_file(s.path);
	own_fd fd = state_fd(&s);
	struct meter_case c;

	case_init(&c, "10/min");
	CHECK(admit_many(open_before, &c, START_MS, 1) == 1);
	for (off_t at = 0; at < SECTOR_BYTES; at++) {
		unsigned char was, now;

		CHECK(pread(fd, &was, 1, at) == 1);
		now = was ^ (unsigned char)(noise() % 255 + 1);
		CHECK(pwrite(fd, &now, 1, at) == 1);
		CHECK(is_refused(&s, &c));
		CHECK(!admit(open_before, &c, START_MS));
		CHECK_STR(c.why.rule, "state");
		CHECK(!c.why.permanent && c.why.layer == WHY_LIMIT);
		CHECK(pwrite(fd, &was, 1, at) == 1);
	}
	CHECK(admit(open_before, &c, START_MS));
}

/* Every sector of the call, every byte of it. */
TEST(a_sector_with_any_byte_changed_admits_nobody)
{
	own(scratch) s = scratch_make();
	own_meter m = in_file(s.path);
	own_fd fd = state_fd(&s);
	struct meter_case c;
	int sectors = 0;

	case_init(&c, "10/min");
	c.client.budget = (struct budget){.per_ms = 3600000, .calls = 10};
	CHECK(admit(m, &c, START_MS));
	for (off_t number = 1; number < STORE_SECTORS; number++) {
		static const union sector blank;
		union sector was, now;

		CHECK(pread(fd, &was, SECTOR_BYTES, number * SECTOR_BYTES) == SECTOR_BYTES);
		if (memcmp(&was, &blank, SECTOR_BYTES) == 0)
			continue;
		sectors++;
		for (size_t at = 0; at < SECTOR_BYTES; at++) {
			now = was;
			((unsigned char *)&now)[at] ^= (unsigned char)(noise() % 255 + 1);
			CHECK(pwrite(fd, &now, SECTOR_BYTES, number * SECTOR_BYTES) ==
			      SECTOR_BYTES);
			CHECK(is_refused(&s, &c));
		}
		now = was;
		now.word[0] = 0; /* as if nobody had ever written it */
		CHECK(pwrite(fd, &now, SECTOR_BYTES, number * SECTOR_BYTES) == SECTOR_BYTES);
		CHECK(is_refused(&s, &c));
		CHECK(pwrite(fd, &was, SECTOR_BYTES, number * SECTOR_BYTES) == SECTOR_BYTES);
	}
	CHECK(sectors == 2);
	CHECK(admit(m, &c, START_MS));
}

TEST(a_file_cut_short_or_made_longer_admits_nobody)
{
	static const off_t sizes[] = {0, 1, 511, 512, 513, 4096, 1 << 20};
	own(scratch) s = scratch_make();
	own_meter open_before = in_file(s.path);
	own_fd fd = state_fd(&s);
	off_t whole = size_of(fd);
	struct meter_case c;

	case_init(&c, "10/min");
	CHECK(ftruncate(fd, whole + 1) == 0);
	CHECK(is_refused(&s, &c));
	CHECK(ftruncate(fd, whole - 1) == 0);
	CHECK(is_refused(&s, &c));
	for (size_t i = ARRAY_LEN(sizes); i-- > 0;) {
		CHECK(ftruncate(fd, sizes[i]) == 0);
		CHECK(is_refused(&s, &c));
		CHECK(!admit(open_before, &c, START_MS));
		CHECK_STR(c.why.rule, "state");
	}
	CHECK(ftruncate(fd, whole) == 0); /* all zeros now */
	CHECK(is_refused(&s, &c));
}

/* Nobody needs to know what was before; each thing that is counted is a twin that does. */
TEST(what_nothing_is_counted_for_needs_no_file)
{
	own(scratch) s = scratch_make();
	own_meter m = in_file(s.path);
	own_fd fd = state_fd(&s);
	struct meter_case c;
	uint64_t tickets[2];

	case_init(&c, "10/min");
	c.tool.rates = (struct rates){.unlimited = true};
	CHECK(ftruncate(fd, 1) == 0);
	CHECK(admit(m, &c, START_MS) && !c.left.has_rate && !c.left.has_calls);
	tickets[0] = c.ticket;
	CHECK(admit(m, &c, START_MS) && c.ticket != tickets[0]);
	CHECK(peek(m, &c, START_MS));
	leave(m, &c, START_MS, 1, 1);
	c.tool.concurrency = 1;
	CHECK(!admit(m, &c, START_MS));
	CHECK_STR(c.why.rule, "state");
	c.tool.concurrency = 0;
	c.client.budget = (struct budget){.output_bytes = 1, .per_ms = 1000};
	CHECK(!admit(m, &c, START_MS) && !peek(m, &c, START_MS));
	c.client.budget = (struct budget){0};
	c.by_client = rate_of("10/min", RATE_PER_CLIENT);
	c.client.rates = (struct rates){.rate = &c.by_client, .n = 1};
	CHECK(!admit(m, &c, START_MS));
	c.client.rates = (struct rates){.unlimited = true};
	c.policy.rates = (struct rates){.rate = &c.by_client, .n = 1};
	CHECK(!admit(m, &c, START_MS));
	c.policy.rates = (struct rates){.unlimited = true};
	c.tool.rates = (struct rates){0}; /* nothing said: the standard rate */
	CHECK(!admit(m, &c, START_MS));
}

TEST(a_file_of_another_version_is_named_as_such)
{
	own(scratch) s = scratch_make();
	struct error err = {0};
	union sector x;
	own_fd fd = -1;

	meter_close(in_file(s.path));
	fd = state_fd(&s);
	CHECK(pread(fd, &x, SECTOR_BYTES, 0) == SECTOR_BYTES);
	x.head.version = 7;
	x.head.check = store_check(&x, 0, x.head.secret);
	CHECK(pwrite(fd, &x, SECTOR_BYTES, 0) == SECTOR_BYTES);
	CHECK(!meter_open(s.path, &err));
	CHECK(strstr(err.text, "another version of belljar (7, this one has 1)"));
	CHECK(strstr(err.text, "remove it"));
}

/* The sector that the case's call writes first. */
static off_t used_sector(int fd)
{
	for (off_t number = 1; number < STORE_SECTORS; number++) {
		union sector x;

		if (pread(fd, &x, SECTOR_BYTES, number * SECTOR_BYTES) == SECTOR_BYTES && x.word[0])
			return number;
	}
	_exit(99);
}

static off_t used_sector_after(struct meter *m, int fd)
{
	struct meter_case c;

	case_init(&c, "10/min");
	CHECK(admit(m, &c, START_MS));
	return used_sector(fd);
}

TEST(a_sector_of_another_place_or_file_is_damage)
{
	own(scratch) a = scratch_make();
	own(scratch) b = scratch_make();
	own_meter ma = in_file(a.path);
	own_meter mb = in_file(b.path);
	own_fd fa = state_fd(&a), fb = state_fd(&b);
	off_t in_a = used_sector_after(ma, fa), in_b = used_sector_after(mb, fb);
	union sector xa, xb;
	struct meter_case c;

	case_init(&c, "10/min");
	CHECK(pread(fa, &xa, SECTOR_BYTES, in_a * SECTOR_BYTES) == SECTOR_BYTES);
	CHECK(pread(fb, &xb, SECTOR_BYTES, in_b * SECTOR_BYTES) == SECTOR_BYTES);
	CHECK(store_check(&xa, 1, xa.word) != store_check(&xa, 2, xa.word));
	CHECK(pwrite(fa, &xb, SECTOR_BYTES, in_a * SECTOR_BYTES) == SECTOR_BYTES);
	CHECK(is_refused(&a, &c));
	CHECK(pwrite(fa, &xa, SECTOR_BYTES, in_a * SECTOR_BYTES) == SECTOR_BYTES);
	CHECK(!is_refused(&a, &c));
}

TEST(a_file_removed_while_it_is_open_is_made_anew)
{
	own(scratch) s = scratch_make();
	own_meter first = in_file(s.path);
	own_meter second = in_file(s.path);
	struct meter_case c;

	case_init(&c, "2/min");
	CHECK(admit_many(first, &c, START_MS, 5) == 2);
	CHECK(unlinkat(s.fd, "meter", 0) == 0);
	CHECK(admit(first, &c, START_MS));
	CHECK(admit_many(second, &c, START_MS, 5) == 1); /* they share the new one */
}

TEST(what_somebody_left_while_making_the_file_does_not_matter)
{
	own(scratch) s = scratch_make();
	own_fd left = openat(s.fd, "meter.new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct meter_case c;
	own_meter m = in_file(s.path);

	CHECK(left >= 0);
	case_init(&c, "2/min");
	CHECK(admit_many(m, &c, START_MS, 5) == 2);
	CHECK(faccessat(s.fd, "meter.new", F_OK, 0) < 0);
}

TEST(who_holds_the_lock_for_ever_holds_up_nobody_for_ever)
{
	own(scratch) s = scratch_make();
	own_meter m = in_file(s.path);
	own_fd fd = state_fd(&s);
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	struct meter_case c;

	case_init(&c, "2/min");
	CHECK(fcntl(fd, F_OFD_SETLK, &lock) == 0);
	CHECK(!admit(m, &c, START_MS));
	CHECK_STR(c.why.rule, "state");
	CHECK(strstr(meter_error(m)->text, "another belljar holds"));
	lock.l_type = F_UNLCK;
	CHECK(fcntl(fd, F_OFD_SETLK, &lock) == 0);
	CHECK(admit(m, &c, START_MS));
	CHECK(meter_error(m)->kind == ERR_NONE);
}

TEST(the_directory_is_made_for_us_alone)
{
	own(scratch) s = scratch_make();
	char path[128];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/some/where/belljar//", s.path);
	meter_close(in_file(path));
	CHECK(fstatat(s.fd, "some/where/belljar", &st, 0) == 0);
	CHECK((st.st_mode & 07777) == 0700);
	CHECK(fstatat(s.fd, "some/where/belljar/meter", &st, 0) == 0);
	CHECK((st.st_mode & 07777) == 0600);
}

static bool opens(const char *path, struct error *err)
{
	own_meter m = meter_open(path, err);

	return m != NULL;
}

TEST(a_directory_that_is_not_ours_alone_is_refused)
{
	own(scratch) s = scratch_make();
	struct error err = {0};
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/dir", s.path);
	CHECK(mkdirat(s.fd, "dir", 0700) == 0);
	CHECK(opens(path, &err));
	CHECK(chmod(path, 0770) == 0);
	CHECK(!opens(path, &err) && strstr(err.text, "chmod go-w"));
	CHECK(chmod(path, 0702) == 0);
	CHECK(!opens(path, &err));
	CHECK(chmod(path, 0755) == 0);
	CHECK(opens(path, &err));
	CHECK(symlinkat("dir", s.fd, "link") == 0);
	(void)snprintf(path, sizeof(path), "%s/link", s.path);
	CHECK(!opens(path, &err));
	(void)snprintf(path, sizeof(path), "%s/link/", s.path);
	CHECK(!opens(path, &err));
	(void)snprintf(path, sizeof(path), "%s/dir/meter", s.path);
	CHECK(!opens(path, &err));
	CHECK(!opens("", &err));
	if (geteuid() == 0 && chown(s.path, 12345, (gid_t)-1) == 0)
		CHECK(!opens(s.path, &err) && strstr(err.text, "belongs to uid 12345"));
}

TEST(a_file_that_is_not_ours_alone_is_refused)
{
	own(scratch) s = scratch_make();
	struct error err = {0};

	meter_close(in_file(s.path));
	CHECK(fchmodat(s.fd, "meter", 0666, 0) == 0);
	CHECK(!opens(s.path, &err));
	CHECK(fchmodat(s.fd, "meter", 0600, 0) == 0);
	CHECK(opens(s.path, &err));
	if (geteuid() == 0) {
		CHECK(fchownat(s.fd, "meter", 12345, (gid_t)-1, 0) == 0);
		CHECK(!opens(s.path, &err));
		CHECK(fchownat(s.fd, "meter", 0, (gid_t)-1, 0) == 0);
	}
	CHECK(renameat(s.fd, "meter", s.fd, "real") == 0);
	CHECK(symlinkat("real", s.fd, "meter") == 0);
	CHECK(!opens(s.path, &err));
	CHECK(unlinkat(s.fd, "meter", 0) == 0);
	CHECK(mkfifoat(s.fd, "meter", 0600) == 0);
	CHECK(!opens(s.path, &err)); /* and does not wait for its other end */
}

TEST(the_environment_names_the_directory)
{
	own(scratch) s = scratch_make();
	struct error err = {0};
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/named", s.path);
	CHECK(setenv("BELLJAR_STATE", path, 1) == 0);
	CHECK(opens(NULL, &err));
	CHECK(faccessat(s.fd, "named/meter", F_OK, 0) == 0);
	if (geteuid() == 0)
		return;
	CHECK(unsetenv("BELLJAR_STATE") == 0 && setenv("XDG_STATE_HOME", s.path, 1) == 0);
	CHECK(opens(NULL, &err));
	CHECK(faccessat(s.fd, "belljar/meter", F_OK, 0) == 0);
	CHECK(unsetenv("XDG_STATE_HOME") == 0 && setenv("HOME", s.path, 1) == 0);
	CHECK(opens(NULL, &err));
	CHECK(faccessat(s.fd, ".local/state/belljar/meter", F_OK, 0) == 0);
	CHECK(unsetenv("HOME") == 0);
	CHECK(!opens(NULL, &err) && strstr(err.text, "BELLJAR_STATE"));
}
