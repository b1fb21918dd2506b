/* SPDX-License-Identifier: Apache-2.0 */
/* kept_files_test.c - files of a box that lives, in a tree that is hostile and alive. */
#include <errno.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/socket.h>

#include "kept_box.h"
#include "sandbox/sandbox.h"
#include "sandbox/serve.h"

static bool gets(struct kept_box *b, const char *path, const char *expected)
{
	struct error err = {0};
	struct buf got;
	uint64_t total = 0;
	bool same;

	buf_init(&got, 1 << 20);
	same = kept_get(&b->kept, path, 0, 1 << 20, &got, &total, &err) == 0 &&
	       strcmp(buf_str(&got), expected) == 0 && total == strlen(expected);
	if (!same)
		printf("# %s: '%s', %s\n", path, buf_str(&got), err.text);
	buf_done(&got);
	return same;
}

static enum error_kind get_fails(struct kept_box *b, const char *path)
{
	struct error err = {0};
	struct buf got;
	uint64_t total;

	buf_init(&got, 1 << 20);
	if (kept_get(&b->kept, path, 0, 100, &got, &total, &err) == 0)
		printf("# %s was read: '%s'\n", path, buf_str(&got));
	buf_done(&got);
	return err.kind;
}

static enum error_kind put_fails(struct kept_box *b, const char *path)
{
	struct error err = {0};

	(void)kept_put(&b->kept, path, "new", 3, false, &err);
	return err.kind;
}

TEST(files_go_in_and_come_out)
{
	struct kept_entry entry;
	struct error err = {0};
	struct kept_box b;

	box_defaults(&b);
	box_open(&b);
	CHECK(kept_put(&b.kept, "a/b/c.txt", "hello\n", 6, false, &err) == 0);
	CHECK(prints(&b, "cat a/b/c.txt; stat -c '%u %a' a/b/c.txt a/b",
		     "hello\n1000 644\n1000 755\n"));
	CHECK(kept_put(&b.kept, "run", "#!/bin/sh\necho ran\n", 19, true, &err) == 0);
	CHECK(prints(&b, "./run", "ran\n"));
	CHECK(gets(&b, "a/b/c.txt", "hello\n"));
	CHECK(kept_put(&b.kept, "a/b/c.txt", "", 0, false, &err) == 0);
	CHECK(gets(&b, "a/b/c.txt", ""));
	CHECK(kept_stat(&b.kept, "run", &entry, &err) == 0 && entry.type == 'f' &&
	      entry.size == 19 && entry.mode == 0755);
	CHECK_STR(entry.name, "run");
	CHECK(kept_stat(&b.kept, ".", &entry, &err) == 0 && entry.type == 'd');
	CHECK(prints(&b, "ls -A a/b", "c.txt\n")); /* nothing half written is left */
	box_close(&b);
}

TEST(a_part_of_a_file_can_be_had)
{
	struct error err = {0};
	struct kept_box b;
	struct buf got;
	uint64_t total;

	box_defaults(&b);
	box_open(&b);
	CHECK(prints(&b, "printf 0123456789 > n", ""));
	buf_init(&got, 100);
	CHECK(kept_get(&b.kept, "n", 3, 4, &got, &total, &err) == 0 && total == 10);
	CHECK_STR(buf_str(&got), "3456");
	CHECK(kept_get(&b.kept, "n", 100, 4, &got, &total, &err) == 0 && got.len == 4);
	buf_done(&got);
	box_close(&b);
}

TEST(names_that_are_none_are_refused)
{
	static const char *const wrong[] = {"",     "/etc/passwd", "..", "a/../../b",
					    "a//b", "./a",         "a/"};
	char longer[2000];
	struct kept_box b;

	box_defaults(&b);
	box_open(&b);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK(put_fails(&b, wrong[i]) == ERR_CALLER);
		CHECK(get_fails(&b, wrong[i]) == ERR_CALLER);
	}
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	CHECK(put_fails(&b, longer) == ERR_CALLER);
	longer[1023] = '\0';
	CHECK(put_fails(&b, longer) == ERR_CALLER); /* one part is too long */
	CHECK(get_fails(&b, "nothing") == ERR_NOT_FOUND);
	CHECK(gets(&b, "nothing", "") == false);
	box_close(&b);
}

TEST(links_pipes_and_the_like_are_refused_and_nothing_waits)
{
	struct kept_entry entry;
	struct error err = {0};
	struct kept_box b;

	box_defaults(&b);
	box_open(&b);
	CHECK(prints(
		&b,
		"ln -s /etc/passwd link; ln -s / root; mkfifo pipe; mkdir dir; echo x > file;"
		"ln file hard; echo y > closed; chmod 0 closed; ln -s dir dirlink;"
		"python3 -c 'import socket\ns=socket.socket(socket.AF_UNIX)\ns.bind(\"sock\")'",
		""));
	CHECK(get_fails(&b, "link") == ERR_REFUSED);
	CHECK(get_fails(&b, "root/etc/passwd") == ERR_REFUSED);
	CHECK(get_fails(&b, "dirlink/x") == ERR_REFUSED);
	CHECK(get_fails(&b, "pipe") == ERR_REFUSED);
	CHECK(get_fails(&b, "sock") == ERR_REFUSED);
	CHECK(get_fails(&b, "dir") == ERR_REFUSED);
	CHECK(get_fails(&b, "closed") == ERR_REFUSED);
	CHECK(gets(&b, "hard", "x\n"));
	CHECK(put_fails(&b, "link") == ERR_REFUSED);
	CHECK(put_fails(&b, "root/tmp/x") == ERR_REFUSED);
	CHECK(put_fails(&b, "dirlink/x") == ERR_REFUSED);
	CHECK(put_fails(&b, "dir") == ERR_REFUSED);
	CHECK(put_fails(&b, "pipe") == ERR_REFUSED);
	CHECK(put_fails(&b, "file/x") == ERR_NOT_FOUND);
	CHECK(kept_stat(&b.kept, "link", &entry, &err) == 0 && entry.type == 'l');
	CHECK(kept_stat(&b.kept, "pipe", &entry, &err) == 0 && entry.type == '?');
	CHECK(kept_remove(&b.kept, "root", true, &err) == 0); /* the link, and nothing behind it */
	CHECK(prints(&b, "ls -d root /etc /tmp 2>/dev/null", "/etc\n/tmp\n"));
	box_close(&b);
}

TEST(a_lease_does_not_hold_us_up)
{
	struct kept_box b;
	char text[8];
	int out;

	box_defaults(&b);
	box_open(&b);
	(void)start_line(&b,
			 "exec python3 -c 'import fcntl,os,signal,time\n"
			 "signal.signal(signal.SIGIO,signal.SIG_IGN)\n"
			 "f=os.open(\"leased\",os.O_RDWR|os.O_CREAT)\n"
			 "try: fcntl.fcntl(f,1024,fcntl.F_WRLCK)\n"
			 "except OSError: pass\n"
			 "print(\"up\",flush=True)\ntime.sleep(1000)'",
			 0, &out);
	CHECK(read(out, text, 3) == 3);
	/* Refused if there is a lease, else read: either at once. */
	(void)get_fails(&b, "leased");
	CHECK(prints(&b, "echo on", "on\n"));
	(void)close(out);
	box_close(&b);
}

TEST(directories_are_listed_made_and_removed)
{
	static struct kept_entry list[KEPT_LIST_MAX];
	struct error err = {0};
	struct kept_box b;
	bool cut = true;
	size_t n = 0;

	box_defaults(&b);
	b.limits.inodes = 10000;
	box_open(&b);
	CHECK(kept_mkdir(&b.kept, "x/y/z", &err) == 0);
	CHECK(kept_mkdir(&b.kept, "x/y/z", &err) == 0);
	CHECK(prints(&b, "echo 1 > x/b; printf 'n' > \"$(printf 'x/a\\nq')\"; ln -s b x/c", ""));
	CHECK(kept_mkdir(&b.kept, "x/b", &err) < 0 && err.kind == ERR_REFUSED);
	CHECK(kept_list(&b.kept, "x", list, &n, &cut, &err) == 0 && n == 4 && !cut);
	CHECK_STR(list[0].name, "a?q");
	CHECK_STR(list[1].name, "b");
	CHECK(list[1].type == 'f' && list[2].type == 'l' && list[3].type == 'd');
	CHECK(kept_list(&b.kept, "x/b", list, &n, &cut, &err) < 0);
	CHECK(kept_list(&b.kept, "x/c", list, &n, &cut, &err) < 0);
	CHECK(kept_remove(&b.kept, "x", false, &err) < 0 && err.kind == ERR_REFUSED);
	CHECK(kept_remove(&b.kept, "x", true, &err) == 0);
	CHECK(kept_remove(&b.kept, "x", true, &err) < 0 && err.kind == ERR_NOT_FOUND);
	CHECK(prints(&b, "mkdir m; cd m; i=0; while [ $i -lt 4200 ]; do : > $i; i=$((i+1)); done",
		     ""));
	CHECK(kept_list(&b.kept, "m", list, &n, &cut, &err) == 0 && n == KEPT_LIST_MAX && cut);
	CHECK(kept_remove(&b.kept, "m", true, &err) == 0);
	CHECK(prints(&b, "ls -A", ""));
	box_close(&b);
}

TEST(the_disk_limit_holds_for_what_is_put)
{
	struct error err = {0};
	struct kept_box b;
	char *big = calloc(1, 3 << 20);

	box_defaults(&b);
	b.limits.disk_bytes = 2 << 20;
	box_open(&b);
	CHECK(kept_put(&b.kept, "big", big, 3 << 20, false, &err) < 0);
	CHECK(err.kind == ERR_REFUSED && strstr(err.text, "disk"));
	CHECK(prints(&b, "ls -A", ""));
	CHECK(kept_put(&b.kept, "small", big, 1 << 20, false, &err) == 0);
	free(big);
	box_close(&b);
}

/* A directory that is swapped for a link all the time: what is read is the box's or nothing. */
TEST(races_end_in_a_refusal_or_in_a_file_of_the_box)
{
	struct error err = {0};
	struct kept_box b;
	struct buf got;
	uint64_t total, exec;
	int out, read_it = 0;
	char text[8];

	box_defaults(&b);
	b.limits.cpu_ms = 60000;
	box_open(&b);
	CHECK(prints(&b, "mkdir real; echo mine > real/passwd", ""));
	exec = start_line(&b,
			  "exec python3 -c 'import os\nprint(\"up\",flush=True)\nwhile True:\n"
			  " os.rename(\"real\",\"swap\")\n os.symlink(\"/etc\",\"real\")\n"
			  " os.unlink(\"real\")\n os.rename(\"swap\",\"real\")'",
			  0, &out);
	CHECK(read(out, text, 3) == 3);
	for (int i = 0; i < 2000; i++) {
		buf_init(&got, 1 << 16);
		if (kept_get(&b.kept, "real/passwd", 0, 1 << 16, &got, &total, &err) == 0) {
			CHECK_STR(buf_str(&got), "mine\n");
			read_it++;
		}
		buf_done(&got);
		(void)kept_put(&b.kept, "real/new", "n", 1, false, &err);
	}
	printf("# read %d times\n", read_it);
	CHECK(kept_kill(&b.kept, exec, KILL_CANCELLED, &err) == 0);
	(void)close(out);
	box_close(&b);
}

/* Files of a call, by whoever has no right over them. */

/* As a warden would do it.  Returns the leash's other end. */
static int adopt(struct remote *r)
{
	struct error err = {0};
	int leash[2], ends[2];
	pid_t child;

	if (pipe2(leash, 0) < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		_exit(96);
	child = fork();
	if (child == 0) {
		char fd[16], leash_fd[16];

		(void)fcntl(ends[1], F_SETFD, 0);
		(void)close(leash[1]);
		(void)snprintf(fd, sizeof(fd), "%d", ends[1]);
		(void)snprintf(leash_fd, sizeof(leash_fd), "%d", leash[0]);
		if (geteuid() == 0)
			(void)execl(helper(), "belljar", "slot", "--fd", fd, "--leash", leash_fd,
				    (char *)NULL);
		else
			(void)execl(helper(), "belljar", "slot", "--fd", fd, "--leash", leash_fd,
				    "--allow-degraded=memory", "--allow-degraded=processes",
				    "--allow-degraded=cpu", (char *)NULL);
		_exit(1);
	}
	(void)close(ends[1]);
	(void)close(leash[0]);
	remote_init(r);
	if (remote_adopt(r, ends[0], pidfd_open(child, 0), &err) < 0) {
		printf("# %s\n", err.text);
		if (!host_has_boxes())
			SKIP("no box on this host");
		_exit(95);
	}
	return leash[1];
}

static void fill_request(struct request *r, char **argv)
{
	static char path[] = "PATH=/usr/bin:/bin", *env[] = {path, NULL};

	request_init(r);
	r->job.argv = argv;
	r->job.env = env;
	r->puts[r->n_puts++] =
		(struct put){.inside = "in/data", .data = "from outside\n", .len = 13};
	r->puts[r->n_puts++] = (struct put){.inside = "go",
					    .data = "#!/bin/sh\ncat in/data > out.txt\n",
					    .len = 32,
					    .executable = true};
	r->gets[r->n_gets++] = (struct get){.glob = "*.txt"};
	r->gets[r->n_gets++] = (struct get){.glob = "none*"};
}

static void run_adopted(struct remote *r, struct request *request, struct account *account)
{
	struct error err = {0};

	if (serve_prepare(request, account, &err) < 0 ||
	    serve(request, &r->runner, account, &err) < 0)
		printf("# %s\n", err.text);
}

TEST(an_adopted_slot_moves_files_for_us)
{
	static struct request request;
	char go[] = "sh", c[] = "-c",
	     line[] = "./go; ln -s /etc/passwd l.txt; ls -l /proc/self/fd >/dev/null; echo hi > "
		      "/dev/stdout",
	     *argv[] = {go, c, line, NULL};
	struct account account;
	struct remote r;

	(void)adopt(&r);
	for (int i = 0; i < 3; i++) { /* the slot serves one call after another */
		fill_request(&request, argv);
		run_adopted(&r, &request, &account);
		CHECK(account.status == STATUS_SUCCESS);
		if (account.status != STATUS_SUCCESS)
			printf("# %s %s\n", account.outcome.error.text, buf_str(&account.err.kept));
		CHECK_STR(buf_str(&account.out.kept), "hi\n");
		CHECK(account.n_artifacts == 3);
		if (account.n_artifacts == 3) {
			CHECK_STR(account.artifacts[0].name, "l.txt");
			CHECK(account.artifacts[0].refused[0] && !account.artifacts[0].content);
			CHECK_STR(account.artifacts[1].name, "out.txt");
			CHECK(account.artifacts[1].content &&
			      memcmp(account.artifacts[1].content, "from outside\n", 13) == 0);
			CHECK(strlen(account.artifacts[1].sha256) == 64);
			CHECK(account.artifacts[2].refused[0]);
		}
		account_done(&account);
		CHECK(remote_is_ready(&r));
	}
	remote_close(&r);
}

TEST(ceilings_of_what_comes_into_memory_hold)
{
	static struct request request;
	char sh[] = "sh", c[] = "-c",
	     line[] = "for i in 1 2 3 4 5; do head -c 1000 /dev/zero > $i.txt; done",
	     *argv[] = {sh, c, line, NULL};
	struct account account;
	struct remote r;
	size_t copied = 0;

	(void)adopt(&r);
	fill_request(&request, argv);
	request.n_puts = 0;
	request.get_caps = (struct get_caps){.bytes = 2500, .files = 4};
	run_adopted(&r, &request, &account);
	for (size_t i = 0; i < account.n_artifacts; i++)
		copied += account.artifacts[i].content != NULL;
	CHECK(copied == 2);
	CHECK(account.n_artifacts <= 6);
	account_done(&account);
	remote_close(&r);
}

TEST(a_slot_on_a_leash_goes_when_it_is_let_go_of)
{
	struct pollfd end;
	struct remote r;
	int leash;

	leash = adopt(&r);
	end = (struct pollfd){.fd = r.pidfd, .events = POLLIN};
	CHECK(poll(&end, 1, 50) == 0);
	(void)close(leash);
	CHECK(poll(&end, 1, PATIENCE_MS) > 0);
	remote_close(&r);
}
