/* SPDX-License-Identifier: Apache-2.0 */
/* asglibc.c - what musl answers otherwise than glibc, where a call is judged by the answer.
 *
 * belljar call and the keepers of the service read the same code, the one with musl and the others
 * with glibc in them, and must read it alike.  The scanners of the grammars ask these: glibc knows
 * ASCII only as long as nobody calls setlocale(), musl all of Unicode, always.  Defined here, the
 * names keep musl's own out.
 */
#include <wctype.h>

int iswspace(wint_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

int iswalpha(wint_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

int iswalnum(wint_t c)
{
	return iswalpha(c) || (c >= '0' && c <= '9');
}
