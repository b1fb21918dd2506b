/* SPDX-License-Identifier: Apache-2.0 */
/* ceiling_test.c - every line of the ceiling: at it, above it, below it, without it. */
#include "sandbox/ceiling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/limits.h"
#include "tap.h"

static const char whole[] = "slots 4\n"
			    "limit wall_ms 30000\n"
			    "limit cpu_ms 10000\n"
			    "limit memory_bytes 268435456\n"
			    "limit disk_bytes 104857600\n"
			    "limit inodes 12800\n"
			    "limit processes 64\n"
			    "limit files 1024\n"
			    "limit output_bytes 10000\n"
			    "limit cpu_percent 100\n"
			    "session_wall_ms 3600000\n"
			    "root host\n"
			    "root /srv/root one\n"
			    "read /data/a\n"
			    "under /logs\n"
			    "write /srv/out\n"
			    "cgroup /sys/fs/cgroup/x\n"
			    "loopback yes\n"
			    "proc_full yes\n"
			    "degraded memory\n";

static struct ceiling parsed(const char *text)
{
	struct ceiling c = {0};
	struct error err = {0};

	if (ceiling_parse(text, strlen(text), &c, &err) < 0) {
		printf("# %s\n", err.text);
		_exit(1);
	}
	return c;
}

/* The text without the lines that begin with this. */
static struct ceiling without(const char *line)
{
	char *copy = strdup(whole), *rest = copy, *word;
	char text[sizeof(whole)] = "";
	struct ceiling c;

	while ((word = strsep(&rest, "\n")))
		if (*word && strncmp(word, line, strlen(line)) != 0)
			(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s\n",
				       word);
	c = parsed(text);
	free(copy);
	return c;
}

static bool allows(const struct ceiling *c, const struct profile *p)
{
	struct error err = {0};
	bool yes = ceiling_allows_profile(c, p, &err) == 0;

	if (!yes && err.kind != ERR_REFUSED)
		CHECK(0 && "refused in another way");
	return yes;
}

static bool refuses_naming(const struct ceiling *c, const struct profile *p, const char *line)
{
	struct error err = {0};

	if (ceiling_allows_profile(c, p, &err) == 0 || err.kind != ERR_REFUSED)
		return false;
	if (!strstr(err.text, line))
		printf("# %s\n", err.text);
	return strstr(err.text, line) != NULL;
}

static bool parses(const char *text)
{
	struct ceiling c = {0};
	struct error err = {0};
	bool yes = ceiling_parse(text, strlen(text), &c, &err) == 0;

	CHECK(yes || (err.kind == ERR_CONFIG && err.text[0]));
	CHECK(yes || !c.text);
	ceiling_done(&c);
	return yes;
}

TEST(an_empty_ceiling_allows_nothing)
{
	struct ceiling c = parsed("");
	struct profile p = {0};
	struct limits l = {0};
	struct error err = {0};

	CHECK(c.slots == 0);
	CHECK(refuses_naming(&c, &p, "'root host'"));
	CHECK(ceiling_allows_limits(&c, &l, false, &err) < 0 && err.kind == ERR_REFUSED);
	CHECK(ceiling_allows_limits(&c, &l, true, &err) < 0 && err.kind == ERR_REFUSED);
	ceiling_done(&c);
}

TEST(limits_at_the_ceiling_and_below_are_allowed)
{
	struct ceiling c = parsed(whole);
	struct limits l;
	struct error err = {0};

	limits_default(&l);
	CHECK(ceiling_allows_limits(&c, &l, false, &err) == 0);
	l.wall_ms = l.cpu_ms = 1;
	l.output_bytes = 0;
	CHECK(ceiling_allows_limits(&c, &l, false, &err) == 0);
	ceiling_done(&c);
}

TEST(each_limit_above_is_refused_and_named)
{
	struct ceiling c = parsed(whole);

	for (size_t i = 0; i < limit_row_count; i++) {
		struct error err = {0};
		struct limits l;

		limits_default(&l);
		++*(uint64_t *)((char *)&l + limit_rows[i].offset);
		CHECK(ceiling_allows_limits(&c, &l, false, &err) < 0);
		CHECK(err.kind == ERR_REFUSED && strstr(err.text, limit_rows[i].key));
	}
	ceiling_done(&c);
}

TEST(each_limit_of_zero_is_refused_but_output)
{
	struct ceiling c = parsed(whole);

	for (size_t i = 0; i < limit_row_count; i++) {
		struct error err = {0};
		struct limits l;

		limits_default(&l);
		*(uint64_t *)((char *)&l + limit_rows[i].offset) = 0;
		CHECK((ceiling_allows_limits(&c, &l, false, &err) == 0) ==
		      (limit_rows[i].min == 0));
	}
	ceiling_done(&c);
}

TEST(a_limit_without_a_line_is_refused)
{
	for (size_t i = 0; i < limit_row_count; i++) {
		char line[80];
		struct ceiling c;
		struct limits l;
		struct error err = {0};

		(void)snprintf(line, sizeof(line), "limit %s", limit_rows[i].key);
		c = without(line);
		limits_default(&l);
		CHECK(ceiling_allows_limits(&c, &l, false, &err) < 0 && strstr(err.text, line));
		ceiling_done(&c);
	}
}

TEST(a_session_has_a_wall_time_of_its_own)
{
	struct ceiling c = parsed(whole), none = without("session");
	struct error err = {0};
	struct limits l;

	limits_default(&l);
	l.wall_ms = 3600000;
	CHECK(ceiling_allows_limits(&c, &l, false, &err) < 0);
	CHECK(ceiling_allows_limits(&c, &l, true, &err) == 0);
	l.wall_ms++;
	CHECK(ceiling_allows_limits(&c, &l, true, &err) < 0);
	l.wall_ms = 1;
	CHECK(ceiling_allows_limits(&none, &l, true, &err) < 0);
	CHECK(strstr(err.text, "session_wall_ms") != NULL);
	ceiling_done(&c);
	ceiling_done(&none);
}

TEST(a_session_may_have_more_processor_time)
{
	char text[sizeof(whole) + 40];
	struct ceiling c, plain = parsed(whole);
	struct error err = {0};
	struct limits l;

	(void)snprintf(text, sizeof(text), "%ssession_cpu_ms 20000\n", whole);
	c = parsed(text);
	limits_default(&l);
	l.cpu_ms = 20000;
	CHECK(ceiling_allows_limits(&c, &l, true, &err) == 0);
	CHECK(ceiling_allows_limits(&c, &l, false, &err) < 0);
	CHECK(ceiling_allows_limits(&plain, &l, true, &err) < 0);
	ceiling_done(&c);
	ceiling_done(&plain);
}

static struct profile granting(const char *source, bool write)
{
	struct profile p = {.n_grants = 1};

	p.grants[0] = (struct grant){.source = source, .inside = "/data", .write = write};
	return p;
}

TEST(reading_is_allowed_at_and_beneath_what_is_named)
{
	static const struct {
		const char *path;
		bool read, write;
	} rows[] = {
		{"/data/a", true, false},
		{"/data/a/b", true, false},
		{"/data/a b", false, false},
		{"/data/ab", false, false},
		{"/data", false, false},
		{"/", false, false},
		{"/logs", true, false},
		{"/logs/x/y", true, false},
		{"/logsx", false, false},
		{"/srv/out", true, true},
		{"/srv/out/deep", true, true},
		{"/srv", false, false},
		{"/data/a/../../etc", false, false},
		{"/data/a/..", false, false},
		{"/data/a/.", false, false},
		{"/data/a/./b", false, false},
		{"/data/a//b", false, false},
		{"/data/a/", false, false},
		{"data/a", false, false},
		{"", false, false},
	};
	struct ceiling c = parsed(whole);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct profile reading = granting(rows[i].path, false);
		struct profile writing = granting(rows[i].path, true);

		if (allows(&c, &reading) != rows[i].read || allows(&c, &writing) != rows[i].write) {
			printf("# %s\n", rows[i].path);
			CHECK(0 && "as the row says");
		}
	}
	ceiling_done(&c);
}

TEST(a_grant_without_its_line_is_refused_and_the_line_named)
{
	struct ceiling no_write = without("write"), no_read = without("read");
	struct profile writing = granting("/srv/out", true), reading = granting("/data/a", false);

	CHECK(refuses_naming(&no_write, &writing, "'write'"));
	CHECK(refuses_naming(&no_read, &reading, "'read'"));
	ceiling_done(&no_write);
	ceiling_done(&no_read);
}

TEST(one_bad_grant_among_good_ones_is_seen)
{
	struct ceiling c = parsed(whole);
	struct profile p = granting("/data/a", false);

	p.n_grants = GRANTS_MAX;
	for (size_t i = 1; i < GRANTS_MAX; i++)
		p.grants[i] = p.grants[0];
	CHECK(allows(&c, &p));
	p.grants[GRANTS_MAX - 1].source = "/etc";
	CHECK(!allows(&c, &p));
	ceiling_done(&c);
}

TEST(the_root_is_one_of_those_named)
{
	struct ceiling c = parsed(whole), none = without("root");
	struct profile host = {0}, own = {.root = "/srv/root one"}, other = {.root = "/srv/root"};

	CHECK(allows(&c, &host) && allows(&c, &own) && !allows(&c, &other));
	CHECK(!allows(&none, &host) && !allows(&none, &own));
	other.root = "/srv/root one/beneath";
	CHECK(!allows(&c, &other));
	ceiling_done(&c);
	ceiling_done(&none);
}

TEST(switches_and_groups_and_layers_need_their_line)
{
	static const struct {
		const char *line;
		struct profile profile;
	} rows[] = {
		{"loopback", {.loopback = true}},
		{"proc_full", {.proc_full = true}},
		{"degraded", {.allow_degraded = 1u << LAYER_MEMORY}},
		{"cgroup", {.cgroup = "/sys/fs/cgroup/x"}},
	};
	struct ceiling c = parsed(whole);
	struct profile other = {.allow_degraded = 1u << LAYER_MEMORY | 1u << LAYER_SECCOMP};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ceiling none = without(rows[i].line);

		CHECK(allows(&c, &rows[i].profile));
		CHECK(refuses_naming(&none, &rows[i].profile, rows[i].line));
		ceiling_done(&none);
	}
	CHECK(refuses_naming(&c, &other, "degraded seccomp"));
	other = (struct profile){.allow_degraded = 1u << 31};
	CHECK(!allows(&c, &other));
	other = (struct profile){.cgroup = "/sys/fs/cgroup/x/y"};
	CHECK(!allows(&c, &other));
	ceiling_done(&c);
}

TEST(programs_only_narrow)
{
	struct ceiling c = parsed(whole);
	struct profile p = {.programs = {"anything"}, .n_programs = 1};

	CHECK(allows(&c, &p));
	ceiling_done(&c);
}

TEST(hostile_text_is_no_ceiling)
{
	static const char *const bad[] = {
		"\n",
		"slots\n",
		"slots \n",
		"slots 0\n",
		"slots -1\n",
		"slots 1 \n",
		" slots 1\n",
		"slots  1\n",
		"slots 99999999999999999999\n",
		"slots 2049\n",
		"slots 1\nslots 2\n",
		"slots 1\r\n",
		"Slots 1\n",
		"slot 1\n",
		"limit wall_ms\n",
		"limit wall_ms 1\nlimit wall_ms 2\n",
		"limit wall 1\n",
		"limit wall_ms 1s\n",
		"limit wall_ms  1\n",
		"read data\n",
		"read \n",
		"read /a/../b\n",
		"read /a/\n",
		"read //\n",
		"under /a/.\n",
		"root /a/..\n",
		"root HOST\n",
		"loopback no\n",
		"loopback yes \n",
		"proc_full 1\n",
		"degraded everything\n",
		"network yes\n",
		"# a comment\n",
		"slots 1\n\nread /a\n",
		"session_wall_ms 0\n",
		"session_wall_ms 99999999999\n",
	};
	static const char zero[] = "slots 1\0\nread /\n";
	struct ceiling c = {0};
	struct error err = {0};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parses(bad[i])) {
			printf("# %s\n", bad[i]);
			CHECK(0 && "it is none");
		}
	CHECK(ceiling_parse(zero, sizeof(zero) - 1, &c, &err) < 0);
	CHECK(parses("slots 1") && parses("slots 1\n") && parses("read /") && parses(""));
}

TEST(text_and_paths_have_a_ceiling)
{
	enum { LINES = CEILING_PATHS_MAX + 1 };
	size_t room = CEILING_TEXT_MAX + 16;
	char *text = calloc(1, room), *at = text;
	struct ceiling c = {0};
	struct error err = {0};

	for (int i = 0; i < LINES; i++)
		at += snprintf(at, 32, "read /a%d\n", i);
	CHECK(ceiling_parse(text, (size_t)(at - text), &c, &err) < 0);
	CHECK(ceiling_parse(text, (size_t)(strrchr(text, 'r') - text), &c, &err) == 0);
	CHECK(c.n_paths == CEILING_PATHS_MAX);
	ceiling_done(&c);
	memset(text, 'a', room);
	CHECK(ceiling_parse(text, room, &c, &err) < 0 && strstr(err.text, "bytes"));
	free(text);
}

static const char warm_lines[] = "root host\n"
				 "warm python /opt/a b/python\n"
				 "warm_module json\n"
				 "warm_module os.path\n"
				 "warm_env A=b c\n"
				 "warm_calls 7\n"
				 "warm_age_ms 1000\n"
				 "warm node node\n"
				 "warm_calls 1\n"
				 "warm_age_ms 2\n";

TEST(what_waits_is_allowed_in_exactly_these_words)
{
	struct ceiling c = parsed(warm_lines);
	const struct warm fits = {
		.kind = WARM_PYTHON,
		.program = "/opt/a b/python",
		.modules = {"json", "os.path"},
		.n_modules = 2,
		.env = {"A=b c"},
		.n_env = 1,
		.calls = 7,
		.age_ms = 1000,
	};
	struct profile p = {.warm = fits};

	CHECK(allows(&c, &p));
	p.warm.calls = 8;
	CHECK(refuses_naming(&c, &p, "warm python"));
	p.warm = fits, p.warm.age_ms = 999;
	CHECK(refuses_naming(&c, &p, "warm python"));
	p.warm = fits, p.warm.program = "/opt/a";
	CHECK(refuses_naming(&c, &p, "warm python"));
	p.warm = fits, p.warm.n_modules = 1;
	CHECK(refuses_naming(&c, &p, "warm python"));
	p.warm = fits, p.warm.modules[1] = "os";
	CHECK(refuses_naming(&c, &p, "warm python"));
	p.warm = fits, p.warm.n_env = 0;
	CHECK(refuses_naming(&c, &p, "warm python"));
	p.warm = fits, p.warm.env[0] = "A=b";
	CHECK(refuses_naming(&c, &p, "warm python"));
	p.warm = fits, p.warm.kind = WARM_NODE;
	CHECK(refuses_naming(&c, &p, "warm node"));
	p.warm = (struct warm){.kind = WARM_NODE, .program = "node", .calls = 1, .age_ms = 2};
	CHECK(allows(&c, &p));
	p.warm = (struct warm){0};
	CHECK(allows(&c, &p));
	ceiling_done(&c);
}

TEST(a_ceiling_that_does_not_say_when_it_is_replaced_lets_nothing_wait)
{
	struct ceiling c = parsed("root host\nwarm node node\n");
	struct profile p = {.warm = {.kind = WARM_NODE, .program = "node"}};

	CHECK(!allows(&c, &p));
	ceiling_done(&c);
	CHECK(!parses("warm\n") && !parses("warm python\n") && !parses("warm python \n"));
	CHECK(!parses("warm no x\n") && !parses("warm bash bash\n"));
	CHECK(!parses("warm_module json\n") && !parses("warm_env A=b\n"));
	CHECK(!parses("warm_calls 1\n") && !parses("warm_age_ms 1\n"));
	CHECK(!parses("warm node node\nwarm_calls 1\nwarm_calls 1\n"));
	CHECK(!parses("warm node node\nwarm_calls 0\n"));
	CHECK(parses("warm node node\nwarm_calls 1\n"));
}

TEST(there_is_an_end_to_what_may_wait)
{
	char text[8192] = "";
	size_t len = 0;

	for (int i = 0; i <= CEILING_WARMS_MAX; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "warm node n%d\n", i);
	CHECK(!parses(text));
	*strrchr(text, 'w') = '\0';
	CHECK(parses(text));
	len = (size_t)snprintf(text, sizeof(text), "warm python p\n");
	for (int i = 0; i <= WARM_MODULES_MAX; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "warm_module m%d\n", i);
	CHECK(!parses(text));
	len = (size_t)snprintf(text, sizeof(text), "warm python p\n");
	for (int i = 0; i <= WARM_ENV_MAX; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "warm_env m%d=1\n", i);
	CHECK(!parses(text));
}
