/* SPDX-License-Identifier: Apache-2.0 */
/* fileclean_test.c - files that come out: text without secrets, the rest whole or not at all. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "gate/fileclean.h"
#include "redacting.h"
#include "tap.h"

static const char value[] = "s3cr3t-v4lue-of-a-tool";

static struct redact_set *set_with_secret(void)
{
	const struct redact_known known = {"api", value, sizeof(value) - 1, false};
	const struct redact_config c = {.groups = REDACT_STANDARD, .known = &known, .n_known = 1};
	struct error err = {0};

	return redact_set_new(&c, &err);
}

static enum artifact_verdict ask(struct redact_set *set, const char *data, size_t len,
				 struct buf *ret, char *why)
{
	struct artifact_judged judged = {0};
	struct error err = {0};

	buf_init(ret, 1 << 20);
	CHECK(artifact_clean(set, data, len, ret, &judged, &err) == 0);
	memcpy(why, judged.why, sizeof(judged.why));
	return judged.verdict;
}

TEST(text_is_redacted_and_what_has_nothing_in_it_stays)
{
	struct redact_set *set = set_with_secret();
	char why[96];
	own(buf) out = {0}, same = {0};

	CHECK(ask(set, "from 8.8.8.8\n", 13, &out, why) == ARTIFACT_CLEANED);
	CHECK(strcmp(buf_str(&out), "from [REDACTED:ipv4]\n") == 0);
	CHECK(ask(set, "all is well\n", 12, &same, why) == ARTIFACT_SAME);
	redact_set_free(set);
}

TEST(a_known_value_in_what_is_no_text_is_a_refusal)
{
	struct redact_set *set = set_with_secret();
	char data[64] = "\x89PNG\0\0", why[96];
	own(buf) out = {0}, other = {0};
	size_t len = 8 + sizeof(value);

	memcpy(data + 8, value, sizeof(value));
	CHECK(ask(set, data, len, &out, why) == ARTIFACT_REFUSED);
	CHECK(strstr(why, "'api'") != NULL);
	data[10] ^= 1; /* another value */
	CHECK(ask(set, data, len, &other, why) == ARTIFACT_SAME);
	redact_set_free(set);
}

TEST(where_redaction_is_off_everything_comes_out)
{
	char why[96];
	own(buf) out = {0};

	CHECK(ask(NULL, value, sizeof(value), &out, why) == ARTIFACT_SAME);
}

TEST(what_does_not_fit_does_not_come_out)
{
	struct redact_set *set = set_with_secret();
	struct artifact_judged judged = {.verdict = ARTIFACT_SAME};
	struct error err = {0};
	own(buf) out;

	buf_init(&out, 4);
	CHECK(artifact_clean(set, "hello, world", 12, &out, &judged, &err) < 0);
	CHECK(judged.verdict == ARTIFACT_REFUSED);
	redact_set_free(set);
}
