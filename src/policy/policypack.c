/* SPDX-License-Identifier: Apache-2.0 */
/* policypack.c - the files of a policy that was read, so that it can be read again as it was. */
#include "policy/policypack.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/own.h"
#include "base/text.h"

enum { NAME_MAX_BYTES = 8192 };

/* In front of each file; its name, with a NUL, and its bytes follow. */
struct head {
	uint64_t name_len, len;
};

int policypack_word(const char *word)
{
	struct error ignored;
	uint64_t fd;

	if (strncmp(word, "pack:", 5) != 0 || text_parse_uint(word + 5, &fd, &ignored) < 0 ||
	    fd < 3 || fd > 1 << 20)
		return -1;
	return (int)fd;
}

int policypack_write(const struct policy *p, int fd, struct error *err)
{
	for (const struct policy_file *f = p->files; f; f = f->next) {
		struct head head = {strlen(f->name) + 1, f->len};

		if (fd_write_all(fd, &head, sizeof(head), err) < 0 ||
		    fd_write_all(fd, f->name, head.name_len, err) < 0 ||
		    fd_write_all(fd, f->data, f->len, err) < 0)
			return fail_in(err, "keep the files of the policy");
	}
	return 0;
}

static int read_whole(int fd, char **ret, size_t *ret_len, struct error *err)
{
	const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK;
	struct stat st;
	own_str data = NULL;
	int has = fcntl(fd, F_GET_SEALS);

	if (has < 0 || (has & seals) != seals)
		return fail(err, ERR_CALLER, "the files of a policy come in sealed memory");
	if (fstat(fd, &st) < 0 || st.st_size > POLICYPACK_MAX)
		return fail(err, ERR_CONFIG, "the files of the policy are too large");
	data = malloc((size_t)st.st_size + 1);
	if (!data || pread(fd, data, (size_t)st.st_size, 0) != st.st_size)
		return fail_sys(err, "read the files of the policy");
	*ret_len = (size_t)st.st_size;
	*ret = TAKE(data);
	return 0;
}

/* One file from the left; -1: it is not what policypack_write() writes. */
static int take_file(const char **at, size_t *left, struct policy_file *ret)
{
	struct head head;

	if (*left < sizeof(head))
		return -1;
	memcpy(&head, *at, sizeof(head));
	*at += sizeof(head);
	*left -= sizeof(head);
	if (head.name_len == 0 || head.name_len > NAME_MAX_BYTES || head.name_len > *left ||
	    head.len > *left - head.name_len || (*at)[head.name_len - 1] != '\0')
		return -1;
	*ret = (struct policy_file){
		.name = *at, .data = *at + head.name_len, .len = (size_t)head.len};
	*at += head.name_len + head.len;
	*left -= (size_t)(head.name_len + head.len);
	return 0;
}

int policypack_open(int fd, struct policypack *ret, struct error *err)
{
	own(policypack) p = {0};
	const char *at;
	size_t left = 0;

	if (read_whole(fd, &p.data, &left, err) < 0)
		return -1;
	p.files = calloc(POLICYPACK_FILES_MAX, sizeof(*p.files));
	if (!p.files)
		return fail_sys(err, "read the files of the policy");
	for (at = p.data; left; p.n++)
		if (p.n == POLICYPACK_FILES_MAX || take_file(&at, &left, &p.files[p.n]) < 0)
			return fail(err, ERR_INTERNAL, "the files of the policy make no sense");
	*ret = p;
	p = (struct policypack){0};
	return 0;
}

void policypack_done(struct policypack *p)
{
	free(p->data);
	free(p->files);
	*p = (struct policypack){0};
}

void policypack_end(struct policypack *p)
{
	policypack_done(p);
}

const struct policy_file *policypack_find(const struct policypack *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->files[i].name, name) == 0)
			return &p->files[i];
	return NULL;
}
