/* SPDX-License-Identifier: Apache-2.0 */
/* forbidden_call.c - attacks the list of system calls: each row is a call that must be refused.
 *
 * The arguments are harmless where the call is allowed: either the call does nothing worse than
 * return a descriptor, or the kernel finds an argument wrong, after it has asked for privileges.
 * An answer other than EPERM, EACCES or ENOSYS means that the kernel was reached.
 */
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/timex.h>

#include "escape.h"

#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

static struct io_uring_params ring;
static union bpf_attr bpf_map = {
	.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
static struct perf_event_attr perf = {
	.type = PERF_TYPE_SOFTWARE, .size = sizeof(perf), .exclude_kernel = 1, .exclude_hv = 1};
static aio_context_t aio;
static struct sched_param real_time = {.sched_priority = 1};
static char page[4096];

struct call {
	const char *name;
	long nr;
	long args[6];
};

#define AT(object) ((long)(intptr_t)(object))

/* One row per call; a row is added when a new call is found that can hurt. */
static const struct call calls[] = {
	{"io_uring_setup", SYS_io_uring_setup, {4, AT(0)}},         /* patched in at start */
	{"userfaultfd", SYS_userfaultfd, {UFFD_USER_MODE_ONLY}},    /* stops the kernel mid-copy */
	{"bpf", SYS_bpf, {BPF_MAP_CREATE, AT(0), sizeof(bpf_map)}}, /* code in the kernel */
	{"perf_event_open",
	 SYS_perf_event_open,
	 {AT(0), 0, -1, -1, 0}},                              /* counters: side channel */
	{"io_setup", SYS_io_setup, {1, AT(0)}},               /* kernel memory, old bugs */
	{"fanotify_init", SYS_fanotify_init, {0x200, 0}},     /* FAN_REPORT_FID */
	{"quotactl", SYS_quotactl, {0x80000100, 0, 0, 0}},    /* Q_SYNC of nothing */
	{"kexec_load", SYS_kexec_load, {0, 1000, 0, 0}},      /* too many segments */
	{"init_module", SYS_init_module, {AT(0), 0, AT(0)}},  /* an empty module */
	{"finit_module", SYS_finit_module, {-1, AT(0), 0}},   /* no file */
	{"delete_module", SYS_delete_module, {AT(0), 0x800}}, /* no name */
	{"reboot", SYS_reboot, {0, 0, 0, 0}},                 /* wrong magic numbers */
	{"swapon", SYS_swapon, {AT(0), 0}},                   /* no path */
	{"acct", SYS_acct, {AT(0)}},                          /* patched in: no such file */
	{"settimeofday", SYS_settimeofday, {0, 0}},           /* nothing to set */
	{"clock_settime", SYS_clock_settime, {0, 0}},         /* no time given */
	{"adjtimex", SYS_adjtimex, {AT(0)}},                  /* reads only */
	{"sethostname", SYS_sethostname, {AT(0), -1}},        /* wrong length */
	{"setdomainname", SYS_setdomainname, {AT(0), -1}},    /* wrong length */
	{"syslog", SYS_syslog, {10, 0, 0}},                   /* size of the kernel's log */
	{"modify_ldt", SYS_modify_ldt, {0, AT(0), 8}},        /* reads only */
	{"memfd_secret", SYS_memfd_secret, {0}},              /* memory nobody can count */
	{"cachestat", SYS_cachestat, {0, AT(0), AT(0), 0}},   /* what others have read */
	{"ioprio_set", SYS_ioprio_set, {1, 0, 0x4000}},       /* disk before others */
	{"sched_setscheduler", SYS_sched_setscheduler, {0, SCHED_FIFO, AT(0)}}, /* before others */
	{"mbind", SYS_mbind, {AT(0), 0, 0, 0, 0, 0}},                           /* of nothing */
	{"move_pages", SYS_move_pages, {0, 0, 0, 0, 0, 0}},                     /* of nothing */
	{"migrate_pages", SYS_migrate_pages, {0, 0, 0, 0}},                     /* of nothing */
	{"name_to_handle_at", SYS_name_to_handle_at, {-100, AT(0), AT(0), AT(0), 0}}, /* no path */
	{"vhangup", SYS_vhangup, {0}}, /* of no terminal */
#ifdef SYS_iopl
	{"iopl", SYS_iopl, {3}},              /* hardware */
	{"ioperm", SYS_ioperm, {0x80, 1, 1}}, /* hardware */
#endif
};

/* Addresses are not constants; they are filled in here. */
static void fill_in(struct call *c)
{
	static const struct {
		long nr;
		int place;
		void *object;
	} objects[] = {
		{SYS_io_uring_setup, 1, &ring},
		{SYS_bpf, 1, &bpf_map},
		{SYS_perf_event_open, 0, &perf},
		{SYS_io_setup, 1, &aio},
		{SYS_adjtimex, 0, page},
		{SYS_modify_ldt, 1, page},
		{SYS_sched_setscheduler, 2, &real_time},
		{SYS_acct, 0, (void *)"/nowhere/at/all"},
	};

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (objects[i].nr == c->nr)
			c->args[objects[i].place] = AT(objects[i].object);
}

static void make(struct call c)
{
	fill_in(&c);
	tried("%s", c.name);
	end_by_reach(
		syscall(c.nr, c.args[0], c.args[1], c.args[2], c.args[3], c.args[4], c.args[5]),
		c.name);
}

int main(int argc, char **argv)
{
	const char *name = need_arg(argc, argv, 1, "system call");

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(name, calls[i].name) == 0)
			make(calls[i]);
	cannot("usage: no such row: %s", name);
}
