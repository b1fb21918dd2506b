/* SPDX-License-Identifier: Apache-2.0 */
/* options_help.c - belljar run --help, made from the rows that the parser uses. */
#include <inttypes.h>
#include <stdio.h>

#include "call/limits.h"
#include "cli/options.h"

/* As it would be given. */
static void standard(const struct limit_row *row, char *ret, size_t room)
{
	bool mebibytes = row->unit == UNIT_BYTES && row->standard % (1 << 20) == 0;
	uint64_t n = row->unit == UNIT_MS ? row->standard / 1000
		     : mebibytes          ? row->standard >> 20
					  : row->standard;

	(void)snprintf(ret, room, "%" PRIu64 "%s", n,
		       row->unit == UNIT_MS ? "s"
		       : mebibytes          ? "m"
					    : "");
}

void options_print_help(void)
{
	char left[64], value[32];

	puts("usage: belljar run [options] -- CMD [ARGS...]\n"
	     "       belljar run [options] --lang python|node|bash FILE|- [ARGS...]\n"
	     "       belljar run [options] --lang python|node|bash -c CODE [ARGS...]\n\n"
	     "limits");
	for (size_t i = 0; i < limit_row_count; i++) {
		(void)snprintf(left, sizeof(left), "--%s %s", limit_rows[i].name,
			       limit_rows[i].metavar);
		standard(&limit_rows[i], value, sizeof(value));
		printf("  %-26s %s (%s)\n", left, limit_rows[i].help, value);
	}
	puts("\noptions");
	printf("  %-26s %s\n", "-c CODE", "the code for --lang");
	for (size_t i = 0; i < option_row_count; i++) {
		(void)snprintf(left, sizeof(left), "--%s %s", option_rows[i].name,
			       option_rows[i].metavar ? option_rows[i].metavar : "");
		printf("  %-26s %s\n", left, option_rows[i].help);
	}
	puts("\nexit codes: the program's own; 124 out of time; 125 belljar failed; 126 refused;\n"
	     "127 not found; 128+n ended by signal n; 137 out of memory, disk, processes or "
	     "output\n"
	     "\nmore: man belljar-run");
}
