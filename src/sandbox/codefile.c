/* SPDX-License-Identifier: Apache-2.0 */
/* codefile.c - code becomes a file in /work, and the words that run it. */
#include "sandbox/codefile.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sandbox/native/copyin.h"

void codefile_done(struct codefile *c)
{
	free(c->argv);
	c->argv = NULL;
}

static int check(const struct request *r, const struct put *code, struct error *err)
{
	if (r->n_puts == ARRAY_LEN(r->puts))
		return fail(err, ERR_CALLER, "more than %d files", PUTS_MAX);
	if (strlen(code->inside) > 255 || code->inside[0] == '\0')
		return fail(err, ERR_CALLER, "the file's name is empty or too long");
	return copyin_check_path(code->inside, err);
}

int codefile_add(struct codefile *c, struct request *r, const struct language *language,
		 struct put code, const char *const *rest, struct error *err)
{
	size_t n = 0;

	if (!code.inside)
		code.inside = language->file;
	if (check(r, &code, err) < 0)
		return -1;
	while (rest && rest[n])
		n++;
	c->argv = calloc(n + 3, sizeof(char *));
	if (!c->argv)
		return fail_sys(err, "allocate arguments");
	(void)snprintf(c->script, sizeof(c->script), "/work/%s", code.inside);
	c->argv[0] = (char *)(uintptr_t)language->program;
	c->argv[1] = c->script;
	for (size_t i = 0; i < n; i++)
		c->argv[2 + i] = (char *)(uintptr_t)rest[i];
	code.inside = c->script + strlen("/work/");
	r->puts[r->n_puts++] = code;
	r->job.argv = c->argv;
	return 0;
}
