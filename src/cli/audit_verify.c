/* SPDX-License-Identifier: Apache-2.0 */
/* audit_verify.c - belljar audit verify, prove and verify-proof: is it what was once signed? */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/proof.h"
#include "audit/verify.h"
#include "auditread/anchors.h"
#include "auditread/plain.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/jsonout.h"
#include "base/own.h"
#include "cli/auditcli.h"
#include "cli/cli.h"

enum { JSON_ROOM = 1 << 20, SLOW_US = 200000 };

/* verify */

static void print_finding(const struct finding *f)
{
	char text[4 * sizeof(f->text)];

	(void)plain_text(f->text, strlen(f->text), text, sizeof(text));
	if (f->index == UINT64_MAX)
		(void)printf("%s: %s\n", finding_kind_name(f->kind), text);
	else
		(void)printf("record %" PRIu64 ": %s: %s\n", f->index, finding_kind_name(f->kind),
			     text);
}

static void print_report(const struct verify_report *r, size_t n_anchors, uint64_t took_us)
{
	char hex[HASH_HEX];

	for (size_t i = 0; i < r->listed; i++)
		print_finding(&r->list[i]);
	if (r->findings > r->listed)
		(void)printf("... and %" PRIu64 " more\n", r->findings - r->listed);
	hash_hex(&r->root, hex);
	(void)printf("%" PRIu64 " records, %" PRIu64 " of them signed, %" PRIu64
		     " bytes, root %s\n",
		     r->records, r->signed_records, r->bytes, hex);
	if (r->open)
		(void)printf("calls that began and have no end (yet): %" PRIu64 "\n", r->open);
	if (r->backward)
		(void)printf("times the clock went backward by more than 10 s: %" PRIu64 "\n",
			     r->backward);
	if (n_anchors == 0)
		(void)printf("no anchor was given: that nobody rewrote the whole log with its own "
			     "key is not shown\n");
	else
		(void)printf("%zu anchored checkpoints were looked at\n", n_anchors);
	if (took_us > SLOW_US)
		(void)printf("%.1f s, %.0f records a second\n", (double)took_us / 1e6,
			     (double)r->records * 1e6 / (double)took_us);
	(void)puts(r->findings ? "THE LOG IS NOT WHAT WAS SIGNED" : "the log is what was signed");
}

static int json_report(const struct verify_report *r, size_t n_anchors, struct error *err)
{
	own(buf) text;
	struct jsonout j;
	char hex[HASH_HEX];

	buf_init(&text, JSON_ROOM);
	hash_hex(&r->root, hex);
	jsonout_start(&j, &text, err);
	jsonout_object(&j, NULL);
	jsonout_int(&j, "schema", 1);
	jsonout_bool(&j, "valid", r->findings == 0);
	jsonout_uint(&j, "records", r->records);
	jsonout_uint(&j, "signed", r->signed_records);
	jsonout_uint(&j, "bytes", r->bytes);
	jsonout_str(&j, "root", hex);
	jsonout_uint(&j, "anchors", n_anchors);
	jsonout_uint(&j, "open_calls", r->open);
	jsonout_uint(&j, "backward", r->backward);
	jsonout_uint(&j, "findings_total", r->findings);
	verify_findings_json(&j, r);
	jsonout_object_end(&j);
	if (jsonout_end(&j) < 0)
		return -1;
	(void)puts(buf_str(&text));
	return 0;
}

static void progress(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	audit_progress("verifying", done, total);
}

static int verify(const struct audit_options *o, struct verify_report *report, struct error *err)
{
	own(anchors) a = {0};
	struct verify_options options = {.progress = progress};
	struct note_key key;
	char path[PATH_MAX];
	uint64_t start = clock_us();
	int done;

	if (audit_directory(o, path, sizeof(path), err) < 0 ||
	    (o->key && audit_key(o, &key, err) < 0))
		return -1;
	for (size_t i = 0; i < o->anchor.n; i++)
		if (anchors_load(&a, o->anchor.word[i], err) < 0)
			return fail_in(err, "--anchor");
	if (o->key)
		options.key = &key;
	options.anchors = a.list;
	options.n_anchors = a.n;
	done = verify_log(path, &options, report, err);
	audit_progress_end();
	if (done < 0)
		return fail_in(err, "verify %s", path);
	if (o->json)
		return json_report(report, a.n, err);
	print_report(report, a.n, clock_us() - start);
	return 0;
}

int audit_verify(const struct audit_options *o, const struct word_list *rest)
{
	own_mem struct verify_report *report = calloc(1, sizeof(*report));
	struct error err = {0};

	(void)rest;
	if (!report)
		return (void)fail_sys(&err, "verify"), cli_complain(&err);
	if (verify(o, report, &err) < 0)
		return cli_complain(&err);
	return audit_printed(report->findings ? AUDIT_WRONG : 0);
}

/* prove */

/* A file of that name is not overwritten: it may be the proof of something else. */
static int write_proof(const char *out, const struct buf *text, struct error *err)
{
	own_fd fd = -1;

	if (!out || strcmp(out, "-") == 0)
		return fwrite(buf_str(text), 1, text->len, stdout) == text->len
			       ? 0
			       : fail_sys(err, "write to standard output");
	fd = open(out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return fail_sys(err, "--out %s", out);
	return fd_write_all(fd, buf_str(text), text->len, err) < 0 ? fail_in(err, "%s", out) : 0;
}

static int prove(const struct audit_options *o, const char *word, struct error *err)
{
	own_reader r = audit_open_log(o, err);
	own(buf) text;
	uint64_t index;

	buf_init(&text, PROOF_MAX);
	if (!r || audit_number(word, "prove", &index, err) < 0)
		return -1;
	if (proof_make(r, index, !o->no_record, &text, err) < 0)
		return err->kind == ERR_NOT_FOUND ? -1 : fail_in(err, "record %" PRIu64, index);
	return write_proof(o->out, &text, err);
}

int audit_prove(const struct audit_options *o, const struct word_list *rest)
{
	struct error err = {0};

	if (prove(o, rest->word[0], &err) == 0)
		return audit_printed(0);
	(void)cli_complain(&err);
	return err.kind == ERR_NOT_FOUND || err.kind == ERR_REFUSED ? AUDIT_WRONG : EXIT_BELLJAR;
}

/* verify-proof: with the file and the key, and nothing else. */

static ssize_t read_proof(const char *file, char *room, size_t size, struct error *err)
{
	bool standard = strcmp(file, "-") == 0;
	own_fd fd = standard ? fcntl(0, F_DUPFD_CLOEXEC, 3)
			     : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t n;

	if (fd < 0)
		return fail_sys(err, "open %s", file);
	n = fd_read_all(fd, room, size, err);
	return n < 0 ? fail_in(err, "%s", file) : n;
}

static void print_proof(const struct proof *p)
{
	char hex[HASH_HEX], root[HASH_HEX];
	struct record_view v;
	struct error why = {0};

	hash_hex(&p->leaf, hex);
	hash_hex(&p->checkpoint.root, root);
	(void)printf("the proof holds: record %" PRIu64 " of the %" PRIu64 " records of %s\n",
		     p->index, p->checkpoint.size, p->checkpoint.origin);
	(void)printf("  leaf  %s\n  root  %s\n", hex, root);
	if (!p->line.data) {
		(void)puts("  the record itself is not in the proof");
		return;
	}
	if (record_read(p->line.data, p->line.len, &v, &why) == 0)
		audit_print_record(p->index, &v, stdout);
	else
		(void)printf("  it is no record that belljar writes: %s\n", why.text);
}

static void json_proof(const struct proof *p)
{
	char root[HASH_HEX], leaf[HASH_HEX];
	struct record_view v;
	struct error why = {0};

	hash_hex(&p->checkpoint.root, root);
	hash_hex(&p->leaf, leaf);
	/* The origin has neither quotes nor controls: note_verify() looked at it. */
	(void)printf("{\"valid\":true,\"index\":%" PRIu64 ",\"size\":%" PRIu64
		     ",\"leaf_hash\":\"%s\",\"root\":\"%s\",\"proven\":",
		     p->index, p->checkpoint.size, leaf, root);
	if (p->line.data && record_read(p->line.data, p->line.len, &v, &why) == 0)
		audit_json_record(p->index, &p->line, stdout);
	else
		(void)fputs("null", stdout);
	(void)puts("}");
}

static int verify_proof(const struct audit_options *o, const char *file, struct error *err)
{
	own_str text = malloc(PROOF_MAX + 1);
	own_str room = malloc(PROOF_MAX);
	struct note_key key;
	struct error why = {0};
	struct proof p;
	ssize_t len;

	if (!text || !room)
		return fail_sys(err, "verify-proof");
	if (!o->key)
		return fail(err, ERR_CALLER,
			    "verify-proof: whom to believe? name the log's key.pub "
			    "with --key");
	if (audit_key(o, &key, err) < 0)
		return -1;
	len = read_proof(file, text, PROOF_MAX + 1, err);
	if (len < 0)
		return -1;
	if (len > PROOF_MAX)
		(void)fail(&why, ERR_CALLER, "%s is longer than a proof can be", file);
	if (len > PROOF_MAX || proof_verify(&key, text, (size_t)len, &p, room, &why) < 0) {
		if (o->json)
			(void)puts("{\"valid\":false}");
		(void)fail_in(&why, "the proof does not hold");
		cli_say(why.text);
		return AUDIT_WRONG;
	}
	if (o->json)
		json_proof(&p);
	else
		print_proof(&p);
	return 0;
}

int audit_verify_proof(const struct audit_options *o, const struct word_list *rest)
{
	struct error err = {0};
	int code = verify_proof(o, rest->word[0], &err);

	return code < 0 ? cli_complain(&err) : audit_printed(code);
}
