/* SPDX-License-Identifier: Apache-2.0 */
/* copy_list.c - reads what /proc says of a process's memory. */
#include "warm/copy_list.h"

#include <fcntl.h>
#include <sys/prctl.h>

#include "warm/copy_calls.h"

static uint64_t hex(char **at)
{
	uint64_t n = 0;

	for (;; (*at)++) {
		char c = **at;

		if (c >= '0' && c <= '9')
			n = n * 16 + (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n * 16 + (uint64_t)(c - 'a' + 10);
		else
			return n;
	}
}

static void skip_word(char **at)
{
	while (**at && **at != ' ')
		(*at)++;
	while (**at == ' ')
		(*at)++;
}

/* "start-end rwxp offset device inode   path" */
void copy_entry_read(char *line, struct copy_entry *e)
{
	*e = (struct copy_entry){0};
	e->start = hex(&line);
	line++;
	e->end = hex(&line);
	line++;
	e->read = line[0];
	e->write = line[1];
	e->exec = line[2];
	e->share = line[3];
	skip_word(&line);
	e->offset = hex(&line);
	skip_word(&line);
	e->place = line;
	skip_word(&line);
	skip_word(&line);
	e->path = line;
}

bool copy_read_list(struct copy_work *w, const char *name)
{
	long fd = CALL4(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);
	size_t len = 0;
	long n = -1;

	while (!copy_failed(fd) && len < COPY_LIST_MAX &&
	       (n = CALL3(SYS_read, fd, w->list + len, COPY_LIST_MAX - len)) > 0)
		len += (size_t)n;
	(void)CALL1(SYS_close, fd);
	w->list[len] = '\0';
	return n == 0 || copy_refuse(w, "a list of its memory cannot be read", name);
}

/* One that was forked and never executed anything may not look at itself before this. */
bool copy_open_pagemap(struct copy_work *w)
{
	static const char name[] = "/proc/self/pagemap";
	long fd = CALL4(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);

	if (copy_failed(fd)) {
		(void)CALL2(SYS_prctl, PR_SET_DUMPABLE, 1);
		fd = CALL4(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);
	}
	w->pagemap = (int)fd;
	return !copy_failed(fd) || copy_refuse(w, "/proc/self/pagemap cannot be opened", NULL);
}

char *copy_line(char **at)
{
	char *line = *at, *end = line;

	while (*end && *end != '\n')
		end++;
	*at = *end ? end + 1 : end;
	*end = '\0';
	return line;
}

void copy_find_place(struct copy_work *w, uint64_t view)
{
	struct copy_entry e;

	for (char *at = w->list; *at;) {
		char *line = at;
		size_t n = 0, words = 0;

		copy_entry_read(copy_line(&at), &e);
		/* The text is needed whole the next time. */
		if (at > line && at[-1] == '\0')
			at[-1] = '\n';
		if (e.start != view || e.share != 's')
			continue;
		while (n + 1 < sizeof(w->place) && e.place[n] && words < 2)
			words += e.place[n++] == ' ';
		if (words == 2)
			copy_bytes(w->place, e.place, n);
	}
}

uint64_t copy_inode(const char *place)
{
	uint64_t n = 0;

	while (*place && *place++ != ' ')
		;
	for (; *place >= '0' && *place <= '9'; place++)
		n = n * 10 + (uint64_t)(*place - '0');
	return n;
}

bool copy_is_template(const struct copy_work *w, const struct copy_entry *e)
{
	return w->place[0] && e->share == 'p' && copy_begins(e->place, w->place);
}
