/* SPDX-License-Identifier: Apache-2.0 */
/* auditcli.c - what the commands of belljar audit share: the log, its index, times, progress. */
#include "cli/auditcli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auditread/plain.h"
#include "auditread/when.h"
#include "base/clock.h"
#include "base/own.h"
#include "base/statedir.h"
#include "base/text.h"
#include "cli/cli.h"

enum { BAR = 30, BAR_EVERY_US = 100000, BAD_SHOWN = 10 };

static bool is_set(const char *value)
{
	return value && value[0];
}

int audit_directory(const struct audit_options *o, char *ret, size_t room, struct error *err)
{
	static const struct statedir place = {"audit log", "BELLJAR_AUDIT", "/audit", NULL};

	return statedir_find(&place, o->log, ret, room, err);
}

int audit_key(const struct audit_options *o, struct note_key *ret, struct error *err)
{
	return note_key_read(AT_FDCWD, o->key, ret, err) < 0 ? fail_in(err, "--key") : 0;
}

/* A directory without anything of a log is a mistake, and not a log without calls. */
static bool holds_log(const struct log_reader *r)
{
	static const char *const parts[] = {"log", "checkpoint", "key.pub"};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (faccessat(log_reader_directory(r), parts[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			return true;
	return false;
}

struct log_reader *audit_open_log(const struct audit_options *o, struct error *err)
{
	own_reader r = NULL;
	struct note_key key;
	char path[PATH_MAX];

	if (audit_directory(o, path, sizeof(path), err) < 0)
		return NULL;
	if (o->key && audit_key(o, &key, err) < 0)
		return NULL;
	r = log_reader_open(path, err);
	if (!r) {
		(void)fail_in(err, "the log in %s", path);
		return NULL;
	}
	if (!holds_log(r)) {
		(void)fail(err, ERR_CALLER,
			   "there is no log in %s; name its directory with --log or BELLJAR_AUDIT",
			   path);
		return NULL;
	}
	if (o->key)
		log_reader_believe(r, &key);
	return TAKE(r);
}

int audit_number(const char *word, const char *what, uint64_t *ret, struct error *err)
{
	return text_parse_uint(word, ret, err) < 0 ? fail_in(err, "%s", what) : 0;
}

int audit_times(const struct audit_options *o, struct index_query *q, struct error *err)
{
	uint64_t now = when_now();

	if (o->since && when_parse(o->since, now, &q->since_ms, err) < 0)
		return fail_in(err, "--since");
	if (o->until && when_parse(o->until, now, &q->until_ms, err) < 0)
		return fail_in(err, "--until");
	if (o->since && o->until && q->until_ms <= q->since_ms)
		return fail(err, ERR_CALLER, "--until is not later than --since");
	return 0;
}

const char *audit_text(struct record_text t, char *room, size_t size)
{
	char plain[AUDIT_SHOWN];

	if (!t.data)
		return "-";
	(void)plain_text(plain, record_text_get(t, plain, sizeof(plain)), room, size);
	return room[0] ? room : "''";
}

/* The log is shorter than what was signed: what we print is not all there was. */
static bool log_is_short;

uint64_t audit_signed_size(struct log_reader *r)
{
	static bool said;
	struct error why = {0};
	struct checkpoint c;

	if (log_reader_checkpoint(r, &c, NULL, &why) == 0)
		return c.size;
	(void)fail_in(&why, "going on, but the checkpoint cannot be used");
	if (!said)
		cli_say(why.text);
	said = true;
	return 0;
}

void audit_check_end(uint64_t signed_size, uint64_t end)
{
	char line[200];

	if (end >= signed_size)
		return;
	log_is_short = true;
	(void)snprintf(line, sizeof(line),
		       "the log cannot be read beyond record %" PRIu64 ", but %" PRIu64
		       " records were signed; see belljar audit verify",
		       end, signed_size);
	cli_say(line);
}

int audit_printed(int code)
{
	struct error err = {0};

	if (fflush(stdout) == 0 && !ferror(stdout))
		return code == 0 && log_is_short ? AUDIT_WRONG : code;
	(void)fail_sys(&err, "write to standard output");
	return cli_complain(&err);
}

bool audit_wants_colour(FILE *to)
{
	const char *no = secure_getenv("NO_COLOR"), *term = secure_getenv("TERM");

	return isatty(fileno(to)) && !is_set(no) && !(term && strcmp(term, "dumb") == 0);
}

/* There is one at a time. */
static uint64_t bar_shown_us;
static bool bar_is_there;

void audit_progress(const char *what, uint64_t done, uint64_t total)
{
	uint64_t now = clock_us();
	int filled;

	if (!isatty(STDERR_FILENO))
		return;
	/* A bar that comes and goes at once only flickers. */
	if (bar_shown_us == 0)
		bar_shown_us = now;
	if (now - bar_shown_us < BAR_EVERY_US || total == 0 || done > total)
		return;
	bar_shown_us = now;
	bar_is_there = true;
	filled = (int)(done * BAR / total);
	(void)fprintf(stderr, "\r\033[K%s [%.*s%*s] %3u %%  %" PRIu64 " of %" PRIu64 " records",
		      what, filled, "##############################", BAR - filled, "",
		      (unsigned)(done * 100 / total), done, total);
}

void audit_progress_end(void)
{
	if (bar_is_there)
		(void)fputs("\r\033[K", stderr);
	bar_is_there = false;
}

static void index_progress(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	audit_progress("reading", done, total);
}

/* The first ones by name; the summary has their number. */
static void bad_record(void *context, uint64_t index, const char *why)
{
	unsigned *n = context;
	char line[AUDIT_SHOWN];

	if (++*n > BAD_SHOWN)
		return;
	audit_progress_end();
	(void)snprintf(line, sizeof(line), "record %" PRIu64 " is none: %s; going on without it",
		       index, why);
	cli_say(line);
}

static void notice(void *context, const char *text)
{
	(void)context;
	audit_progress_end();
	cli_say(text);
}

/* What was passed over when it was read in is said each time: it may be what is looked for. */
static void warn_of_bad(const struct index_summary *s, unsigned shown)
{
	char line[200];

	if (s->bad == 0 || s->bad == shown)
		return;
	(void)snprintf(line, sizeof(line),
		       "%" PRIu64 " records of the log are none, the first is %" PRIu64
		       "; see belljar audit verify",
		       s->bad, s->first_bad);
	cli_say(line);
}

struct logindex *audit_open_index(const struct audit_options *o, struct log_reader *r, bool rebuild,
				  struct error *err)
{
	static unsigned bad;
	struct index_options options = {
		.in_memory = o->no_index,
		.rebuild = rebuild,
		.progress = index_progress,
		.bad_record = bad_record,
		.notice = notice,
		.context = &bad,
	};
	uint64_t signed_size = audit_signed_size(r);
	struct logindex *x = logindex_open(r, &options, err);
	struct index_summary s;

	audit_progress_end();
	if (!x || logindex_summary(x, &s, err) < 0) {
		logindex_close(x);
		return NULL;
	}
	warn_of_bad(&s, bad <= BAD_SHOWN ? bad : 0);
	audit_check_end(signed_size, s.records);
	return x;
}
