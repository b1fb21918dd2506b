/* SPDX-License-Identifier: Apache-2.0 */
/* rules_assign.c - "password = ...": a name that says secret, and a value that looks like one.
 *
 * The name alone is no proof: programs and logs are full of "token: str" and "key = name".
 * check_assigned() wants a value that nobody would write by hand, check_password() one that is
 * no word of a program.
 */
#include "base/own.h"
#include "redact/redact_rule.h"

#define SIGN "[\"'\\]]{0,2}[ \\t]{0,3}(?:=>|:=|[=:])[ \\t]{0,3}"

#define PASSWORDS "(?i)(?:passw(?:or)?d|passphrase|\\bpwd|\\bpgpass|_pass|\\bpass)"
#define SECRETS                                                                               \
	"(?i)(?:secret|token|credential|api_?-?key|access_?-?key|auth_?-?key|private_?-?key|" \
	"encryption_?-?key|signing_?-?key|master_?-?key|secret_?-?key|\\bkey)[a-z0-9_]{0,12}"
/* The same within a string: backslashes stand before quotes, and \u0022 for one. */
#define ESCAPED_SIGN \
	"(?:\\\\{1,3}(?:[\"']|u0022)|[\"'\\]]{1,2})?[ \\t]{0,3}(?:=>|:=|[=:])[ \\t]{0,3}"
#define ONCE(quote) \
	"((?:[^" quote "\\\\\\n]|\\\\{3}" quote "|\\\\{2}|\\\\[^" quote "\\\\uU\\n]){6,64})"
#define TWICE(quote)  "((?:[^" quote "\\\\\\n]|\\\\{7}" quote "|\\\\{4}){6,64})"
#define NO_VALUE      " \\t\\n\"'`<>,;(){}\\[\\]&|"
#define ESCAPED_VALUE "((?:[^" NO_VALUE "\\\\]|\\\\[^" NO_VALUE "uU]){10,})"

/* clang-format off */
static const struct redact_rule rows[] = {
	{
		.id = "password",
		.group = REDACT_ASSIGNMENT,
		.pattern = PASSWORDS SIGN "(?:\"([^\"\\n]{6,128})\"|'([^'\\n]{6,128})'|(" VALUE "{6,}))",
		.hand = HAND_PASSWORD,
		.check = check_password,
		.yes = {"DB_PASSWORD={{hunter2!x}}", "password: \"{{correct horse battery}}\"", "'passwd' => '{{S3cr3t!}}'"},
		.no = {"password = getpass()", "password: string", "password=os.environ[X]", "PASSWORD=${PASSWORD}"},
	},
	{
		.id = "secret-assignment",
		.group = REDACT_ASSIGNMENT,
		.pattern = SECRETS SIGN "[\"'`]?(" VALUE "{10,})",
		.hand = HAND_SECRET,
		.check = check_assigned,
		.yes = {"SECRET_KEY = '{{x8Jq2mPz7LwTn4Rv}}'", "api_key: {{9f86d081884c7d659a2feaa0c55ad015}}", "\"token\": \"{{tok_8sJ2kQ9zLm4}}\"", "X-Api-Key: {{5f4dcc3b5aa765d61d83}}"},
		.no = {"token: str = request.headers", "key = sorted_by_name", "secret: your-secret-goes-here", "key=lambda row:row.key1"},
	},
	{
		.id = "escaped-password",
		.group = REDACT_ASSIGNMENT,
		.pattern = PASSWORDS ESCAPED_SIGN "(?:\\\\(?:\"|u0022)" ONCE("\"") "|\\\\'" ONCE("'") "|\\\\{2,3}(?:\"|u0022)" TWICE("\"") "|\\\\{2,3}'" TWICE("'") ")",
		.hand = HAND_ESCAPED_PASSWORD,
		.check = check_password,
		.yes = {"\"{\\\"password\\\": \\\"{{hx7 Q\\\\\\\"pw\\\\93}}\\\"}\"", "{\\\\\\\"passwd\\\\\\\":\\\\\\\"{{hx7Qpw93}}\\\\\\\",", "\\u0022password\\u0022:\\u0022{{hx7Qpw93}}\\u0022,", "export DB_PASSWORD=\\\"{{hx7Qpw93}}\\\"\\n"},
		.no = {"{\\\"password\\\": \\\"string\\\"}", "{\\\"password\\\": \\\"$PASSWORD\\\"}", "{\\\"password\\\": \\\"\\\", \\\"user_name\\\": 1}", "password=\\n\\nhunter22"},
	},
	{
		.id = "escaped-secret",
		.group = REDACT_ASSIGNMENT,
		.pattern = SECRETS ESCAPED_SIGN "\\\\{1,3}(?:[\"']|u0022)" ESCAPED_VALUE,
		.hand = HAND_ESCAPED_SECRET,
		.check = check_assigned,
		.yes = {"{\\\"api_key\\\": \\\"{{hx7Qpw93kdLmzQ2}}\\\"}", "\\\\\\\"client_secret\\\\\\\":\\\\\\\"{{hx7Qpw93kdLmzQ2}}\\\\\\\"", "\\u0022access_token\\u0022: \\u0022{{hx7Qp\\\\/w93kdLmzQ2}}\\u0022", "token=\\'{{hx7Qpw93kdLmzQ2}}\\'"},
		.no = {"{\\\"token\\\": \\\"your-token-goes-here\\\"}", "{\\\"key\\\": \\\"sorted_by_name\\\"}", "{\\\"token\\\": \\\"a1\\\", \\\"b2c3d4e5f6\\\": 1}", "key: \\t\\t\\tx8Jq2mPz7LwTn4Rv"},
	},
};
/* clang-format on */

const struct redact_rules rules_assign = {rows, ARRAY_LEN(rows)};
