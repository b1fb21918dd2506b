/* SPDX-License-Identifier: Apache-2.0 */
/* audit_prune.c - belljar audit prune: old bodies go, their records and hashes stay.
 *
 * The log says that they go before the first one does: what is missing
 * afterwards and is not written down was taken by somebody else.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "audit/blob.h"
#include "auditread/when.h"
#include "base/own.h"
#include "cli/auditcli.h"
#include "cli/cli.h"
#include "cli/logword.h"

static int write_down(const char *directory, const char *before, struct error *err)
{
	char detail[80];
	struct record r = {
		.kind = RECORD_BODIES_DROPPED, .version = BELLJAR_VERSION, .detail = detail};

	(void)snprintf(detail, sizeof(detail), "bodies from before %s", before);
	return logword_write(directory, NULL, NULL, &r, err);
}

static int prune(const struct audit_options *o, uint64_t *ret_dropped, uint64_t *ret_bytes,
		 struct error *err)
{
	char directory[PATH_MAX], text[RECORD_TIME];
	own_reader reader = NULL;
	struct blobs blobs;
	uint64_t before_ms;
	int result;

	if (!o->before)
		return fail(err, ERR_CALLER,
			    "audit prune: --before is needed: 90d (ago), or a day");
	if (when_parse(o->before, when_now(), &before_ms, err) < 0)
		return fail_in(err, "--before");
	/* Not a directory that we would make now. */
	reader = audit_open_log(o, err);
	if (!reader || audit_directory(o, directory, sizeof(directory), err) < 0)
		return -1;
	record_time(before_ms, text);
	if (write_down(directory, text, err) < 0 ||
	    blobs_open(&blobs, log_reader_directory(reader), err) < 0)
		return -1;
	result = blob_expire(&blobs, (int64_t)(before_ms / 1000), ret_dropped, ret_bytes, err);
	blobs_close(&blobs);
	return result;
}

int audit_prune(const struct audit_options *o, const struct word_list *rest)
{
	uint64_t dropped = 0, bytes = 0;
	struct error err = {0};

	(void)rest;
	if (prune(o, &dropped, &bytes, &err) < 0)
		return cli_complain(&err);
	if (o->json)
		(void)printf("{\"dropped\":%" PRIu64 ",\"bytes\":%" PRIu64 "}\n", dropped, bytes);
	else
		(void)printf("%" PRIu64 " bodies of %" PRIu64
			     " bytes dropped; their records stay\n",
			     dropped, bytes);
	return audit_printed(0);
}
