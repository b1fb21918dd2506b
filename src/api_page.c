/* SPDX-License-Identifier: Apache-2.0 */
/* api_page.c - prints the part of belljar-api(7) that is made from the rows; for the build. */
#include <stdio.h>
#include <string.h>

#include "api/apitable.h"
#include "base/own.h"
#include "serve/api/frontview.h"
#include "serve/api/routes.h"

/* Text as roff takes it. */
static void print_text(const char *text)
{
	if (*text == '.' || *text == '\'')
		(void)fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '\\')
			(void)fputs("\\e", stdout);
		else
			(void)putchar(*text);
	}
	(void)putchar('\n');
}

/* One word of a macro line. */
static void print_word(const char *word)
{
	(void)putchar(' ');
	(void)fputs(strlen(word) < 3 ? "\\&" : "", stdout);
	(void)fputs(word, stdout);
}

static void print_scopes(const struct route *r)
{
	const char *before = "Needs the scope";

	if (r->flags & ROUTE_OPEN || r->scopes == 0) {
		print_text(r->flags & ROUTE_OPEN ? "Needs no key." : "Needs a client.");
		return;
	}
	for (uint32_t bit = MAY_EXECUTE; bit <= MAY_ADMIN; bit <<= 1)
		if (r->scopes & bit) {
			(void)printf("%s\n.Cm %s%s\n", before, view_scope_name((enum scope)bit),
				     r->scopes >= bit << 1 ? "" : " .");
			before = "or";
		}
}

static void print_object(const char *before, const char *name)
{
	if (!name || !api_object(name))
		return;
	(void)printf("%s\n.Sx %s .\n", before, name);
}

static void print_route(const struct route *r)
{
	(void)printf(".It Ic %s Pa", routes_method_name(r->method));
	print_word(r->pattern);
	(void)printf("\n%s.\n", r->summary);
	print_scopes(r);
	print_object("Body:", r->body);
	if (r->flags & ROUTE_BYTES)
		print_text("The body is bytes of any type.");
	if (r->query)
		(void)printf("Parameters:\n.Cm %s .\n", r->query);
	if (strcmp(r->answer, "bytes") == 0)
		print_text("The answer is the bytes.");
	else
		print_object("Answer:", r->answer);
	if (r->status != 200)
		(void)printf("The status is %d.\n", r->status);
	if (r->flags & ROUTE_STREAMS)
		print_text("Can be streamed.");
	if (r->flags & ROUTE_ONCE)
		print_text("Idempotency-Key counts.");
}

/* On a line of a macro: in quotes it is one argument, and its own quotes and backslashes stay. */
static void print_literal(const char *text)
{
	(void)fputs(".Li \"\\&", stdout);
	for (; *text; text++)
		if (*text == '"')
			(void)fputs("\\(dq", stdout);
		else if (*text == '\\')
			(void)fputs("\\e", stdout);
		else
			(void)putchar(*text);
	(void)fputs("\"\n", stdout);
}

static void print_field(const struct api_field *f)
{
	char expects[320];

	(void)printf(".It Va %s%s\n", f->name, f->required ? " No , required" : "");
	api_expects(f, expects, sizeof(expects));
	(void)fputs(f->nullable ? "null, or " : "", stdout);
	(void)printf("%s:\n", expects);
	print_text(f->help ? f->help : "");
	if (f->example) {
		(void)puts("Example:");
		print_literal(f->example);
	}
}

static void print_fields(const struct api_object *o)
{
	(void)printf(".Ss %s\n", o->name);
	print_text(o->help);
	(void)printf(".Bl -tag -width Ds\n");
	for (size_t i = 0; i < o->n_fields; i++)
		print_field(&o->fields[i]);
	(void)printf(".El\n");
	for (size_t i = 0; o->choice.names && o->choice.names[i]; i++)
		(void)printf("%s\n.Va %s\n", i == 0 ? "One of" : "and", o->choice.names[i]);
	if (o->choice.names)
		(void)printf("%s.\n", o->choice.one ? "must be there, and only one"
						    : "may be there, not more");
}

int main(void)
{
	const struct api_object *o;
	size_t n;
	const struct route *routes = routes_all(&n);

	(void)printf(".Bl -tag -width Ds\n");
	for (size_t i = 0; i < n; i++)
		print_route(&routes[i]);
	(void)printf(".El\n.Sh OBJECTS\n");
	for (size_t i = 0; (o = api_object_at(i)); i++)
		print_fields(o);
	return ferror(stdout) ? 1 : 0;
}
