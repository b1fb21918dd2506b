/* SPDX-License-Identifier: Apache-2.0 */
/* shell_corpus.h - command lines as data: "=== NAME | EXPECT RULE +construct,construct".
 *
 * EXPECT is allow (the standard), block, or contained: an option is abused, which the reader lets
 * through and the box ends; RULE is how the refusal's rule, or a finding's, begins.
 */
#ifndef TESTS_SHELL_CORPUS_H
#define TESTS_SHELL_CORPUS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "screen/shell.h"

struct piece {
	char name[160], expect[16], rule[64], constructs[128];
	const char *text;
	size_t len;
};

static const char *benign_programs[] = {
	"ls",    "cat",   "echo",      "grep", "find", "sort", "sed",     "rg",      "git",
	"ping",  "jq",    "head",      "tail", "wc",   "uniq", "cut",     "awk",     "date",
	"tr",    "diff",  "stat",      "du",   "df",   "file", "seq",     "python3", "node",
	"paste", "test",  "sha256sum", "[",    "true", "pwd",  "printf",  "rm",      "false",
	"mkdir", "chmod", "cp",        "mv",   "tar",  "gzip", "xxd",     "column",  "comm",
	"touch", "join",  "nl",        "rev",  "dd",   "kill", "basename"};

/* The standard, or exactly the ones named. */
static inline struct words piece_constructs(struct piece *p, const char **room)
{
	struct words ret = {0};
	char *save = NULL;

	for (char *c = strtok_r(p->constructs, ",", &save); c; c = strtok_r(NULL, ",", &save)) {
		ret.word = room;
		room[ret.n++] = c;
	}
	return ret;
}

static inline void read_head(const char *line, size_t len, struct piece *ret)
{
	char head[400];
	char *bar, *plus;

	*ret = (struct piece){.expect = "allow"};
	(void)snprintf(head, sizeof(head), "%.*s", (int)len, line);
	bar = strstr(head, " | ");
	if (bar) {
		*bar = '\0';
		plus = strchr(bar + 3, '+');
		if (plus) {
			(void)snprintf(ret->constructs, sizeof(ret->constructs), "%s", plus + 1);
			*plus = '\0';
		}
		(void)sscanf(bar + 3, "%15s %63s", ret->expect, ret->rule);
	}
	(void)snprintf(ret->name, sizeof(ret->name), "%.150s", head);
}

/* The piece at *at, which is moved behind it; false: there is none. */
static inline bool next_piece(const char **at, struct piece *ret)
{
	const char *line_end, *next;

	if (strncmp(*at, "=== ", 4) != 0)
		return false;
	line_end = strchr(*at, '\n');
	if (!line_end)
		return false;
	read_head(*at + 4, (size_t)(line_end - *at - 4), ret);
	ret->text = line_end + 1;
	next = strstr(line_end, "\n=== ");
	next = next ? next + 1 : strchr(line_end, '\0');
	ret->len = (size_t)(next - ret->text);
	if (ret->len > 0 && ret->text[ret->len - 1] == '\n')
		ret->len--;
	*at = next;
	return true;
}

/* To be freed. */
static inline char *load_corpus(const char *name)
{
	const char *dir = getenv("CORPUS");
	char path[4096];
	char *data = calloc(1, 1 << 20);
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", name);
	f = fopen(path, "re");
	if (!f || !data || fread(data, 1, (1 << 20) - 1, f) == 0) {
		printf("# cannot read %s\n", path);
		exit(1);
	}
	(void)fclose(f);
	return data;
}

#endif
