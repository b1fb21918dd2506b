/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_prepare.c - version 2: makes the place ready to have groups with limits beneath it. */
#include "sandbox/native/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/own.h"
#include "sandbox/native/cgroup_parse.h"

/* The controllers that must be handed down; time is counted without. */
static unsigned wanted(const struct cgroup_host *host, const char **ret_dir)
{
	unsigned found = 0;

	for (unsigned c = 0; c < CONTROLLER_COUNT; c++) {
		if (host->places[c].version != 2 || c == CONTROLLER_CPUACCT)
			continue;
		found |= 1U << c;
		*ret_dir = host->places[c].dir;
	}
	return found;
}

static void give_up(struct cgroup_host *host, unsigned controllers, const struct error *why)
{
	for (unsigned c = 0; c < CONTROLLER_COUNT; c++) {
		struct cgroup_place *place = &host->places[c];

		if (!(controllers & 1U << c))
			continue;
		place->version = 0;
		(void)snprintf(place->why_not, sizeof(place->why_not),
			       "%.90s; start belljar in a scope of its own or give --cgroup DIR",
			       why->text);
		host->ask_delegation = true;
	}
}

static int move_into_leaf(int place, struct error *err)
{
	if (mkdirat(place, "supervisor", 0755) < 0 && errno != EEXIST)
		return fail_sys(err, "make the group supervisor");
	return fd_put_file(place, "supervisor/cgroup.procs", "0", err);
}

static int hand_down_one(int place, unsigned c, struct error *err)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "+%s", controller_name((enum controller)c));
	return fd_put_file(place, "cgroup.subtree_control", text, err);
}

/* One by one: a controller that fails must not take the others with it. */
static void hand_down(struct cgroup_host *host, int place, unsigned controllers)
{
	struct error why;

	for (unsigned c = 0; c < CONTROLLER_COUNT; c++)
		if ((controllers & 1U << c) && hand_down_one(place, c, &why) < 0)
			give_up(host, 1U << c, &why);
}

static unsigned missing_in(const char *enabled, unsigned controllers)
{
	for (unsigned c = 0; c < CONTROLLER_COUNT; c++)
		if (cgroup_parse_has_word(enabled, controller_name((enum controller)c)))
			controllers &= ~(1U << c);
	return controllers;
}

int cgroup_prepare(struct cgroup_host *host, struct error *err)
{
	const char *dir = NULL;
	unsigned needed = wanted(host, &dir);
	char enabled[512];
	struct error why;
	own_fd place = -1;

	if (!needed) {
		host->v2_io = false;
		return 0;
	}
	place = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (place < 0)
		return fail_sys(err, "open %s", dir);
	if (fd_get_file(place, "cgroup.subtree_control", enabled, sizeof(enabled), err) < 0)
		return fail_in(err, "%s", dir);
	needed = missing_in(enabled, needed);
	if (needed && host->v2_needs_move && move_into_leaf(place, &why) < 0) {
		give_up(host, needed, &why);
		return 0;
	}
	host->v2_needs_move = false;
	hand_down(host, place, needed);
	if (host->v2_io && !cgroup_parse_has_word(enabled, "io"))
		host->v2_io = fd_put_file(place, "cgroup.subtree_control", "+io", &why) == 0;
	return 0;
}
