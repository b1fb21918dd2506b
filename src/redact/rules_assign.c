/* SPDX-License-Identifier: Apache-2.0 */
/* rules_assign.c - "password = ...": a name that says secret, and a value that looks like one.
 *
 * The name alone is no proof: programs and logs are full of "token: str" and "key = name".
 * check_assigned() wants a value that nobody would write by hand, check_password() one that is
 * no word of a program.
 */
#include "base/own.h"
#include "redact/redact_rule.h"

#define SIGN  "[\"'\\]]{0,2}[ \\t]{0,3}(?:=>|:=|[=:])[ \\t]{0,3}"
#define VALUE "[^ \\t\\n\"'`<>,;(){}\\[\\]&|]"

/* clang-format off */
static const struct redact_rule rows[] = {
	{
		.id = "password",
		.group = REDACT_ASSIGNMENT,
		.pattern = "(?i)(?:passw(?:or)?d|passphrase|\\bpwd|\\bpgpass|_pass|\\bpass)" SIGN "(?:\"([^\"\\n]{6,128})\"|'([^'\\n]{6,128})'|(" VALUE "{6,}))",
		.hand = HAND_PASSWORD,
		.check = check_password,
		.yes = {"DB_PASSWORD={{hunter2!x}}", "password: \"{{correct horse battery}}\"", "'passwd' => '{{S3cr3t!}}'"},
		.no = {"password = getpass()", "password: string", "password=os.environ[X]", "PASSWORD=${PASSWORD}"},
	},
	{
		.id = "secret-assignment",
		.group = REDACT_ASSIGNMENT,
		.pattern = "(?i)(?:secret|token|credential|api_?-?key|access_?-?key|auth_?-?key|private_?-?key|encryption_?-?key|signing_?-?key|master_?-?key|secret_?-?key|\\bkey)[a-z0-9_]{0,12}" SIGN "[\"'`]?(" VALUE "{10,})",
		.hand = HAND_SECRET,
		.check = check_assigned,
		.yes = {"SECRET_KEY = '{{x8Jq2mPz7LwTn4Rv}}'", "api_key: {{9f86d081884c7d659a2feaa0c55ad015}}", "\"token\": \"{{tok_8sJ2kQ9zLm4}}\"", "X-Api-Key: {{5f4dcc3b5aa765d61d83}}"},
		.no = {"token: str = request.headers", "key = sorted_by_name", "secret: your-secret-goes-here", "key=lambda row:row.key1"},
	},
};
/* clang-format on */

const struct redact_rules rules_assign = {rows, ARRAY_LEN(rows)};
