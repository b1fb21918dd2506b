/* SPDX-License-Identifier: Apache-2.0 */
/* neutrallook.h - what sixteen bytes of a text are, one bit for each: part of neutral.c. */
#ifndef REDACT_NEUTRALLOOK_H
#define REDACT_NEUTRALLOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redact/lanes.h"

enum {
	DEL = 0x7f,
	BEHIND = 3, /* bytes of a character behind its first, at most */
};

static inline lanes is_between(lanes v, unsigned char low, unsigned char high)
{
	return (lanes)(v - low <= (unsigned char)(high - low));
}

/* Behind 0xe2. */
static inline lanes is_unseen_e2(lanes second, lanes third)
{
	return ((lanes)(second == 0x80) &
		(is_between(third, 0x8b, 0x8f) | is_between(third, 0xa8, 0xae))) |
	       ((lanes)(second == 0x81) & is_between(third, 0xa0, 0xaf));
}

/* What begins at each of sixteen bytes, by it and the three behind it: 0xff where it is so. */
struct begins {
	lanes broken;           /* no character, or one that begins a sequence */
	lanes two, three, four; /* not seen, and so many bytes long */
	lanes maybe;            /* four, and perhaps not seen */
};

/* The same as is_unseen() and text_utf8_char(): a test compares them. */
static inline struct begins begins_in(lanes v, const char *data)
{
	lanes second = lanes_load(data + 1), third = lanes_load(data + 2);
	lanes e1 = ((lanes)(second == 0x85) & is_between(third, 0x9f, 0xa0)) |
		   ((lanes)(second == 0x9e) & is_between(third, 0xb4, 0xb5)) |
		   ((lanes)(second == 0xa0) & is_between(third, 0x8b, 0x8f));
	lanes ef = ((lanes)(second == 0xb8) & (lanes)(third < 0x90)) |
		   ((lanes)(second == 0xbb) & (lanes)(third == 0xbf)) |
		   ((lanes)(second == 0xbe) & (lanes)(third == 0xa0)) |
		   ((lanes)(second == 0xbf) & is_between(third, 0xb9, 0xbb));

	return (struct begins){
		.broken = (lanes)((v & 0xfe) == 0xc0) |
			  ((lanes)(v == 0xc2) & (lanes)(second < 0xa0)) |
			  ((lanes)(v == 0xe0) & (lanes)(second < 0xa0)) |
			  ((lanes)(v == 0xed) & (lanes)(second >= 0xa0)) |
			  ((lanes)(v == 0xf0) & (lanes)(second < 0x90)) |
			  ((lanes)(v == 0xf4) & (lanes)(second >= 0x90)) | (lanes)(v >= 0xf5),
		.two = ((lanes)(v == 0xc2) & (lanes)(second == 0xad)) |
		       ((lanes)(v == 0xcd) & (lanes)(second == 0x8f)) |
		       ((lanes)(v == 0xd8) & (lanes)(second == 0x9c)),
		.three = ((lanes)(v == 0xe1) & e1) |
			 ((lanes)(v == 0xe2) & is_unseen_e2(second, third)) |
			 ((lanes)(v == 0xe3) & (lanes)(second == 0x85) & (lanes)(third == 0xa4)) |
			 ((lanes)(v == 0xef) & ef),
		.four = ((lanes)(v == 0xf3) & (lanes)(second == 0xa0)),
		.maybe = ((lanes)(v == 0xf0) & (lanes)(second == 0x9b)),
	};
}

/* Of the letters of most languages no second byte tells more. */
static inline lanes needs_second(lanes v)
{
	return is_between(v, 0xc0, 0xc2) | (lanes)(v == 0xcd) | (lanes)(v == 0xd8) |
	       is_between(v, 0xe0, 0xe3) | (lanes)(v == 0xed) | (lanes)(v >= 0xef);
}

/* Sixteen bytes, one bit for each. */
struct sixteen {
	uint32_t gone;  /* they do not stay */
	uint32_t first; /* of characters of more than one byte */
	uint32_t more;  /* behind these, and perhaps one bit too many */
	uint32_t odd;   /* what the machine must look at */
};

/* What all of them have: the others are added. */
static inline struct sixteen look_at(lanes v)
{
	uint32_t high = lanes_bits((lanes)(v >= 0x80)), first = lanes_bits((lanes)(v >= 0xc0));
	uint32_t three = lanes_bits((lanes)(v >= 0xe0)), four = lanes_bits((lanes)(v >= 0xf0));
	uint32_t more = first << 1 | three << 2 | four << 3;

	return (struct sixteen){
		.gone = lanes_bits((lanes)((v < 0x20) & (v != '\n') & (v != '\t')) |
				   (lanes)(v == DEL)),
		.first = first,
		.more = more,
		.odd = (high & ~first) ^ (more & 0xffff),
	};
}

/* How many of them are whole characters before the first one that has a bit. */
static inline size_t whole_before(const struct sixteen *s, uint32_t bits)
{
	uint32_t within = ((bits | 0x10000) & -(bits | 0x10000)) - 1, last;

	/* Where the last character does not go on behind that, all of it is whole. */
	if (!(s->more & (within + 1)))
		return (size_t)__builtin_ctz(within + 1);
	last = s->first & within;
	return 31 - (size_t)__builtin_clz(last);
}

/* Adds all bytes of what is not seen. */
static inline void look_for_unseen(struct sixteen *s, lanes v, const char *data)
{
	struct begins b = begins_in(v, data);

	b.four |= b.maybe & (lanes)(lanes_load(data + 2) == 0xb2) &
		  is_between(lanes_load(data + BEHIND), 0xa0, 0xa3);
	s->odd |= lanes_bits(b.broken);
	s->gone |= lanes_bits(b.two | b.three | b.four) * 3 | lanes_bits(b.three | b.four) << 2 |
		   lanes_bits(b.four) << 3;
}

/* The same if there are none but soft hyphens, zero-width ones and variation selectors, which are
 * the most frequent.  false: there may be others. */
static inline bool look_for_frequent(struct sixteen *s, lanes v, const char *data)
{
	lanes c2 = (lanes)(v == 0xc2), e2 = (lanes)(v == 0xe2);
	lanes second = lanes_load(data + 1), third = lanes_load(data + 2);
	lanes ef = (lanes)(v == 0xef) & (lanes)(second == 0xb8);
	uint32_t two, three;

	if (lanes_bits(needs_second(v) & ~c2 & ~e2 & ~ef))
		return false;
	two = lanes_bits(c2 & (lanes)(second == 0xad));
	three = lanes_bits((e2 & is_unseen_e2(second, third)) | (ef & (lanes)(third < 0x90)));
	s->odd |= lanes_bits(c2 & (lanes)(second < 0xa0));
	s->gone |= (two | three) * 3 | three << 2;
	return true;
}

/* C1 controls, or their second bytes, that begin sequences. */
static inline lanes begins_sequence(lanes v)
{
	return (lanes)(v == 0x90) | (lanes)(v == 0x98) | (lanes)(v == 0x9b) |
	       is_between(v, 0x9d, 0x9f);
}

/* Characters of three or four bytes that are none, and that would be seen if they were: what is
 * beyond Unicode, halves of pairs, overlong ones but U+0080 to U+00BF, U+034F, U+061C and those of
 * four bytes. */
static inline lanes are_false(lanes v, lanes second)
{
	lanes none = (lanes)(second == 0x82) | (lanes)(second == 0x8d) | (lanes)(second == 0x98);

	return ((lanes)(v == 0xed) & (lanes)(second >= 0xa0)) |
	       ((lanes)(v == 0xf4) & (lanes)(second >= 0x90)) |
	       ((lanes)(v == 0xe0) & (lanes)(second < 0xa0) & ~none);
}

/* Where what is no character begins, or only a part of one; all else is known then, too. */
static inline uint32_t look_for_broken(struct sixteen *s, lanes v, const char *data)
{
	lanes second = lanes_load(data + 1), third = is_between(lanes_load(data + 2), 0x80, 0xbf);
	lanes none = (lanes)((v & 0xfe) == 0xc0) | (lanes)(v >= 0xf5) |
		     ((lanes)(v >= 0xc0) & ~is_between(second, 0x80, 0xbf));
	lanes two = (lanes)(v >= 0xe0) & ~none & ~third, four = (lanes)(v >= 0xf0) & ~none & third;
	lanes three = four & ~is_between(lanes_load(data + BEHIND), 0x80, 0xbf);
	lanes broken = none | two | three, whole = are_false(v, second) & ~broken;
	uint32_t c1 = lanes_bits((lanes)(v == 0xc2) & is_between(second, 0x80, 0x9f) &
				 ~begins_sequence(second));
	uint32_t behind = lanes_bits(is_between(v, 0x80, 0xbf)), all = lanes_bits(whole);

	s->first &= ~lanes_bits(none);
	s->more = s->first << 1 | lanes_bits((lanes)(v >= 0xe0) & ~none & third) << 2 |
		  lanes_bits(four & ~three) << 3;
	behind &= ~s->more;
	s->odd = behind & lanes_bits(begins_sequence(v));
	look_for_unseen(s, v & ~(broken | whole), data);
	s->odd &= ~c1;
	s->gone |= c1 * 3 | (lanes_bits(two | three) | all) << 1 | (lanes_bits(three) | all) << 2 |
		   (all & lanes_bits(four)) << 3 | (behind & lanes_bits((lanes)(v < 0xa0)));
	return lanes_bits(broken | whole) | (behind & lanes_bits((lanes)(v >= 0xa0)));
}

#endif
