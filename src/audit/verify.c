/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c - is the log what was once signed?
 *
 * All lines are hashed anew.  What counts is the signed root; the tiles only help to
 * say which record it is that does not fit.  So a tile that differs is a
 * suspicion first: if the root is right in the end, the tile was wrong, if
 * not, the record was.
 */
#include "audit/verify.h"

#include <assert.h>
#include <endian.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/pairing.h"
#include "audit/record.h"
#include "audit/segment.h"
#include "audit/smallfile.h"
#include "audit/suspects.h"
#include "audit/tiles.h"
#include "base/own.h"

enum {
	PROGRESS_STEP = 4096,
	PAIRING_LISTED_MAX = 16,
	OFFSETS = LOG_SEGMENT / TILE_WIDTH,
	/* Each writes the time of its own: callers before they wait for their turn.  What is worth
	 * a word is a clock that was set back. */
	CLOCK_SLACK_MS = 10000,
};

struct fixed_point {
	const char *name;
	struct checkpoint at;
};

struct verifier {
	const struct verify_options *options;
	struct verify_report *report;
	struct log_reader *reader;
	int dir;
	struct checkpoint signed_at; /* size UINT64_MAX: there is none to believe */
	struct fixed_point *anchors;
	size_t n_anchors, next_anchor;
	struct tiler tiler;
	struct suspects suspects;
	struct pairing calls;
	struct segment_scan scan;
	uint64_t offsets[OFFSETS];
	char bad_offsets[SEGMENT_PATH]; /* the first such file that does not fit the lines */
	uint64_t last_ms;
	bool stopped;  /* the rest could not be read */
	bool root_set; /* signed_at.size was reached ... */
	bool root_ok;  /* ... and the root is the one that was signed */
};

static const char *const kind_names[] = {
	[FINDING_NONE] = "none",
	[FINDING_LINE] = "line",
	[FINDING_CHANGED] = "changed",
	[FINDING_MISSING] = "missing",
	[FINDING_ADDED] = "added",
	[FINDING_MOVED] = "moved",
	[FINDING_SEGMENT] = "segment",
	[FINDING_TILE] = "tile",
	[FINDING_CHECKPOINT] = "checkpoint",
	[FINDING_TRUNCATED] = "truncated",
	[FINDING_ANCHOR] = "anchor",
	[FINDING_PAIRING] = "pairing",
};
static_assert(ARRAY_LEN(kind_names) == FINDING_KIND_COUNT, "one name per kind");

const char *finding_kind_name(enum finding_kind kind)
{
	return kind < FINDING_KIND_COUNT ? kind_names[kind] : kind_names[FINDING_NONE];
}

__attribute__((format(printf, 4, 5))) static void find(struct verifier *v, enum finding_kind kind,
						       uint64_t index, const char *fmt, ...)
{
	struct verify_report *r = v->report;
	struct finding *f = &r->list[r->listed];
	va_list args;

	r->findings++;
	/* Calls that do not pair are often the consequence of something that is found later. */
	if (r->listed == VERIFY_FINDINGS_MAX ||
	    (kind == FINDING_PAIRING && r->listed >= PAIRING_LISTED_MAX))
		return;
	r->listed++;
	f->kind = kind;
	f->index = index;
	va_start(args, fmt);
	(void)vsnprintf(f->text, sizeof(f->text), fmt, args);
	va_end(args);
}

/* A tile as it should be, made from the lines. */
static int compare_tile(void *context, struct tile_name name, const struct hash *hashes,
			struct error *err)
{
	struct verifier *v = context;

	(void)err;
	suspects_compare(&v->suspects, v->dir, name, hashes, v->signed_at.size);
	return 0;
}

static int by_size(const void *a, const void *b)
{
	const struct fixed_point *x = a, *y = b;

	return (x->at.size > y->at.size) - (x->at.size < y->at.size);
}

static int read_anchors(struct verifier *v, struct error *err)
{
	const struct note_key *key = log_reader_key(v->reader);

	if (v->options->n_anchors == 0)
		return 0;
	/* As many as there are: one that is added every hour must not end it after ten days. */
	v->anchors = calloc(v->options->n_anchors, sizeof(v->anchors[0]));
	if (!v->anchors)
		return fail_sys(err, "allocate for the anchors");
	for (size_t i = 0; i < v->options->n_anchors; i++) {
		const struct anchor *a = &v->options->anchors[i];
		struct fixed_point *p = &v->anchors[v->n_anchors];
		struct error why;

		p->name = a->name;
		if (note_verify(key, a->text, a->len, &p->at, &why) < 0)
			find(v, FINDING_ANCHOR, UINT64_MAX, "%.60s: %.120s", a->name, why.text);
		else
			v->n_anchors++;
	}
	qsort(v->anchors, v->n_anchors, sizeof(v->anchors[0]), by_size);
	return 0;
}

static void check_root(struct verifier *v)
{
	struct error none;
	struct tree t;

	v->root_set = true;
	tiler_tree(&v->tiler, &t);
	tree_root(&t, &v->report->root);
	v->root_ok = hash_equal(&v->report->root, &v->signed_at.root);
	(void)tiler_flush(&v->tiler, &none);
	v->suspects.done = true; /* what comes now has no tiles yet */
}

static void check_anchors(struct verifier *v)
{
	while (v->next_anchor < v->n_anchors &&
	       v->anchors[v->next_anchor].at.size == v->tiler.size) {
		const struct fixed_point *p = &v->anchors[v->next_anchor++];
		struct hash root;
		struct tree t;

		tiler_tree(&v->tiler, &t);
		tree_root(&t, &root);
		if (!hash_equal(&root, &p->at.root))
			find(v, FINDING_ANCHOR, UINT64_MAX,
			     "%.60s: the first %" PRIu64 " records are not those that it anchored",
			     p->name, p->at.size);
	}
}

static int check_pairing(struct verifier *v, const struct record_view *view, uint64_t index,
			 struct error *err)
{
	static const char *const words[] = {
		[PAIRING_NO_ID] = "it names no call",
		[PAIRING_TWICE] = "a call begins that is open already",
		[PAIRING_NO_START] = "a call ends that was not open",
	};
	enum pairing_result result = pairing_add(&v->calls, view, index);

	if (result == PAIRING_NO_MEMORY)
		return fail(err, ERR_SYSTEM, "no memory for the open calls");
	if (result != PAIRING_FINE)
		find(v, FINDING_PAIRING, index, "record %" PRIu64 ": %s", index, words[result]);
	return 0;
}

static int check_line(struct verifier *v, const struct log_line *line, struct error *err)
{
	uint64_t index = v->tiler.size;
	struct record_view view;
	struct error why;
	struct hash leaf;

	v->report->bytes += line->len + 1;
	if (record_read(line->data, line->len, &view, &why) < 0) {
		find(v, FINDING_LINE, index, "record %" PRIu64 ": %.120s", index, why.text);
	} else {
		if (check_pairing(v, &view, index, err) < 0)
			return -1;
		v->report->backward += view.time_ms + CLOCK_SLACK_MS < v->last_ms;
		v->last_ms = view.time_ms;
	}
	hash_leaf(line->data, line->len, &leaf);
	if (tiler_add(&v->tiler, &leaf, err) < 0)
		return -1;
	if (v->tiler.size == v->signed_at.size)
		check_root(v);
	check_anchors(v);
	if (v->options->progress && v->tiler.size % PROGRESS_STEP == 0)
		v->options->progress(v->options->context, v->tiler.size,
				     v->root_set ? v->tiler.size : v->signed_at.size);
	return 0;
}

/* Only as far as both go: the writer may be at work. */
static void check_offsets(struct verifier *v, uint64_t first)
{
	uint64_t coded[OFFSETS];
	size_t lines = (size_t)((v->tiler.size - first + TILE_WIDTH - 1) / TILE_WIDTH);
	char path[SEGMENT_PATH];
	struct error none;
	ssize_t n;

	segment_path(first / LOG_SEGMENT, "offsets", path);
	n = smallfile_get(v->dir, path, coded, sizeof(coded), &none);
	for (size_t i = 0; i < lines && (ssize_t)((i + 1) * sizeof(coded[0])) <= n; i++)
		if (le64toh(coded[i]) != v->offsets[i] && !v->bad_offsets[0])
			memcpy(v->bad_offsets, path, sizeof(path));
}

static bool writer_is_there(const struct verifier *v)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	own_fd fd = openat(v->dir, "lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	return fd >= 0 && fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

/* The lines end before the segment is full: is that the end of the log?  1: there are more of them
 * now, from a writer that has gone since. */
static int check_end(struct verifier *v, uint64_t number, struct error *err)
{
	char path[SEGMENT_PATH], next[SEGMENT_PATH];
	bool signed_lines = v->tiler.size < v->signed_at.size && v->signed_at.size != UINT64_MAX;
	uint64_t end = segment_tell(&v->scan);
	struct stat st;
	int empty;

	segment_path(number, "jsonl", path);
	segment_path(number + 1, "jsonl", next);
	if (v->scan.torn && (signed_lines || !writer_is_there(v))) {
		v->stopped = true;
		find(v, FINDING_LINE, v->tiler.size, "record %" PRIu64 " is not whole, in %s",
		     v->tiler.size, path);
		return 0;
	}
	empty = segment_rest_is_empty(&v->scan, err);
	if (empty < 0)
		return -1;
	if (!empty && !writer_is_there(v)) {
		if (segment_tell(&v->scan) == end)
			return 1;
		v->stopped = true;
		find(v, FINDING_SEGMENT, v->tiler.size,
		     "%s goes on behind record %" PRIu64 ", but not with records", path,
		     v->tiler.size);
	}
	if (fstatat(v->dir, next, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0) {
		v->stopped = true;
		find(v, FINDING_SEGMENT, v->tiler.size,
		     "%s ends at record %" PRIu64 ", but there is %s", path, v->tiler.size, next);
	}
	return 0;
}

/* 1: go on with the next one; 0: that was the last. */
static int check_segment(struct verifier *v, uint64_t number, struct error *err)
{
	uint64_t first = number * LOG_SEGMENT;
	struct log_line line;
	int got;

	if (segment_open(&v->scan, v->dir, number, 0, err) < 0) {
		if (err->kind != ERR_NOT_FOUND)
			return -1;
		if (v->tiler.size < v->signed_at.size && v->signed_at.size != UINT64_MAX) {
			v->stopped = true;
			find(v, FINDING_SEGMENT, first, "%s", err->text);
		}
		return 0;
	}
	while (v->tiler.size - first < LOG_SEGMENT) {
		if (v->tiler.size % TILE_WIDTH == 0)
			v->offsets[(v->tiler.size - first) / TILE_WIDTH] = segment_tell(&v->scan);
		got = segment_next(&v->scan, &line, err);
		if (got < 0 || (got > 0 && check_line(v, &line, err) < 0))
			return -1;
		if (got == 0) {
			got = check_end(v, number, err);
			if (got > 0)
				continue;
			check_offsets(v, first);
			return got;
		}
	}
	check_offsets(v, first);
	got = segment_rest_is_empty(&v->scan, err);
	if (got == 0)
		find(v, FINDING_SEGMENT, v->tiler.size,
		     "segment %" PRIu64 " has more than its %d records", number, LOG_SEGMENT);
	return got < 0 ? -1 : 1;
}

/* Fewer lines than were signed: is the last of them missing, or one before? */
static void check_size(struct verifier *v)
{
	if (v->signed_at.size == UINT64_MAX || v->tiler.size >= v->signed_at.size)
		return;
	suspects_compare_rest(&v->suspects, v->dir, &v->tiler, v->signed_at.size);
	if (v->suspects.n == 0 && !v->stopped)
		find(v, FINDING_TRUNCATED, v->tiler.size,
		     "the log ends at record %" PRIu64 ", but %" PRIu64 " were signed",
		     v->tiler.size, v->signed_at.size);
}

static void check_anchor_sizes(struct verifier *v)
{
	for (; v->next_anchor < v->n_anchors; v->next_anchor++) {
		const struct fixed_point *p = &v->anchors[v->next_anchor];

		find(v, FINDING_TRUNCATED, v->tiler.size,
		     "%.60s: %" PRIu64 " records were anchored, but the log has %" PRIu64, p->name,
		     p->at.size, v->tiler.size);
	}
}

/* Now it is known whether lines or tiles are right.  What is made from wrong lines is wrong, too:
 * that is worth no word. */
static void judge_suspects(struct verifier *v)
{
	bool lines_are_right = v->root_set && v->root_ok;
	bool none_missing = v->root_set;
	bool records_found = v->stopped || (v->suspects.n > 0 && !lines_are_right);

	for (size_t i = 0; i < v->suspects.n; i++) {
		const struct suspect *s = &v->suspects.list[i];
		char path[TILE_PATH], text[sizeof(((struct finding *)0)->text)];
		enum finding_kind kind = suspects_words(s, none_missing, text, sizeof(text));

		tile_path(s->tile, path);
		if (s->tile.level > 0 && i > 0 && !lines_are_right)
			continue;
		if (lines_are_right || s->tile.level > 0 || kind == FINDING_TILE)
			find(v, FINDING_TILE, UINT64_MAX, "%s is %s", path,
			     s->absent ? "missing" : "not made from the records");
		else
			find(v, kind, s->index, "%s", text);
	}
	if (v->bad_offsets[0] && !records_found)
		find(v, FINDING_TILE, UINT64_MAX, "%s is not made from the lines", v->bad_offsets);
	if (v->root_set && !v->root_ok && v->suspects.n == 0)
		find(v, FINDING_CHECKPOINT, UINT64_MAX,
		     "the %" PRIu64
		     " records do not give the root that was signed, and the tiles were changed "
		     "with them",
		     v->signed_at.size);
}

static void put_pairing_last(struct verify_report *r)
{
	static struct finding others[PAIRING_LISTED_MAX];
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < r->listed; i++) {
		if (r->list[i].kind == FINDING_PAIRING)
			others[n++] = r->list[i];
		else
			r->list[kept++] = r->list[i];
	}
	memcpy(&r->list[kept], others, n * sizeof(others[0]));
}

static int check_all(struct verifier *v, struct error *err)
{
	struct error why;
	int more = 1;

	if (v->options->key)
		log_reader_believe(v->reader, v->options->key);
	if (log_reader_checkpoint(v->reader, &v->signed_at, NULL, &why) < 0) {
		v->signed_at.size = UINT64_MAX;
		find(v, FINDING_CHECKPOINT, UINT64_MAX, "%.180s", why.text);
	}
	if (read_anchors(v, err) < 0)
		return -1;
	check_anchors(v);
	if (v->signed_at.size == 0)
		check_root(v);
	for (uint64_t number = 0; more > 0; number++) {
		more = check_segment(v, number, err);
		if (more < 0)
			return -1;
	}
	check_size(v);
	judge_suspects(v);
	check_anchor_sizes(v);
	put_pairing_last(v->report);
	v->report->records = v->tiler.size;
	v->report->signed_records = v->signed_at.size == UINT64_MAX ? 0 : v->signed_at.size;
	v->report->open = v->calls.n - v->calls.aborted;
	if (v->options->progress)
		v->options->progress(v->options->context, v->tiler.size, v->tiler.size);
	return 0;
}

int verify_log(const char *path, const struct verify_options *options, struct verify_report *ret,
	       struct error *err)
{
	struct verifier *v = calloc(1, sizeof(*v));
	int result = -1;

	*ret = (struct verify_report){0};
	if (!v)
		return fail_sys(err, "allocate for the verification");
	v->options = options;
	v->report = ret;
	v->tiler.put = compare_tile;
	v->tiler.context = v;
	pairing_init(&v->calls);
	segment_init(&v->scan);
	v->reader = log_reader_open(path, err);
	if (v->reader) {
		v->dir = log_reader_directory(v->reader);
		result = check_all(v, err);
	}
	log_reader_close(v->reader);
	segment_done(&v->scan);
	pairing_done(&v->calls);
	free(v->anchors);
	free(v);
	return result;
}
