/* SPDX-License-Identifier: Apache-2.0 */
/* known_test.c - values that we handed out are found in every usual form, and canaries are told. */
#include "base/own.h"
#include "redact/known.h"
#include "redacting.h"
#include "tap.h"

static struct redact_set *knowing(const struct redact_known *values, size_t n)
{
	const struct redact_config c = {.known = values, .n_known = n};
	struct error err = {0};
	struct redact_set *set = redact_set_new(&c, &err);

	if (!set)
		printf("# %s\n", err.text);
	return set;
}

static struct redact_known value_of(const char *name, const char *value)
{
	return (struct redact_known){.name = name, .value = value, .len = strlen(value)};
}

TEST(a_value_is_found_in_all_its_forms)
{
	/* s3cr3t/+? "quoted" & 'x' $HOME \ <tag>; written by python3's own encoders */
	static const char value[] = "s3cr3t/+? \"q\" & 'x' $H \\ <t>";
	static const char *const forms[] = {
		"s3cr3t/+? \"q\" & 'x' $H \\ <t>",
		"7333637233742f2b3f2022712220262027782720244820"
		"5c203c743e",
		"7333637233742F2B3F2022712220262027782720244820"
		"5C203C743E",
		"s3cr3t%2F%2B%3F%20%22q%22%20%26%20%27x%27%20%24H%20%5C%20%3Ct%3E",
		"s3cr3t%2f%2b%3f%20%22q%22%20%26%20%27x%27%20%24H%20%5c%20%3ct%3e",
		"s3cr3t/%2B%3F%20%22q%22%20%26%20%27x%27%20%24H%20%5C%20%3Ct%3E",
		"s3cr3t/+? \\\"q\\\" & 'x' $H \\\\ <t>",
		"s3cr3t\\/+? \\\"q\\\" & 'x' $H \\\\ <t>",
		"s3cr3t/+? &quot;q&quot; &amp; &#39;x&#39; $H \\ &lt;t&gt;",
		"s3cr3t/+? \"q\" &amp; 'x' $H \\ &lt;t&gt;",
		"s3cr3t/+? \"q\" & '\\''x'\\'' $H \\ <t>",
		"s3cr3t/+? \\\"q\\\" & 'x' \\$H \\\\ <t>",
		"s3cr3t/+\\?\\ \\\"q\\\"\\ \\&\\ \\'x\\'\\ \\$H\\ \\\\\\ \\<t\\>",
		">t< \\ H$ 'x' & \"q\" ?+/t3rc3s",
	};
	const struct redact_known known = value_of("API", value);
	struct redact_set *set = knowing(&known, 1);

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		char text[512];
		own_str got = NULL;

		(void)snprintf(text, sizeof(text), "a=%s;b", forms[i]);
		got = redacting_text(set, text);
		CHECK_STR(got, "a=[REDACTED:secret:API];b");
	}
	redact_set_free(set);
}

/* Independent of the encoder under test: from the definition, six bits at a time. */
static void to_base64(const char *from, size_t len, bool url, char *ret)
{
	const char *letters =
		url ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		    : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *b = (const unsigned char *)from;
	size_t n = 0;

	for (size_t i = 0; i < len; i += 3) {
		unsigned v = (unsigned)b[i] << 16 | (i + 1 < len ? (unsigned)b[i + 1] << 8 : 0) |
			     (i + 2 < len ? b[i + 2] : 0);

		ret[n++] = letters[v >> 18];
		ret[n++] = letters[v >> 12 & 63];
		ret[n++] = i + 1 < len ? letters[v >> 6 & 63] : '=';
		ret[n++] = i + 2 < len ? letters[v & 63] : '=';
	}
	ret[n] = '\0';
}

TEST(base64_is_found_wherever_the_value_begins)
{
	static const char value[] = "hunter2>>>???\xfa\xfb";
	const struct redact_known known = value_of("PW", value);
	struct redact_set *set = knowing(&known, 1);

	for (size_t shift = 0; shift < 9; shift++) {
		for (int url = 0; url < 2; url++) {
			char plain[64], coded[128];
			own_str got = NULL;

			(void)snprintf(plain, sizeof(plain), "%.*s%s:user", (int)shift,
				       "user=name;", value);
			to_base64(plain, strlen(plain), url, coded);
			got = redacting_text(set, coded);
			CHECK(strstr(got, "[REDACTED:secret:PW]") != NULL);
			/* At most the edges, which hold bits of the neighbours, are left. */
			CHECK(strlen(got) <= strlen("[REDACTED:secret:PW]") + strlen(coded) -
						     strlen(value) * 4 / 3 + 3);
		}
	}
	redact_set_free(set);
}

TEST(the_longest_value_wins_and_leaves_no_tail)
{
	const struct redact_known known[] = {
		value_of("SHORT", "abcdef"),
		value_of("LONG", "abcdefghijkl"),
		value_of("INNER", "ghijkl99"),
	};
	struct redact_set *set = knowing(known, 3);
	own_str a = redacting_text(set, "x abcdefghijkl y");
	own_str b = redacting_text(set, "x abcdefgh y");
	own_str c = redacting_text(set, "x abcdefghijkl99 y");

	CHECK_STR(a, "x [REDACTED:secret:LONG] y");
	CHECK_STR(b, "x [REDACTED:secret:SHORT]gh y");
	CHECK_STR(c, "x [REDACTED:secret:LONG] y");
	redact_set_free(set);
}

TEST(a_value_with_newlines_is_found_across_lines_and_chunks)
{
	static const char value[] = "first line of it\nsecond line of it\n\nlast";
	static const char text[] =
		"before\nkey: first line of it\nsecond line of it\n\nlast; after\n"
		"first line\nfirst line of it\nsecond, but another\n";
	static const char want[] = "before\nkey: [REDACTED:secret:ML]; after\nfirst line\n"
				   "[REDACTED:secret:ML]\nsecond, but another\n";
	const struct redact_known known = value_of("ML", value);
	struct redact_set *set = knowing(&known, 1);

	for (size_t size = 1; size < sizeof(text); size++) {
		struct buf out = {0};

		redacting_pieces(set, text, strlen(text), redacting_same, &size, &out);
		CHECK_STR(buf_str(&out), want);
		buf_done(&out);
	}
	redact_set_free(set);
}

TEST(what_hides_in_a_known_value_does_not_hide_it)
{
	const struct redact_known known = value_of("K", "s3cr3t-value");
	struct redact_set *set = knowing(&known, 1);
	own_str got = redacting_text(set, "x s3c\xe2\x80\x8br3t\x1b[0m-val\x07ue y");

	CHECK_STR(got, "x [REDACTED:secret:K] y");
	redact_set_free(set);
}

TEST(a_canary_is_told_at_once)
{
	struct redact_known known[] = {value_of("PLAIN", "plain-secret"),
				       value_of("BIRD", "canary-secret")};
	struct redact_set *set;
	struct error err = {0};
	struct buf out = {0};
	struct redactor *r;

	known[1].canary = true;
	set = knowing(known, 2);
	buf_init(&out, 4096);
	r = redactor_new(set, redacting_sink, &out, &err);
	redactor_feed(r, "plain-secret canary-secre", 25);
	CHECK(redactor_canary(r) == NULL);
	redactor_feed(r, "t", 1); /* and no end of a line */
	CHECK_STR(redactor_canary(r), "BIRD");
	redactor_finish(r);
	CHECK_STR(buf_str(&out), "[REDACTED:secret:PLAIN] [REDACTED:secret:BIRD]");
	redactor_free(r);
	buf_done(&out);
	redact_set_free(set);
}

TEST(values_that_cannot_be_found_are_refused)
{
	const struct redact_known shorty = value_of("S", "12345");
	const struct redact_known bad_name = value_of("a]b", "123456");
	own_str big = calloc(1, KNOWN_MOST + 2);
	struct redact_known large;

	memset(big, 'x', KNOWN_MOST + 1);
	large = value_of("L", big);
	CHECK(knowing(&shorty, 1) == NULL);
	CHECK(knowing(&bad_name, 1) == NULL);
	CHECK(knowing(&large, 1) == NULL);
}

TEST(the_longest_allowed_value_is_found_in_its_longest_form)
{
	own_str value = calloc(1, KNOWN_MOST + 1);
	own_str text = malloc(KNOWN_FORM + 64);
	struct redact_known known;
	struct redact_set *set;
	own_str got = NULL;
	size_t len = 0;

	for (size_t i = 0; i < KNOWN_MOST; i++)
		value[i] = i % 7 ? '"' : (char)('a' + i % 26);
	known = value_of("BIG", value);
	set = knowing(&known, 1);
	for (size_t i = 0; i < KNOWN_MOST; i++)
		len += (size_t)snprintf(text + len, 8, value[i] == '"' ? "&quot;" : "%c", value[i]);
	(void)snprintf(text + len, 8, " end");
	got = redacting_text(set, text);
	CHECK_STR(got, "[REDACTED:secret:BIG] end");
	redact_set_free(set);
}
