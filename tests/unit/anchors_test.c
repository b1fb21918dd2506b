/* SPDX-License-Identifier: Apache-2.0 */
#include "auditread/anchors.h"

#include <fcntl.h>

#include "base/own.h"
#include "tap.h"

#define ROOT      "S7o/mNQLV/6uYxrkoM/8ahvD7dgj/zO9LHrw03FtAH4="
#define NOTE_A    "a.example/log\n14\n" ROOT "\n\n\xe2\x80\x94 a.example/log c2lnbmF0dXJl\n"
#define NOTE_B    "a.example/log\n15\n" ROOT "\n\n\xe2\x80\x94 a.example/log b3RoZXI=\n"
#define WITNESSED NOTE_A "\xe2\x80\x94 witness.example d2l0bmVzcw==\n"
#define LINE      "belljar-checkpoint a.example/log 14 " ROOT " c2lnbmF0dXJl"

static struct anchors split(const char *text)
{
	struct anchors a = {0};
	struct error err = {0};

	CHECK(anchors_add(&a, "f", text, strlen(text), &err) == 0);
	return a;
}

TEST(notes_stand_one_after_the_other)
{
	own(anchors) a = split(NOTE_A NOTE_B);

	CHECK(a.n == 2);
	CHECK_STR(a.list[0].text, NOTE_A);
	CHECK_STR(a.list[1].text, NOTE_B);
	CHECK_STR(a.list[0].name, "f:1");
	CHECK_STR(a.list[1].name, "f:6");
}

TEST(empty_lines_between_them_are_passed_over)
{
	own(anchors) a = split("\n" NOTE_A "\n\n" NOTE_B "\n");

	CHECK(a.n == 2);
	CHECK_STR(a.list[1].text, NOTE_B);
}

TEST(signatures_of_others_stay_with_their_note)
{
	own(anchors) a = split(WITNESSED NOTE_B);

	CHECK(a.n == 2);
	CHECK_STR(a.list[0].text, WITNESSED);
}

TEST(a_line_of_a_system_log_is_a_note)
{
	own(anchors) a = split("Nov 15 host sshd: something\n"
			       "Nov 15 12:00:00 host belljar[7]: " LINE "\n" NOTE_B);

	CHECK(a.n >= 1);
	CHECK_STR(a.list[0].text, NOTE_A);
	CHECK_STR(a.list[a.n - 1].text, NOTE_B);
}

TEST(the_line_is_made_from_the_note)
{
	char line[ANCHOR_LINE_MAX];
	struct error err = {0};

	CHECK(anchor_line(NOTE_A, strlen(NOTE_A), line, sizeof(line), &err) == 0);
	CHECK_STR(line, LINE);
	CHECK(anchor_line("what", 4, line, sizeof(line), &err) < 0);
}

TEST(text_without_a_signature_is_no_checkpoint)
{
	own(anchors) a = split("a.example/log\n14\n" ROOT "\n\n");
	own(anchors) b = split("belljar-checkpoint a b\n");

	CHECK(a.n == 0 && b.n == 0);
}

TEST(a_file_without_any_is_an_error)
{
	own(anchors) a = {0};
	struct error err = {0};

	CHECK(anchors_load(&a, "/dev/null", &err) < 0 && err.kind == ERR_CALLER);
	CHECK(anchors_load(&a, "/nonexistent", &err) < 0);
}
