/* SPDX-License-Identifier: Apache-2.0 */
/* farback.c - looks for a line of the log by its hash, far behind its end.
 *
 * A caller that got no answer asks the next scribe again.  If several scribes
 * died in a row and others wrote much between them, what it asks for is no
 * longer among the last lines that a scribe reads when it starts.
 */
#include "scribe/scribe_state.h"

enum { FAR_BACK = 4 * LOG_SEGMENT };

bool farback_find(const struct log *l, const struct hash *leaf, struct receipt *ret)
{
	uint64_t size = log_size(l), index;
	struct error none = {0};
	struct log_reader *reader = log_reader_open(".", &none);
	struct log_line line;
	struct hash found;
	bool is_there = false;
	int got = reader ? log_seek(reader, size > FAR_BACK ? size - FAR_BACK : 0, &none) : -1;

	while (got >= 0 && !is_there && (got = log_next(reader, &line, &index, &none)) > 0) {
		hash_leaf(line.data, line.len, &found);
		is_there = hash_equal(&found, leaf);
		if (is_there)
			*ret = (struct receipt){index, found};
	}
	if (reader)
		log_reader_close(reader);
	return is_there;
}
