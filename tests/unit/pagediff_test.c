/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between two pages, written down and put back. */
#include "base/pagediff.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static uint32_t page[PAGEDIFF_NUMBERS], as[PAGEDIFF_NUMBERS], notes[4 * PAGEDIFF_MOST];

static uint32_t draw(void)
{
	static uint32_t state = 7;

	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static uint64_t address(void)
{
	return (uint64_t)(uintptr_t)page;
}

/* Of every page that differs in one of so many numbers, and of runs. */
static void change(uint32_t one_in, uint32_t run)
{
	for (size_t i = 0; i < PAGEDIFF_NUMBERS; i++)
		as[i] = page[i] = draw();
	for (size_t i = 0; i < PAGEDIFF_NUMBERS; i++)
		if (draw() % one_in == 0)
			for (size_t end = i + run; i < end && i < PAGEDIFF_NUMBERS; i++)
				page[i]++;
}

static bool comes_back(const uint32_t *other)
{
	uint32_t before[PAGEDIFF_NUMBERS];
	const uint32_t *end = pagediff_note(notes, address(), other);

	if (end - notes > PAGEDIFF_MOST)
		return false;
	memcpy(before, page, sizeof(page));
	if (other)
		memcpy(page, other, sizeof(page));
	else
		memset(page, 0, sizeof(page));
	pagediff_put_back(notes, end);
	return memcmp(before, page, sizeof(page)) == 0;
}

TEST(what_differs_comes_back)
{
	for (uint32_t one_in = 1; one_in < 3000; one_in = one_in * 3 / 2 + 1)
		for (uint32_t run = 1; run < 2000; run *= 3) {
			change(one_in, run);
			CHECK(comes_back(as));
			change(one_in, run);
			CHECK(comes_back(NULL));
		}
}

TEST(of_pages_that_are_the_same_there_is_no_note)
{
	change(1, 1);
	CHECK(pagediff_note(notes, address(), page) == notes);
	memset(page, 0, sizeof(page));
	CHECK(pagediff_note(notes, address(), NULL) == notes);
}

/* At both ends, one number each, and the whole page: lengths and places are what they should be. */
TEST(a_note_is_as_long_as_what_differs)
{
	change(1, PAGEDIFF_NUMBERS);
	CHECK(pagediff_note(notes, address(), as) - notes == PAGEDIFF_HEAD + 1 + PAGEDIFF_NUMBERS);
	CHECK(notes[2] == 1 && notes[3] == (uint32_t)PAGEDIFF_NUMBERS << 16);
	memcpy(page, as, sizeof(page));
	page[0]++;
	page[PAGEDIFF_NUMBERS - 1]++;
	CHECK(pagediff_note(notes, address(), as) - notes == PAGEDIFF_HEAD + 4);
	CHECK(notes[0] == (uint32_t)address() && notes[1] == (uint32_t)(address() >> 32));
	CHECK(notes[2] == 2 && notes[3] == 1 << 16 && notes[4] == page[0]);
	CHECK(notes[5] == (1 << 16 | (PAGEDIFF_NUMBERS - 1)));
	CHECK(notes[6] == page[PAGEDIFF_NUMBERS - 1]);
	for (size_t i = 0; i < PAGEDIFF_NUMBERS; i += 2)
		page[i] = as[i] + 1;
	CHECK(pagediff_note(notes, address(), as) - notes <= PAGEDIFF_MOST);
	CHECK(comes_back(as));
}

TEST(many_notes_are_put_back_at_once)
{
	static uint32_t other[PAGEDIFF_NUMBERS];
	uint32_t *end = notes, first, second;

	change(10, 3);
	memcpy(other, page, sizeof(page));
	first = ++page[17];
	second = ++other[900];
	end = pagediff_note(end, address(), as);
	end = pagediff_note(end, (uint64_t)(uintptr_t)other, as);
	memcpy(page, as, sizeof(page));
	memcpy(other, as, sizeof(page));
	pagediff_put_back(notes, end);
	CHECK(page[17] == first && other[900] == second && page[900] + 1 == second);
	pagediff_put_back(notes, notes); /* and none */
}
