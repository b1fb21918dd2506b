/* SPDX-License-Identifier: Apache-2.0 */
/* redact_own_test.c - the owner's own rules: compiled by the helper, kept in a cache. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/own.h"
#include "redacting.h"
#include "tap.h"

static char cache[] = "/tmp/belljar-own-XXXXXX";

static struct redact_set *own_set(const struct redact_own *own, size_t n, const char *helper,
				  struct error *err)
{
	const struct redact_config c = {.own = own, .n_own = n, .helper = helper, .cache = cache};

	return redact_set_new(&c, err);
}

static const char *the_helper(void)
{
	const char *helper = getenv("BELLJAR_PATTERNS");

	if (!helper || access(helper, X_OK) != 0)
		SKIP("no BELLJAR_PATTERNS");
	return helper;
}

static size_t count_files(char *ret_name, size_t room)
{
	DIR *dir = opendir(cache);
	size_t n = 0;

	for (const struct dirent *e; dir && (e = readdir(dir));) {
		if (e->d_name[0] == '.')
			continue;
		(void)snprintf(ret_name, room, "%s/%s", cache, e->d_name);
		n++;
	}
	if (dir)
		(void)closedir(dir);
	return n;
}

static void clear(void)
{
	char name[512];

	while (count_files(name, sizeof(name)) > 0)
		(void)unlink(name);
	(void)rmdir(cache);
}

static const struct redact_own rules[] = {
	{"ticket", "TICKET-[0-9]{4,}"},
	{"badge", "badge[ ]*=[ ]*([a-z]+[0-9]+)"},
	{"after", "(?<=pin )[0-9]{4}"}, /* vectorscan cannot look behind */
};

static const char text[] = "see TICKET-12345, badge = abc17; pin 1234 and 5678\nTICKET-1\n";
static const char want[] = "see [REDACTED:ticket], badge = [REDACTED:badge]; pin [REDACTED:after] "
			   "and 5678\nTICKET-1\n";

TEST(own_rules_work_and_are_kept)
{
	struct error err = {0};
	struct redact_set *set;
	char name[512];
	own_str got = NULL;
	own_str again = NULL;

	CHECK(mkdtemp(cache) != NULL);
	set = own_set(rules, ARRAY_LEN(rules), the_helper(), &err);
	CHECK(set != NULL);
	if (!set) {
		printf("# %s\n", err.text);
		return;
	}
	got = redacting_text(set, text);
	CHECK_STR(got, want);
	redact_set_free(set);
	CHECK(count_files(name, sizeof(name)) == 1);
	/* The second time nobody is asked. */
	set = own_set(rules, ARRAY_LEN(rules), "/nowhere", &err);
	CHECK(set != NULL);
	if (set)
		again = redacting_text(set, text);
	CHECK_STR(again, want);
	redact_set_free(set);
	clear();
}

TEST(a_spoilt_cache_is_made_anew)
{
	struct error err = {0};
	struct redact_set *set;
	char name[512];
	own_fd fd = -1;

	CHECK(mkdtemp(cache) != NULL);
	redact_set_free(own_set(rules, 2, the_helper(), &err));
	CHECK(count_files(name, sizeof(name)) == 1);
	fd = open(name, O_WRONLY);
	CHECK(pwrite(fd, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, 4000) == 8);
	CHECK(own_set(rules, 2, "/nowhere", &err) == NULL);
	set = own_set(rules, 2, the_helper(), &err);
	CHECK(set != NULL);
	redact_set_free(set);
	CHECK(chmod(name, 0666) == 0);
	CHECK(own_set(rules, 2, "/nowhere", &err) == NULL);
	clear();
}

TEST(what_is_no_pattern_is_refused)
{
	static const struct redact_own bad[] = {{"x", "("}, {"a b", "x"}, {"x", "a\nb"}};
	const char *helper = the_helper();

	CHECK(mkdtemp(cache) != NULL);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct error err = {0};

		CHECK(own_set(&bad[i], 1, helper, &err) == NULL);
		CHECK(err.text[0] != '\0');
	}
	clear();
}

TEST(one_text_is_cleaned_the_same_in_all_pieces)
{
	struct error err = {0};
	struct redact_set *set;

	CHECK(mkdtemp(cache) != NULL);
	set = own_set(rules, ARRAY_LEN(rules), the_helper(), &err);
	for (size_t size = 1; set && size < sizeof(text); size++) {
		struct buf out = {0};

		redacting_pieces(set, text, strlen(text), redacting_same, &size, &out);
		CHECK_STR(buf_str(&out), want);
		buf_done(&out);
	}
	redact_set_free(set);
	clear();
}
