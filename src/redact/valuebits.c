/* SPDX-License-Identifier: Apache-2.0 */
/* valuebits.c - how many bits per byte a value has, nearly, and for less than a logarithm each.
 *
 * Of len bytes of which n are the same, for every n: (len log2 len - the sum of n log2 n) / len.
 * Both come from a table.  What is rounded there is less than half a unit for each byte: an answer
 * that is closer than that is not given.
 */
#include "redact/valuebits.h"

enum { SCALE = 1024 };

/* n log2 n, SCALE times. */
static const uint32_t order[VALUEBITS_MOST + 1] = {
	0,      0,      2048,   4869,   8192,   11888,  15882,  20123,  24576,  29214,  34017,
	38967,  44052,  49260,  54582,  60010,  65536,  71155,  76860,  82648,  88513,  94452,
	100462, 106539, 112680, 118883, 125145, 131463, 137836, 144263, 150740, 157266, 163840,
	170460, 177125, 183834, 190584, 197376, 204207, 211078, 217986, 224931, 231913, 238929,
	245980, 253065, 260182, 267331, 274512, 281724, 288965, 296237, 303537, 310866, 318222,
	325606, 333017, 340454, 347917, 355406, 362919, 370458, 378020, 385606, 393216, 400849,
	408504, 416182, 423882, 431604, 439347, 447111, 454896, 462702, 470528, 478373, 486239,
	494124, 502028, 509951, 517892, 525853, 533831, 541827, 549842, 557873, 565923, 573989,
	582072, 590172, 598289, 606422, 614572, 622737, 630919, 639116, 647328, 655556, 663799,
	672058, 680331, 688619, 696921, 705239, 713570, 721916, 730275, 738649, 747037, 755438,
	763852, 772280, 780722, 789177, 797644, 806125, 814618, 823125, 831644, 840175, 848719,
	857275, 865843, 874424, 883016, 891620, 900237, 908864, 917504,
};

/* order[n + 1] - order[n]: one more of a byte of which there are n, and the same the other way. */
const uint16_t valuebits_growth[VALUEBITS_MOST] = {
	0,    2048, 2821, 3323, 3696, 3994, 4241, 4453, 4638, 4803, 4950, 5085, 5208, 5322, 5428,
	5526, 5619, 5705, 5788, 5865, 5939, 6010, 6077, 6141, 6203, 6262, 6318, 6373, 6427, 6477,
	6526, 6574, 6620, 6665, 6709, 6750, 6792, 6831, 6871, 6908, 6945, 6982, 7016, 7051, 7085,
	7117, 7149, 7181, 7212, 7241, 7272, 7300, 7329, 7356, 7384, 7411, 7437, 7463, 7489, 7513,
	7539, 7562, 7586, 7610, 7633, 7655, 7678, 7700, 7722, 7743, 7764, 7785, 7806, 7826, 7845,
	7866, 7885, 7904, 7923, 7941, 7961, 7978, 7996, 8015, 8031, 8050, 8066, 8083, 8100, 8117,
	8133, 8150, 8165, 8182, 8197, 8212, 8228, 8243, 8259, 8273, 8288, 8302, 8318, 8331, 8346,
	8359, 8374, 8388, 8401, 8414, 8428, 8442, 8455, 8467, 8481, 8493, 8507, 8519, 8531, 8544,
	8556, 8568, 8581, 8592, 8604, 8617, 8627, 8640,
};

/* By the sum of n log2 n. */
static bool is_less(uint32_t sum, size_t len, uint32_t tenths)
{
	uint64_t bits = order[len] - sum + len;

	return bits * 10 < (uint64_t)tenths * SCALE * len;
}

bool valuebits_less(const struct valuebits *b, size_t len, uint32_t tenths)
{
	return is_less(b->order, len, tenths);
}

bool valuebits_more(const struct valuebits *b, size_t len, uint32_t tenths)
{
	uint64_t bits = order[len] - b->order;

	return bits * 10 > ((uint64_t)tenths * SCALE + 10) * len;
}

bool valuebits_same_less(size_t same, size_t len, uint32_t tenths)
{
	/* Whatever the others are, the sum cannot be less. */
	return is_less(order[same], len, tenths);
}
