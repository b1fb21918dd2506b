/* SPDX-License-Identifier: Apache-2.0 */
/* scribe_main.c - belljar-scribe: holds the audit log of one directory and its key.
 *
 *     belljar-scribe [--stay] [--idle MS] [--fd N [--leash]] [--allow-degraded=LAYER]... [--] DIR
 *
 * belljar starts it when a call has something to write down and nobody does it
 * yet; a few seconds after the last caller it ends.  With --stay it does not.  With --leash it is
 * the child of a service, whose end of --fd is one caller.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "audit/scribetalk.h"
#include "base/text.h"
#include "call/call.h"
#include "scribe/scribe.h"

enum { EXIT_TROUBLE = 125, IDLE_MS = 3000 };

static int complain(const struct error *err)
{
	(void)fprintf(stderr, "belljar-scribe: %s\n", err->text);
	return EXIT_TROUBLE;
}

static int take_number(const char *text, uint64_t most, uint64_t *ret, struct error *err)
{
	if (text_parse_uint(text, ret, err) < 0)
		return -1;
	return *ret <= most ? 0 : fail(err, ERR_CALLER, "%s is too much", text);
}

static int take_option(int letter, const char *value, struct scribe_options *o, struct error *err)
{
	uint64_t number = 0;
	int layer;

	switch (letter) {
	case 's':
		o->stay = true;
		return 0;
	case 'i':
		if (take_number(value, 3600000, &number, err) < 0)
			return -1;
		o->idle_ms = (unsigned)number;
		return 0;
	case 'f':
		if (take_number(value, 1 << 20, &number, err) < 0)
			return -1;
		o->first = (int)number;
		return fcntl(o->first, F_SETFD, FD_CLOEXEC) < 0 ? fail_sys(err, "--fd %s", value)
								: 0;
	case 'l':
		o->leash = true;
		return 0;
	case 'd':
		layer = layer_by_name(value);
		if (layer < 0)
			return fail(err, ERR_CALLER, "there is no layer '%s'", value);
		o->allow_degraded |= 1u << layer;
		return 0;
	default:
		return fail(err, ERR_CALLER,
			    "usage: belljar-scribe [--stay] [--idle MS] [--fd N [--leash]] "
			    "[--allow-degraded=LAYER] DIR");
	}
}

/* Nobody waits for a scribe that was started on the way: its parent is not bothered with it, nor it
 * with what its parent has open. */
static void leave_parent(int first)
{
	struct scribe_reply reply = {0};
	pid_t child;

	(void)close_range((unsigned)first + 1, ~0U, 0);
	child = fork();

	if (child > 0)
		_exit(0);
	if (child == 0)
		return;
	/* Who started us waits until we are gone before it lets go of us: we must not stay. */
	(void)fail_sys(&reply.error, "start the scribe");
	scribe_begin(&reply.head, GOT_REFUSED, 0, sizeof(reply));
	(void)send(first, &reply, sizeof(reply), MSG_NOSIGNAL | MSG_DONTWAIT);
	_exit(EXIT_TROUBLE);
}

int main(int argc, char **argv)
{
	static const struct option names[] = {
		{"stay", no_argument, NULL, 's'},
		{"idle", required_argument, NULL, 'i'},
		{"fd", required_argument, NULL, 'f'},
		{"leash", no_argument, NULL, 'l'},
		{"allow-degraded", required_argument, NULL, 'd'},
		{0},
	};
	struct scribe_options o = {.first = -1, .idle_ms = IDLE_MS};
	struct error err = {0};
	int letter;

	opterr = 0;
	while ((letter = getopt_long(argc, argv, "", names, NULL)) >= 0)
		if (take_option(letter, optarg, &o, &err) < 0)
			return complain(&err);
	if (optind + 1 != argc || (o.leash && o.first < 0))
		return (void)take_option('?', NULL, &o, &err), complain(&err);
	o.directory = argv[optind];
	if (o.first >= 0 && !o.stay && !o.leash)
		leave_parent(o.first);
	if (scribe_run(&o, &err) == 0)
		return 0;
	/* A service was told, and calls are written down by the one that has the log: to its
	 * operator that would look like trouble. */
	return o.leash && err.sys == EAGAIN ? EXIT_TROUBLE : complain(&err);
}
