/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp_test.c - the filter against its table, in an interpreter and in the kernel. */
#include "sandbox/native/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/own.h"
#include "filter.h"
#include "sandbox/native/syscalls.h"
#include "scratch.h"
#include "tap.h"

#define BIT32 (1ull << 32)

static uint64_t random_state = 0x9e3779b97f4a7c15;

/* The same numbers in every run: a failure can be looked at again. */
static uint64_t some_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

TEST(the_filter_is_short)
{
	for (size_t i = 0; i < ARRAY_LEN(filters); i++) {
		compile(filters[i]);
		printf("# %u instructions\n", program.len);
		CHECK(program.len > 100 && program.len < 400);
	}
}

TEST(a_number_is_found_in_few_steps)
{
	compile(&plain);
	for (uint32_t nr = 0; nr < SYSCALLS_END; nr++) {
		struct seccomp_data data = {.nr = (int)nr, .arch = SYSCALLS_ARCH};

		(void)bpf_run(program.code, program.len, &data);
		CHECK(bpf_steps < 64);
	}
}

TEST(every_number_gets_the_answer_of_the_table)
{
	for (size_t i = 0; i < ARRAY_LEN(filters); i++) {
		compile(filters[i]);
		for (uint32_t nr = 0; nr <= 1100; nr++) {
			uint64_t ones[6] = {~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull};

			CHECK(agree(filters[i], SYSCALLS_ARCH, nr, no_args));
			CHECK(agree(filters[i], SYSCALLS_ARCH, nr, ones));
		}
	}
}

TEST(numbers_beyond_the_table_do_not_exist_or_kill)
{
	compile(&plain);
	for (uint32_t nr = 0; nr <= 1100; nr++) {
		CHECK(agree(&plain, SYSCALLS_ARCH, nr | SYSCALLS_X32, no_args));
		CHECK(agree(&plain, SYSCALLS_ARCH, nr | 0x80000000, no_args));
		CHECK(agree(&plain, SYSCALLS_ARCH, nr << 16, no_args));
	}
	for (int i = 0; i < 100000; i++)
		CHECK(agree(&plain, SYSCALLS_ARCH, (uint32_t)some_number(), no_args));
	CHECK(agree(&plain, SYSCALLS_ARCH, UINT32_MAX, no_args));
	CHECK(seccomp_judge(&plain, SYSCALLS_ARCH, 999, no_args) == VERDICT_ENOSYS);
	CHECK(seccomp_judge(&plain, SYSCALLS_ARCH, 0x80000000, no_args) == VERDICT_ENOSYS);
#ifdef __x86_64__
	CHECK(seccomp_judge(&plain, SYSCALLS_ARCH, SYSCALLS_X32, no_args) == VERDICT_KILL);
	CHECK(seccomp_judge(&plain, SYSCALLS_ARCH, SYSCALLS_X32 | __NR_read, no_args) ==
	      VERDICT_KILL);
#endif
}

TEST(foreign_architectures_kill)
{
	static const uint32_t archs[] = {AUDIT_ARCH_I386,
					 AUDIT_ARCH_X86_64,
					 AUDIT_ARCH_ARM,
					 AUDIT_ARCH_AARCH64,
					 AUDIT_ARCH_S390X,
					 AUDIT_ARCH_RISCV64,
					 0,
					 UINT32_MAX};

	compile(&plain);
	for (size_t i = 0; i < ARRAY_LEN(archs); i++)
		for (uint32_t nr = 0; nr <= SYSCALLS_END; nr++) {
			CHECK(agree(&plain, archs[i], nr, no_args));
			if (archs[i] != SYSCALLS_ARCH)
				CHECK(seccomp_judge(&plain, archs[i], nr, no_args) == VERDICT_KILL);
		}
}

/* Every value at which a condition of the rule may change its mind. */
static size_t edges(const struct argument_rule *rule, unsigned arg, uint32_t *ret_values,
		    size_t room)
{
	size_t n = 0;

	ret_values[n++] = 0;
	ret_values[n++] = UINT32_MAX;
	for (uint32_t bit = 0; bit < 32; bit++)
		ret_values[n++] = 1u << bit;
	for (size_t w = 0; w < rule->n; w++)
		for (size_t c = 0; c < ARRAY_LEN(rule->ways[w].all); c++) {
			const struct condition *cond = &rule->ways[w].all[c];

			if (!cond->set || cond->arg != arg)
				continue;
			for (size_t r = 0; r < cond->set->n && n + 6 < room; r++) {
				ret_values[n++] = cond->set->ranges[r].low - 1;
				ret_values[n++] = cond->set->ranges[r].low;
				ret_values[n++] = cond->set->ranges[r].low | ~cond->mask;
				ret_values[n++] = cond->set->ranges[r].high;
				ret_values[n++] = cond->set->ranges[r].high + 1;
			}
		}
	CHECK(n + 6 < room);
	return n;
}

static const uint64_t high_bits[] = {0, 1ull << 32, 1ull << 63, 0xffffffffull << 32};

enum { EDGES = 512 };

/* Does a condition look at all 64 bits of it? */
static bool is_whole(const struct argument_rule *rule, unsigned arg)
{
	for (size_t w = 0; w < rule->n; w++)
		for (size_t c = 0; c < ARRAY_LEN(rule->ways[w].all); c++)
			if (rule->ways[w].all[c].whole && rule->ways[w].all[c].arg == arg)
				return true;
	return false;
}

/* Each argument takes every edge in turn, while the others take some; then all with high bits,
 * which change nothing except where all 64 bits count. */
static bool rule_agrees(const struct seccomp_options *options, const struct syscall_row *row,
			const struct argument_rule *rule)
{
	static uint32_t values[6][EDGES];
	size_t n[6];
	bool good = true;

	for (unsigned arg = 0; arg < 6; arg++)
		n[arg] = edges(rule, arg, values[arg], EDGES);
	for (int i = 0; i < 60000 && good; i++) {
		uint64_t args[6];
		uint64_t high = high_bits[some_number() % ARRAY_LEN(high_bits)];
		enum verdict low_verdict, verdict;

		for (unsigned arg = 0; arg < 6; arg++)
			args[arg] = values[arg][some_number() % n[arg]];
		low_verdict = seccomp_judge(options, SYSCALLS_ARCH, row->nr, args);
		for (unsigned arg = 0; arg < 6; arg++)
			args[arg] |= is_whole(rule, arg) ? 0 : high;
		verdict = seccomp_judge(options, SYSCALLS_ARCH, row->nr, args);
		good = verdict == low_verdict && agree(options, SYSCALLS_ARCH, row->nr, args);
		for (unsigned arg = 0; arg < 6; arg++)
			args[arg] |= high;
		good = good && agree(options, SYSCALLS_ARCH, row->nr, args);
	}
	return good;
}

TEST(argument_rules_agree_at_every_edge_and_ignore_high_bits)
{
	for (size_t i = 0; i < ARRAY_LEN(filters); i++) {
		compile(filters[i]);
		for (size_t r = 0; r < n_syscalls; r++) {
			const struct syscall_row *row = &syscalls[r];
			const struct argument_rule *rule =
				argument_rules[syscall_answer(row, filters[i])->rule];

			if (rule && !rule_agrees(filters[i], row, rule)) {
				printf("# rule of %s\n", row->name);
				tap_failures++;
			}
		}
	}
}

/* Exhaustive where it can be: every value of one argument that decides alone. */
TEST(one_register_with_every_value_agrees)
{
	static const uint32_t calls[] = {__NR_prctl, __NR_personality, __NR_prlimit64};

	compile(&plain);
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		for (uint32_t value = 0; value < 1u << 17; value++) {
			uint64_t args[6] = {value};

			CHECK(agree(&plain, SYSCALLS_ARCH, calls[i], args));
		}
	for (uint32_t value = 0; value < 1u << 17; value++) {
		uint64_t args[6] = {0, value, value};

		CHECK(agree(&plain, SYSCALLS_ARCH, __NR_ioctl, args));
		CHECK(agree(&plain, SYSCALLS_ARCH, __NR_fcntl, args));
		CHECK(agree(&plain, SYSCALLS_ARCH, __NR_setsockopt, args));
	}
}

/* From here on the real kernel is asked. */

static void install(const struct seccomp_options *options)
{
	struct error err = {0};

	compile(options);
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	if (seccomp_install(program.code, program.len, &err) < 0) {
		printf("# %s\n", err.text);
		tap_failures++;
	}
}

static int errno_of(long result)
{
	return result < 0 ? errno : 0;
}

TEST(the_kernel_needs_no_new_privs_or_refuses)
{
	struct error err = {0};

	/* Root with CAP_SYS_ADMIN may; so step down first. */
	if (geteuid() == 0)
		CHECK(setresuid(65534, 65534, 65534) == 0);
	compile(&plain);
	CHECK(seccomp_install(program.code, program.len, &err) < 0 && err.kind == ERR_SYSTEM &&
	      err.sys == EACCES);
}

static void ask_between(int want)
{
	CHECK(errno_of(syscall(__NR_unshare, CLONE_FILES)) == want);
	/* Without rights and without a namespace the kernel says no by itself, in other words. */
	CHECK(errno_of(syscall(__NR_setns, -1, CLONE_NEWNET)) == (want ? want : EBADF));
}

TEST(the_halves_refuse_for_real_what_the_whole_does)
{
	const struct rlimit none = {1, 1};
	struct error err = {0};

	compile(&plain);
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(errno_of(socket(AF_NETLINK, SOCK_RAW, 0)) == 0); /* the twins */
	CHECK(errno_of(syscall(__NR_prlimit64, 0, RLIMIT_CORE, &none, NULL)) == 0);
	CHECK(seccomp_install(first_half.code, first_half.len, &err) == 0);
	CHECK(errno_of(socket(AF_NETLINK, SOCK_RAW, 0)) == EPERM);
	CHECK(errno_of(syscall(999)) == ENOSYS);
	CHECK(errno_of(prctl(PR_SET_SECUREBITS, 0, 0, 0, 0)) == EPERM);
	CHECK(errno_of(syscall(__NR_prlimit64, 0, RLIMIT_CORE, &none, NULL)) == EPERM);
	ask_between(0);
	CHECK(seccomp_install(second_half.code, second_half.len, &err) == 0);
	ask_between(EPERM);
	CHECK(errno_of(prctl(PR_SET_SECUREBITS, 0, 0, 0, 0)) == EPERM);
	CHECK(errno_of(prctl(PR_GET_SECUREBITS, 0, 0, 0, 0)) == 0);
	CHECK(errno_of(socket(AF_NETLINK, SOCK_RAW, 0)) == EPERM);
	CHECK(errno_of(socket(AF_UNIX, SOCK_STREAM, 0)) == 0);
	CHECK(errno_of(syscall(999)) == ENOSYS);
}

/* The address of a limit whose low half is zero, as a program may choose one. */
TEST(the_core_limit_stays_for_real)
{
	const struct rlimit no_files = {0, 0};
	struct rlimit now;
	struct rlimit *round = mmap((void *)(0x2000 * BIT32), 4096, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	CHECK(round == (void *)(0x2000 * BIT32));
	*round = (struct rlimit){1, 1};
	CHECK(errno_of(syscall(__NR_prlimit64, 0, RLIMIT_CORE, round, NULL)) == 0); /* the twin */
	install(&plain);
	*round = (struct rlimit){0, 0};
	CHECK(errno_of(syscall(__NR_prlimit64, 0, RLIMIT_CORE, round, NULL)) == EPERM);
	CHECK(errno_of(syscall(__NR_prlimit64, 0, RLIMIT_CORE, &no_files, NULL)) == EPERM);
	CHECK(errno_of(syscall(__NR_setrlimit, RLIMIT_CORE, &no_files)) == EPERM);
	CHECK(errno_of(syscall(__NR_prlimit64, 0, RLIMIT_CORE, NULL, &now)) == 0);
	CHECK(now.rlim_cur == 1 && now.rlim_max == 1);
	CHECK(errno_of(setrlimit(RLIMIT_MSGQUEUE, &no_files)) == 0);
}

TEST(calls_are_refused_for_real)
{
	CHECK(errno_of(socket(AF_NETLINK, SOCK_RAW, 0)) == 0); /* the twin */
	CHECK(errno_of(syscall(__NR_kcmp, getpid(), getpid(), 1, 0, 0)) == 0);
	CHECK(errno_of(personality(ADDR_NO_RANDOMIZE)) == 0);
	install(&plain);
	CHECK(errno_of(socket(AF_NETLINK, SOCK_RAW, 0)) == EPERM);
	CHECK(errno_of(syscall(__NR_socket, AF_NETLINK | BIT32, SOCK_RAW, 0)) == EPERM);
	CHECK(errno_of(syscall(__NR_kcmp, getpid(), getpid(), 1, 0, 0)) == EPERM);
	CHECK(errno_of(personality(ADDR_NO_RANDOMIZE)) == EPERM);
	CHECK(errno_of(ptrace(PTRACE_TRACEME, 0, NULL, NULL)) == EPERM);
	CHECK(errno_of(socket(38, SOCK_SEQPACKET, 0)) == EPERM);
	CHECK(errno_of(syscall(__NR_socket, 38 | BIT32, SOCK_SEQPACKET, 0)) == EPERM);
	CHECK(errno_of(syscall(999)) == ENOSYS);
	CHECK(errno_of(syscall(435, NULL, 0)) == ENOSYS);
	CHECK(errno_of(socket(AF_UNIX, SOCK_STREAM, 0)) == 0);
}

/* Every way to give a file a mode; on the file itself, and as it is made. */
static void set_modes(mode_t mode, uint64_t high, int want)
{
	uint64_t m = mode | high;
	int fd = open("a", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	CHECK(errno_of(syscall(__NR_fchmod, fd, m)) == want);
	CHECK(errno_of(syscall(__NR_fchmodat, AT_FDCWD, "a", m)) == want);
	CHECK(errno_of(syscall(452, AT_FDCWD, "a", m, 0)) == want || errno == ENOSYS);
	CHECK(errno_of(syscall(__NR_openat, AT_FDCWD, "b", O_CREAT | O_WRONLY, m)) == want);
	CHECK(errno_of(syscall(__NR_openat, AT_FDCWD, ".", O_TMPFILE | O_WRONLY, m)) == want);
	CHECK(errno_of(syscall(__NR_openat, AT_FDCWD, "a", O_RDONLY, m)) == 0);
	CHECK(errno_of(syscall(__NR_mknodat, AT_FDCWD, "c", m | S_IFREG, 0)) == want);
#ifdef __x86_64__
	CHECK(errno_of(syscall(__NR_chmod, "a", m)) == want);
	CHECK(errno_of(syscall(__NR_open, "d", O_CREAT | O_WRONLY, m)) == want);
	CHECK(errno_of(syscall(__NR_open, "a", O_RDONLY, m)) == 0);
	CHECK(errno_of(syscall(__NR_creat, "e", m)) == want);
	CHECK(errno_of(syscall(__NR_mknod, "f", m | S_IFREG, 0)) == want);
#endif
	for (const char *name = "abcdef"; *name; name++)
		(void)unlink((const char[]){*name, '\0'});
}

TEST(no_set_uid_file_for_real)
{
	uint64_t how[3] = {O_CREAT | O_WRONLY, 04755, 0};
	own(scratch) dir = scratch_make();

	CHECK(fchdir(dir.fd) == 0);
	set_modes(04755, 0, 0); /* the twin */
	set_modes(02755, BIT32, 0);
	install(&writable);
	set_modes(01755, 0, 0);
	set_modes(0755, BIT32, 0);
	set_modes(04755, 0, EPERM);
	set_modes(02755, 0, EPERM);
	set_modes(06755, BIT32, EPERM);
	CHECK(errno_of(syscall(437, AT_FDCWD, "g", how, sizeof(how))) == ENOSYS); /* openat2 */
}

/* How a child ends that runs body under the filter. */
static int end_of(void (*body)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		install(&plain);
		if (!tap_failures)
			body();
		_exit(tap_failures ? 1 : 0);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	return status;
}

#ifdef __x86_64__
static void call_as_i386(void)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(20) : "memory"); /* getpid */
}

static void call_as_x32(void)
{
	(void)syscall(SYSCALLS_X32 | __NR_getpid);
}
#endif

static void call_as_we_are(void)
{
	(void)syscall(__NR_getpid);
}

TEST(foreign_calls_die_for_real)
{
	int status = end_of(call_as_we_are);

	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
#ifdef __x86_64__
	status = end_of(call_as_i386);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	status = end_of(call_as_x32);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
#endif
}

/* Runs argv under the filter and says whether it wrote exactly want. */
static bool runs(const struct seccomp_options *options, char *const argv[], const char *want)
{
	char got[256] = {0};
	size_t used = 0;
	ssize_t n = 1;
	int pipes[2], status = 0;
	pid_t child;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return false;
	child = fork();
	if (child == 0) {
		(void)dup2(pipes[1], 1);
		install(options);
		if (!tap_failures)
			execv(argv[0], argv);
		_exit(127);
	}
	(void)close(pipes[1]);
	while (n > 0 && used < sizeof(got) - 1) {
		n = read(pipes[0], got + used, sizeof(got) - 1 - used);
		used += n > 0 ? (size_t)n : 0;
	}
	(void)close(pipes[0]);
	(void)waitpid(child, &status, 0);
	if (strcmp(got, want) == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	printf("# %s: status %x, wrote '%s'\n", argv[0], (unsigned)status, got);
	return false;
}

static void runs_or_skips(const char *path, const char *flag, const char *code, const char *want)
{
	char *argv[] = {(char *)path, (char *)flag, (char *)code, NULL};

	if (access(path, X_OK) < 0)
		SKIP("not installed");
	CHECK(runs(&plain, argv, want));
	CHECK(runs(&strictest, argv, want));
}

TEST(python_runs)
{
	runs_or_skips("/usr/bin/python3", "-c",
		      "import threading, subprocess, multiprocessing, socket, sqlite3, tempfile\n"
		      "t = threading.Thread(target=print, args=(2 + 2,), kwargs={'flush': True})\n"
		      "t.start(); t.join()\n"
		      "subprocess.run(['/bin/echo', 'child'], check=True)\n"
		      "q = multiprocessing.Queue()\n"
		      "p = multiprocessing.Process(target=q.put, args=(5,)); p.start()\n"
		      "print(q.get()); p.join()\n"
		      "a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))\n"
		      "print(sqlite3.connect(':memory:').execute('select 6').fetchone())\n"
		      "print(tempfile.TemporaryFile('w+').write('four'))\n",
		      "4\nchild\n5\nb'x'\n(6,)\n4\n");
}

TEST(bash_runs)
{
	runs_or_skips("/bin/bash", "-c", "echo $((2 + 2)) | cat; (echo sub) & wait", "4\nsub\n");
}

TEST(perl_runs)
{
	runs_or_skips("/usr/bin/perl", "-e", "print 2 + 2, qx(echo child)", "4child\n");
}

TEST(node_runs)
{
	runs_or_skips("/usr/bin/node", "-e",
		      "require('fs').readFile('/etc/passwd', (e) => {"
		      " console.log(2 + 2, e, String(require('child_process')"
		      ".execFileSync('/bin/echo', ['child'])))})",
		      "4 null child\n\n");
}
