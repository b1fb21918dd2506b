/* SPDX-License-Identifier: Apache-2.0 */
/* settings_page.c - prints the part of belljar-policy(5) that is made from the rows; for the build.
 */
#include <stdio.h>

#include "base/own.h"
#include "policy/settings.h"

int main(void)
{
	own(buf) text;
	struct error err = {0};

	buf_init(&text, 4 << 20);
	if (settings_manual(&text, &err) < 0) {
		(void)fprintf(stderr, "settings_page: %s\n", err.text);
		return 1;
	}
	(void)fputs(buf_str(&text), stdout);
	return 0;
}
