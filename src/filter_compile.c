/* SPDX-License-Identifier: Apache-2.0 */
/* filter_compile.c - part of the build: the system-call filter that most boxes have, as a table.
 *
 *     filter-compile OUT
 */
#include <stdio.h>

#include "base/own.h"
#include "sandbox/native/seccomp.h"

static void write_table(FILE *out, const struct seccomp_program *p)
{
	(void)fputs("/* Made by filter-compile. */\n#include \"sandbox/native/filterready.h\"\n\n"
		    "const struct sock_filter filter_standard[] = {\n",
		    out);
	for (unsigned i = 0; i < p->len; i++)
		(void)fprintf(out, "\t{0x%02x, %u, %u, 0x%08x},\n", p->code[i].code, p->code[i].jt,
			      p->code[i].jf, p->code[i].k);
	(void)fprintf(out, "};\nconst unsigned short filter_standard_len = %u;\n", p->len);
}

int main(int argc, char **argv)
{
	static struct seccomp_program program;
	const struct seccomp_options standard = {0};
	struct error err = {0};
	own_file out = argc == 2 ? fopen(argv[1], "we") : NULL;

	if (!out || seccomp_compile(&standard, &program, &err) < 0) {
		(void)fprintf(stderr, "filter-compile: %s\n", out ? err.text : "where to?");
		return 1;
	}
	write_table(out, &program);
	return ferror(out) || fflush(out) != 0;
}
