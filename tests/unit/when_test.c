/* SPDX-License-Identifier: Apache-2.0 */
#include "auditread/when.h"

#include "tap.h"

enum { HOUR = 3600000 };
#define NOW 1794744000000u /* 2026-11-15T12:00:00Z */

static bool is(const char *text, uint64_t want)
{
	struct error err = {0};
	uint64_t got = 0;

	if (when_parse(text, NOW, &got, &err) == 0 && got == want)
		return true;
	printf("# %s: %llu, not %llu (%s)\n", text, (unsigned long long)got,
	       (unsigned long long)want, err.text);
	return false;
}

static bool refused(const char *text)
{
	struct error err = {0};
	uint64_t got;

	return when_parse(text, NOW, &got, &err) < 0 && err.kind == ERR_CALLER && err.text[0];
}

TEST(moments_are_utc_unless_they_name_a_zone)
{
	CHECK(is("2026-11-15T12:00:00Z", NOW));
	CHECK(is("2026-11-15T12:00", NOW));
	CHECK(is("2026-11-15 12:00:00", NOW));
	CHECK(is("2026-11-15t12:00:00z", NOW));
	CHECK(is("2026-11-15T14:00+02:00", NOW));
	CHECK(is("2026-11-15T06:30:00-05:30", NOW));
	CHECK(is("2026-11-15T12:00:00.25Z", NOW + 250));
	CHECK(is("2026-11-15T12:00:00.123456", NOW + 123));
	CHECK(is("2026-11-15", NOW - 12u * HOUR));
	CHECK(is("1970-01-01", 0));
	CHECK(is("2024-02-29", 1709164800000));
	CHECK(is("2000-03-01", 951868800000));
	CHECK(is("now", NOW));
}

TEST(durations_are_so_long_ago)
{
	CHECK(is("2h", NOW - 2u * HOUR));
	CHECK(is("90s", NOW - 90000));
	CHECK(is("1.5h", NOW - 3u * HOUR / 2));
	CHECK(is("30m", NOW - HOUR / 2));
	CHECK(is("1d", NOW - 24u * HOUR));
	CHECK(is("2w", NOW - 14u * 24 * HOUR));
	CHECK(is("9999999w", 0));
}

TEST(everything_else_is_refused)
{
	static const char *const texts[] = {
		"",
		"yesterday",
		"7",
		"1.5",
		"-2h",
		"2x",
		"2026",
		"2026-11",
		"2026-13-01",
		"2026-00-01",
		"2026-11-00",
		"2026-02-29",
		"2026-11-15T",
		"2026-11-15T12",
		"2026-11-15T24:00",
		"2026-11-15T12:60",
		"2026-11-15T12:00:61",
		"2026-11-15T12:00.5",
		"2026-11-15T12:00:00.",
		"2026-11-15T12:00+2",
		"2026-11-15T12:00+24:00",
		"2026-11-15T12:00ZZ",
		"2026-11-15x",
		"1969-12-31",
		"1970-01-01T00:00+01:00",
		"99999999999999999999d",
		"9999999999999999999w",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!refused(texts[i])) {
			printf("# %s\n", texts[i]);
			CHECK(false);
		}
}
