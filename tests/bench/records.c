/* SPDX-License-Identifier: Apache-2.0 */
/* records.c - how many records a second the scribe takes from many writers, and how long each
 * waits.
 *
 *     records SCRIBE [--writers N] [--seconds S] [--always] [--dir DIR] [--acks FILE]
 *
 * Each writer is a process of its own with a connection of its own and writes calls: started,
 * then finished, each after the receipt for the one before.  The clock stops when
 * everything is on the disk.  With --acks the receipts are written to FILE.N, one line each, for
 * tests that compare them with the log; a writer then goes on when its scribe dies.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "audit/announce.h"
#include "audit/record.h"
#include "base/clock.h"
#include "base/own.h"

enum { WRITERS_MAX = 256, TIMES_MAX = 1 << 16, BAR = 10000 };

struct task {
	const char *scribe, *dir, *acks;
	unsigned writers, seconds;
	bool always;
	char made[64];
};

/* Shared with the writers. */
struct tally {
	uint64_t records, refused, n_times;
	uint32_t us[TIMES_MAX];
};

static const struct limits limits = {30000, 10000, 268435456, 104857600, 12800,
				     64,    1024,  10000,     100};

static int put(struct audit *a, enum record_kind kind, const char *id, struct audit_receipt *ret,
	       struct error *err)
{
	static const char args[] = "{\"code\":\"print(sum(range(1000)))\",\"language\":\"python\"}";
	struct record r = {.kind = kind, .id = id, .client = "bench", .tool = "execute_code"};
	struct audit_entry entry = {.key = id};
	own(buf) line;

	buf_init(&line, RECORD_MAX);
	r.decision = "allow";
	if (kind == RECORD_STARTED) {
		r.args = args;
		r.args_len = sizeof(args) - 1;
		r.args_inline = true;
		r.limits = &limits;
	} else {
		r.status = "success";
		r.has_exit_code = true;
	}
	entry.kind = kind == RECORD_STARTED ? PUT_STARTED : PUT_FINISHED;
	if (record_write(&r, &line, err) < 0)
		return -1;
	entry.line = line.data;
	entry.len = line.len;
	if (audit_write(a, &entry, 1, err) < 0)
		return -1;
	*ret = entry.receipt;
	return 0;
}

static void note_receipt(FILE *acks, enum record_kind kind, const char *id,
			 const struct audit_receipt *r)
{
	struct hash leaf;
	char hex[HASH_HEX];

	if (!acks)
		return;
	memcpy(leaf.bytes, r->leaf_hash, sizeof(leaf.bytes));
	hash_hex(&leaf, hex);
	(void)fprintf(acks, "%s %s %llu %s\n", record_kind_name(kind), id,
		      (unsigned long long)r->index, hex);
	(void)fflush(acks);
}

static int write_one(struct audit *a, struct tally *t, FILE *acks, enum record_kind kind,
		     const char *id)
{
	struct audit_receipt receipt;
	uint64_t start = clock_us();
	struct error err = {0};

	if (put(a, kind, id, &receipt, &err) < 0) {
		if (t->refused++ == 0)
			(void)fprintf(stderr, "# refused: %s\n", err.text);
		return -1;
	}
	note_receipt(acks, kind, id, &receipt);
	if (t->n_times < TIMES_MAX)
		t->us[t->n_times++] = (uint32_t)(clock_us() - start);
	t->records++;
	return 0;
}

static int write_for_a_while(const struct task *task, unsigned number, struct tally *t)
{
	const struct audit_config config = {
		.directory = task->dir, .scribe = task->scribe, .durable = task->always};
	uint64_t until = clock_us() + task->seconds * 1000000ULL;
	struct error err = {0};
	char id[40], name[4096];
	own(audit) a;
	own_file acks = NULL;

	audit_init(&a);
	if (task->acks) {
		(void)snprintf(name, sizeof(name), "%s.%u", task->acks, number);
		acks = fopen(name, "we");
	}
	if ((task->acks && !acks) || audit_open(&a, &config, &err) < 0)
		return fprintf(stderr, "# %s\n", err.text), 1;
	for (unsigned i = 0; clock_us() < until; i++) {
		(void)snprintf(id, sizeof(id), "w%u-%u", number, i);
		if (write_one(&a, t, acks, RECORD_STARTED, id) < 0)
			(void)usleep(1000);
		else
			(void)write_one(&a, t, acks, RECORD_FINISHED, id);
	}
	return 0;
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int report(const struct task *task, const struct tally *t, uint64_t us)
{
	static uint32_t all[WRITERS_MAX * 1024];
	uint64_t records = 0, refused = 0, n = 0;
	double rate;

	for (unsigned i = 0; i < task->writers; i++) {
		uint64_t step = t[i].n_times / 1024 + 1;

		records += t[i].records;
		refused += t[i].refused;
		for (uint64_t k = 0; k < t[i].n_times; k += step)
			all[n++] = t[i].us[k];
	}
	qsort(all, n, sizeof(all[0]), by_size);
	rate = (double)records * 1e6 / (double)us;
	printf("records, %u writers, %s: %.0f/s, median %u us, p99 %u us, %llu refused",
	       task->writers, task->always ? "always" : "group", rate, n ? all[n / 2] : 0,
	       n ? all[n * 99 / 100] : 0, (unsigned long long)refused);
	if (task->writers == 16 && !task->always)
		printf(" (bar %d/s: %s)", BAR, rate >= (double)BAR ? "reached" : "NOT reached");
	printf("\n");
	return records > 0 ? 0 : 1;
}

/* When this has its answer, everything before it is on the disk, too. */
static void wait_for_disk(const struct task *task)
{
	const struct audit_config config = {
		.directory = task->dir, .scribe = task->scribe, .durable = true};
	struct tally *one = calloc(1, sizeof(*one));
	struct error err = {0};
	own(audit) a;

	audit_init(&a);
	if (one && audit_open(&a, &config, &err) == 0) {
		(void)write_one(&a, one, NULL, RECORD_STARTED, "last");
		(void)write_one(&a, one, NULL, RECORD_FINISHED, "last");
	}
	free(one);
}

static int run(const struct task *task)
{
	struct tally *t = mmap(NULL, sizeof(*t) * task->writers, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t start = clock_us();
	int failed = 0, status;

	if (t == MAP_FAILED)
		return perror("mmap"), 1;
	for (unsigned i = 0; i < task->writers; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(write_for_a_while(task, i, &t[i]));
		failed |= child < 0;
	}
	while (wait(&status) > 0)
		failed |= status != 0;
	wait_for_disk(task);
	return report(task, t, clock_us() - start) | failed;
}

static int parse(int argc, char **argv, struct task *ret)
{
	static const struct option names[] = {
		{"writers", required_argument, NULL, 'w'},
		{"seconds", required_argument, NULL, 's'},
		{"always", no_argument, NULL, 'a'},
		{"dir", required_argument, NULL, 'd'},
		{"acks", required_argument, NULL, 'k'},
		{0},
	};
	int letter;

	while ((letter = getopt_long(argc, argv, "", names, NULL)) >= 0) {
		if (letter == 'w')
			ret->writers = (unsigned)strtoul(optarg, NULL, 10);
		else if (letter == 's')
			ret->seconds = (unsigned)strtoul(optarg, NULL, 10);
		else if (letter == 'a')
			ret->always = true;
		else if (letter == 'd')
			ret->dir = optarg;
		else if (letter == 'k')
			ret->acks = optarg;
		else
			return -1;
	}
	ret->scribe = optind + 1 == argc ? argv[optind] : NULL;
	return ret->scribe && ret->writers && ret->writers <= WRITERS_MAX ? 0 : -1;
}

/* The scribe may still be writing its last words. */
static int remove_log(const char *dir)
{
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -rf '%s' 2>/dev/null", dir);
	for (int i = 0; i < 10; i++) {
		if (system(command) == 0) /* NOLINT: a name of our own making */
			return 0;
		(void)sleep(1);
	}
	return 1;
}

int main(int argc, char **argv)
{
	struct task task = {.writers = 16, .seconds = 5, .made = "/var/tmp/belljar-records-XXXXXX"};
	int code;

	if (parse(argc, argv, &task) < 0)
		return fprintf(stderr, "records: see the head of records.c\n"), 2;
	if (task.dir)
		return run(&task);
	/* On a real disk: /tmp may be none. */
	task.dir = mkdtemp(task.made);
	if (!task.dir)
		return perror(task.made), 1;
	code = run(&task);
	task.always = true;
	code |= run(&task);
	return code | remove_log(task.dir);
}
