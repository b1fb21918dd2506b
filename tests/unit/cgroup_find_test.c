/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of hosts that are not at hand, as trees of plain files. */
#include "sandbox/native/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/own.h"
#include "sandbox/native/cgroup_parse.h"
#include "tap.h"

static char top[] = "/tmp/belljar-cgroup-XXXXXX";

static int drop(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	(void)st, (void)kind, (void)walk;
	return remove(path);
}

static void drop_tree(int *tree)
{
	(void)tree;
	(void)nftw(top, drop, 16, FTW_DEPTH | FTW_PHYS);
}

static void path_of(char *ret, const char *name)
{
	if (snprintf(ret, PATH_MAX, "%s/%s", top, name) >= PATH_MAX)
		abort();
}

/* Writes a file beneath the tree, with the directories above it. */
static void put(const char *name, const char *text)
{
	char path[PATH_MAX];
	own_file file = NULL;

	path_of(path, name);
	for (char *at = path + strlen(top) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			abort();
		*at = '/';
	}
	file = fopen(path, "we");
	if (!file || fputs(text, file) < 0)
		abort();
}

static void get(const char *name, char *ret, size_t room)
{
	char path[PATH_MAX];
	own_file file = NULL;

	path_of(path, name);
	file = fopen(path, "re");
	ret[0] = '\0';
	if (file)
		ret[fread(ret, 1, room - 1, file)] = '\0';
}

/* Replaces @ by the tree's own path: mount points are absolute. */
static void put_table(const char *name, const char *text)
{
	char out[8192];
	size_t n = 0;

	for (; *text && n + PATH_MAX < sizeof(out); text++) {
		if (*text == '@')
			n += (size_t)snprintf(out + n, sizeof(out) - n, "%s", top);
		else
			out[n++] = *text;
	}
	out[n] = '\0';
	put(name, out);
}

static void put_v2_group(const char *dir, const char *controllers, const char *procs)
{
	static const struct {
		const char *name, *text;
	} files[] = {{"cgroup.type", "domain\n"}, {"cgroup.subtree_control", ""}};
	char name[256];

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		(void)snprintf(name, sizeof(name), "%s/%s", dir, files[i].name);
		put(name, files[i].text);
	}
	(void)snprintf(name, sizeof(name), "%s/cgroup.controllers", dir);
	put(name, controllers);
	(void)snprintf(name, sizeof(name), "%s/cgroup.procs", dir);
	put(name, procs);
}

static const char *my_pid(void)
{
	static char text[24];

	(void)snprintf(text, sizeof(text), "%d\n", (int)getpid());
	return text;
}

static int new_tree(const char *mountinfo, const char *self)
{
	if (!mkdtemp(top))
		abort();
	put_table("mountinfo", mountinfo);
	put_table("self", self);
	return 0;
}

/* A tree of files that goes with the test. */
#define TREE(mountinfo, self) \
	__attribute__((cleanup(drop_tree), unused)) int tree_ = new_tree(mountinfo, self)

static int find(struct cgroup_host *host, const char *parent)
{
	char mountinfo[PATH_MAX], self[PATH_MAX], dir[PATH_MAX];
	struct error err;
	int result;

	path_of(mountinfo, "mountinfo");
	path_of(self, "self");
	if (parent)
		path_of(dir, parent);
	result = cgroup_find(host, parent ? dir : NULL, mountinfo, self, &err);
	if (result < 0)
		printf("# %s\n", err.text);
	return result;
}

static bool is_at(const struct cgroup_host *host, enum controller c, int version, const char *name)
{
	char dir[PATH_MAX];

	path_of(dir, name);
	if (host->places[c].version == version && strcmp(host->places[c].dir, dir) == 0)
		return true;
	printf("# %s: version %d at '%s' (%s)\n", controller_name(c), host->places[c].version,
	       host->places[c].dir, host->places[c].why_not);
	return false;
}

static bool is_refused(const struct cgroup_host *host, enum controller c, const char *word)
{
	const struct cgroup_place *place = &host->places[c];

	if (place->version == 0 && strstr(place->why_not, word))
		return true;
	printf("# %s: version %d, '%s'\n", controller_name(c), place->version, place->why_not);
	return false;
}

#define V2_MOUNT "30 23 0:26 / @/cg rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"

TEST(version_2_alone_gives_everything_beneath_our_own_group)
{
	struct cgroup_host host;

	TREE("23 1 8:1 / / rw - ext4 /dev/sda1 rw\n" V2_MOUNT, "0::/me.scope\n");
	put_v2_group("cg", "cpuset cpu io memory pids\n", "");
	put_v2_group("cg/me.scope", "cpu io memory pids\n", my_pid());
	CHECK(find(&host, NULL) == 0);
	for (unsigned c = 0; c < CONTROLLER_COUNT; c++)
		CHECK(is_at(&host, (enum controller)c, 2, "cg/me.scope"));
	CHECK(host.v2_needs_move && host.v2_io && !host.ask_delegation);
}

TEST(a_group_with_other_processes_is_not_taken)
{
	struct cgroup_host host;
	char procs[64];

	TREE(V2_MOUNT, "0::/session.scope\n");
	put_v2_group("cg", "cpu memory pids\n", "");
	(void)snprintf(procs, sizeof(procs), "1\n%s", my_pid());
	put_v2_group("cg/session.scope", "cpu memory pids\n", procs);
	CHECK(find(&host, NULL) == 0);
	CHECK(is_refused(&host, CONTROLLER_MEMORY, "other processes"));
	CHECK(is_refused(&host, CONTROLLER_PIDS, "systemd-run"));
	CHECK(is_at(&host, CONTROLLER_CPUACCT, 2, "cg/session.scope")); /* needs no controller */
	CHECK(host.ask_delegation && !host.v2_needs_move);
}

TEST(a_process_of_another_pid_namespace_is_a_stranger)
{
	struct cgroup_host host;

	TREE(V2_MOUNT, "0::/x\n");
	put_v2_group("cg", "memory pids cpu\n", "");
	put_v2_group("cg/x", "memory pids cpu\n", "0\n");
	CHECK(find(&host, NULL) == 0);
	CHECK(is_refused(&host, CONTROLLER_MEMORY, "other processes"));
}

TEST(controllers_that_are_not_handed_down_are_missing)
{
	struct cgroup_host host;

	TREE(V2_MOUNT, "0::/user.scope\n");
	put_v2_group("cg", "cpu memory pids\n", "");
	put_v2_group("cg/user.scope", "memory pids\n", my_pid());
	CHECK(find(&host, NULL) == 0);
	CHECK(is_at(&host, CONTROLLER_MEMORY, 2, "cg/user.scope"));
	CHECK(is_at(&host, CONTROLLER_PIDS, 2, "cg/user.scope"));
	CHECK(is_refused(&host, CONTROLLER_CPU, "hand it down"));
	CHECK(host.ask_delegation);
}

TEST(the_root_group_needs_no_move)
{
	struct cgroup_host host;

	TREE(V2_MOUNT, "0::/\n");
	put("cg/cgroup.controllers", "cpu memory pids\n");
	put("cg/cgroup.subtree_control", "\n");
	put("cg/cgroup.procs", "1\n2\n3\n");
	CHECK(find(&host, NULL) == 0);
	CHECK(is_at(&host, CONTROLLER_MEMORY, 2, "cg"));
	CHECK(!host.v2_needs_move);
}

TEST(in_the_leaf_supervisor_the_group_above_is_ours)
{
	struct cgroup_host host;

	TREE(V2_MOUNT, "0::/me.scope/supervisor\n");
	put_v2_group("cg", "cpu memory pids\n", "");
	put_v2_group("cg/me.scope", "cpu memory pids\n", "");
	put("cg/me.scope/cgroup.subtree_control", "cpu memory pids\n");
	put_v2_group("cg/me.scope/supervisor", "cpu memory pids\n", "1\n2\n");
	CHECK(find(&host, NULL) == 0);
	CHECK(is_at(&host, CONTROLLER_MEMORY, 2, "cg/me.scope"));
	CHECK(!host.v2_needs_move);
}

TEST(a_group_that_is_merely_called_supervisor_is_a_group_like_others)
{
	struct cgroup_host host;

	TREE(V2_MOUNT, "0::/supervisor\n");
	put_v2_group("cg", "cpu memory pids\n", "1\n");
	put_v2_group("cg/supervisor", "cpu memory pids\n", my_pid());
	CHECK(find(&host, NULL) == 0);
	CHECK(is_at(&host, CONTROLLER_MEMORY, 2, "cg/supervisor"));
}

TEST(a_threaded_group_is_refused)
{
	struct cgroup_host host;

	TREE(V2_MOUNT, "0::/x\n");
	put_v2_group("cg", "memory pids cpu\n", "");
	put_v2_group("cg/x", "memory pids cpu\n", my_pid());
	put("cg/x/cgroup.type", "threaded\n");
	CHECK(find(&host, NULL) == 0);
	CHECK(is_refused(&host, CONTROLLER_MEMORY, "threaded"));
}

#define V1_MOUNTS                                                \
	"32 31 0:29 / @/cpu rw - cgroup cgroup rw,cpu\n"         \
	"33 31 0:30 / @/cpuacct rw - cgroup cgroup rw,cpuacct\n" \
	"35 31 0:32 / @/memory rw - cgroup cgroup rw,memory\n"   \
	"39 31 0:36 / @/pids rw - cgroup cgroup rw,pids\n"       \
	"40 31 0:37 / @/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
#define V1_SELF "9:name=systemd:/\n8:pids:/p\n4:memory:/deep/m\n2:cpuacct:/\n1:cpu:/\n0::/\n"

TEST(hybrid_with_an_empty_version_2_uses_version_1)
{
	struct cgroup_host host;

	TREE(V1_MOUNTS "41 31 0:38 / @/unified rw - cgroup2 cgroup2 rw\n", V1_SELF);
	put("unified/cgroup.controllers", "hugetlb\n");
	put("unified/cgroup.subtree_control", "");
	put("unified/cgroup.procs", "1\n");
	put("cpu/tasks", "");
	put("cpuacct/tasks", "");
	put("memory/deep/m/tasks", "");
	put("pids/p/tasks", "");
	CHECK(find(&host, NULL) == 0);
	CHECK(is_at(&host, CONTROLLER_MEMORY, 1, "memory/deep/m"));
	CHECK(is_at(&host, CONTROLLER_PIDS, 1, "pids/p"));
	CHECK(is_at(&host, CONTROLLER_CPU, 1, "cpu"));
	CHECK(is_at(&host, CONTROLLER_CPUACCT, 1, "cpuacct"));
	CHECK(!host.ask_delegation && !host.v2_needs_move);
}

TEST(each_controller_is_found_where_it_is)
{
	struct cgroup_host host;

	TREE("35 31 0:32 / @/memory rw - cgroup cgroup rw,memory\n" V2_MOUNT,
	     "4:memory:/\n0::/x\n");
	put("memory/tasks", "");
	put_v2_group("cg", "pids\n", "");
	put_v2_group("cg/x", "pids\n", my_pid());
	CHECK(find(&host, NULL) == 0);
	CHECK(is_at(&host, CONTROLLER_MEMORY, 1, "memory"));
	CHECK(is_at(&host, CONTROLLER_PIDS, 2, "cg/x"));
	CHECK(is_refused(&host, CONTROLLER_CPU, "no mounted hierarchy"));
	CHECK(is_at(&host, CONTROLLER_CPUACCT, 2, "cg/x"));
	CHECK(!host.ask_delegation); /* version 2 has no cpu to give */
}

TEST(cpu_and_cpuacct_in_one_hierarchy_are_one_tree)
{
	struct cgroup_host host;
	struct cgroup_slot slot;
	struct error err;

	TREE("32 31 0:29 / @/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n",
	     "1:cpu,cpuacct:/a\n");
	put("cpu,cpuacct/a/tasks", "");
	CHECK(find(&host, NULL) == 0);
	CHECK(is_at(&host, CONTROLLER_CPU, 1, "cpu,cpuacct/a"));
	CHECK(is_at(&host, CONTROLLER_CPUACCT, 1, "cpu,cpuacct/a"));
	CHECK(is_refused(&host, CONTROLLER_MEMORY, "no mounted hierarchy"));
	CHECK(cgroup_slot_open(&host, "s", geteuid(), &slot, &err) == 0);
	CHECK(slot.n_trees == 1);
	CHECK(slot.trees[0].controllers == (1U << CONTROLLER_CPU | 1U << CONTROLLER_CPUACCT));
	CHECK(cgroup_slot_launcher_fd(&slot) == -1);
	CHECK(cgroup_slot_close(&slot, &err) == 0);
}

TEST(in_a_container_the_mount_shows_a_part_of_the_hierarchy)
{
	struct cgroup_host host;

	TREE("50 40 0:32 /docker/abc @/memory rw - cgroup cgroup rw,memory\n"
	     "51 40 0:36 /docker/abc @/pids ro,nosuid - cgroup cgroup rw,pids\n"
	     "52 40 0:26 /docker/abc @/cg rw - cgroup2 cgroup rw\n",
	     "8:pids:/docker/abc\n4:memory:/docker/abc/in\n0::/docker/abc/in\n");
	put("memory/in/tasks", "");
	put("pids/tasks", "");
	put_v2_group("cg", "cpu\n", "");
	put_v2_group("cg/in", "cpu\n", my_pid());
	CHECK(find(&host, NULL) == 0);
	CHECK(is_at(&host, CONTROLLER_MEMORY, 1, "memory/in"));
	CHECK(is_refused(&host, CONTROLLER_PIDS, "read-only"));
	CHECK(is_at(&host, CONTROLLER_CPU, 2, "cg/in"));
}

TEST(a_group_outside_of_the_mount_is_not_visible)
{
	struct cgroup_host host;

	TREE("50 40 0:32 /docker/abc @/memory rw - cgroup cgroup rw,memory\n"
	     "52 40 0:26 /../.. @/cg rw - cgroup2 cgroup rw\n",
	     "4:memory:/docker/abcd\n0::/../x\n");
	put("memory/tasks", "");
	put_v2_group("cg", "cpu pids\n", "");
	CHECK(find(&host, NULL) == 0);
	CHECK(is_refused(&host, CONTROLLER_MEMORY, "not visible"));
	CHECK(host.places[CONTROLLER_CPU].version == 0);
}

TEST(a_read_only_version_2_is_refused)
{
	struct cgroup_host host;

	TREE("30 23 0:26 / @/cg ro,nosuid - cgroup2 cgroup rw\n", "0::/\n");
	put_v2_group("cg", "cpu memory pids\n", my_pid());
	CHECK(find(&host, NULL) == 0);
	CHECK(is_refused(&host, CONTROLLER_MEMORY, "read-only"));
	CHECK(is_refused(&host, CONTROLLER_CPUACCT, "read-only"));
}

TEST(a_given_directory_counts_in_every_hierarchy)
{
	struct cgroup_host host;

	TREE(V1_MOUNTS, V1_SELF);
	put("memory/jar/tasks", "");
	put("pids/jar/tasks", "");
	put("pids/p/tasks", "");
	put("cpu/tasks", "");
	CHECK(find(&host, "memory/jar") == 0);
	CHECK(is_at(&host, CONTROLLER_MEMORY, 1, "memory/jar"));
	CHECK(is_at(&host, CONTROLLER_PIDS, 1, "pids/jar"));
	CHECK(is_refused(&host, CONTROLLER_CPU, "mkdir"));
	CHECK(!host.ask_delegation);
}

TEST(a_given_directory_of_version_2_may_hold_nobody)
{
	struct cgroup_host host;

	TREE(V2_MOUNT, "0::/session.scope\n");
	put_v2_group("cg", "cpu memory pids\n", "");
	put_v2_group("cg/empty", "cpu memory pids\n", "");
	put_v2_group("cg/full", "memory pids\n", "1\n");
	CHECK(find(&host, "cg/empty") == 0);
	CHECK(is_at(&host, CONTROLLER_PIDS, 2, "cg/empty"));
	CHECK(!host.v2_needs_move);
	CHECK(find(&host, "cg/full") == 0);
	CHECK(is_refused(&host, CONTROLLER_PIDS, "other processes"));
	CHECK(is_refused(&host, CONTROLLER_CPU, "cgroup.subtree_control"));
}

TEST(a_given_directory_outside_of_every_hierarchy_is_the_callers_mistake)
{
	struct cgroup_host host;
	struct error err = {0};
	char mountinfo[PATH_MAX], self[PATH_MAX];

	TREE(V2_MOUNT, "0::/\n");
	put_v2_group("cg", "memory\n", "");
	path_of(mountinfo, "mountinfo");
	path_of(self, "self");
	CHECK(cgroup_find(&host, "/tmp", mountinfo, self, &err) < 0 && err.kind == ERR_CALLER);
	CHECK(cgroup_find(&host, "/no/such", mountinfo, self, &err) < 0 && err.sys == ENOENT);
	CHECK(cgroup_find(&host, NULL, "/no/such", self, &err) < 0 && err.sys == ENOENT);
}

TEST(tables_full_of_garbage_find_nothing_and_break_nothing)
{
	struct cgroup_host host;

	TREE("\n\n \n- - -\n1 2 3\n1 2 3 4 5 6 - cgroup2\n"
	     "1 2 3 relative @/cg rw - cgroup2 x rw\n"
	     "1 2 3 / @/cg\\0 rw - cgroup2 x rw\n1 2 3 / @/cg\\777 rw - cgroup2 x rw\n"
	     "1 2 3 / @/cg rw no separator cgroup2 x rw\n"
	     "1 2 3 / @/cg rw - cgroup x rw,memoryx,xpids,name=cpu\n",
	     "\n:\n::\n:::\nx\n0:\n0::relative\n0::/../up\n4:memory\n:memory:/\n");
	put_v2_group("cg", "cpu memory pids\n", "");
	CHECK(find(&host, NULL) == 0);
	for (unsigned c = 0; c < CONTROLLER_COUNT; c++)
		CHECK(is_refused(&host, (enum controller)c, "no mounted hierarchy"));
}

TEST(blanks_in_a_mount_point_are_read)
{
	struct cgroup_host host;

	TREE("30 23 0:26 / @/c\\040g rw - cgroup2 cgroup rw\n", "0::/\n");
	put("c g/cgroup.controllers", "memory\n");
	put("c g/cgroup.procs", "");
	put("c g/cgroup.subtree_control", "memory\n");
	CHECK(find(&host, NULL) == 0);
	CHECK(is_at(&host, CONTROLLER_MEMORY, 2, "c g"));
}

TEST(preparing_moves_only_us_and_turns_the_controllers_on)
{
	struct cgroup_host host;
	struct error err;
	char text[64];

	TREE(V2_MOUNT, "0::/me\n");
	put_v2_group("cg", "memory\n", "");
	put_v2_group("cg/me", "memory\n", my_pid());
	put("cg/me/supervisor/cgroup.procs", "");
	CHECK(find(&host, NULL) == 0 && host.v2_needs_move);
	CHECK(cgroup_prepare(&host, &err) == 0);
	CHECK(host.places[CONTROLLER_MEMORY].version == 2 && !host.v2_needs_move);
	get("cg/me/supervisor/cgroup.procs", text, sizeof(text));
	CHECK_STR(text, "0");
	get("cg/me/cgroup.subtree_control", text, sizeof(text));
	CHECK_STR(text, "+memory");
}

TEST(what_cannot_be_prepared_is_given_up_with_a_reason)
{
	struct cgroup_host host;
	struct error err;

	TREE(V2_MOUNT, "0::/me\n");
	put_v2_group("cg", "memory\n", "");
	put_v2_group("cg/me", "memory\n", my_pid());
	CHECK(find(&host, NULL) == 0 && host.v2_needs_move);
	CHECK(cgroup_prepare(&host, &err) == 0); /* plain directories grow no cgroup.procs */
	CHECK(is_refused(&host, CONTROLLER_MEMORY, "supervisor"));
	CHECK(host.ask_delegation);
	CHECK(is_at(&host, CONTROLLER_CPUACCT, 2, "cg/me"));
}

static size_t entries_in(const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	path_of(path, name);
	return stat(path, &st) < 0 ? 0 : (size_t)st.st_nlink - 2; /* directories in it */
}

TEST(a_group_that_cannot_be_limited_is_taken_back)
{
	struct cgroup_host host;
	struct cgroup_slot slot;
	struct cgroup group;
	struct limits limits = {.memory_bytes = 1 << 20, .processes = 2, .cpu_percent = 50};
	struct error err;

	TREE("35 31 0:32 / @/memory rw - cgroup cgroup rw,memory\n" V2_MOUNT,
	     "4:memory:/\n0::/x\n");
	put("memory/tasks", "");
	put_v2_group("cg", "pids\n", "");
	put_v2_group("cg/x", "pids\n", "");
	CHECK(find(&host, NULL) == 0);
	CHECK(cgroup_slot_open(&host, "s", geteuid(), &slot, &err) < 0);
	CHECK(entries_in("cg/x") == 0);
	host.places[CONTROLLER_PIDS].version = host.places[CONTROLLER_CPUACCT].version = 0;
	CHECK(cgroup_slot_open(&host, "s", geteuid(), &slot, &err) == 0);
	CHECK(cgroup_open(&slot, "b", &limits, &group, &err) < 0 && err.sys == ENOENT);
	CHECK(entries_in("memory") == 0);
	CHECK(cgroup_open(&slot, "../b", &limits, &group, &err) < 0 && err.kind == ERR_INTERNAL);
	CHECK(cgroup_slot_close(&slot, &err) == 0);
}

TEST(every_controller_has_a_name)
{
	for (unsigned c = 0; c < CONTROLLER_COUNT; c++)
		CHECK(controller_name((enum controller)c) &&
		      controller_name((enum controller)c)[0]);
}
