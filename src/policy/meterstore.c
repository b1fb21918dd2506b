/* SPDX-License-Identifier: Apache-2.0 */
/* meterstore.c - the state file of rates and budgets: sectors under one lock, and its own time.
 *
 * Several "belljar call" may run at the same time, and each may be killed at any
 * moment.  So the file is only touched under a lock that ends with its holder,
 * and every write is one whole aligned sector with a check over it, its place
 * and the file's secret.  A sector that does not pass is never repaired or
 * taken for empty: calls are refused until the operator has looked.
 *
 * Reads and writes, not a mapping: a full disk or a file cut short is then an
 * error to report and not a signal.  Nothing is synced: after a power cut the
 * last seconds may be forgotten, after a crash of ours nothing is.
 *
 * Time: the wall clock, because only it goes on while the machine is off.  It may
 * be set, so the buckets live in a time of the file's own that only ever adds up
 * what the clock advanced.  A clock that steps back adds nothing.  If the step is
 * small (or two processes read the clock in one order and came here in the
 * other) the file waits for the clock to catch up; if it is large, it goes on
 * from there, and a clock that was once wrong does not block anybody for years.
 * A step forward cannot be told from a machine that was off: it fills buckets,
 * once.  Only who may set the clock can make more of that.  (The clock since
 * boot cannot be set, but it begins anew with each boot, that is at the very moment
 * for which the file is kept.)
 */
#include "policy/meterstore.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own.h"
#include "policy/gcra.h"

static_assert(sizeof(union sector) == SECTOR_BYTES, "a sector is a sector");
static_assert(sizeof(struct window) == SECTOR_BYTES, "a window fills a sector");
static_assert(sizeof(struct bucket_sector) == SECTOR_BYTES, "buckets fill a sector");

#define STORE_MAGIC      0x72656a6c6c65626dULL /* "mbelljer" */
#define STORE_FILE       "meter"
#define STORE_FILE_NEW   "meter.new"
#define BACK_MAX_MS      60000ULL
#define TIME_FIRST_NS    (1ULL << 50)
#define TIME_LAST_NS     (1ULL << 62)
#define PLACES_FIRST     (1ULL << 62)
#define LOCK_PAUSE_MAX   1000000L
#define STORE_FILE_BYTES ((off_t)STORE_SECTORS * SECTOR_BYTES)

static const char mend[] = "if nothing else can be done, remove it: all rates and budgets then "
			   "begin anew";

/* A step is a bijection of the sum: no single changed word can go unseen. */
uint64_t store_check(const union sector *x, uint32_t number, const uint64_t secret[static 2])
{
	uint64_t sum = secret[0] ^ (number + 1) * 0x9e3779b97f4a7c15;

	for (size_t i = 1; i < ARRAY_LEN(x->word); i++) {
		sum = (sum ^ x->word[i]) * 0xd6e8feb86659fd93;
		sum ^= sum >> 32;
	}
	sum ^= secret[1];
	return sum ? sum : 1; /* 0 is the check of a sector that nobody ever wrote */
}

static bool is_blank(const union sector *x)
{
	uint64_t any = 0;

	for (size_t i = 0; i < ARRAY_LEN(x->word); i++)
		any |= x->word[i];
	return any == 0;
}

static int damaged(struct error *err, uint32_t number)
{
	return fail(err, ERR_CONFIG, "the state file is damaged (sector %u); %s", number, mend);
}

static int read_sector(const struct store *s, uint32_t number, union sector *ret, struct error *err)
{
	ssize_t n = pread(s->file, ret, SECTOR_BYTES, (off_t)number * SECTOR_BYTES);

	if (n < 0)
		return fail_sys(err, "read the state file");
	return n == SECTOR_BYTES ? 0 : damaged(err, number);
}

static int write_sector(int file, uint32_t number, union sector *x, const uint64_t secret[static 2],
			struct error *err)
{
	ssize_t n;

	x->word[0] = store_check(x, number, secret);
	n = pwrite(file, x, SECTOR_BYTES, (off_t)number * SECTOR_BYTES);
	if (n < 0)
		return fail_sys(err, "write the state file");
	return n == SECTOR_BYTES ? 0 : fail(err, ERR_CONFIG, "the state file cannot be written");
}

static int check_head(const union sector *x, struct error *err)
{
	const struct head *h = &x->head;

	if (h->magic != STORE_MAGIC)
		return fail(err, ERR_CONFIG, "the state file is none of belljar's, or damaged; %s",
			    mend);
	if (h->version != STORE_VERSION || h->sector_bytes != SECTOR_BYTES ||
	    h->bucket_sectors != BUCKET_SECTORS || h->window_sectors != WINDOW_SECTORS)
		return fail(
			err, ERR_CONFIG,
			"the state file is of another version of belljar (%u, this one has %d); "
			"use that one, or %s",
			h->version, STORE_VERSION, mend);
	if (h->check != store_check(x, 0, h->secret) || h->time_ns >= TIME_LAST_NS)
		return damaged(err, 0);
	return 0;
}

static void new_head(union sector *x)
{
	*x = (union sector){
		.head = {
			.magic = STORE_MAGIC,
			.version = STORE_VERSION,
			.sector_bytes = SECTOR_BYTES,
			.bucket_sectors = BUCKET_SECTORS,
			.window_sectors = WINDOW_SECTORS,
			.wall_ms = UINT64_MAX, /* whoever asks first steps back from it */
			.time_ns = TIME_FIRST_NS,
		}};
}

static int fill_new_file(int file, struct error *err)
{
	union sector x;

	new_head(&x);
	if (getrandom(x.head.secret, sizeof(x.head.secret), 0) != sizeof(x.head.secret))
		return fail_sys(err, "get random bytes");
	if (ftruncate(file, STORE_FILE_BYTES) < 0)
		return fail_sys(err, "make the state file");
	if (write_sector(file, 0, &x, x.head.secret, err) < 0)
		return -1;
	return fsync(file) < 0 ? fail_sys(err, "make the state file") : 0;
}

/* It appears whole or not at all: an empty file is a damaged one, never a new one. */
static int make_file(int dir, struct error *err)
{
	own_fd file = -1;

	(void)unlinkat(dir, STORE_FILE_NEW, 0); /* of somebody who died here */
	file = openat(dir, STORE_FILE_NEW, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      0600);
	if (file < 0)
		return fail_sys(err, "make the state file");
	if (fill_new_file(file, err) < 0)
		return -1;
	if (renameat(dir, STORE_FILE_NEW, dir, STORE_FILE) < 0)
		return fail_sys(err, "make the state file");
	return 0;
}

static int open_existing(int dir)
{
	return openat(dir, STORE_FILE, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* One makes it, the others wait for that and find it. */
static int open_or_make(int dir, struct error *err)
{
	own_fd file = open_existing(dir);
	int failed = 0;

	if (file < 0 && errno == ENOENT) {
		if (flock(dir, LOCK_EX) < 0)
			return fail_sys(err, "lock the state directory");
		file = open_existing(dir);
		if (file < 0 && errno == ENOENT) {
			failed = make_file(dir, err);
			file = open_existing(dir);
		}
		(void)flock(dir, LOCK_UN);
	}
	if (failed)
		return -1;
	return file < 0 ? fail_sys(err, "open the state file") : take_fd(&file);
}

static int look_at_file(int file, nlink_t *ret_links, struct error *err)
{
	struct stat st;

	if (fstat(file, &st) < 0)
		return fail_sys(err, "look at the state file");
	*ret_links = st.st_nlink;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return fail(err, ERR_CONFIG,
			    "the state file is no file that only this user may write; %s", mend);
	if (st.st_size != STORE_FILE_BYTES)
		return fail(err, ERR_CONFIG, "the state file is damaged (%lld bytes, not %lld); %s",
			    (long long)st.st_size, (long long)STORE_FILE_BYTES, mend);
	return 0;
}

static int reopen(struct store *s, struct error *err)
{
	own_fd file = open_or_make(s->dir, err);
	nlink_t links;

	if (file < 0 || look_at_file(file, &links, err) < 0)
		return -1;
	own_fd_end(&s->file);
	s->file = take_fd(&file);
	return 0;
}

static int get_table(struct store *s, size_t sectors, struct error *err)
{
	/* Fresh pages: zeroed when they are used, and aligned. */
	void *table = mmap(NULL, sectors * SECTOR_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (table == MAP_FAILED)
		return fail_sys(err, "get memory");
	s->table = table;
	s->sectors = sectors;
	return 0;
}

/* The lock belongs to the open file: it ends when we do, however that is. */
static int lock_byte(int file, uint64_t at, short type)
{
	struct flock lock = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)at, .l_len = 1};

	return fcntl(file, F_OFD_SETLK, &lock);
}

/* Not for ever: a holder that was stopped must not stop everybody. */
static int lock_file(int file, uint64_t wait_ms, struct error *err)
{
	struct timespec pause = {.tv_nsec = 20000};
	uint64_t end = clock_us() + wait_ms * 1000;

	while (lock_byte(file, 0, F_WRLCK) < 0) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return fail_sys(err, "lock the state file");
		if (clock_us() >= end)
			return errno = ETIMEDOUT,
			       fail_sys(err, "another belljar holds the state file");
		(void)nanosleep(&pause, NULL);
		if (pause.tv_nsec < LOCK_PAUSE_MAX)
			pause.tv_nsec *= 2;
	}
	return 0;
}

/* The operator may have removed the file meanwhile; then it is another one. */
static int lock_current(struct store *s, uint64_t wait_ms, struct error *err)
{
	for (int tries = 0; tries < 3; tries++) {
		nlink_t links;

		if (lock_file(s->file, wait_ms, err) < 0 || look_at_file(s->file, &links, err) < 0)
			return -1;
		if (links > 0)
			return 0;
		if (reopen(s, err) < 0)
			return -1;
	}
	return fail(err, ERR_CONFIG, "somebody keeps removing the state file");
}

static int lock_head(struct store *s, uint64_t wait_ms, struct error *err)
{
	if (lock_current(s, wait_ms, err) < 0 || read_sector(s, 0, s->table, err) < 0)
		return -1;
	return check_head(s->table, err);
}

static void advance(struct store *s, uint64_t now_ms)
{
	struct head *h = s->head;
	uint64_t most_ms = GCRA_AHEAD_MAX_NS / NS_PER_MS, passed = 0;

	s->behind_ms = 0;
	if (now_ms >= h->wall_ms) {
		passed = now_ms - h->wall_ms;
		h->wall_ms = now_ms;
	} else if (h->wall_ms - now_ms <= BACK_MAX_MS) {
		s->behind_ms = h->wall_ms - now_ms;
	} else {
		h->wall_ms = now_ms;
		store_touch(s, h); /* even if this call is refused: time goes on from here */
	}
	h->time_ns += (passed < most_ms ? passed : most_ms) * NS_PER_MS;
	if (h->time_ns > TIME_LAST_NS)
		h->time_ns = TIME_LAST_NS;
}

int store_begin(struct store *s, uint64_t now_ms, uint64_t wait_ms, struct error *err)
{
	union sector *x = s->table;

	s->n_cached = 0;
	s->head = NULL;
	if (s->file >= 0) {
		if (lock_head(s, wait_ms, err) < 0)
			return -1;
		s->number[0] = 0;
		s->dirty[0] = false;
		s->n_cached = 1;
	}
	s->head = &x->head;
	advance(s, now_ms);
	return 0;
}

union sector *store_load(struct store *s, uint32_t number, struct error *err)
{
	union sector *x = &s->table[s->n_cached];

	assert(s->head && number > 0 && number < STORE_SECTORS);
	if (s->file < 0)
		return &s->table[number];
	for (size_t i = 1; i < s->n_cached; i++)
		if (s->number[i] == number)
			return &s->table[i];
	if (s->n_cached == STORE_CACHE) {
		(void)fail(err, ERR_CONFIG, "too many rates for one call");
		return NULL;
	}
	if (read_sector(s, number, x, err) < 0)
		return NULL;
	if (x->word[0] ? x->word[0] != store_check(x, number, s->head->secret) : !is_blank(x)) {
		(void)damaged(err, number);
		return NULL;
	}
	s->number[s->n_cached] = number;
	s->dirty[s->n_cached++] = false;
	return x;
}

void store_touch(struct store *s, const void *in_sector)
{
	size_t i = (size_t)((const char *)in_sector - (const char *)s->table) / SECTOR_BYTES;

	if (s->file >= 0)
		s->dirty[i] = true;
}

int store_commit(struct store *s, struct error *err)
{
	bool any = false;

	for (size_t i = 1; i < s->n_cached; i++)
		any |= s->dirty[i];
	/* What a sector says is in the time of the head: that one comes first. */
	if (any)
		s->dirty[0] = true;
	for (size_t i = 0; i < s->n_cached; i++) {
		if (!s->dirty[i])
			continue;
		if (write_sector(s->file, s->number[i], &s->table[i], s->head->secret, err) < 0)
			return -1;
		s->dirty[i] = false;
	}
	return 0;
}

void store_finish(struct store *s)
{
	s->head = NULL;
	s->n_cached = 0;
	if (s->file >= 0)
		(void)lock_byte(s->file, 0, F_UNLCK);
}

bool store_take_place(struct store *s, uint64_t number)
{
	return s->file < 0 || lock_byte(s->file, PLACES_FIRST + number, F_WRLCK) == 0;
}

void store_leave_place(struct store *s, uint64_t number)
{
	if (s->file >= 0)
		(void)lock_byte(s->file, PLACES_FIRST + number, F_UNLCK);
}

int store_open(struct store *s, int dir, struct error *err)
{
	int failed;

	*s = (struct store){.dir = dir, .file = -1};
	if (get_table(s, STORE_CACHE, err) < 0 || reopen(s, err) < 0)
		return -1;
	failed = lock_head(s, STORE_WAIT_MS, err); /* what is wrong with it is said at once */
	store_finish(s);
	return failed;
}

int store_open_memory(struct store *s, struct error *err)
{
	*s = (struct store){.dir = -1, .file = -1};
	if (get_table(s, STORE_SECTORS, err) < 0)
		return -1;
	new_head(&s->table[0]);
	return 0;
}

void store_done(struct store *s)
{
	own_fd_end(&s->file);
	own_fd_end(&s->dir);
	if (s->table)
		(void)munmap(s->table, s->sectors * SECTOR_BYTES);
	*s = (struct store){.dir = -1, .file = -1};
}
