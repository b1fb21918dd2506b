/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/native/programs.h"

#include <fcntl.h>
#include <limits.h>

#include "base/own.h"
#include "sandbox/native/progdata.h"
#include "sandbox/native/shebang.h"
#include "tap.h"
#include "tiny_tree.h"

#define LOADER "/lib64/ld-linux-x86-64.so.2"
#define LIBS   "/usr/lib/x86_64-linux-gnu"

/* A root with a loader, a libc and a program "it" that needs nothing but these. */
static void make_usual_root(void)
{
	tree_begin();
	tree_link("/bin", "usr/bin");
	tree_link("/lib", "usr/lib");
	tree_link("/lib64", "usr/lib64");
	tree_elf(LIBS "/ld-linux-x86-64.so.2",
		 &(struct tiny_wants){.soname = "ld-linux-x86-64.so.2"});
	tree_link("/usr/lib64/ld-linux-x86-64.so.2",
		  "../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2");
	tree_elf(LIBS "/libc.so.6",
		 &(struct tiny_wants){.soname = "libc.so.6", .needed = {"ld-linux-x86-64.so.2"}});
	tree_elf("/usr/bin/it", &(struct tiny_wants){.interp = LOADER, .needed = {"libc.so.6"}});
}

static const struct needed *find_inside(const struct needed_list *list, const char *inside)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i].inside, inside) == 0)
			return &list->items[i];
	return NULL;
}

static bool has_source(const struct needed_list *list, const char *source)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct needed *item = &list->items[i];
		size_t len = strlen(item->source);

		if (strcmp(item->source, source) == 0 ||
		    (item->directory && strncmp(item->source, source, len) == 0 &&
		     source[len] == '/'))
			return true;
	}
	return false;
}

/* Is the file at this path of the tree shown at this path of the box? */
static bool shows(const struct needed_list *list, const char *inside, const char *path)
{
	const struct needed *item = find_inside(list, inside);
	const char *want = tree_path(path);

	if (item && strcmp(item->source, want) == 0)
		return true;
	printf("# %s shows %s, not %s\n", inside, item ? item->source : "nothing", want);
	return false;
}

static int need(const char *name, struct needed_list *list, struct error *err)
{
	*err = (struct error){0};
	return programs_needed(tree_root, &name, 1, NULL, list, err);
}

/* Fails with this kind, and all these words in the message? */
static bool refused(const char *name, enum error_kind kind, const char *word, const char *other)
{
	own(needed_list) list = {0};
	struct error err;

	if (need(name, &list, &err) < 0 && err.kind == kind && strstr(err.text, word) &&
	    strstr(err.text, other) && list.n == 0)
		return true;
	printf("# %s: %s: %s\n", name, error_kind_name(err.kind), err.text);
	return false;
}

TEST(a_program_comes_with_its_loader_and_libraries)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	CHECK(need("it", &list, &err) == 0);
	CHECK(list.n == 3);
	CHECK(shows(&list, "/usr/bin/it", "/usr/bin/it"));
	CHECK(shows(&list, "/usr" LOADER, LIBS "/ld-linux-x86-64.so.2"));
	CHECK(shows(&list, LIBS "/libc.so.6", LIBS "/libc.so.6"));
	CHECK(find_inside(&list, "/usr/bin/it")->execute);
	CHECK(find_inside(&list, "/usr" LOADER)->execute);
	CHECK(!find_inside(&list, LIBS "/libc.so.6")->execute);
	CHECK_STR(list.items[0].source + list.items[0].prefix, "/usr/bin/it");
	CHECK(!list.has_interpreter);
	tree_end();
}

TEST(a_path_in_bin_is_shown_in_usr_bin)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	CHECK(need("/bin/it", &list, &err) == 0);
	CHECK(shows(&list, "/usr/bin/it", "/usr/bin/it"));
	tree_end();
}

TEST(local_programs_come_first_and_files_that_cannot_run_are_passed_over)
{
	own(needed_list) first = {0}, second = {0};
	struct error err;

	make_usual_root();
	tree_text("/usr/local/bin/it", "not for running\n", 0644);
	CHECK(need("it", &first, &err) == 0);
	CHECK(shows(&first, "/usr/bin/it", "/usr/bin/it"));
	tree_elf("/usr/local/bin/it", &(struct tiny_wants){0});
	CHECK(need("it", &second, &err) == 0);
	CHECK(shows(&second, "/usr/local/bin/it", "/usr/local/bin/it"));
	tree_end();
}

TEST(links_are_followed_beneath_the_root_and_the_asked_name_stays)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	tree_elf("/usr/bin/mawk", &(struct tiny_wants){.interp = LOADER});
	tree_link("/usr/bin/awk", "/etc/alternatives/awk");
	tree_link("/etc/alternatives/awk", "/usr/bin/mawk");
	CHECK(need("awk", &list, &err) == 0);
	CHECK(shows(&list, "/usr/bin/awk", "/usr/bin/mawk"));
	CHECK(find_inside(&list, "/usr/bin/mawk") == NULL);
	CHECK(list.has_interpreter);
	tree_end();
}

TEST(a_link_cannot_lead_out_of_the_root)
{
	make_usual_root();
	tree_link("/usr/bin/one", "/usr/bin/env"); /* exists on the host, not in the root */
	tree_link("/usr/bin/two", "../../../../../../../../../usr/bin/env");
	CHECK(refused("one", ERR_NOT_FOUND, "'one'", ""));
	CHECK(refused("two", ERR_NOT_FOUND, "'two'", ""));
	tree_end();
}

TEST(set_id_programs_are_refused_by_name)
{
	make_usual_root();
	tree_elf("/usr/bin/su", &(struct tiny_wants){0});
	CHECK(chmod(tree_path("/usr/bin/su"), 04755) == 0);
	CHECK(refused("su", ERR_CALLER, "'su'", "set-user-id"));
	CHECK(chmod(tree_path("/usr/bin/su"), 02755) == 0);
	CHECK(refused("su", ERR_CALLER, "'su'", "set-group-id"));
	tree_end();
}

TEST(a_missing_program_is_named_with_its_neighbour)
{
	make_usual_root();
	tree_elf("/usr/bin/python3", &(struct tiny_wants){0});
	CHECK(refused("pyhton3", ERR_NOT_FOUND, "'pyhton3'", "did you mean 'python3'?"));
	CHECK(refused("/usr/bin/nobody", ERR_NOT_FOUND, "/usr/bin/nobody", ""));
	tree_end();
}

TEST(odd_names_are_refused)
{
	make_usual_root();
	CHECK(refused("", ERR_CALLER, "without a name", ""));
	CHECK(refused("./it", ERR_CALLER, "'./it'", "full path"));
	CHECK(refused("/usr/bin/../bin/it", ERR_CALLER, "full path", ""));
	CHECK(refused("/usr/bin/..", ERR_CALLER, "full path", ""));
	CHECK(refused("/tmp/it", ERR_CALLER, "'/tmp/it'", "its own"));
	CHECK(refused("/usr/bin", ERR_REFUSED, "'/usr/bin'", "not an executable file"));
	tree_end();
}

TEST(what_is_no_program_is_refused)
{
	static const char cut[] = "\177ELF\2\1\1";

	make_usual_root();
	tree_text("/usr/bin/text", "echo hello\n", 0755);
	tree_text("/usr/bin/empty", "", 0755);
	tree_put("/usr/bin/cut", cut, sizeof(cut), 0755);
	tree_elf("/usr/bin/arm", &(struct tiny_wants){.machine = EM_RISCV});
	CHECK(mkfifo(tree_path("/usr/bin/pipe"), 0755) == 0);
	CHECK(refused("text", ERR_REFUSED, "'text'", "#!"));
	CHECK(refused("empty", ERR_REFUSED, "'empty'", "#!"));
	CHECK(refused("cut", ERR_REFUSED, "'cut'", "malformed"));
	CHECK(refused("arm", ERR_REFUSED, "'arm'", "machine"));
	CHECK(refused("/usr/bin/pipe", ERR_REFUSED, "pipe", "not an executable file"));
	tree_end();
}

TEST(a_missing_library_or_loader_is_named)
{
	make_usual_root();
	tree_elf("/usr/bin/lost", &(struct tiny_wants){.needed = {"libgone.so.7"}});
	tree_elf("/usr/bin/odd", &(struct tiny_wants){.interp = "/lib/ld-odd.so.1"});
	CHECK(refused("lost", ERR_CONFIG, "'lost'", "libgone.so.7"));
	CHECK(refused("odd", ERR_CONFIG, "'odd'", "/lib/ld-odd.so.1"));
	tree_end();
}

TEST(a_library_of_another_machine_is_passed_over)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	tree_text("/etc/ld.so.conf", "/opt/arm\n", 0644);
	tree_elf("/opt/arm/libc.so.6", &(struct tiny_wants){.machine = EM_AARCH64});
	CHECK(need("it", &list, &err) == 0);
	CHECK(shows(&list, LIBS "/libc.so.6", LIBS "/libc.so.6"));
	tree_end();
}

TEST(a_broken_library_is_an_error_not_a_gap)
{
	make_usual_root();
	tree_text(LIBS "/libbad.so.1", "INPUT(libc.so.6)\n", 0644);
	tree_elf("/usr/bin/bad", &(struct tiny_wants){.needed = {"libbad.so.1"}});
	CHECK(refused("bad", ERR_REFUSED, "libbad.so.1", "not an ELF file"));
	tree_end();
}

TEST(origin_means_the_place_in_the_box)
{
	own(needed_list) direct = {0}, linked = {0};
	struct error err;

	make_usual_root();
	tree_elf("/opt/it/bin/tool",
		 &(struct tiny_wants){.runpath = "$ORIGIN/../lib", .needed = {"libmine.so.1"}});
	tree_elf("/opt/it/lib/libmine.so.1", &(struct tiny_wants){.needed = {"libc.so.6"}});
	tree_link("/usr/local/bin/tool", "/opt/it/bin/tool");
	CHECK(need("/opt/it/bin/tool", &direct, &err) == 0);
	CHECK(shows(&direct, "/opt/it/lib/libmine.so.1", "/opt/it/lib/libmine.so.1"));
	CHECK(need("tool", &linked, &err) == 0);
	CHECK(shows(&linked, "/usr/local/bin/tool", "/opt/it/bin/tool"));
	CHECK(shows(&linked, "/usr/local/lib/libmine.so.1", "/opt/it/lib/libmine.so.1"));
	tree_end();
}

TEST(rpath_is_inherited_and_runpath_is_not)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	tree_elf("/opt/a/liba.so", &(struct tiny_wants){.needed = {"libb.so"}});
	tree_elf("/opt/a/libb.so", &(struct tiny_wants){0});
	tree_elf("/usr/bin/old", &(struct tiny_wants){.rpath = "/opt/a", .needed = {"liba.so"}});
	tree_elf("/usr/bin/new", &(struct tiny_wants){.runpath = "/opt/a", .needed = {"liba.so"}});
	tree_elf("/usr/bin/both", &(struct tiny_wants){
					  .rpath = "/opt/a",
					  .runpath = "/opt/nowhere",
					  .needed = {"liba.so"},
				  });
	CHECK(need("old", &list, &err) == 0);
	CHECK(shows(&list, "/opt/a/libb.so", "/opt/a/libb.so"));
	CHECK(refused("new", ERR_CONFIG, "liba.so needs libb.so", ""));
	CHECK(refused("both", ERR_CONFIG, "needs liba.so", ""));
	tree_end();
}

TEST(lib_and_platform_are_tried_in_all_their_meanings)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	tree_elf("/opt/it/lib64/x86_64/libx.so", &(struct tiny_wants){0});
	tree_elf("/usr/bin/wide", &(struct tiny_wants){.runpath = "/opt/it/$LIB/${PLATFORM}",
						       .needed = {"libx.so"}});
	CHECK(need("wide", &list, &err) == 0);
	CHECK(shows(&list, "/opt/it/lib64/x86_64/libx.so", "/opt/it/lib64/x86_64/libx.so"));
	tree_end();
}

TEST(a_library_named_by_soname_is_not_loaded_twice)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	tree_elf("/opt/a/libx.so", &(struct tiny_wants){.soname = "libx.so.1"});
	tree_elf("/usr/bin/twice", &(struct tiny_wants){.needed = {"/opt/a/libx.so", "libx.so.1"}});
	CHECK(need("twice", &list, &err) == 0); /* there is no libx.so.1 to be found */
	CHECK(shows(&list, "/opt/a/libx.so", "/opt/a/libx.so"));
	tree_end();
}

TEST(ld_so_conf_is_read_with_its_includes)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	tree_text("/etc/ld.so.conf", "# comment\ninclude ld.so.conf.d/*.conf\n\t/opt/last # why\n",
		  0644);
	tree_text("/etc/ld.so.conf.d/b.conf", "/opt/b", 0644);
	tree_text("/etc/ld.so.conf.d/a.conf", "hwcap 1 nosegneg\n/opt/a\n/opt/absent\n", 0644);
	tree_text("/etc/ld.so.conf.d/ignored", "/opt/ignored\n", 0644);
	tree_elf("/opt/a/libx.so", &(struct tiny_wants){0});
	tree_elf("/opt/b/libx.so", &(struct tiny_wants){0});
	tree_elf("/opt/b/liby.so", &(struct tiny_wants){0});
	tree_elf("/opt/last/libz.so", &(struct tiny_wants){0});
	tree_elf("/opt/ignored/libw.so", &(struct tiny_wants){0});
	tree_elf("/usr/bin/x", &(struct tiny_wants){.needed = {"libx.so", "liby.so", "libz.so"}});
	tree_elf("/usr/bin/w", &(struct tiny_wants){.needed = {"libw.so"}});
	CHECK(need("x", &list, &err) == 0);
	/* The box has no ld.so.cache: they go where the loader looks by itself. */
	CHECK(shows(&list, LIBS "/libx.so", "/opt/a/libx.so"));
	CHECK(shows(&list, LIBS "/liby.so", "/opt/b/liby.so"));
	CHECK(shows(&list, LIBS "/libz.so", "/opt/last/libz.so"));
	CHECK(refused("w", ERR_CONFIG, "libw.so", ""));
	tree_end();
}

TEST(an_ld_so_conf_without_end_is_an_error)
{
	make_usual_root();
	tree_text("/etc/ld.so.conf", "include /etc/ld.so.conf\n", 0644);
	CHECK(refused("it", ERR_CONFIG, "ld.so.conf", "includes more than"));
	tree_end();
}

TEST(a_script_brings_its_interpreter)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	tree_text("/usr/bin/script", "#! /bin/it -x\n", 0755);
	CHECK(need("script", &list, &err) == 0);
	CHECK(shows(&list, "/usr/bin/script", "/usr/bin/script"));
	CHECK(shows(&list, "/usr/bin/it", "/usr/bin/it"));
	CHECK(find_inside(&list, "/usr/bin/script")->execute);
	CHECK(find_inside(&list, LIBS "/libc.so.6"));
	CHECK(!list.has_interpreter);
	tree_end();
}

TEST(a_script_for_env_brings_env_and_what_env_runs)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	tree_elf("/usr/bin/env", &(struct tiny_wants){0});
	tree_elf("/usr/bin/bash", &(struct tiny_wants){0});
	tree_text("/usr/bin/script", "#!/usr/bin/env -S A=1 bash -e\n", 0755);
	CHECK(need("script", &list, &err) == 0);
	CHECK(find_inside(&list, "/usr/bin/env") && find_inside(&list, "/usr/bin/bash"));
	CHECK(list.has_interpreter);
	tree_end();
}

TEST(scripts_that_run_each_other_end)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	tree_text("/usr/bin/ping", "#!/usr/bin/pong\n", 0755);
	tree_text("/usr/bin/pong", "#!/usr/bin/ping\n", 0755);
	CHECK(need("ping", &list, &err) == 0);
	CHECK(list.n == 2);
	tree_end();
}

static bool first_line(const char *line, const char *interpreter, const char *program)
{
	struct shebang got;
	struct error err;

	return shebang_parse(line, strlen(line), &got, &err) == 0 &&
	       strcmp(got.interpreter, interpreter) == 0 && strcmp(got.program, program) == 0;
}

TEST(first_lines_are_read_as_the_kernel_reads_them)
{
	char longest[SHEBANG_BYTES];
	struct shebang got;
	struct error err;

	CHECK(first_line("#!/bin/sh", "/bin/sh", ""));
	CHECK(first_line("#! \t/bin/sh -e\necho\n", "/bin/sh", ""));
	CHECK(first_line("#!/usr/bin/env python3\n", "/usr/bin/env", "python3"));
	CHECK(first_line("#!/usr/bin/env -Spython3 -I\n", "/usr/bin/env", "python3"));
	CHECK(first_line("#!/usr/bin/env -i A=b sh\n", "/usr/bin/env", "sh"));
	CHECK(!first_line("#!/usr/bin/env\n", "/usr/bin/env", ""));
	CHECK(!first_line("#!sh\n", "sh", ""));
	CHECK(!first_line("#!\n", "", ""));
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "#!/", 3);
	CHECK(shebang_parse(longest, sizeof(longest), &got, &err) < 0 && err.kind == ERR_REFUSED);
}

TEST(python_comes_with_its_library_and_what_its_modules_need)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	tree_elf("/usr/bin/python3.11", &(struct tiny_wants){.interp = LOADER});
	tree_link("/usr/bin/python3", "python3.11");
	tree_text("/usr/lib/python3.11/os.py", "", 0644);
	tree_elf("/usr/lib/python3.11/lib-dynload/_ssl.so",
		 &(struct tiny_wants){.needed = {"libssl.so.3", "libgone.so.1"}});
	tree_elf(LIBS "/libssl.so.3", &(struct tiny_wants){.needed = {"libc.so.6"}});
	tree_text("/usr/lib/python3/dist-packages/x.py", "", 0644);
	tree_elf("/usr/lib/python3/dist-packages/a/b/c.cpython-311.so.1",
		 &(struct tiny_wants){.needed = {"libdeep.so"}});
	tree_elf(LIBS "/libdeep.so", &(struct tiny_wants){0});
	CHECK(need("python3", &list, &err) == 0);
	CHECK(shows(&list, "/usr/bin/python3", "/usr/bin/python3.11"));
	CHECK(shows(&list, "/usr/lib/python3.11", "/usr/lib/python3.11"));
	CHECK(find_inside(&list, "/usr/lib/python3.11")->directory);
	CHECK(!find_inside(&list, "/usr/lib/python3.11")->execute);
	CHECK(shows(&list, "/usr/lib/python3/dist-packages", "/usr/lib/python3/dist-packages"));
	CHECK(find_inside(&list, LIBS "/libssl.so.3") && find_inside(&list, LIBS "/libdeep.so"));
	CHECK(list.has_interpreter);
	tree_end();
}

TEST(a_python_behind_a_link_finds_its_library)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	tree_elf("/opt/py/bin/python3.12", &(struct tiny_wants){.interp = LOADER});
	tree_text("/opt/py/lib/python3.12/os.py", "", 0644);
	tree_link("/usr/local/bin/python3", "/opt/py/bin/python3.12");
	CHECK(need("python3", &list, &err) == 0);
	CHECK(shows(&list, "/opt/py/lib/python3.12", "/opt/py/lib/python3.12"));
	CHECK(shows(&list, "/usr/local/lib/python3.12", "/opt/py/lib/python3.12"));
	tree_end();
}

TEST(what_lies_in_a_listed_directory_is_not_listed_again)
{
	own(needed_list) list = {0};
	struct error err;

	make_usual_root();
	tree_elf("/usr/bin/git", &(struct tiny_wants){
					 .runpath = "/usr/lib/git-core",
					 .needed = {"libgit.so"},
				 });
	tree_elf("/usr/lib/git-core/libgit.so", &(struct tiny_wants){0});
	CHECK(need("git", &list, &err) == 0);
	CHECK(list.n == 2);
	CHECK(find_inside(&list, "/usr/lib/git-core")->execute);
	tree_end();
}

TEST(two_files_for_one_place_are_an_error)
{
	static const char *const both[] = {"/bin/it", "/usr/bin/it"};
	own(needed_list) list = {0};
	struct error err = {0};

	tree_begin(); /* no merged /usr here */
	tree_elf("/bin/it", &(struct tiny_wants){0});
	tree_elf("/usr/bin/it", &(struct tiny_wants){0});
	CHECK(programs_needed(tree_root, both, 2, NULL, &list, &err) < 0);
	CHECK(err.kind == ERR_CONFIG && strstr(err.text, "both belong at /usr/bin/it"));
	tree_end();
}

TEST(interpreters_are_known_by_either_name)
{
	static const char *const yes[] = {"python3.11", "sh",         "bash", "awk",
					  "mawk",       "busybox",    "node", "perl5.36.0",
					  "vim.basic",  "qemu-x86_64"};
	static const char *const no[] = {"ls",   "cat", "grep",  "find", "sed",    "jq",      "git",
					 "curl", "env", "xargs", "shuf", "base64", "exiftool"};
	own(needed_list) list = {0};
	struct error err;

	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		CHECK(progdata_is_interpreter(yes[i]));
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		CHECK(!progdata_is_interpreter(no[i]));
	make_usual_root();
	tree_elf("/usr/bin/busybox", &(struct tiny_wants){0});
	tree_link("/usr/bin/ls", "busybox");
	CHECK(need("ls", &list, &err) == 0 && list.has_interpreter);
	tree_end();
}

/* What ldd prints for a program, in a file of its own. */
static FILE *run_ldd(const char *path)
{
	FILE *out = tmpfile();
	int status = -1;
	pid_t child;

	assert(out);
	child = fork();
	if (child == 0) {
		(void)dup2(fileno(out), STDOUT_FILENO);
		(void)execl("/usr/bin/ldd", "ldd", path, (char *)NULL);
		_exit(127);
	}
	(void)waitpid(child, &status, 0);
	rewind(out);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return out;
	(void)fclose(out);
	return NULL;
}

/* Every file that ldd names for the program is in our list; returns how many there were. */
static size_t compare_with_ldd(const char *name)
{
	own(needed_list) list = {0};
	struct error err = {0};
	char line[PATH_MAX + 64], real[PATH_MAX];
	own_file out = NULL;
	size_t n = 0;

	if (programs_needed("", &name, 1, NULL, &list, &err) < 0) {
		printf("# %s: %s\n", name, err.text);
		CHECK(err.kind == ERR_NOT_FOUND || err.kind == ERR_CALLER);
		return 0;
	}
	for (size_t i = 0; i < list.n && !out; i++)
		if (list.items[i].execute &&
		    strcmp(strrchr(list.items[i].inside, '/') + 1, name) == 0)
			out = run_ldd(list.items[i].source);
	while (out && fgets(line, sizeof(line), out)) {
		char *path = strchr(line, '/');

		if (!path || !strchr(path, '('))
			continue;
		path[strcspn(path, " \n")] = '\0';
		CHECK(realpath(path, real) != NULL);
		if (!has_source(&list, real))
			printf("# %s: %s is missing\n", name, real);
		CHECK(has_source(&list, real));
		n++;
	}
	return n;
}

TEST(the_host_s_programs_get_all_that_ldd_names)
{
	static const char *const names[] = {
		"ls",   "cat",  "grep", "find",    "sort",   "jq",    "git",  "curl",  "awk",
		"sed",  "tar",  "date", "python3", "node",   "perl",  "bash", "ssh",   "openssl",
		"file", "gdb",  "vim",  "php",     "ruby",   "lua",   "gcc",  "clang", "psql",
		"xz",   "gawk", "nano", "rsync",   "python", "tclsh",
	};
	size_t n = 0;

	if (access("/usr/bin/ldd", X_OK) < 0)
		SKIP("there is no ldd here");
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		n += compare_with_ldd(names[i]);
	CHECK(n > 10); /* otherwise nothing was compared */
	printf("# %zu libraries compared\n", n);
}

TEST(many_programs_share_one_list)
{
	static const char *const names[] = {"ls", "cat", "sort", "ls"};
	own(needed_list) list = {0};
	struct error err;

	CHECK(programs_needed("", names, ARRAY_LEN(names), NULL, &list, &err) == 0);
	for (size_t i = 1; i < list.n; i++)
		CHECK(strcmp(list.items[i - 1].inside, list.items[i].inside) < 0);
	CHECK(find_inside(&list, "/usr/bin/ls") && find_inside(&list, "/usr/bin/sort"));
}
