/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/native/delegate.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/own.h"
#include "tap.h"

/* A systemd-run that says what it was asked to do. */
static void make_fake(char *ret_path, size_t room, int version)
{
	own_file file = NULL;
	own_fd fd = -1;

	(void)snprintf(ret_path, room, "/tmp/belljar-delegate-XXXXXX");
	fd = mkostemp(ret_path, O_CLOEXEC);
	if (fd < 0 || fchmod(fd, 0755) < 0)
		abort();
	file = fopen(ret_path, "we");
	if (!file)
		abort();
	fprintf(file,
		"#!/bin/sh\n"
		"[ \"$1\" = --version ] && { echo 'systemd %d (%d-1)'; exit; }\n"
		"printf '%%s\\n' \"$@\"\n"
		"echo \"scope=$BELLJAR_SCOPE runtime=$XDG_RUNTIME_DIR\"\n",
		version, version);
}

/* What the fake printed, or the error. */
static void ask(int version, uid_t uid, char **args, char *ret, size_t room)
{
	char fake[64];
	struct error err = {0};
	int ends[2];

	make_fake(fake, sizeof(fake), version);
	if (pipe2(ends, O_CLOEXEC) < 0)
		abort();
	if (fork() == 0) {
		(void)dup2(ends[1], STDOUT_FILENO);
		if (uid == geteuid() || setresuid(uid, uid, uid) == 0)
			(void)delegate_reexec_by(fake, args, &err);
		printf("error: %s\n", err.text);
		fflush(stdout);
		_exit(1);
	}
	(void)close(ends[1]);
	memset(ret, 0, room);
	if (fd_read_all(ends[0], ret, room - 1, &err) < 0)
		abort();
	(void)wait(NULL);
	(void)close(ends[0]);
	(void)unlink(fake);
}

TEST(we_start_again_in_a_scope_with_the_same_arguments)
{
	char *args[] = {(char[]){"run"}, (char[]){"a b"}, (char[]){""}, NULL};
	char self[512] = "", want[1024], got[2048];

	if (geteuid() != 0)
		SKIP("as an ordinary user systemd-run gets one argument more");
	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	ask(255, 0, args, got, sizeof(got));
	(void)snprintf(want, sizeof(want),
		       "--scope\n--quiet\n--collect\n-p\nDelegate=yes\n--\n%s\nrun\na b\n\nscope=1 "
		       "runtime=\n",
		       self);
	CHECK_STR(got, want);
}

TEST(a_new_systemd_run_may_not_expand_our_arguments)
{
	char *args[] = {(char[]){"${HOME}"}, NULL};
	char got[2048];

	if (geteuid() != 0)
		SKIP("needs root or a session");
	ask(254, 0, args, got, sizeof(got));
	CHECK(strstr(got, "--expand-environment=no\n--\n"));
	CHECK(strstr(got, "\n${HOME}\n"));
	ask(253, 0, args, got, sizeof(got)); /* does not expand, nor know the option */
	CHECK(!strstr(got, "--expand-environment"));
	CHECK(strstr(got, "\n${HOME}\n"));
}

TEST(an_ordinary_user_asks_his_own_manager)
{
	char *args[] = {(char[]){"run"}, NULL};
	char got[2048];

	if (geteuid() != 0)
		SKIP("needs root to become somebody else");
	(void)unsetenv("XDG_RUNTIME_DIR");
	ask(255, 54321, args, got, sizeof(got));
	CHECK(strstr(got, "error: ") && strstr(got, "enable-linger"));
	(void)setenv("XDG_RUNTIME_DIR", "/run/elsewhere", 1);
	ask(255, 54321, args, got, sizeof(got));
	CHECK(strstr(got, "\n--user\n") && strstr(got, "runtime=/run/elsewhere\n"));
}

TEST(the_second_attempt_is_refused)
{
	char *args[] = {NULL};
	struct error err = {0};

	(void)setenv("BELLJAR_SCOPE", "1", 1);
	CHECK(!delegate_possible());
	CHECK(delegate_reexec_by("/bin/true", args, &err) < 0 && err.kind == ERR_CONFIG);
}

TEST(a_missing_systemd_run_is_an_error)
{
	char *args[] = {NULL};
	struct error err = {0};

	(void)unsetenv("BELLJAR_SCOPE");
	(void)setenv("XDG_RUNTIME_DIR", "/run/elsewhere", 1);
	CHECK(delegate_reexec_by("/no/such/systemd-run", args, &err) < 0);
	CHECK(err.kind == ERR_SYSTEM && strstr(err.text, "/no/such/systemd-run"));
}
