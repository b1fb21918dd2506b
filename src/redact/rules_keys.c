/* SPDX-License-Identifier: Apache-2.0 */
/* rules_keys.c - where a private key begins; keyblock.c finds its end. */
#include "base/own.h"
#include "redact/redact_rule.h"

/* clang-format off */
static const struct redact_rule rows[] = {
	{
		.id = "private-key",
		.group = REDACT_KEY,
		.needs = "PRIVATE&KEY",
		.pattern = "-----?[ ]?BEGIN[ ][A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?[ ]?-----?",
		.hand = HAND_PRIVATE_KEY,
		.opens_block = true,
		.yes = {"{{-----BEGIN PRIVATE " "KEY-----}}", "k = '{{-----BEGIN RSA PRIVATE " "KEY-----\\nMIIE\\n-----END RSA PRIVATE KEY-----}}'"},
		.no = {"-----BEGIN PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----", "begin private key"},
	},
	{
		.id = "putty-key",
		.group = REDACT_KEY,
		.hand = HAND_PUTTY,
		.needs = "Private-Lines:",
		.pattern = "\\bPrivate-Lines: [0-9]{1,4}",
		.opens_block = true,
		.yes = {"{{Private-Lines: 8}}"},
		.no = {"Public-Lines: 6"},
	},
};
/* clang-format on */

const struct redact_rules rules_keys = {rows, ARRAY_LEN(rows)};
