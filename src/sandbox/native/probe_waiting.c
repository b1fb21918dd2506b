/* SPDX-License-Identifier: Apache-2.0 */
/* probe_waiting.c - what a process costs that waits in a box: the memory that it alone has. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/native/probe_parts.h"

enum { DEPTH_MAX = 8, CHILDREN_MAX = 64 };

struct innermost {
	unsigned nested; /* in how many pid namespaces */
	uint64_t resident, alone;
};

/* Adds up the numbers, in KiB, behind lines that begin like this. */
static uint64_t sum_of(FILE *from, const char *first)
{
	uint64_t sum = 0, n;
	char line[256];

	while (fgets(line, sizeof(line), from))
		if (strncmp(line, first, strlen(first)) == 0 &&
		    sscanf(line + strcspn(line, ":"), ": %" SCNu64, &n) == 1)
			sum += n * 1024;
	return sum;
}

static FILE *open_of(pid_t pid, const char *name)
{
	char path[80];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

static uint64_t ask(pid_t pid, const char *name, const char *first)
{
	FILE *f = open_of(pid, name);
	uint64_t sum = f ? sum_of(f, first) : 0;

	if (f)
		(void)fclose(f);
	return sum;
}

static unsigned nested(pid_t pid)
{
	FILE *f = open_of(pid, "status");
	char line[256];
	unsigned n = 0;

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "NSpid:", 6) == 0)
			for (const char *at = line; *at; at++)
				n += *at == '\t';
	if (f)
		(void)fclose(f);
	return n;
}

/* Deeper in, or as deep and larger: the init of a box is small. */
static void look_at(pid_t pid, struct innermost *best)
{
	struct innermost one = {.nested = nested(pid), .resident = ask(pid, "status", "VmRSS:")};

	if (one.nested < best->nested ||
	    (one.nested == best->nested && one.resident <= best->resident))
		return;
	one.alone = ask(pid, "smaps_rollup", "Private_");
	*best = one;
}

static size_t children_of(pid_t pid, pid_t ret[CHILDREN_MAX])
{
	char name[40];
	FILE *f;
	size_t n = 0;
	int child;

	(void)snprintf(name, sizeof(name), "task/%d/children", (int)pid);
	f = open_of(pid, name);
	while (f && n < CHILDREN_MAX && fscanf(f, "%d", &child) == 1)
		ret[n++] = child;
	if (f)
		(void)fclose(f);
	return n;
}

/* NOLINTNEXTLINE(misc-no-recursion): not deeper than DEPTH_MAX */
static void walk(pid_t pid, unsigned depth, struct innermost *best)
{
	pid_t children[CHILDREN_MAX];
	size_t n = depth < DEPTH_MAX ? children_of(pid, children) : 0;

	for (size_t i = 0; i < n; i++) {
		look_at(children[i], best);
		walk(children[i], depth + 1, best);
	}
}

uint64_t probe_waiting_bytes(void)
{
	struct innermost best = {0};

	walk(getpid(), 0, &best);
	return best.alone;
}
