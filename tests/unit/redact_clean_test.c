/* SPDX-License-Identifier: Apache-2.0 */
/* redact_clean_test.c - texts without secrets: how much of them is replaced all the same.
 *
 * The texts are this project's own: manual pages, sources, and the harmless pieces of the corpus.
 * Addresses and temporary names in them are real ones, so those groups are counted apart.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/own.h"
#include "redacting.h"
#include "tap.h"

struct total {
	size_t files, bytes;
	uint64_t guesses, formats, places;
};

static void ignore(void *context, const char *data, size_t len)
{
	(void)context;
	(void)data;
	(void)len;
}

static void count(struct total *t, const struct redactor *r, const char *name)
{
	struct redact_count counts[64];
	size_t n = redactor_counts(r, counts, 64);

	for (size_t i = 0; i < n && i < 64; i++) {
		const char *id = counts[i].id;

		if (strcmp(id, "password") == 0 || strcmp(id, "secret-assignment") == 0)
			t->guesses += counts[i].count;
		else if (strcmp(id, "ipv4") == 0 || strcmp(id, "ipv6") == 0 ||
			 strcmp(id, "temp-directory") == 0 || strcmp(id, "home-directory") == 0)
			t->places += counts[i].count;
		else
			t->formats += counts[i].count;
		printf("# %s: %s %zu\n", name, id, (size_t)counts[i].count);
	}
}

static void read_file(struct total *t, struct redact_set *set, const char *name)
{
	struct error err = {0};
	struct redactor *r = redactor_new(set, ignore, NULL, &err);
	own_fd fd = open(name, O_RDONLY);
	char piece[65536];
	ssize_t n;

	CHECK(fd >= 0 && r);
	while ((n = read(fd, piece, sizeof(piece))) > 0) {
		redactor_feed(r, piece, (size_t)n);
		t->bytes += (size_t)n;
	}
	redactor_finish(r);
	t->files++;
	count(t, r, name);
	redactor_free(r);
}

static bool is_wanted(const char *name)
{
	static const char *const ends[] = {".c", ".h", ".md",     ".sh",   ".py",
					   ".1", ".5", ".corpus", ".build"};
	size_t len = strlen(name);

	/* These are full of examples. */
	if (strncmp(name, "rules_", 6) == 0 || strstr(name, "hostile") || strstr(name, "redact") ||
	    strcmp(name, "keyblock_test.c") == 0 || strcmp(name, "known_test.c") == 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (len > strlen(ends[i]) && strcmp(name + len - strlen(ends[i]), ends[i]) == 0)
			return true;
	return false;
}

static void read_tree(struct total *t, struct redact_set *set, const char *path, int depth)
{
	DIR *dir = opendir(path);

	for (const struct dirent *e; dir && (e = readdir(dir));) {
		char name[4096];

		if (e->d_name[0] == '.' || depth > 6)
			continue;
		(void)snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		if (e->d_type == DT_DIR)
			read_tree(t, set, name, depth + 1);
		else if (is_wanted(e->d_name))
			read_file(t, set, name);
	}
	if (dir)
		(void)closedir(dir);
}

TEST(little_is_replaced_in_texts_without_secrets)
{
	static const char *const parts[] = {"src",     "tests",    "man",
					    "scripts", "examples", "include"};
	const char *root = getenv("SOURCE_ROOT");
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	struct total t = {0};

	if (!root)
		SKIP("no SOURCE_ROOT");
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		char path[4096];

		(void)snprintf(path, sizeof(path), "%s/%s", root, parts[i]);
		read_tree(&t, set, path, 0);
	}
	printf("# %zu files, %zu bytes: %zu by guess, %zu by format, %zu places and addresses\n",
	       t.files, t.bytes, (size_t)t.guesses, (size_t)t.formats, (size_t)t.places);
	CHECK(t.files > 100);
	/* In a megabyte of source: a handful. */
	CHECK(t.guesses <= 6);
	CHECK(t.formats <= 6);
	redact_set_free(set);
}
