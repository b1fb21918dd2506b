/* SPDX-License-Identifier: Apache-2.0 */
/* rules_places.c - whose machine it is: home directories, temporary names, addresses.
 *
 * Only the name goes: "/home/[REDACTED:home-directory]/notes" still tells what happened.
 */
#include "base/own.h"
#include "redact/redact_rule.h"

/* clang-format off */
static const struct redact_rule rows[] = {
	{
		.id = "home-directory",
		.group = REDACT_HOME,
		.needs = "/home/ /Users/ \\Users\\",
		.pattern = "(?:/home/|/Users/|/export/home/|\\\\Users\\\\|/var/home/)([A-Za-z0-9._-]{1,64})",
		.hand = HAND_HOME,
		.check = check_user,
		.yes = {"open /home/" "{{jane}}/notes.txt", "/Users/" "{{j.doe}}/Library", "C:\\Users\\{{Jane}}\\x"},
		.no = {"/homepage/index.html", "/Users/" "Shared/x", "/home/"},
	},
	{
		.id = "temp-directory",
		.group = REDACT_TEMP,
		.needs = "/tmp/ /var/folders/ \\Temp\\",
		.pattern = "(?:/tmp/|/var/folders/|\\\\Temp\\\\)([A-Za-z0-9._+-]{1,128}(?:/[A-Za-z0-9_+]{20,60})?)",
		.hand = HAND_TEMP,
		.yes = {"wrote /tmp/{{tmpab12cd}}/out", "/var/tmp/{{job.7}}", "/var/folders/{{zz}}/x"},
		.no = {"ls /tmp/", "/tmpfs/x", "the /tmp directory"},
	},
	{
		.id = "ipv4",
		.group = REDACT_ADDRESS,
		.pattern = "[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}",
		.hand = HAND_IPV4,
		.check = check_ipv4,
		.yes = {"from {{192.168.17.4}} port 22", "{{8.8.8.8}}:53", "[{{10.0.0.1}}]"},
		.no = {"127.0.0.1", "version 1.2.3.4.5", "256.1.1.1", "v10.0.0.1"},
	},
	{
		.id = "ipv6",
		.group = REDACT_ADDRESS,
		.pattern = "[0-9A-Fa-f:]{2,39}(?:[0-9]{1,3}\\.[0-9.]{5,11})?",
		.hand = HAND_IPV6,
		.check = check_ipv6,
		.yes = {"to {{2001:db8::8a2e:370:7334}}", "[{{fe80::1}}]:80", "{{2001:db8:0:0:1:0:0:1}}/64", "{{2001:db8::8a2e:370:7334}}.............................. up"},
		.no = {"std::vector<int>", "12:30:45", "::1", "00:1a:2b:3c:4d:5e"},
	},
};
/* clang-format on */

const struct redact_rules rules_places = {rows, ARRAY_LEN(rows)};
