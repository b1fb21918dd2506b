/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c - belljar run --explain: what would be done, without doing it. */
#include "cli/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "call/limits.h"
#include "sandbox/native/cgroup.h"
#include "sandbox/native/grants.h"
#include "sandbox/native/identity.h"
#include "sandbox/native/landlock.h"
#include "sandbox/native/programs.h"

static void print_quoted(const char *word)
{
	char escaped[1024];

	text_escape(word, strnlen(word, 250), escaped, sizeof(escaped));
	printf(" '%s'", escaped);
}

static void explain_program(const struct run_options *o)
{
	printf("program ");
	for (char **word = o->request.job.argv; *word; word++)
		print_quoted(*word);
	printf("\n         in /work as uid 1000, %s\n",
	       o->request.food.fd < 0 ? "standard input is empty" : "with our standard input");
	for (char **v = o->request.job.env; *v; v++)
		printf("env      %.*s\n", (int)strcspn(*v, "="), *v);
}

static void explain_limits(const struct limits *l)
{
	for (size_t i = 0; i < limit_row_count; i++) {
		const struct limit_row *row = &limit_rows[i];
		uint64_t value = limits_get(l, row);
		char text[40];

		if (row->unit == UNIT_BYTES)
			text_human_bytes(value, text, sizeof(text));
		else
			(void)snprintf(text, sizeof(text), "%" PRIu64 "%s", value,
				       row->unit == UNIT_MS ? " ms" : "");
		printf("limit    %-12s %-10s %s\n", row->name, text, row->help);
	}
}

static int explain_files(const struct run_options *o, struct error *err)
{
	const struct profile *p = &o->request.profile;

	if (grants_check(p, err) < 0)
		return -1;
	printf("files    %s, read-only; /work, /tmp, /dev/shm writable and gone afterwards\n",
	       p->root ? p->root : "the host's /usr and a made-up /etc");
	for (size_t i = 0; i < p->n_grants; i++)
		printf("files    %s seen at %s, %s\n", p->grants[i].source, p->grants[i].inside,
		       p->grants[i].write ? "writable" : "read-only");
	for (size_t i = 0; i < o->request.n_puts; i++)
		printf("put      %s as /work/%s\n",
		       o->request.puts[i].source ? o->request.puts[i].source : "the code",
		       o->request.puts[i].inside);
	for (size_t i = 0; i < o->request.n_gets; i++)
		printf("get      /work/%s into %s\n", o->request.gets[i].glob,
		       o->request.gets[i].dir);
	return 0;
}

static int explain_programs(const struct profile *p, struct error *err)
{
	own(needed_list) needed = {0};

	if (p->n_programs == 0)
		return 0;
	if (programs_needed(p->root ? p->root : "", p->programs, p->n_programs, NULL, &needed,
			    err) < 0)
		return fail_in(err, "--programs");
	printf("programs %s: exactly these files\n",
	       needed.has_interpreter ? "code (an interpreter is among them)" : "restricted");
	for (size_t i = 0; i < needed.n; i++)
		printf("         %s%s%s\n", needed.items[i].inside,
		       needed.items[i].directory ? "/" : "", needed.items[i].execute ? " *" : "");
	return 0;
}

static int explain_layers(const struct profile *p, struct error *err)
{
	static const enum controller shown[] = {CONTROLLER_MEMORY, CONTROLLER_PIDS, CONTROLLER_CPU};
	struct cgroup_host host;
	struct error why = {0};

	if (cgroup_find(&host, p->cgroup, "/proc/self/mountinfo", "/proc/self/cgroup", err) < 0)
		return -1;
	printf("mode     %s\n",
	       identity_is_root_mode(&why) ? "root: a host uid of its own" : "user");
	for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
		const struct cgroup_place *place = &host.places[shown[i]];

		if (place->version)
			printf("cgroup   %s: v%d beneath %s\n", controller_name(shown[i]),
			       place->version, place->dir);
		else
			printf("cgroup   %s: missing: %s\n", controller_name(shown[i]),
			       place->why_not);
	}
	printf("network  %s\n", p->loopback ? "loopback only" : "none");
	printf("landlock ABI %d\n", landlock_abi());
	for (int i = 0; i < LAYER_COUNT; i++)
		if (i != LAYER_PROGRAMS || p->n_programs)
			printf("layer    %s%s\n", layer_name((enum layer)i),
			       p->allow_degraded & 1u << i ? " (may be missing)" : "");
	return 0;
}

int explain(const struct run_options *o, struct error *err)
{
	explain_program(o);
	explain_limits(&o->request.job.limits);
	if (explain_files(o, err) < 0 || explain_programs(&o->request.profile, err) < 0)
		return -1;
	return explain_layers(&o->request.profile, err);
}
