/* SPDX-License-Identifier: Apache-2.0 */
/* sections_redact.c - the rows of redaction and of secrets. */
#include "base/own.h"
#include "policy/reader.h"

static const char *const mode_words[] = {"on", "off", NULL};
/* As redact/redact.h names them; a test compares. */
static const char *const group_words[] = {
	"standard", "all",        "home",  "temp",  "address", "assignment",
	"key",      "credential", "email", "phone", "card",    NULL,
};

static const struct setting own_rows[] = {
	{.key = "id",
	 .type = SET_TEXT,
	 .offset = offsetof(struct redact_own_rule, id),
	 .required = true,
	 .min = 1,
	 .max = 64,
	 .example = "ticket",
	 .help = "What stands in the place of what was found: [REDACTED:ticket]."},
	{.key = "pattern",
	 .type = SET_TEXT,
	 .offset = offsetof(struct redact_own_rule, pattern),
	 .required = true,
	 .min = 1,
	 .max = 1000,
	 .example = "'TICKET-[0-9]{6}'",
	 .help = "A regular expression (PCRE2) within one line; what is in its first group is cut "
		 "out, or all of it if there is none.  It is also given to a search that knows no "
		 "look-around and no references backwards."},
};

static const struct section own_section = {
	.name = "own redaction",
	.about = "A rule of your own for redaction.",
	.rows = own_rows,
	.n_rows = ARRAY_LEN(own_rows),
	.size = sizeof(struct redact_own_rule),
	.place_offset = offsetof(struct redact_own_rule, place),
	.finish = finish_redact_rule,
};

static const struct setting redact_rows[] = {
	{.key = "mode",
	 .type = SET_EITHER,
	 .offset = offsetof(struct redact_policy, off),
	 .words = mode_words,
	 .standard = "on",
	 .example = "off",
	 .help = "off: output comes as it is, with secrets and control sequences, and arguments "
		 "are written down as they are."},
	{.key = "groups",
	 .type = SET_TEXTS,
	 .offset = offsetof(struct redact_policy, groups),
	 .max = 16,
	 .words = group_words,
	 .example = "[standard, email]",
	 .help = "What is looked for.  home: whose home directory a path is in.  temp: names in "
		 "temporary directories.  address: IPv4 and IPv6 addresses.  assignment: password "
		 "= ... and the like.  key: blocks of private keys.  credential: keys and tokens "
		 "whose format is published.  These six are standard, and what is looked for if "
		 "it is not said.  email, phone and card (numbers of payment cards) are not.  "
		 "all: all of them."},
	{.key = "own",
	 .type = SET_LIST,
	 .offset = offsetof(struct redact_policy, own),
	 .count_offset = offsetof(struct redact_policy, n_own),
	 .max = 64,
	 .section = &own_section,
	 .example = "[ { id: ticket, pattern: 'TICKET-[0-9]{6}' } ]",
	 .help = "Rules of your own."},
};

const struct section redact_section = {
	.name = "redact",
	.about = "What is cut out of output while it streams, before it is cut to its limit.",
	.rows = redact_rows,
	.n_rows = ARRAY_LEN(redact_rows),
	.size = sizeof(struct redact_policy),
	.place_offset = SIZE_MAX,
	.finish = finish_redact,
};

static const struct setting secret_rows[] = {
	{.key = "file",
	 .type = SET_TEXT,
	 .offset = offsetof(struct secret, file),
	 .required = true,
	 .min = 1,
	 .max = 4000,
	 .example = "/etc/belljar/api.key",
	 .help = "The file that holds it, from 6 to 4096 bytes without the newline at its end; "
		 "relative to this file.  Only its owner may read it, and that is root or "
		 "whoever calls.  It is read when the tool is called, and does not count in the "
		 "hash of the policy."},
	{.key = "env",
	 .type = SET_TEXT,
	 .offset = offsetof(struct secret, env),
	 .min = 1,
	 .max = 128,
	 .example = "API_KEY",
	 .help = "The variable in which the tool gets it.  If it is not said, the tool gets it in "
		 "a way of its own, and it is only looked for."},
	{.key = "canary",
	 .type = SET_BOOL,
	 .offset = offsetof(struct secret, canary),
	 .standard = "false",
	 .example = "true",
	 .help = "true: nobody has any business printing it.  A call in whose output it shows up "
		 "is killed, and the answer says so (kill_reason canary)."},
};

const struct section secret_section = {
	.name = "secret",
	.about = "A value that the tool may use and must not tell.",
	.rows = secret_rows,
	.n_rows = ARRAY_LEN(secret_rows),
	.size = sizeof(struct secret),
	.name_offset = offsetof(struct secret, name),
	.place_offset = offsetof(struct secret, place),
	.finish = finish_secret,
};
