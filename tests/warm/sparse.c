/* SPDX-License-Identifier: Apache-2.0 */
/* sparse.c - a library whose parts do not follow one upon the other. */

extern const char *sparse_text(void);

static const char *text[] = {"here", "there"};

const char *sparse_text(void)
{
	static unsigned n;

	return text[n++ % 2];
}
