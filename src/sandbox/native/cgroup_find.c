/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_find.c - where groups can be made, controller by controller; changes nothing.
 *
 * Both tables of the kernel are read, then every candidate is checked against
 * the directory itself: a mount that is hidden by another one, or a group that
 * is not visible from here, lacks the files and is passed over.
 *
 * Version 2 has one rule that shapes everything: a group that hands controllers
 * down to its children may hold no process itself (the root group may).  Our
 * own group holds us, so it is of use only if it holds nobody else, or if it is
 * the leaf "supervisor" into which we, or systemd, went before.
 */
#include "sandbox/native/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/cgroup_parse.h"

enum { TABLE_MAX = 32, WORDS_MAX = 512 };

struct survey {
	struct cgroup_mount mounts[TABLE_MAX];
	size_t n_mounts;
	struct cgroup_self selfs[TABLE_MAX];
	size_t n_selfs;
	bool given;                 /* the caller chose the group */
	char rest[CGROUP_PATH_MAX]; /* what he chose, beneath the mount point */
};

/* What there is to know of the one group of version 2. */
struct v2_look {
	bool found;
	bool root;   /* the machine's root group: free from the rule above */
	bool domain; /* can have children with processes in them */
	bool writable;
	bool reachable; /* we may start processes beneath it */
	bool foreign;   /* holds processes that are not us */
	bool holds_us;
	bool read_only;
	bool given; /* by the caller */
	char dir[CGROUP_PATH_MAX];
	char controllers[WORDS_MAX]; /* that it has */
	char enabled[WORDS_MAX];     /* that it hands down */
	char machine_has[WORDS_MAX]; /* that the top of the mount has */
};

static void take_mount(struct survey *s, const char *line)
{
	if (s->n_mounts < TABLE_MAX && cgroup_parse_mount(line, &s->mounts[s->n_mounts]))
		s->n_mounts++;
}

static void take_self(struct survey *s, const char *line)
{
	if (s->n_selfs < TABLE_MAX && cgroup_parse_self(line, &s->selfs[s->n_selfs]))
		s->n_selfs++;
}

static int each_line(const char *path, void (*take)(struct survey *, const char *),
		     struct survey *s, struct error *err)
{
	own_file file = fopen(path, "re");
	own_str line = NULL;
	size_t room = 0;

	if (!file)
		return fail_sys(err, "open %s", path);
	while (getline(&line, &room, file) > 0)
		take(s, line);
	return ferror(file) ? fail_sys(err, "read %s", path) : 0;
}

/* The caller's directory must lie in some hierarchy; what follows the mount point is used in all.
 */
static int take_parent(struct survey *s, const char *parent, struct error *err)
{
	own_str real = realpath(parent, NULL);
	size_t best = 0;

	if (!real)
		return fail_sys(err, "--cgroup %s", parent);
	for (size_t i = 0; i < s->n_mounts; i++) {
		const char *point = s->mounts[i].point;

		if (strlen(point) < best)
			continue;
		if (!cgroup_parse_beneath(point, real, s->rest, sizeof(s->rest)))
			continue;
		best = strlen(point);
		s->given = true;
	}
	if (s->given)
		return 0;
	return fail(err, ERR_CALLER,
		    "--cgroup %s: not in a mounted cgroup hierarchy; give a directory such as "
		    "/sys/fs/cgroup/NAME",
		    parent);
}

static bool join(char *ret, const char *dir, const char *name)
{
	int n = snprintf(ret, CGROUP_PATH_MAX, "%s%s", dir, name);

	return n >= 0 && n < CGROUP_PATH_MAX;
}

static bool has_file(const char *dir, const char *name)
{
	char path[CGROUP_PATH_MAX];

	return join(path, dir, name) && faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) == 0;
}

static bool may_write(const char *dir, const char *name)
{
	char path[CGROUP_PATH_MAX];

	return join(path, dir, name) && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

static bool read_words(const char *dir, const char *name, char *ret)
{
	char path[CGROUP_PATH_MAX];
	struct error ignored;

	ret[0] = '\0';
	return join(path, dir, name) && fd_get_file(AT_FDCWD, path, ret, WORDS_MAX, &ignored) == 0;
}

static const struct cgroup_self *self_with(const struct survey *s, int version, unsigned controller)
{
	for (size_t i = 0; i < s->n_selfs; i++)
		if (s->selfs[i].version == version &&
		    (version == 2 || (s->selfs[i].controllers & controller)))
			return &s->selfs[i];
	return NULL;
}

/* The directory of the group in question beneath this mount. */
static bool dir_beneath(const struct survey *s, const struct cgroup_mount *m, unsigned controller,
			char *ret)
{
	const struct cgroup_self *self = self_with(s, m->version, controller);
	char rest[CGROUP_PATH_MAX];

	if (s->given)
		return join(ret, m->point, s->rest);
	return self && cgroup_parse_beneath(m->root, self->path, rest, sizeof(rest)) &&
	       join(ret, m->point, rest);
}

/* We may be in the leaf already; the group above it is then the one that is ours. */
static void leave_leaf(char *dir, const char *point)
{
	static const char leaf[] = "/supervisor";
	size_t len = strlen(dir), cut = sizeof(leaf) - 1;
	char enabled[WORDS_MAX], above[CGROUP_PATH_MAX];

	if (len < strlen(point) + cut || strcmp(dir + len - cut, leaf) != 0)
		return;
	memcpy(above, dir, len - cut);
	above[len - cut] = '\0';
	if (read_words(above, "/cgroup.subtree_control", enabled) && enabled[0] > ' ')
		dir[len - cut] = '\0';
}

/* A pid of 0 is a process outside of our pid namespace: not us. */
static void look_at_processes(struct v2_look *look)
{
	char pids[WORDS_MAX], mine[24];

	(void)snprintf(mine, sizeof(mine), "%d", (int)getpid());
	if (!read_words(look->dir, "/cgroup.procs", pids)) {
		look->foreign = true;
		return;
	}
	for (const char *at = pids; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		size_t len = strcspn(at, "\n");

		if (len == strlen(mine) && memcmp(at, mine, len) == 0)
			look->holds_us = true;
		else if (len)
			look->foreign = true;
	}
}

/* Who starts a process in another group must be allowed to write to the nearest group that is
 * above both. */
static bool is_reachable(const struct survey *s, const struct cgroup_mount *m, const char *dir)
{
	const struct cgroup_self *self = self_with(s, 2, 0);
	char own[CGROUP_PATH_MAX], rest[CGROUP_PATH_MAX];
	size_t common = 0;

	if (!s->given || geteuid() == 0)
		return true;
	if (!self || !cgroup_parse_beneath(m->root, self->path, rest, sizeof(rest)) ||
	    !join(own, m->point, rest))
		return false;
	for (size_t i = 0;; i++) {
		bool own_ends = own[i] == '/' || own[i] == '\0';
		bool dir_ends = dir[i] == '/' || dir[i] == '\0';

		if (own_ends && dir_ends)
			common = i;
		if (own[i] != dir[i] || own[i] == '\0')
			break;
	}
	own[common] = '\0';
	return may_write(own, "/cgroup.procs");
}

static void look_closely(const struct survey *s, const struct cgroup_mount *m, struct v2_look *look)
{
	char type[WORDS_MAX];

	look->root = !read_words(look->dir, "/cgroup.type", type);
	look->domain = look->root || strcmp(type, "domain\n") == 0;
	look->read_only = m->read_only;
	look->given = s->given;
	look->writable = may_write(look->dir, "") && may_write(look->dir, "/cgroup.procs") &&
			 may_write(look->dir, "/cgroup.subtree_control");
	look->reachable = is_reachable(s, m, look->dir);
	(void)read_words(look->dir, "/cgroup.subtree_control", look->enabled);
	if (!look->root)
		look_at_processes(look);
}

static void look_at_v2(const struct survey *s, struct v2_look *look)
{
	for (size_t i = 0; i < s->n_mounts && !look->found; i++) {
		const struct cgroup_mount *m = &s->mounts[i];

		if (m->version != 2)
			continue;
		(void)read_words(m->point, "/cgroup.controllers", look->machine_has);
		if (!dir_beneath(s, m, 0, look->dir))
			continue;
		if (!s->given)
			leave_leaf(look->dir, m->point);
		look->found = read_words(look->dir, "/cgroup.controllers", look->controllers);
		if (look->found)
			look_closely(s, m, look);
	}
}

#define OWN_SCOPE "start belljar in a scope of its own (systemd-run --scope -p Delegate=yes)"

/* The reason why version 2 cannot give this controller; NULL: it can. */
static const char *v2_refusal(const struct v2_look *look, enum controller c)
{
	bool counts_anyway = c == CONTROLLER_CPUACCT; /* cpu.stat is in every group */

	if (!look->found)
		return "our own cgroup is not visible in the mounted hierarchy; give --cgroup DIR";
	if (!counts_anyway && !cgroup_parse_has_word(look->controllers, controller_name(c)))
		return look->given ? "the cgroups above DIR do not hand it down; write it to "
				     "cgroup.subtree_control there"
				   : "the cgroups above ours do not hand it down; " OWN_SCOPE;
	if (look->read_only)
		return "the cgroup2 mount is read-only; remount it writable";
	if (!look->domain)
		return "the cgroup is a threaded one; give --cgroup DIR";
	if (!look->writable)
		return "the cgroup belongs to somebody else; " OWN_SCOPE;
	if (!look->reachable)
		return "we may not start processes there from the cgroup we are in; " OWN_SCOPE;
	if (counts_anyway || cgroup_parse_has_word(look->enabled, controller_name(c)))
		return NULL;
	if (look->foreign)
		return "the cgroup holds other processes; " OWN_SCOPE " or give --cgroup DIR";
	return NULL;
}

static void refuse(struct cgroup_place *place, const char *why)
{
	/* The first reason counts: it is about the version that was asked first. */
	if (place->why_not[0] == '\0')
		(void)snprintf(place->why_not, sizeof(place->why_not), "%s", why);
}

static void place_v2(const struct v2_look *look, enum controller c, struct cgroup_host *host)
{
	struct cgroup_place *place = &host->places[c];
	const char *why = v2_refusal(look, c);

	if (!cgroup_parse_has_word(look->machine_has, controller_name(c)) &&
	    !cgroup_parse_has_word(look->controllers, controller_name(c)) &&
	    c != CONTROLLER_CPUACCT)
		return; /* some other hierarchy has it, or none */
	if (why) {
		refuse(place, why);
		host->ask_delegation |= c != CONTROLLER_CPUACCT;
		return;
	}
	place->version = 2;
	memcpy(place->dir, look->dir, sizeof(place->dir));
	if (c != CONTROLLER_CPUACCT && !cgroup_parse_has_word(look->enabled, controller_name(c)))
		host->v2_needs_move |= look->holds_us && !look->root;
}

static const char *v1_refusal(const struct cgroup_mount *m, const char *dir)
{
	if (!has_file(dir, "/tasks"))
		return "the cgroup does not exist in this hierarchy; make it with mkdir";
	if (m->read_only)
		return "the cgroup mount is read-only; remount it writable";
	if (!may_write(dir, ""))
		return "the cgroup belongs to somebody else, and version 1 cannot be delegated; "
		       "run "
		       "as root or boot with version 2";
	return NULL;
}

static void place_v1(const struct survey *s, enum controller c, struct cgroup_host *host)
{
	struct cgroup_place *place = &host->places[c];
	char dir[CGROUP_PATH_MAX];

	for (size_t i = 0; i < s->n_mounts && place->version == 0; i++) {
		const struct cgroup_mount *m = &s->mounts[i];
		const char *why;

		if (m->version != 1 || !(m->controllers & 1U << c))
			continue;
		if (!dir_beneath(s, m, 1U << c, dir)) {
			refuse(place,
			       "our own cgroup is not visible in the mounted hierarchy; give "
			       "--cgroup DIR");
			continue;
		}
		why = v1_refusal(m, dir);
		if (why) {
			refuse(place, why);
			continue;
		}
		place->version = 1;
		memcpy(place->dir, dir, sizeof(dir));
	}
}

static void find_place(const struct survey *s, const struct v2_look *look, enum controller c,
		       struct cgroup_host *host)
{
	struct cgroup_place *place = &host->places[c];

	/* Time is counted by both; in version 1 it saves a group of version 2. */
	if (c == CONTROLLER_CPUACCT) {
		place_v1(s, c, host);
		if (place->version == 0 && look->found)
			place_v2(look, c, host);
	} else {
		place_v2(look, c, host);
		if (place->version == 0)
			place_v1(s, c, host);
	}
	if (place->version)
		place->why_not[0] = '\0';
	refuse(place, place->version ? ""
				     : "no mounted hierarchy has it; mount -t cgroup2 cgroup2 "
				       "/sys/fs/cgroup, and check the kernel's command line");
}

int cgroup_find(struct cgroup_host *ret, const char *parent, const char *mountinfo,
		const char *self, struct error *err)
{
	own_mem struct survey *s = calloc(1, sizeof(*s));
	struct cgroup_host host = {0};
	struct v2_look look = {0};
	bool all = true;

	if (!s)
		return fail_sys(err, "look for control groups");
	if (each_line(mountinfo, take_mount, s, err) < 0 || each_line(self, take_self, s, err) < 0)
		return -1;
	if (parent && take_parent(s, parent, err) < 0)
		return -1;
	look_at_v2(s, &look);
	for (unsigned c = 0; c < CONTROLLER_COUNT; c++) {
		find_place(s, &look, (enum controller)c, &host);
		all = all && host.places[c].version;
	}
	host.ask_delegation = host.ask_delegation && !all && !parent;
	host.v2_io = cgroup_parse_has_word(look.controllers, "io");
	*ret = host;
	return 0;
}
