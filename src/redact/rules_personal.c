/* SPDX-License-Identifier: Apache-2.0 */
/* rules_personal.c - who somebody is: not in the standard groups, because tools are asked for it.
 */
#include "base/own.h"
#include "redact/redact_rule.h"

/* clang-format off */
static const struct redact_rule rows[] = {
	{
		.id = "email",
		.group = REDACT_EMAIL,
		.pattern = "[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\\.){1,8}[A-Za-z]{2,24}",
		.find = "[A-Za-z0-9._%+-]@[A-Za-z0-9-]{1,63}\\.[A-Za-z0-9-]",
		.yes = {"mail {{jane.doe@example.com}} now", "<{{a+b@sub.example.org}}>"},
		.no = {"git@host:path", "user@localhost", "@decorator.name"},
	},
	{
		.id = "phone",
		.group = REDACT_PHONE,
		.pattern = "(?:\\+[1-9][0-9]{0,2}[ .-]?(?:\\([0-9]{1,4}\\)[ .-]?)?[0-9]{1,4}(?:[ .-]?[0-9]{2,4}){2,4}|\\([0-9]{3}\\)[ ]?[0-9]{3}[ .-][0-9]{4}|\\b[0-9]{3}-[0-9]{3}-[0-9]{4})\\b",
		.find = "(?:\\+[1-9][0-9 .()-]{7}|\\([0-9]{3}\\)[ ]?[0-9]{3}[ .-][0-9]{4}|\\b[0-9]{3}-[0-9]{3}-[0-9]{4}\\b)",
		.check = check_phone,
		.yes = {"call {{+1 415 555 2671}} now", "{{(415) 555-2671}}", "tel {{+49 30 901820}}", "{{415-555-2671}}"},
		.no = {"2026-11-15 10:00", "offset +12 34", "1+1 2"},
	},
	{
		.id = "card-number",
		.group = REDACT_CARD,
		.pattern = "(?:[2-6][0-9]{3}(?:[ -]?[0-9]{4}){3}(?:[ -]?[0-9]{1,3})?|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5})",
		.find = "[2-6][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{3}|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}",
		.check = check_card,
		.yes = {"card {{4111 1111 " "1111 1111}}", "{{5500-0000-" "0000-0004}}", "{{378282" "246310005}}"},
		.no = {"4111 1111 1111 1112", "order 4111111111111112"},
	},
};
/* clang-format on */

const struct redact_rules rules_personal = {rows, ARRAY_LEN(rows)};
