/* SPDX-License-Identifier: Apache-2.0 */
/* settings_manual.c - the SETTINGS part of belljar-policy(5), in mdoc, made from the rows. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "policy/sectionlist.h"

/* Text for mdoc: a backslash and a dot or quote at the start of a line mean something there; a
 * sentence begins on a line of its own. */
static int add_text(struct buf *out, const char *text, struct error *err)
{
	bool fresh = true; /* at the start of a line */

	for (; *text; text++) {
		if (fresh && (*text == '.' || *text == '\'') && buf_add_str(out, "\\&", err) < 0)
			return -1;
		fresh = false;
		if (*text == '\\') {
			if (buf_add_str(out, "\\e", err) < 0)
				return -1;
		} else if (strncmp(text, ".  ", 3) == 0) {
			if (buf_add_str(out, ".\n", err) < 0)
				return -1;
			text += 2;
			fresh = true;
		} else if (buf_add(out, text, 1, err) < 0) {
			return -1;
		}
	}
	return buf_add_str(out, "\n", err);
}

/* On a line of a macro: quotes keep it one argument, and words such as "No" from being macros. */
static int add_literal(struct buf *out, const char *macro, const char *text, struct error *err)
{
	if (buf_printf(out, err, "%s \"\\&", macro) < 0)
		return -1;
	for (; *text; text++) {
		const char *escaped = *text == '"' ? "\\(dq" : *text == '\\' ? "\\e" : NULL;

		if ((escaped ? buf_add_str(out, escaped, err) : buf_add(out, text, 1, err)) < 0)
			return -1;
	}
	return buf_add_str(out, "\"\n", err);
}

/* What may stand there; a setting with a reader of its own has an example instead. */
static int add_form(struct buf *out, const struct setting *row, struct error *err)
{
	char expects[300] = "";

	if (row->type != SET_OWN)
		setting_expects(row, expects, sizeof(expects));
	else if (row->required || row->main_only)
		(void)snprintf(expects, sizeof(expects), "as in the example");
	if (!expects[0])
		return 0;
	expects[0] = (char)toupper((unsigned char)expects[0]);
	return buf_printf(out, err, "%s%s%s.\n", expects, row->required ? "; required" : "",
			  row->main_only ? "; in the main file only" : "");
}

static int add_row(struct buf *out, const struct setting *row, struct error *err)
{
	if (buf_printf(out, err, ".It Ic %s", row->key) < 0 ||
	    (row->section && buf_printf(out, err, " Pq see Sx %s", row->section->name) < 0) ||
	    buf_add_str(out, "\n", err) < 0 || add_text(out, row->help, err) < 0 ||
	    buf_add_str(out, ".br\n", err) < 0 || add_form(out, row, err) < 0)
		return -1;
	if (row->standard && (buf_add_str(out, "Standard:\n", err) < 0 ||
			      add_literal(out, ".Li", row->standard, err) < 0))
		return -1;
	if (row->example && (buf_add_str(out, "Example:\n", err) < 0 ||
			     add_literal(out, ".Li", row->example, err) < 0))
		return -1;
	return 0;
}

static int add_section(struct buf *out, const struct section *section, struct error *err)
{
	if (buf_printf(out, err, ".Ss %s\n", section->name) < 0 ||
	    add_text(out, section->about, err) < 0 ||
	    buf_add_str(out, ".Bl -tag -width Ds\n", err) < 0)
		return -1;
	for (size_t i = 0; i < section->n_rows; i++)
		if (add_row(out, &section->rows[i], err) < 0)
			return -1;
	return buf_add_str(out, ".El\n", err);
}

int settings_manual(struct buf *out, struct error *err)
{
	struct sectionlist sections;

	sectionlist_fill(&sections);
	for (size_t i = 0; i < sections.n; i++)
		if (add_section(out, sections.list[i], err) < 0)
			return -1;
	return out->cut ? fail(err, ERR_INTERNAL, "the manual is too large") : 0;
}
