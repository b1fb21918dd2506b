/* SPDX-License-Identifier: Apache-2.0 */
/* filter_compile.c - part of the build: the system-call filters that boxes have, as one table.
 *
 *     filter-compile OUT
 */
#include <stdio.h>

#include "base/own.h"
#include "sandbox/native/filterready.h"

static struct filter_place places[FILTER_WAYS][FILTER_PARTS];
static unsigned used;

static void write_code(FILE *out, const struct seccomp_program *p, struct filter_place *ret)
{
	*ret = (struct filter_place){(unsigned short)used, p->len};
	used += p->len;
	for (unsigned i = 0; i < p->len; i++)
		(void)fprintf(out, "\t{0x%02x, %u, %u, 0x%08x},\n", p->code[i].code, p->code[i].jt,
			      p->code[i].jf, p->code[i].k);
}

static int write_codes(FILE *out, struct error *err)
{
	static struct seccomp_program program;

	(void)fputs("\nconst struct sock_filter filter_codes[] = {\n", out);
	for (unsigned bits = 0; bits < FILTER_WAYS; bits++) {
		const struct seccomp_options o = {.programs_listed = bits & 1,
						  .host_writable = bits & 2,
						  .host_sockets = bits & 4};

		for (unsigned part = 0; part < FILTER_PARTS; part++) {
			if (seccomp_compile(&o, (enum seccomp_part)part, &program, err) < 0)
				return -1;
			write_code(out, &program, &places[filter_way(&o)][part]);
		}
	}
	(void)fputs("};\n", out);
	return used <= UINT16_MAX ? 0 : fail(err, ERR_INTERNAL, "too many instructions");
}

static void write_places(FILE *out)
{
	(void)fputs("\nconst struct filter_place filter_places[FILTER_WAYS][FILTER_PARTS] = {\n",
		    out);
	for (unsigned i = 0; i < FILTER_WAYS; i++) {
		(void)fputs("\t{", out);
		for (unsigned part = 0; part < FILTER_PARTS; part++)
			(void)fprintf(out, "{%u, %u}, ", places[i][part].at, places[i][part].len);
		(void)fputs("},\n", out);
	}
	(void)fputs("};\n", out);
}

int main(int argc, char **argv)
{
	struct error err = {0};
	own_file out = argc == 2 ? fopen(argv[1], "we") : NULL;

	if (!out) {
		(void)fputs("filter-compile: where to?\n", stderr);
		return 1;
	}
	(void)fputs("/* Made by filter-compile. */\n#include \"sandbox/native/filterready.h\"\n",
		    out);
	if (write_codes(out, &err) < 0) {
		(void)fprintf(stderr, "filter-compile: %s\n", err.text);
		return 1;
	}
	write_places(out);
	return ferror(out) || fflush(out) != 0;
}
