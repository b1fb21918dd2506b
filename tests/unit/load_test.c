/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/policy.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/own.h"
#include "base/sha256.h"
#include "policy/policypack.h"
#include "scratch.h"
#include "tap.h"

static struct complaints complaints;

static void put(const struct scratch *s, const char *name, const char *text)
{
	own_fd fd = openat(s->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	CHECK(fchmod(fd, 0644) == 0);
}

static struct policy *load(const struct scratch *s, const char *name)
{
	char path[160];

	(void)snprintf(path, sizeof(path), "%s/%s", s->path, name);
	return policy_load(path, &complaints);
}

/* A complaint in that file and line with these words. */
static bool said(const char *file, unsigned line, const char *path, const char *words)
{
	for (size_t i = 0; i < complaints.n; i++) {
		const struct complaint *c = &complaints.list[i];
		size_t len = strlen(c->place.file), want = strlen(file);

		if (len >= want && strcmp(c->place.file + len - want, file) == 0 &&
		    c->place.line == line && strcmp(c->path, path) == 0 && strstr(c->text, words))
			return true;
	}
	for (size_t i = 0; i < complaints.n; i++)
		printf("# %s:%u:%u: %s: %s\n", complaints.list[i].place.file,
		       complaints.list[i].place.line, complaints.list[i].place.column,
		       complaints.list[i].path, complaints.list[i].text);
	return false;
}

static struct policy *parse(const char *text)
{
	return policy_parse("t.yaml", text, strlen(text), &complaints);
}

#define TOOL(name) "  " name ": { kind: command, exec: [x] }\n"

TEST(a_file_becomes_a_policy_with_its_hash)
{
	static const char text[] = "version: 1\ntools:\n" TOOL("a");
	own(scratch) s = scratch_make();
	own_policy p = NULL;
	struct sha256 hash;
	struct error err;
	char hex[SHA256_HEX];

	put(&s, "p.yaml", text);
	p = load(&s, "p.yaml");
	CHECK(p && p->version == 1 && p->n_tools == 1 && complaints.n == 0);
	CHECK(p && strstr(p->source, "/p.yaml"));
	CHECK(sha256_load(&err) == 0 && sha256_init(&hash, &err) == 0);
	CHECK(sha256_add(&hash, text, strlen(text), &err) == 0);
	CHECK(sha256_done(&hash, hex, &err) == 0);
	CHECK_STR(p ? p->sha256 : NULL, hex);
	CHECK(p && strstr(p->tools[0].place.file, "/p.yaml") && p->tools[0].place.line == 3);
}

TEST(a_file_that_is_not_there_is_a_complaint)
{
	own(scratch) s = scratch_make();

	CHECK(!load(&s, "no.yaml") && said("no.yaml", 0, "", "No such file"));
}

TEST(a_file_that_others_may_write_is_no_policy)
{
	own(scratch) s = scratch_make();

	put(&s, "p.yaml", "version: 1\n");
	CHECK(fchmodat(s.fd, "p.yaml", 0666, 0) == 0);
	CHECK(!load(&s, "p.yaml") && said("p.yaml", 0, "", "others may write"));
}

TEST(included_files_add_tools_and_clients)
{
	own(scratch) s = scratch_make();
	own_policy p = NULL;

	CHECK(mkdirat(s.fd, "sub", 0755) == 0);
	put(&s, "p.yaml",
	    "version: 1\ninclude: [sub/a.yaml]\ndefaults: { rate: 5/min }\n"
	    "clients: { c: { uid: 1, tools: [a, b] } }\n");
	put(&s, "sub/a.yaml", "version: 1\ninclude: [b.yaml]\ntools:\n" TOOL("a"));
	put(&s, "sub/b.yaml", "version: 1\ntools:\n" TOOL("b"));
	p = load(&s, "p.yaml");
	CHECK(p && p->n_tools == 2 && policy_tool(p, "a") && policy_tool(p, "b"));
	CHECK(p && policy_tool(p, "b")->rates.rate[0].limit == 5);
}

TEST(certificates_lie_beside_the_file_that_names_them)
{
	own(scratch) s = scratch_make();
	own_policy p = NULL;
	char cert[160];

	(void)snprintf(cert, sizeof(cert), "%s/tls/c.crt", s.path);
	put(&s, "p.yaml",
	    "version: 1\nserve: { tls: { cert: tls/c.crt, key: /k, client_ca: ca.crt } }\n");
	p = load(&s, "p.yaml");
	CHECK_STR(p ? p->serve.tls.cert : NULL, cert);
	CHECK_STR(p ? p->serve.tls.key : NULL, "/k");
	(void)snprintf(cert, sizeof(cert), "%s/ca.crt", s.path);
	CHECK_STR(p ? p->serve.tls.client_ca : NULL, cert);
}

TEST(an_included_file_is_checked_like_the_first)
{
	own(scratch) s = scratch_make();

	put(&s, "p.yaml", "version: 1\ninclude: [a.yaml, no.yaml, w.yaml]\n");
	put(&s, "a.yaml", "version: 1\ntols: {}\n");
	put(&s, "w.yaml", "version: 1\n");
	CHECK(fchmodat(s.fd, "w.yaml", 0622, 0) == 0);
	CHECK(!load(&s, "p.yaml") && complaints.n == 3);
	CHECK(said("a.yaml", 2, "tols", "did you mean 'tools'?"));
	CHECK(said("p.yaml", 2, "include[1]", "No such file"));
	CHECK(said("p.yaml", 2, "include[2]", "others may write"));
}

TEST(files_that_include_each_other_are_refused)
{
	own(scratch) s = scratch_make();

	put(&s, "p.yaml", "version: 1\ninclude: [a.yaml]\n");
	put(&s, "a.yaml", "version: 1\ninclude: [p.yaml]\n");
	CHECK(!load(&s, "p.yaml") && complaints.n == 1);
	CHECK(said("a.yaml", 2, "include[0]", "includes itself"));
	put(&s, "me.yaml", "version: 1\ninclude: [./me.yaml]\n");
	CHECK(!load(&s, "me.yaml") && said("me.yaml", 2, "include[0]", "includes itself"));
}

TEST(a_file_is_read_once_only)
{
	own(scratch) s = scratch_make();

	put(&s, "p.yaml", "version: 1\ninclude: [a.yaml, ./a.yaml]\n");
	put(&s, "a.yaml", "version: 1\n");
	CHECK(!load(&s, "p.yaml") && said("p.yaml", 2, "include[1]", "was read already"));
}

TEST(includes_go_eight_deep_and_no_further)
{
	own(scratch) s = scratch_make();
	own_policy p = NULL;
	char name[32], text[80];

	for (int i = 0; i < 9; i++) {
		(void)snprintf(name, sizeof(name), "%d.yaml", i);
		(void)snprintf(text, sizeof(text), "version: 1\ninclude: [%d.yaml]\n", i + 1);
		put(&s, name, text);
	}
	put(&s, "9.yaml", "version: 1\n");
	p = load(&s, "1.yaml");
	CHECK(p != NULL);
	CHECK(!load(&s, "0.yaml") && said("8.yaml", 2, "include[0]", "8 deep"));
}

TEST(drop_ins_are_read_in_the_order_of_their_names)
{
	own(scratch) s = scratch_make();
	own_policy p = NULL;

	CHECK(mkdirat(s.fd, "p.d", 0755) == 0);
	put(&s, "p.yaml", "version: 1\ntools:\n" TOOL("m"));
	put(&s, "p.d/20-b.yaml", "version: 1\ntools:\n" TOOL("b"));
	put(&s, "p.d/10-a.yaml", "version: 1\ntools:\n" TOOL("a"));
	put(&s, "p.d/B.yaml", "version: 1\ntools:\n" TOOL("c"));
	put(&s, "p.d/.hidden.yaml", "not read");
	put(&s, "p.d/note.txt", "not read");
	put(&s, "p.d/old.yaml~", "not read");
	p = load(&s, "p.yaml");
	CHECK(p && p->n_tools == 4);
	CHECK(p && strcmp(p->tools[0].name, "m") == 0 && strcmp(p->tools[1].name, "a") == 0);
	CHECK(p && strcmp(p->tools[2].name, "b") == 0 && strcmp(p->tools[3].name, "c") == 0);
}

TEST(a_drop_in_directory_that_others_may_write_is_refused)
{
	own(scratch) s = scratch_make();

	CHECK(mkdirat(s.fd, "p.d", 0755) == 0 && fchmodat(s.fd, "p.d", 0777, 0) == 0);
	put(&s, "p.yaml", "version: 1\n");
	CHECK(!load(&s, "p.yaml") && said("p.yaml", 0, "", "others may write"));
}

TEST(the_main_file_alone_says_what_counts_for_all)
{
	own(scratch) s = scratch_make();

	CHECK(mkdirat(s.fd, "p.d", 0755) == 0);
	put(&s, "p.yaml", "version: 1\n");
	put(&s, "p.d/a.yaml",
	    "version: 1\ndefaults: { concurrency: 1 }\nrate: 5/min\n"
	    "allow_degraded: [own_uid]\n");
	CHECK(!load(&s, "p.yaml") && complaints.n == 3);
	CHECK(said("a.yaml", 2, "defaults", "main file only"));
	CHECK(said("a.yaml", 3, "rate", "main file only"));
	CHECK(said("a.yaml", 4, "allow_degraded", "main file only"));
}

TEST(the_same_name_in_two_files_is_refused_with_both_places)
{
	own(scratch) s = scratch_make();

	CHECK(mkdirat(s.fd, "p.d", 0755) == 0);
	put(&s, "p.yaml",
	    "version: 1\ntools:\n" TOOL("a") "clients: { c: { uid: 1, tools: [] } }\n");
	put(&s, "p.d/x.yaml",
	    "version: 1\nclients: { c: { uid: 2, tools: [] } }\ntools:\n" TOOL("a"));
	CHECK(!load(&s, "p.yaml") && complaints.n == 2);
	CHECK(said("x.yaml", 4, "tools.a", "p.yaml:3:3"));
	CHECK(said("x.yaml", 2, "clients.c", "p.yaml:4:12"));
}

TEST(the_hash_counts_every_file)
{
	own(scratch) s = scratch_make();
	own_policy one = NULL;
	own_policy two = NULL;

	put(&s, "p.yaml", "version: 1\ninclude: [a.yaml]\n");
	put(&s, "a.yaml", "version: 1\n");
	one = load(&s, "p.yaml");
	put(&s, "a.yaml", "version: 1 \n");
	two = load(&s, "p.yaml");
	CHECK(one && two && strcmp(one->sha256, two->sha256) != 0);
}

TEST(a_name_does_not_begin_like_an_option_or_a_directory)
{
	CHECK(!parse("version: 1\ntools: { '-x': { kind: code, languages: [python] } }\n"));
	CHECK(said("t.yaml", 2, "tools.-x", "is no name"));
	CHECK(!parse("version: 1\ntools: { '..': { kind: code, languages: [python] } }\n"));
}

TEST(a_schema_is_a_file_beside_the_policy)
{
	own(scratch) s = scratch_make();
	own_policy p = NULL;

	put(&s, "p.yaml",
	    "version: 1\ntools:\n"
	    "  a: { kind: command, exec: [x], input: json, schema: a.json }\n");
	put(&s, "a.json", "{\"type\": \"object\", \"additionalProperties\": false}");
	p = load(&s, "p.yaml");
	CHECK(p && p->tools[0].schema);
	put(&s, "two.yaml",
	    "version: 1\ntools:\n"
	    "  a: { kind: command, exec: [x], schema: a.json }\n"
	    "  b: { kind: command, exec: [x], schema: a.json }\n");
	policy_free(p);
	p = load(&s, "two.yaml");
	CHECK(p && p->tools[0].schema && p->tools[1].schema);
	put(&s, "a.json", "{\"type\": \"object\"}");
	CHECK(!load(&s, "p.yaml") && said("p.yaml", 3, "tools.a.schema", "additionalProperties"));
	put(&s, "a.json", "{\"unevaluatedProperties\": false, \"tpye\": 1}");
	CHECK(!load(&s, "p.yaml") && said("p.yaml", 3, "tools.a.schema", "tpye"));
	put(&s, "a.json", "{");
	CHECK(!load(&s, "p.yaml") && said("p.yaml", 3, "tools.a.schema", "a.json"));
	CHECK(fchmodat(s.fd, "a.json", 0666, 0) == 0);
	CHECK(!load(&s, "p.yaml") && said("p.yaml", 3, "tools.a.schema", "others may write"));
}

TEST(what_comes_from_memory_reads_no_files)
{
	CHECK(!parse("version: 1\ninclude: [/etc/passwd]\n"));
	CHECK(said("t.yaml", 2, "include[0]", "no files are read"));
	CHECK(!parse("version: 1\ntools: { a: { kind: command, exec: [x], schema: /x.json } }\n"));
	CHECK(said("t.yaml", 2, "tools.a.schema", "no files are read"));
}

TEST(a_policy_can_be_read_again_as_it_was)
{
	own(scratch) s = scratch_make();
	own_policy first = NULL;
	own_policy again = NULL;
	own_policy nothing = NULL;
	own_fd fd = memfd_create("pack", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct error err;
	char word[40];

	put(&s, "p.yaml", "version: 1\ninclude: [more.yaml]\ntools:\n" TOOL("a"));
	put(&s, "more.yaml",
	    "version: 1\ntools:\n  b: { kind: command, exec: [x], schema: b.json }\n");
	put(&s, "b.json", "{\"type\": \"object\", \"additionalProperties\": false}");
	CHECK(mkdirat(s.fd, "p.d", 0755) == 0);
	put(&s, "p.d/1.yaml", "version: 1\ntools:\n" TOOL("c"));
	first = load(&s, "p.yaml");
	CHECK(first && first->n_tools == 3);
	CHECK(first && policypack_write(first, fd, &err) == 0);
	(void)snprintf(word, sizeof(word), "pack:%d", fd);
	CHECK(!policy_load(word, &complaints) && strstr(complaints.list[0].text, "sealed"));
	CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) == 0);
	/* Whatever has become of the files. */
	put(&s, "p.yaml", "version: 2\n");
	put(&s, "p.d/0.yaml", "version: 1\ntools:\n" TOOL("d"));
	CHECK(unlinkat(s.fd, "more.yaml", 0) == 0 && unlinkat(s.fd, "b.json", 0) == 0);
	again = policy_load(word, &complaints);
	CHECK(again && again->n_tools == 3 && strcmp(again->sha256, first->sha256) == 0);
	CHECK(again && strcmp(again->source, first->source) == 0);
	nothing = load(&s, "p.yaml");
	CHECK(!nothing);
}

TEST(a_client_names_tools_that_there_are)
{
	static const char text[] = "version: 1\ntools:\n" TOOL("report_a")
		TOOL("search") "clients:\n"
			       "  c:\n"
			       "    uid: 1\n"
			       "    tools: [search, \"report_*\", serch, \"x_*\", \"[\"]\n";

	CHECK(!parse(text) && complaints.n == 3);
	CHECK(said("t.yaml", 8, "clients.c.tools[2]", "did you mean 'search'?"));
	CHECK(complaints.list[0].place.column == 33);
	CHECK(said("t.yaml", 8, "clients.c.tools[3]", "no tool matches"));
	CHECK(said("t.yaml", 8, "clients.c.tools[4]", ""));
}

#define KEY "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

TEST(nobody_can_be_two_clients)
{
	CHECK(!parse("version: 1\nclients:\n"
		     "  a: { key_sha256: " KEY ", tools: [] }\n"
		     "  b: { key_sha256: " KEY ", tools: [] }\n"));
	CHECK(complaints.n == 1 && said("t.yaml", 4, "clients.b.key_sha256", "client 'a'"));
	CHECK(!parse("version: 1\nclients:\n  a: { uid: [1, 2], tools: [] }\n"
		     "  b: { uid: 2, tools: [] }\n"));
	CHECK(complaints.n == 1 && said("t.yaml", 4, "clients.b.uid", "client 'a'"));
	CHECK(!parse("version: 1\nclients:\n  a: { uid: any, tools: [] }\n"
		     "  b: { uid: any, tools: [] }\n"));
	CHECK(complaints.n == 1 && said("t.yaml", 4, "clients.b.uid", "client 'a'"));
	CHECK(!parse("version: 1\nclients: { a: { tools: [] } }\n"));
	CHECK(said("t.yaml", 2, "clients.a", "key_sha256 or uid"));
}

TEST(a_uid_that_is_named_comes_before_any)
{
	own_policy p = parse("version: 1\nclients:\n  a: { uid: any, tools: [] }\n"
			     "  b: { uid: [7, 8], tools: [] }\n");

	CHECK(p != NULL);
	CHECK_STR(p ? policy_client_by_uid(p, 8)->name : NULL, "b");
	CHECK_STR(p ? policy_client_by_uid(p, 9)->name : NULL, "a");
	CHECK(p && policy_client(p, "b") && !policy_client(p, "c") && !policy_tool(p, "a"));
}

TEST(without_a_client_for_it_a_uid_is_nobody)
{
	own_policy p = parse("version: 1\nclients: { b: { uid: 7, tools: [] } }\n");

	CHECK(p && !policy_client_by_uid(p, 8));
}

TEST(a_uid_is_a_number_that_a_user_can_have)
{
	static const char *const bad[] = {"4294967295", "-1",  "root", "\"5\"",
					  "[any]",      "010", "{}"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char text[100];

		(void)snprintf(text, sizeof(text),
			       "version: 1\nclients: { a: { uid: %s, tools: [] } }\n", bad[i]);
		CHECK(!parse(text) && complaints.n == 1);
		CHECK(strncmp(complaints.list[0].path, "clients.a.uid", 13) == 0);
	}
}

TEST(a_test_names_a_client_that_there_is)
{
	CHECK(!parse("version: 1\ntools:\n  a: { kind: command, exec: [x],\n"
		     "    test: [ { client: nobody, expect: deny } ] }\n"));
	CHECK(said("t.yaml", 4, "tools.a.test[0].client", "no client 'nobody'"));
}

TEST(programs_with_a_question_mark_are_there_or_left_out)
{
	own_policy p =
		parse("version: 1\ntools:\n"
		      "  a: { kind: command, programs: [sh, \"cat?\", \"no-such-thing?\"] }\n"
		      "  b: { kind: command, programs: [\"no-such-thing?\"] }\n"
		      "  c: { kind: command, programs: [no-such-thing] }\n"
		      "  d: { kind: command, programs: [\"/nowhere/x?\", /bin/sh] }\n");

	CHECK(p && p->tools[0].programs.n == 2);
	CHECK_STR(p ? p->tools[0].programs.word[1] : NULL, "cat");
	/* None left must not become "any". */
	CHECK(p && p->tools[1].programs.n == 0 && p->tools[1].decision == DECISION_DENY);
	CHECK(p && p->tools[2].programs.n == 1 && p->tools[2].decision == DECISION_ALLOW);
	CHECK(p && p->tools[3].programs.n == 1);
}

TEST(languages_with_a_question_mark_are_there_or_left_out)
{
	own(scratch) s = scratch_make();
	own_policy p = NULL;
	char text[300];

	/* An empty root has none of them. */
	(void)snprintf(text, sizeof(text),
		       "version: 1\ntools:\n"
		       "  a: { kind: code, languages: [\"python?\", bash], root: %s }\n"
		       "  b: { kind: code, languages: [\"node?\"], root: %s }\n",
		       s.path, s.path);
	p = parse(text);
	CHECK(p && p->tools[0].languages.n == 1);
	CHECK_STR(p ? p->tools[0].languages.word[0] : NULL, "bash");
	CHECK(p && p->tools[1].languages.n == 0 && p->tools[1].decision == DECISION_DENY);
}

TEST(the_built_in_policy_has_no_complaint_against_it)
{
	own_policy p = policy_load(NULL, &complaints);
	const struct tool *code = p ? policy_tool(p, "execute_code") : NULL;
	const struct tool *command = p ? policy_tool(p, "run_command") : NULL;

	CHECK(p && complaints.n == 0 && strcmp(p->source, "built in") == 0);
	CHECK(p && policy_client_by_uid(p, 12345) == policy_client(p, "local"));
	CHECK(code && code->kind == KIND_CODE && code->decision == DECISION_ALLOW);
	CHECK(code && code->limits.wall_ms == 30000 && code->limits.cpu_ms == 10000);
	CHECK(code && code->limits.memory_bytes == 256 << 20 && code->limits.output_bytes == 10000);
	CHECK(code && code->rates.rate[0].limit == 600);
	CHECK(command && command->kind == KIND_COMMAND && command->programs.n > 5);
	CHECK(command && command->exec.n == 0 && command->n_mounts == 0);
	for (size_t i = 0; command && i < command->programs.n; i++)
		CHECK(!strchr(command->programs.word[i], '?'));
}

TEST(the_variable_names_the_file)
{
	CHECK(setenv("BELLJAR_POLICY", "/x/p.yaml", 1) == 0);
	CHECK_STR(policy_default_file(), "/x/p.yaml");
	CHECK(setenv("BELLJAR_POLICY", "", 1) == 0);
	CHECK(access("/etc/belljar/policy.yaml", F_OK) == 0 || !policy_default_file());
}

TEST(every_enum_has_a_word_for_each_value)
{
	for (int i = 0; i < DECISION_COUNT; i++)
		CHECK(decision_name((enum decision)i)[0]);
	for (int i = 0; i < KIND_COUNT; i++)
		CHECK(tool_kind_name((enum tool_kind)i)[0]);
	for (int i = 0; i < ARG_COUNT; i++)
		CHECK(arg_type_name((enum arg_type)i)[0]);
	for (int i = 0; i < SCREEN_MODE_COUNT; i++)
		CHECK(screen_mode_name((enum screen_mode)i)[0]);
	CHECK_STR(decision_name((enum decision)77), "deny");
	CHECK_STR(screen_mode_name((enum screen_mode)77), "unset");
}
