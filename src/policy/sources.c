/* SPDX-License-Identifier: Apache-2.0 */
/* sources.c - the files behind a policy: each trusted, read once, and counted in its hash. */
#include "policy/sources.h"

#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/trustfile.h"
#include "policy/policypack.h"

int sources_init(struct sources *s, struct policy *p, struct error *err)
{
	*s = (struct sources){.policy = p};
	return sha256_load(err) < 0 ? -1 : sha256_init(&s->hash, err);
}

void sources_end(struct sources *s)
{
	sha256_end(&s->hash);
}

int sources_add_memory(struct sources *s, const char *data, size_t len, struct error *err)
{
	return sha256_add(&s->hash, data, len, err);
}

static int read_bytes(struct sources *s, int fd, struct source *ret, struct error *err)
{
	struct stat st;
	char *data;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return fail_sys(err, "%s", ret->name);
	if (st.st_size > YAML_BYTES_MAX)
		return fail(err, ERR_CONFIG, "%s has more than %d bytes", ret->name,
			    YAML_BYTES_MAX);
	/* One byte more than it says: a file that grows meanwhile is seen. */
	data = arena_alloc(&s->policy->arena, (size_t)st.st_size + 1, err);
	if (!data)
		return fail_in(err, "%s", ret->name);
	n = fd_read_all(fd, data, (size_t)st.st_size + 1, err);
	if (n < 0)
		return fail_in(err, "%s", ret->name);
	if (n > st.st_size)
		return fail(err, ERR_CONFIG, "%s grew while it was read", ret->name);
	ret->data = data;
	ret->len = (size_t)n;
	ret->dev = st.st_dev;
	ret->ino = st.st_ino;
	return 0;
}

static int refuse_second(const struct sources *s, const struct source *one, struct error *err)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].dev == one->dev && s->list[i].ino == one->ino)
			return fail(err, ERR_CONFIG,
				    s->list[i].open ? "%s includes itself, by way of %s"
						    : "%s was read already, as %s",
				    one->name, s->list[i].name);
	return 0;
}

/* The numbers stand for device and inode: whether it is the same file. */
static int read_packed(struct sources *s, struct source *ret, struct error *err)
{
	const struct policy_file *file = policypack_find(s->pack, ret->name);

	if (!file)
		return fail(err, ERR_INTERNAL, "%s was not read the first time", ret->name);
	ret->data = arena_copy(&s->policy->arena, file->data, file->len, err);
	ret->len = file->len;
	ret->ino = (ino_t)(file - s->pack->files) + 1;
	return ret->data ? 0 : fail_in(err, "%s", ret->name);
}

/* So that it can be read again when the file is another. */
static int remember(struct sources *s, const struct source *one, struct error *err)
{
	struct policy *p = s->policy;
	struct policy_file *file;

	for (file = p->files; file; file = file->next)
		if (strcmp(file->name, one->name) == 0)
			return 0;
	file = arena_alloc(&p->arena, sizeof(*file), err);
	if (!file)
		return fail_in(err, "%s", one->name);
	*file = (struct policy_file){.name = one->name, .data = one->data, .len = one->len};
	if (p->last_file)
		p->last_file->next = file;
	else
		p->files = file;
	p->last_file = file;
	return 0;
}

static int read_file(struct sources *s, struct source *ret, struct error *err)
{
	own_fd fd = trustfile_open(ret->name, err);

	return fd < 0 ? -1 : read_bytes(s, fd, ret, err);
}

static int read_source(struct sources *s, const char *path, struct source *ret, struct error *err)
{

	*ret = (struct source){.name = path};
	if (s->in_memory)
		return fail(err, ERR_CONFIG, "%s: no files are read here", path);
	if ((s->pack ? read_packed(s, ret, err) : read_file(s, ret, err)) < 0 ||
	    remember(s, ret, err) < 0)
		return -1;
	return sha256_add(&s->hash, ret->data, ret->len, err);
}

int sources_add_path(struct sources *s, const char *path, struct source *ret, struct error *err)
{
	struct source one;

	if (s->n >= SOURCES_MAX)
		return fail(err, ERR_CONFIG, "%s: a policy has at most %d files", path,
			    SOURCES_MAX);
	if (read_source(s, path, &one, err) < 0 || refuse_second(s, &one, err) < 0)
		return -1;
	s->list[s->n++] = one;
	*ret = one;
	return 0;
}

char *sources_path(struct sources *s, const struct node *n, const char *file, struct error *err)
{
	const char *slash = n->place.file ? strrchr(n->place.file, '/') : NULL;
	size_t dir = slash && file[0] != '/' ? (size_t)(slash - n->place.file) + 1 : 0;

	return arena_printf(&s->policy->arena, err, "%.*s%s", (int)dir, n->place.file, file);
}

int sources_add(struct sources *s, struct reader *r, const struct node *n, const char *file,
		struct source *ret)
{
	struct error err;
	const char *path = sources_path(s, n, file, &err);

	if (path && sources_add_path(s, path, ret, &err) == 0)
		return 0;
	reader_complain(r, n, "%s", err.text);
	return -1;
}

int sources_add_data(struct sources *s, struct reader *r, const struct node *n, const char *file,
		     struct source *ret)
{
	struct error err;
	const char *path = sources_path(s, n, file, &err);

	if (path && read_source(s, path, ret, &err) == 0)
		return 0;
	reader_complain(r, n, "%s", err.text);
	return -1;
}

void sources_set_open(struct sources *s, const struct source *one, bool open)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].name == one->name)
			s->list[i].open = open;
}

int sources_hash(struct sources *s, char ret_hex[static SHA256_HEX], struct error *err)
{
	return sha256_done(&s->hash, ret_hex, err);
}
