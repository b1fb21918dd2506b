/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that callers name, against a tree full of traps. */
#include <errno.h>
#include <sys/stat.h>

#include "argrules.h"
#include "base/fd.h"
#include "base/own.h"
#include "policy/arguments.h"
#include "scratch.h"
#include "tap.h"

static const char prefix[] = "tools.t.args";

/* public/ is the root; secret/ and public-not/ lie beside it. */
static void make_tree(const struct scratch *s)
{
	static const char *const directories[] = {"public",      "public/sub", "public/sub/deep",
						  "public/odd:", "public-not", "secret"};
	static const char *const files[] = {
		"public/a.csv", "public/sub/b.csv", "public/sub/b.txt", "public-not/a.csv",
		"secret/key",   "public/odd:/x",    "public/..."};
	static const char *const links[][2] = {{"../secret/key", "public/link"},
					       {"../secret", "public/dir"},
					       {"a.csv", "public/inner"},
					       {"sub", "public/inner-dir"},
					       {"/nowhere", "public/dangling"},
					       {"public", "root-link"},
					       {"/proc/self/root", "public/sub/magic"}};

	for (size_t i = 0; i < ARRAY_LEN(directories); i++)
		CHECK(mkdirat(s->fd, directories[i], 0755) == 0);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		own_fd fd = openat(s->fd, files[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

		CHECK(fd >= 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		CHECK(symlinkat(links[i][0], s->fd, links[i][1]) == 0);
	CHECK(mkfifoat(s->fd, "public/pipe", 0644) == 0);
	CHECK(mkdirat(s->fd, "public/d.csv", 0755) == 0);
}

struct bench {
	struct policy *policy;
	struct arg_rules rules;
	struct path_grants grants;
	struct why why;
	size_t complaints;
};

static void bench_end(struct bench *b)
{
	path_grants_done(&b->grants);
	policy_free(b->policy);
}

/* %s in the rule stands for the scratch directory. */
static void bench_begin(struct bench *b, const struct scratch *s, const char *rule)
{
	struct complaints complaints = {0};
	char text[1024], *at = text;

	for (; *rule; rule++) {
		if (*rule == '%')
			at += snprintf(at, 100, "%s", s->path);
		else
			*at++ = *rule;
	}
	*at = '\0';
	*b = (struct bench){.policy = calloc(1, sizeof(*b->policy))};
	b->rules = argrules_make(b->policy, text);
	arguments_check(&b->rules, prefix, b->policy, &complaints);
	b->complaints = complaints.n;
}

/* The path as the caller would send it. */
static enum answer ask(struct bench *b, const struct scratch *s, const char *path, json_t **ret)
{
	own_json args = json_object();
	char full[2048];

	(void)snprintf(full, sizeof(full), "%s/%s", s->path, path);
	if (path[0] == '=')
		(void)snprintf(full, sizeof(full), "%s", path + 1);
	CHECK(json_object_set_new(args, "p", json_string(full)) == 0);
	b->why = (struct why){0};
	return arguments_judge(&b->rules, args, prefix, &b->grants, ret, &b->why);
}

static const char under[] = "{\"p\":{\"type\":\"path\",\"under\":[\"%/public\"]}}";
static const char globs[] =
	"{\"p\":{\"type\":\"path\",\"under\":[\"%/public\"],\"match\":[\"**/*.csv\"]}}";

TEST(files_and_directories_beneath_the_root_are_held_open)
{
	static const char *const fine[] = {"public", "public/a.csv", "public/sub",
					   "public/sub/b.csv", "public/..."};
	own(scratch) s = scratch_make();
	own(bench) b;

	make_tree(&s);
	bench_begin(&b, &s, under);
	CHECK(b.complaints == 0);
	for (size_t i = 0; i < ARRAY_LEN(fine); i++) {
		own_json made = NULL;
		struct stat judged, there;
		char full[256];

		CHECK(ask(&b, &s, fine[i], &made) == ANSWER_ALLOW);
		CHECK(b.grants.n == i + 1);
		if (b.grants.n != i + 1)
			return;
		(void)snprintf(full, sizeof(full), "%s/%s", s.path, fine[i]);
		CHECK_STR(json_string_value(json_object_get(made, "p")), full);
		CHECK_STR(b.grants.list[i].path, full);
		CHECK(fstat(b.grants.list[i].fd, &judged) == 0 && lstat(full, &there) == 0);
		CHECK(judged.st_ino == there.st_ino && judged.st_dev == there.st_dev);
		CHECK(fcntl(b.grants.list[i].fd, F_GETFD) & FD_CLOEXEC);
		CHECK(fcntl(b.grants.list[i].fd, F_GETFL) & O_PATH);
	}
}

struct row {
	const char *path, *rule, *what;
};

static void refuse_all(const char *rule, const struct row *rows, size_t n)
{
	own(scratch) s = scratch_make();
	own(bench) b;

	make_tree(&s);
	bench_begin(&b, &s, rule);
	for (size_t i = 0; i < n; i++) {
		json_t *made = NULL;
		enum answer answer = ask(&b, &s, rows[i].path, &made);

		if (answer != ANSWER_DENY || strcmp(b.why.rule, rows[i].rule) != 0 ||
		    !strstr(b.why.what, rows[i].what)) {
			printf("# %s: %s: %s\n", rows[i].path, b.why.rule, b.why.what);
			tap_failures++;
		}
		CHECK(!made && b.grants.n == 0);
		CHECK(!strstr(b.why.hint, s.path) && !strstr(b.why.what, s.path));
	}
}

TEST(whatever_leads_elsewhere_is_refused)
{
	static const struct row rows[] = {
		/* a prefix of the text is not a directory above it (CVE-2025-54794) */
		{"public-not/a.csv", "tools.t.args.p.under", "outside"},
		{"public-not", "tools.t.args.p.under", "outside"},
		{"publi", "tools.t.args.p.under", "outside"},
		{"", "tools.t.args.p.type", "empty part"},
		{"secret/key", "tools.t.args.p.under", "outside"},
		{"=/etc/passwd", "tools.t.args.p.under", "outside"},
		{"=/", "tools.t.args.p.type", "empty part"},
		{"=", "tools.t.args.p.type", "not absolute"},
		{"=public/a.csv", "tools.t.args.p.type", "not absolute"},
		{"=~/a.csv", "tools.t.args.p.type", "not absolute"},
		{"=file:///etc/passwd", "tools.t.args.p.type", "not absolute"},
		{"public/../secret/key", "tools.t.args.p.type", "'..'"},
		{"public/sub/../a.csv", "tools.t.args.p.type", "'..'"},
		{"public/..", "tools.t.args.p.type", "'..'"},
		{"public/.", "tools.t.args.p.type", "'..'"},
		{"public/./a.csv", "tools.t.args.p.type", "'..'"},
		{"public//a.csv", "tools.t.args.p.type", "empty"},
		{"public/", "tools.t.args.p.type", "empty"},
		{"public/a.csv/", "tools.t.args.p.type", "empty"},
		{"public/a.csv/x", "tools.t.args.p.under", "does not exist"},
		/* encodings are names like any other, and no file has them */
		{"public/%2e%2e/secret/key", "tools.t.args.p.under", "does not exist"},
		{"public/..%2fsecret/key", "tools.t.args.p.under", "does not exist"},
		{"public/..\\secret", "tools.t.args.p.under", "does not exist"},
		{"public/\xef\xbc\x8e\xef\xbc\x8e/x", "tools.t.args.p.under", "does not exist"},
		{"public/a.csv\n", "tools.t.args.p.multiline", "newline"},
		{"public/\x1b", "tools.t.args.p.multiline", "control"},
		{"public/odd:/x", "tools.t.args.p.type", "':'"},
		/* links (CVE-2025-59829, CVE-2026-25724) */
		{"public/link", "tools.t.args.p.under", "symbolic link"},
		{"public/dir/key", "tools.t.args.p.under", "symbolic link"},
		{"public/dir", "tools.t.args.p.under", "symbolic link"},
		{"public/inner", "tools.t.args.p.under", "symbolic link"},
		{"public/inner-dir/b.csv", "tools.t.args.p.under", "symbolic link"},
		{"public/dangling", "tools.t.args.p.under", "symbolic link"},
		{"public/sub/magic/etc", "tools.t.args.p.under", "symbolic link"},
		{"root-link/a.csv", "tools.t.args.p.under", "outside"},
		{"public/missing", "tools.t.args.p.under", "does not exist"},
		{"public/pipe", "tools.t.args.p.under", "neither a file nor a directory"},
	};

	refuse_all(under, rows, ARRAY_LEN(rows));
}

TEST(globs_are_relative_to_the_root_and_only_files_match_them)
{
	static const struct row rows[] = {
		{"public/sub/b.txt", "tools.t.args.p.match", "not a name"},
		{"public", "tools.t.args.p.match", "not a name"},
		{"public/sub", "tools.t.args.p.match", "not a name"},
		{"public/d.csv", "tools.t.args.p.match", "is a directory"},
		{"public/x.csv", "tools.t.args.p.under", "does not exist"},
	};
	own(scratch) s = scratch_make();
	own_json made = NULL;
	own(bench) b;

	refuse_all(globs, rows, ARRAY_LEN(rows));
	make_tree(&s);
	bench_begin(&b, &s, globs);
	CHECK(ask(&b, &s, "public/sub/b.csv", &made) == ANSWER_ALLOW);
}

TEST(outside_the_roots_what_exists_and_what_does_not_look_the_same)
{
	own(scratch) s = scratch_make();
	own(bench) b;
	json_t *made = NULL;
	struct why there;

	make_tree(&s);
	bench_begin(&b, &s, under);
	CHECK(ask(&b, &s, "secret/key", &made) == ANSWER_DENY);
	there = b.why;
	CHECK(ask(&b, &s, "secret/nokey", &made) == ANSWER_DENY);
	CHECK(memcmp(&there, &b.why, sizeof(there)) == 0);
}

TEST(what_may_appear_later_is_not_refused_for_ever)
{
	own(scratch) s = scratch_make();
	own(bench) b;
	json_t *made = NULL;

	make_tree(&s);
	bench_begin(&b, &s, under);
	CHECK(ask(&b, &s, "public/missing", &made) == ANSWER_DENY && !b.why.permanent);
	CHECK(ask(&b, &s, "public/link", &made) == ANSWER_DENY && b.why.permanent);
	CHECK(ask(&b, &s, "secret/key", &made) == ANSWER_DENY && b.why.permanent);
}

TEST(the_held_file_stays_the_judged_one)
{
	own(scratch) s = scratch_make();
	own(bench) b;
	own_json made = NULL;
	struct stat before, after;

	make_tree(&s);
	bench_begin(&b, &s, under);
	CHECK(fstatat(s.fd, "public/a.csv", &before, 0) == 0);
	CHECK(ask(&b, &s, "public/a.csv", &made) == ANSWER_ALLOW && b.grants.n == 1);
	CHECK(unlinkat(s.fd, "public/a.csv", 0) == 0);
	CHECK(symlinkat("../secret/key", s.fd, "public/a.csv") == 0);
	CHECK(fstat(b.grants.list[0].fd, &after) == 0 && before.st_ino == after.st_ino);
}

TEST(a_root_that_becomes_a_link_is_no_root)
{
	own(scratch) s = scratch_make();
	own(bench) b;
	json_t *made = NULL;

	make_tree(&s);
	bench_begin(&b, &s, under);
	CHECK(renameat(s.fd, "public", s.fd, "was") == 0);
	CHECK(symlinkat("secret", s.fd, "public") == 0);
	CHECK(ask(&b, &s, "public/key", &made) == ANSWER_DENY);
	CHECK(strstr(b.why.what, "not there"));
}

TEST(a_root_that_is_a_link_is_found_at_load)
{
	own(scratch) s = scratch_make();
	own(bench) b;

	make_tree(&s);
	bench_begin(&b, &s, "{\"p\":{\"type\":\"path\",\"under\":[\"%/root-link\"]}}");
	CHECK(b.complaints == 1);
}

TEST(each_of_several_roots_is_tried)
{
	own(scratch) s = scratch_make();
	own_json made = NULL;
	own(bench) b;

	make_tree(&s);
	bench_begin(
		&b, &s,
		"{\"p\":{\"type\":\"path\",\"under\":[\"%/public\",\"%/public/sub\",\"%/secret\"],"
		"\"match\":[\"*.csv\",\"key\"]}}");
	CHECK(ask(&b, &s, "public/sub/b.csv", &made) == ANSWER_ALLOW); /* by the second */
	json_decref(TAKE(made));
	CHECK(ask(&b, &s, "secret/key", &made) == ANSWER_ALLOW);
	json_decref(TAKE(made));
	CHECK(ask(&b, &s, "public/sub/deep/x.csv", &made) == ANSWER_DENY);
}

TEST(the_same_path_twice_is_one_grant_and_there_is_a_ceiling)
{
	own(scratch) s = scratch_make();
	own_json list = json_array();
	own_json args = json_object();
	own_json made = NULL;
	own(bench) b;
	char path[256];

	make_tree(&s);
	bench_begin(&b, &s,
		    "{\"p\":{\"type\":\"list\",\"items\":{\"type\":\"path\",\"under\":[\"%/"
		    "public\"]}}}");
	for (int i = 0; i < PATH_GRANTS_MAX; i++) {
		own_fd fd = -1;

		(void)snprintf(path, sizeof(path), "%s/public/f%d", s.path, i);
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		CHECK(json_array_append_new(list, json_string(path)) == 0);
		CHECK(json_array_append_new(list, json_string(path)) == 0);
	}
	CHECK(json_object_set(args, "p", list) == 0);
	CHECK(arguments_judge(&b.rules, args, prefix, &b.grants, &made, &b.why) == ANSWER_ALLOW);
	CHECK(b.grants.n == PATH_GRANTS_MAX);
	path_grants_done(&b.grants);
	(void)snprintf(path, sizeof(path), "%s/public/a.csv", s.path);
	CHECK(json_array_append_new(list, json_string(path)) == 0);
	json_decref(TAKE(made));
	CHECK(arguments_judge(&b.rules, args, prefix, &b.grants, &made, &b.why) == ANSWER_DENY);
	CHECK_STR(b.why.rule, "tools.t.args.p.items.type");
}

TEST(a_very_long_path_is_refused)
{
	own(scratch) s = scratch_make();
	own(bench) b;
	char path[1200];
	json_t *made = NULL;

	make_tree(&s);
	bench_begin(&b, &s, under);
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	CHECK(ask(&b, &s, path, &made) == ANSWER_DENY);
	CHECK(strstr(b.why.what, "longer than"));
}
