/* SPDX-License-Identifier: Apache-2.0 */
/* filter_compile.c - part of the build: the system-call filter that most boxes have, as tables.
 *
 *     filter-compile OUT
 */
#include <stdio.h>

#include "base/own.h"
#include "sandbox/native/seccomp.h"

static const char *const names[] = {
	[SECCOMP_WHOLE] = "standard",
	[SECCOMP_FIRST] = "first",
	[SECCOMP_SECOND] = "second",
};

static void write_table(FILE *out, const char *name, const struct seccomp_program *p)
{
	(void)fprintf(out, "\nconst struct sock_filter filter_%s[] = {\n", name);
	for (unsigned i = 0; i < p->len; i++)
		(void)fprintf(out, "\t{0x%02x, %u, %u, 0x%08x},\n", p->code[i].code, p->code[i].jt,
			      p->code[i].jf, p->code[i].k);
	(void)fprintf(out, "};\nconst unsigned short filter_%s_len = %u;\n", name, p->len);
}

int main(int argc, char **argv)
{
	static struct seccomp_program program;
	const struct seccomp_options standard = {0};
	struct error err = {0};
	own_file out = argc == 2 ? fopen(argv[1], "we") : NULL;

	if (!out) {
		(void)fputs("filter-compile: where to?\n", stderr);
		return 1;
	}
	(void)fputs("/* Made by filter-compile. */\n#include \"sandbox/native/filterready.h\"\n",
		    out);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (seccomp_compile(&standard, (enum seccomp_part)i, &program, &err) < 0) {
			(void)fprintf(stderr, "filter-compile: %s\n", err.text);
			return 1;
		}
		write_table(out, names[i], &program);
	}
	return ferror(out) || fflush(out) != 0;
}
