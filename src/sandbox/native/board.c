/* SPDX-License-Identifier: Apache-2.0 */
/* board.c - where the processes of a slot write down which layers stand and what went wrong. */
#include "sandbox/native/board.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"

/* A file without a name, for who was exec'ed in between. */
static int make_file(int *ret_fd)
{
	*ret_fd = fd_lift(memfd_create("belljar-board", MFD_CLOEXEC));
	return *ret_fd < 0 || ftruncate(*ret_fd, sizeof(struct board)) < 0 ? -1 : 0;
}

struct board *board_new(uint32_t allow_degraded, int *ret_fd, struct error *err)
{
	int fd = -1;
	struct board *b = MAP_FAILED;

	if (!ret_fd || make_file(ret_fd) == 0) {
		fd = ret_fd ? *ret_fd : -1;
		b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE,
			 MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
	}
	if (b == MAP_FAILED) {
		(void)fail_sys(err, "map a shared page");
		return NULL;
	}
	b->allow_degraded = allow_degraded;
	(void)snprintf(b->layers[LAYER_PROGRAMS].detail, sizeof(b->layers[LAYER_PROGRAMS].detail),
		       "not asked for");
	return b;
}

void layer_stands(struct board *b, enum layer layer, const char *fmt, ...)
{
	struct layer_report *report = &b->layers[layer];
	va_list args;

	report->state = LAYER_FULL;
	va_start(args, fmt);
	(void)vsnprintf(report->detail, sizeof(report->detail), fmt, args);
	va_end(args);
}

int layer_missing(struct board *b, enum layer layer, const char *instead, struct error *err)
{
	struct layer_report *report = &b->layers[layer];
	const char *name = layer_name(layer);
	struct error why = *err;

	if (!(b->allow_degraded & 1u << layer))
		return fail(err, ERR_CONFIG,
			    "layer %s: %.280s (belljar doctor says what would help; "
			    "--allow-degraded %s, or allow_degraded in the policy for call and "
			    "serve, goes on %s%s)",
			    name, why.text, name, instead ? "with " : "without it",
			    instead ? instead : "");
	report->state = instead ? LAYER_DEGRADED : LAYER_OFF;
	(void)snprintf(report->detail, sizeof(report->detail), "%.59s",
		       instead ? instead : why.text);
	*err = (struct error){0};
	return 0;
}
