/* SPDX-License-Identifier: Apache-2.0 */
/* copy_lay.c - lays the contents of memory into a file so that many can map them.
 *
 * Whoever becomes a template maps each mapping's contents privately, and has of
 * its own only the pages that it writes.  A mapping falls into pieces where much
 * of it was never touched: there is nothing to share there, and to touch it
 * should cost one page and not two.
 */
#include "warm/copy_calls.h"
#include "warm/copy_work.h"

#define GAP_BYTES (32ull * COPY_PAGE) /* from here on it is a piece of its own */

#define IMAGE_MOST (256ull << 20)

static uint64_t begin_of(const struct iovec *run)
{
	return (uint64_t)(uintptr_t)run->iov_base;
}

static uint64_t end_of(const struct iovec *run)
{
	return begin_of(run) + run->iov_len;
}

bool copy_put(struct copy_work *w, const void *data, size_t len)
{
	const char *from = data;

	while (len) {
		long n = CALL4(SYS_pwrite64, w->stream, from, len, w->at);

		if (n == -4) /* EINTR */
			continue;
		if (n <= 0)
			return copy_refuse_number(w, "the template cannot be written", n);
		from += n;
		w->at += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

static bool add_piece(struct copy_work *w, uint32_t *n, const struct copy_map *of, uint64_t start,
		      uint64_t end)
{
	struct copy_map *piece = &w->laid[*n];

	if (start == end)
		return true;
	if (*n == COPY_MAPS_MAX)
		return copy_refuse(w, "its memory is in too many pieces", NULL);
	*piece = *of;
	piece->start = start;
	piece->len = end - start;
	piece->offset += start - of->start;
	piece->has_runs = 0;
	(*n)++;
	return true;
}

/* Where nothing was touched, memory stays a hole; of a file, all is written. */
static bool put_piece(struct copy_work *w, struct copy_map *piece, const struct iovec *run,
		      const struct iovec *end)
{
	w->at = (w->at + COPY_PAGE - 1) & ~(uint64_t)(COPY_PAGE - 1);
	piece->image_at = w->at;
	if (w->at + piece->len > IMAGE_MOST)
		return copy_refuse(w, "it has too much memory for a template", NULL);
	if (piece->kind != COPY_MEMORY)
		return copy_put(w, (const void *)piece->start, piece->len);
	for (; run < end; run++) {
		w->at = piece->image_at + begin_of(run) - piece->start;
		if (!copy_put(w, run->iov_base, run->iov_len))
			return false;
	}
	w->at = piece->image_at + piece->len;
	return true;
}

/* Its runs; *at is behind them afterwards. */
static bool lay_one(struct copy_work *w, uint32_t *n, const struct copy_map *m,
		    const struct iovec **at)
{
	const struct iovec *last = w->runs + w->head.n_runs, *run = *at, *end;
	uint64_t done = m->start, stop = m->start + m->len;

	for (; run < last && begin_of(run) < stop; run = end) {
		for (end = run + 1; end < last && begin_of(end) < stop &&
				    begin_of(end) - end_of(end - 1) < GAP_BYTES;)
			end++;
		if (!add_piece(w, n, m, done, begin_of(run)) ||
		    !add_piece(w, n, m, begin_of(run), end_of(end - 1)) ||
		    !put_piece(w, &w->laid[*n - 1], run, end))
			return false;
		done = end_of(end - 1);
	}
	*at = run;
	return add_piece(w, n, m, done, stop);
}

/* Runs are joined where one mapping ends and the next begins. */
static bool cut_runs(struct copy_work *w)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < w->head.n_maps; i++) {
		uint64_t stop = w->maps[i].start + w->maps[i].len;

		while (at < w->head.n_runs && end_of(&w->runs[at]) <= stop)
			at++;
		if (at == w->head.n_runs || begin_of(&w->runs[at]) >= stop)
			continue;
		if (w->head.n_runs == COPY_RUNS_MAX)
			return copy_refuse(w, "its memory is in too many pieces", NULL);
		for (uint32_t j = w->head.n_runs++; j > at; j--)
			w->runs[j] = w->runs[j - 1];
		w->runs[at].iov_len = stop - begin_of(&w->runs[at]);
		w->runs[at + 1].iov_len -= w->runs[at].iov_len;
		w->runs[at + 1].iov_base = (void *)(uintptr_t)stop;
		at++;
	}
	return true;
}

bool copy_lay(struct copy_work *w)
{
	uint64_t tables = w->at;
	const struct iovec *at = w->runs;
	uint32_t n = 0;

	if (!cut_runs(w))
		return false;
	/* The tables come first, and are known last. */
	w->at += sizeof(w->head) + sizeof(w->laid) + w->head.n_files * sizeof(*w->files) +
		 w->head.n_guards * sizeof(*w->guards) + w->head.texts_len;
	for (uint32_t i = 0; i < w->head.n_maps; i++)
		if (!lay_one(w, &n, &w->maps[i], &at))
			return false;
	w->head.n_maps = n;
	w->head.n_runs = 0;
	w->head.image_len = w->at;
	w->at = tables;
	return true;
}
