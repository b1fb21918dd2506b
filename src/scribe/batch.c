/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c - records become lines of the log: written together, answered, synced and signed.
 *
 * Most callers are answered when their record is written: it then survives
 * the death of every process, and 100 ms later a loss of power, too.  Those that
 * ask for more (PUT_DURABLE) wait for the disk, all of a batch together.
 */
#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "scribe/scribe_state.h"

static_assert((int)SCRIBE_LINE_MAX == (int)LOG_LINE_MAX, "what is taken can be written");

static void note_written(struct scribe *s)
{
	if (!s->unsynced_us)
		s->unsynced_us = clock_us();
}

static struct once *find_once(struct scribe *s, const char *key)
{
	size_t n = s->n_once < ONCE_MAX ? s->n_once : ONCE_MAX;

	for (size_t i = 0; i < n; i++)
		if (strcmp(s->once[i].key, key) == 0)
			return &s->once[i];
	return NULL;
}

/* The line of an earlier one of the batch with the same key; kept if there is none. */
static size_t find_in_batch(const struct scribe *s, size_t kept, const char *key, size_t none)
{
	for (size_t i = 0; i < kept; i++)
		if (s->pending[i].request->head.kind == PUT_ONCE &&
		    strcmp(s->pending[i].request->key, key) == 0)
			return s->pending[i].line;
	return none;
}

/* Only the answer was lost?  A call that begins is another matter: it has been aborted since. */
static bool is_in_log(const struct scribe *s, struct pending *p)
{
	const struct scribe_request *r = p->request;
	struct hash leaf;

	if (!(r->flags & PUT_AGAIN) || r->head.kind == PUT_STARTED)
		return false;
	hash_leaf(r + 1, r->line_len, &leaf);
	for (size_t i = 0; i < s->n_tail; i++)
		if (hash_equal(&s->tail[i].leaf, &leaf)) {
			p->receipt = (struct receipt){s->tail[i].index, leaf};
			return true;
		}
	/* One that is open has no end. */
	if (r->head.kind == PUT_FINISHED && open_calls_has(&s->open, r->key))
		return false;
	return farback_find(s->log, &leaf, &p->receipt);
}

/* true: it is answered already. */
static bool answer_at_once(struct scribe *s, struct pending *p, size_t *starts)
{
	static const struct error full = {ERR_SYSTEM, 0,
					  "more calls are open than the scribe can keep in mind"};
	const struct scribe_request *r = p->request;
	const struct once *once = r->head.kind == PUT_ONCE ? find_once(s, r->key) : NULL;

	if (once)
		p->receipt = once->receipt;
	if (once || is_in_log(s, p)) {
		peers_answer(s, p);
		return true;
	}
	if (r->head.kind == PUT_STARTED && s->open.n + ++*starts > OPEN_CALLS_MAX) {
		peers_refuse(p->peer, r->head.ticket, &full);
		return true;
	}
	return false;
}

/* Those that need not or cannot be written leave the batch; the others have lines. */
static void sort_out(struct scribe *s)
{
	size_t kept = 0, starts = 0;

	s->n_lines = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct pending p = s->pending[i];

		if (answer_at_once(s, &p, &starts))
			continue;
		p.line = s->n_lines;
		if (p.request->head.kind == PUT_ONCE)
			p.line = find_in_batch(s, kept, p.request->key, s->n_lines);
		p.duplicate = p.line < s->n_lines;
		if (!p.duplicate)
			s->lines[s->n_lines++] = s->lines[i];
		s->pending[kept++] = p;
	}
	s->n = kept;
}

static void remember(struct scribe *s, const struct pending *p)
{
	const struct scribe_request *r = p->request;
	struct once *once;

	switch (r->head.kind) {
	case PUT_STARTED:
		(void)open_calls_add(&s->open, r->key, p->peer_number, p->receipt.index);
		break;
	case PUT_FINISHED:
		(void)open_calls_remove(&s->open, r->key);
		break;
	case PUT_ONCE:
		once = &s->once[s->n_once++ % ONCE_MAX];
		memcpy(once->key, r->key, sizeof(once->key));
		once->receipt = p->receipt;
		break;
	default:
		break;
	}
}

static void be_troubled(struct scribe *s, const struct error *err)
{
	s->trouble = *err;
	s->retry_us = clock_us() + RETRY_MS * 1000ULL;
}

/* After a failure nothing is promised until the disk has taken everything that was. */
static bool is_usable(struct scribe *s)
{
	struct error err = {0};

	if (s->trouble.kind == ERR_NONE)
		return true;
	if (log_checkpoint(s->log, &err) < 0)
		return be_troubled(s, &err), false;
	s->trouble = (struct error){0};
	return true;
}

/* How many lines are written. */
static size_t append(struct scribe *s)
{
	struct error err = {0};
	size_t done = 0;

	while (done < s->n_lines) {
		/* Each was read when it came. */
		ssize_t took = log_append_records(s->log, s->lines + done, s->n_lines - done,
						  s->receipts + done, &err);

		if (took <= 0) {
			be_troubled(s, &err);
			break;
		}
		done += (size_t)took;
	}
	return done;
}

static bool is_durable(const struct pending *p)
{
	return p->request->flags & PUT_DURABLE;
}

/* Those of the first done lines that want a promise of that kind. */
static void answer(struct scribe *s, size_t done, bool durable)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->pending[i].line < done && is_durable(&s->pending[i]) == durable)
			peers_answer(s, &s->pending[i]);
}

static void refuse(const struct scribe *s, size_t from, size_t to, bool durable_only)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct pending *p = &s->pending[i];

		if (p->line >= from && p->line < to && (!durable_only || is_durable(p)))
			peers_refuse(p->peer, p->request->head.ticket, &s->trouble);
	}
}

static bool any_durable(const struct scribe *s, size_t done)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->pending[i].line < done && is_durable(&s->pending[i]))
			return true;
	return false;
}

static void finish_durable(struct scribe *s, size_t done)
{
	struct error err = {0};

	if (!any_durable(s, done))
		return;
	if (log_sync(s->log, &err) < 0) {
		be_troubled(s, &err);
		refuse(s, 0, done, true);
		return;
	}
	s->unsynced_us = 0;
	answer(s, done, true);
}

/* A call that begins gets room for its end, so that a disk that fills meanwhile cannot keep it out
 * of the log. */
static bool has_room(struct scribe *s)
{
	uint64_t bytes = 0;
	size_t starts = 0;
	struct error err = {0};

	for (size_t i = 0; i < s->n; i++)
		starts += s->pending[i].request->head.kind == PUT_STARTED;
	if (starts == 0)
		return true;
	for (size_t i = 0; i < s->n_lines; i++)
		bytes += s->lines[i].len + 1;
	if (log_keep_room(s->log, bytes + (s->open.n + starts) * END_ROOM, &err) == 0)
		return true;
	be_troubled(s, &err);
	return false;
}

/* The disk has said no: what stays are ends of calls that began, for which there is room. */
static void keep_only_ends(struct scribe *s)
{
	size_t kept = 0;

	s->n_lines = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct pending *p = &s->pending[i];
		struct log_line line = {(const char *)(p->request + 1), p->request->line_len};

		if (p->request->head.kind != PUT_FINISHED) {
			peers_refuse(p->peer, p->request->head.ticket, &s->trouble);
			continue;
		}
		p->line = s->n_lines;
		s->lines[s->n_lines++] = line;
		s->pending[kept++] = *p;
	}
	s->n = kept;
}

void batch_commit(struct scribe *s)
{
	size_t done;

	sort_out(s);
	if (s->n_lines == 0)
		return;
	if (!is_usable(s) || !has_room(s))
		keep_only_ends(s);
	done = append(s);
	for (size_t i = 0; i < s->n; i++) {
		struct pending *p = &s->pending[i];

		if (p->line >= done)
			continue;
		p->receipt = s->receipts[p->line];
		if (!p->duplicate)
			remember(s, p);
	}
	if (done)
		note_written(s);
	answer(s, done, false);
	refuse(s, done, s->n_lines, false);
	finish_durable(s, done);
}

void batch_sign(struct scribe *s)
{
	struct error err = {0};

	log_set_since(s->log, open_calls_since(&s->open, log_size(s->log)));
	s->checkpoint_us = clock_us();
	if (log_checkpoint(s->log, &err) < 0) {
		be_troubled(s, &err);
		return;
	}
	s->unsynced_us = 0;
	s->trouble = (struct error){0};
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t sync_due_us(const struct scribe *s)
{
	return s->unsynced_us ? s->unsynced_us + SYNC_MS * 1000ULL : UINT64_MAX;
}

static uint64_t signature_due_us(const struct scribe *s)
{
	if (log_signed_size(s->log) == log_size(s->log))
		return UINT64_MAX;
	return later(s->checkpoint_us + CHECKPOINT_MS * 1000ULL,
		     s->unsynced_us ? sync_due_us(s) : 0);
}

uint64_t batch_due_us(const struct scribe *s)
{
	uint64_t sync = sync_due_us(s), signature = signature_due_us(s);
	uint64_t due = sync < signature ? sync : signature;

	if (s->open.n_orphans)
		due = s->retry_us < due ? s->retry_us : due;
	return s->trouble.kind == ERR_NONE ? due : later(due, s->retry_us);
}

void batch_settle(struct scribe *s)
{
	uint64_t now = clock_us();
	struct error err = {0};

	if (s->trouble.kind != ERR_NONE && now < s->retry_us)
		return;
	if (now >= signature_due_us(s)) {
		batch_sign(s);
	} else if (now >= sync_due_us(s)) {
		if (log_sync(s->log, &err) < 0)
			be_troubled(s, &err);
		else
			s->unsynced_us = 0;
	}
}

int batch_write_own(struct scribe *s, const struct record *r, struct error *err)
{
	own(buf) text;
	struct log_line line;
	struct receipt receipt;

	buf_init(&text, RECORD_MAX);
	if (record_write(r, &text, err) < 0)
		return -1;
	line = (struct log_line){text.data, text.len};
	if (log_append(s->log, &line, 1, &receipt, err) != 1)
		return -1;
	note_written(s);
	return 0;
}

void batch_abort_orphans(struct scribe *s, const char *why)
{
	struct error err = {0};

	if (s->open.n_orphans == 0 || (s->trouble.kind != ERR_NONE && clock_us() < s->retry_us) ||
	    !is_usable(s))
		return;
	for (size_t i = s->open.n; i-- > 0;) {
		struct record r = {.kind = RECORD_ABORTED, .detail = why};
		char id[SCRIBE_KEY_ROOM];

		if (s->open.list[i].owner != OWNER_NONE)
			continue;
		memcpy(id, s->open.list[i].id, sizeof(id));
		r.id = id;
		if (batch_write_own(s, &r, &err) < 0) {
			be_troubled(s, &err);
			return;
		}
		(void)open_calls_remove(&s->open, id);
	}
}
