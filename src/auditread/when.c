/* SPDX-License-Identifier: Apache-2.0 */
/* when.c - the times that people write: "2h" (ago), "2026-11-15", "2026-11-15T10:00+02:00". */
#include "auditread/when.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/own.h"
#include "base/text.h"

enum { DAY_MS = 86400000, MINUTE_MS = 60000 };

uint64_t when_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Takes exactly that many digits and what must stand in front of them (0: nothing). */
static bool take_number(const char **text, char before, int digits, int *ret)
{
	const char *p = *text;
	int value = 0;

	if (before && *p++ != before)
		return false;
	for (int i = 0; i < digits; i++, p++) {
		if (*p < '0' || *p > '9')
			return false;
		value = 10 * value + (*p - '0');
	}
	*text = p;
	*ret = value;
	return true;
}

/* Days since 1970 of a date of the Gregorian calendar, counted in eras of 400 years from March. */
static int64_t days_of(int year, int month, int day)
{
	int64_t y = month > 2 ? year : year - 1;
	int64_t era = y / 400, of_era = y % 400;
	int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int days_in(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return month == 2 && leap ? 29 : days[month - 1];
}

static bool take_date(const char **p, int64_t *ret_ms)
{
	int year, month, day;

	if (!take_number(p, 0, 4, &year) || !take_number(p, '-', 2, &month) ||
	    !take_number(p, '-', 2, &day))
		return false;
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_in(year, month))
		return false;
	*ret_ms = days_of(year, month, day) * DAY_MS;
	return true;
}

/* "10:00", "10:00:59" or "10:00:59.123", of which digits beyond the third are passed over. */
static bool take_clock(const char **p, int64_t *ms)
{
	int hour, minute, second = 0, scale = 100;
	bool seconds;

	if (!take_number(p, 0, 2, &hour) || !take_number(p, ':', 2, &minute))
		return false;
	seconds = **p == ':';
	if (seconds && !take_number(p, ':', 2, &second))
		return false;
	if (hour > 23 || minute > 59 || second > 60)
		return false;
	*ms += ((int64_t)hour * 60 + minute) * MINUTE_MS + second * 1000LL;
	if (**p != '.' || !seconds)
		return true;
	if ((*p)[1] < '0' || (*p)[1] > '9')
		return false;
	for (++*p; **p >= '0' && **p <= '9'; ++*p, scale /= 10)
		*ms += (int64_t)(**p - '0') * scale;
	return true;
}

static bool take_zone(const char **p, int64_t *ms)
{
	int sign = **p == '-' ? 1 : -1, hours, minutes;

	if (**p == 'Z' || **p == 'z') {
		++*p;
		return true;
	}
	if (**p != '+' && **p != '-')
		return true;
	++*p;
	if (!take_number(p, 0, 2, &hours) || !take_number(p, ':', 2, &minutes) || hours > 23 ||
	    minutes > 59)
		return false;
	*ms += sign * ((int64_t)hours * 60 + minutes) * MINUTE_MS;
	return true;
}

static bool parse_moment(const char *text, int64_t *ret_ms)
{
	const char *p = text;

	if (!take_date(&p, ret_ms))
		return false;
	if (*p == 'T' || *p == 't' || *p == ' ') {
		p++;
		if (!take_clock(&p, ret_ms) || !take_zone(&p, ret_ms))
			return false;
	}
	return *p == '\0' && *ret_ms >= 0;
}

/* "2h", "90s", "1.5h"; days and weeks, too. */
static bool parse_ago(const char *text, uint64_t *ret_ms)
{
	struct error ignored = {0};
	size_t len = strspn(text, "0123456789");
	uint64_t factor = 0, n = 0;

	if (len == 0 || strspn(text, "0123456789.") == strlen(text))
		return false; /* a bare number could be anything */
	if (strcmp(text + len, "d") == 0)
		factor = DAY_MS;
	else if (strcmp(text + len, "w") == 0)
		factor = 7ULL * DAY_MS;
	else
		return text_parse_ms(text, ret_ms, &ignored) == 0;
	for (size_t i = 0; i < len; i++)
		if (__builtin_mul_overflow(n, (uint64_t)10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(text[i] - '0'), &n))
			return false;
	return !__builtin_mul_overflow(n, factor, ret_ms);
}

int when_parse(const char *text, uint64_t now_ms, uint64_t *ret_ms, struct error *err)
{
	uint64_t ago;
	int64_t moment;

	if (strcmp(text, "now") == 0) {
		*ret_ms = now_ms;
		return 0;
	}
	if (parse_moment(text, &moment)) {
		*ret_ms = (uint64_t)moment;
		return 0;
	}
	if (parse_ago(text, &ago)) {
		*ret_ms = ago < now_ms ? now_ms - ago : 0;
		return 0;
	}
	return fail(err, ERR_CALLER,
		    "'%.40s' is no time; write 2h (ago), 2026-11-15 or 2026-11-15T10:00+02:00",
		    text);
}
