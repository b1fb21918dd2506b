/* SPDX-License-Identifier: Apache-2.0 */
/* audit_anchor.c - belljar audit anchor: the last checkpoint goes where the log's owner does not
 * reach.
 *
 * Whoever has the key can write another log, but not another checkpoint into a
 * file, a system log or a bucket elsewhere.  An anchor that is not the
 * continuation of the one before is not added: that is the moment to look.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "auditread/anchors.h"
#include "base/fd.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "cli/auditcli.h"
#include "cli/cli.h"

enum { JSON_ROOM = 65536 };

struct latest {
	struct checkpoint c;
	char text[NOTE_MAX];
	size_t len;
};

/* Is the tree that was anchored the beginning of the one that is signed now? */
static int check_growth(struct log_reader *r, const struct checkpoint *old,
			const struct checkpoint *now, struct error *err)
{
	struct tree_source hashes = log_reader_hashes(r);
	struct tree_path path;
	struct error why = {0};

	if (old->size > now->size)
		return fail(err, ERR_REFUSED,
			    "the log is shorter (%" PRIu64
			    " records) than when it was anchored (%" PRIu64 ")",
			    now->size, old->size);
	if (old->size == 0)
		return 0;
	if (tree_prove_growth(old->size, now->size, &hashes, &path, &why) < 0 ||
	    !tree_extends(old->size, &old->root, now->size, &now->root, &path))
		return fail(err, ERR_REFUSED,
			    "the log is not the continuation of the one that was anchored with "
			    "%" PRIu64 " records; see belljar audit verify --anchor",
			    old->size);
	return 0;
}

/* 1: the file has this very checkpoint already. */
static int compare_with_file(struct log_reader *r, const char *file, const struct latest *l,
			     struct error *err)
{
	own(anchors) a = {0};
	struct checkpoint old;
	struct stat st;

	if (stat(file, &st) < 0 || (S_ISREG(st.st_mode) && st.st_size == 0))
		return 0;
	if (anchors_load(&a, file, err) < 0)
		return -1;
	if (note_verify(log_reader_key(r), a.list[a.n - 1].text, a.list[a.n - 1].len, &old, err) <
	    0)
		return fail_in(err, "%s", a.list[a.n - 1].name);
	if (check_growth(r, &old, &l->c, err) < 0)
		return fail_in(err, "%s", a.list[a.n - 1].name);
	return old.size == l->c.size;
}

static int to_file(struct log_reader *r, const char *file, const struct latest *l,
		   struct error *err)
{
	int known = compare_with_file(r, file, l, err);
	own_fd fd = -1;

	if (known)
		return known < 0 ? -1 : 0;
	fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0644);
	if (fd < 0)
		return fail_sys(err, "open %s", file);
	if (fd_write_all(fd, l->text, l->len, err) < 0)
		return fail_in(err, "%s", file);
	return fsync(fd) < 0 && errno != EINVAL ? fail_sys(err, "sync %s", file) : 0;
}

static int to_syslog(const struct latest *l, struct error *err)
{
	char line[ANCHOR_LINE_MAX];

	if (anchor_line(l->text, l->len, line, sizeof(line), err) < 0)
		return -1;
	openlog("belljar", LOG_NDELAY | LOG_PID, LOG_AUTHPRIV);
	syslog(LOG_NOTICE, "%s", line);
	closelog();
	return 0;
}

static int wait_for(pid_t child, const char *program, struct error *err)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return fail_sys(err, "wait for %s", program);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status))
		return fail(err, ERR_SYSTEM, "%s ended with %d: the checkpoint may not be anchored",
			    program, WEXITSTATUS(status));
	return fail(err, ERR_SYSTEM, "%s was killed: the checkpoint may not be anchored", program);
}

/* The checkpoint is its standard input; no shell. */
static int to_command(const char *program, const struct word_list *more, const struct latest *l,
		      struct error *err)
{
	char *argv[WORD_LIST_MAX + 2] = {(char *)program};
	posix_spawn_file_actions_t actions;
	own_fd in = memfd_create("checkpoint", MFD_CLOEXEC);
	pid_t child;
	int result;

	if (in < 0 || fd_write_all(in, l->text, l->len, err) < 0 || lseek(in, 0, SEEK_SET) < 0)
		return fail_sys(err, "hand the checkpoint to %s", program);
	for (size_t i = 0; i < more->n; i++)
		argv[i + 1] = (char *)more->word[i];
	result = posix_spawn_file_actions_init(&actions);
	if (result == 0) {
		result = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
		if (result == 0)
			result = posix_spawnp(&child, program, &actions, NULL, argv, environ);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	errno = result;
	return result ? fail_sys(err, "start %s", program) : wait_for(child, program, err);
}

static int json_checkpoint(const struct latest *l, struct error *err)
{
	own(buf) text;
	struct jsonout j;
	char root[HASH_HEX];

	buf_init(&text, JSON_ROOM);
	hash_hex(&l->c.root, root);
	jsonout_start(&j, &text, err);
	jsonout_object(&j, NULL);
	jsonout_str(&j, "origin", l->c.origin);
	jsonout_uint(&j, "size", l->c.size);
	jsonout_str(&j, "root", root);
	jsonout_bytes(&j, "checkpoint", l->text, l->len);
	jsonout_object_end(&j);
	if (jsonout_end(&j) < 0)
		return -1;
	(void)puts(buf_str(&text));
	return 0;
}

static int anchor(const struct audit_options *o, const struct word_list *rest, struct error *err)
{
	own_reader r = NULL;
	own_mem struct latest *l = calloc(1, sizeof(*l));

	if (!l)
		return fail_sys(err, "anchor");
	if (rest->n && !o->command)
		return fail(err, ERR_CALLER, "anchor: '%s' is too much", rest->word[0]);
	r = audit_open_log(o, err);
	if (!r || log_reader_checkpoint(r, &l->c, l->text, err) < 0)
		return -1;
	l->len = strlen(l->text);
	if (o->file && to_file(r, o->file, l, err) < 0)
		return -1;
	if (o->syslog && to_syslog(l, err) < 0)
		return -1;
	if (o->command && to_command(o->command, rest, l, err) < 0)
		return -1;
	if (o->json)
		return json_checkpoint(l, err);
	if (!o->file && !o->syslog && !o->command)
		(void)fputs(l->text, stdout);
	return 0;
}

int audit_anchor(const struct audit_options *o, const struct word_list *rest)
{
	struct error err = {0};

	if (anchor(o, rest, &err) == 0)
		return audit_printed(0);
	(void)cli_complain(&err);
	return err.kind == ERR_REFUSED ? AUDIT_WRONG : EXIT_BELLJAR;
}
