/* SPDX-License-Identifier: Apache-2.0 */
/* rules_web.c - secrets in headers, URLs and signed tokens. */
#include "base/own.h"
#include "redact/redact_rule.h"

#define AUTHORIZATION "(?i)authorization" QUOTE "[ \\t]{0,3}[:=][ \\t]{0,3}" QUOTE

/* Behind an option. */
#define APART "(?:[ ]{1,3}|\\\\{0,3}[\"'][ ]?,[ ]?)" QUOTE "(" VALUE

/* clang-format off */
static const struct redact_rule rows[] = {
	{
		.id = "jwt",
		.group = REDACT_CREDENTIAL,
		.pattern = "\\bey[AJ][A-Za-z0-9_-]{10,4000}\\.ey[A-Za-z0-9_-]{10,8000}\\.[A-Za-z0-9_-]{10,}",
		.begins = "eyA eyJ",
		.yes = {"use {{eyJhbGciOiJI" "UzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U}} now"},
		.no = {"eyelash_extensions.eyeball_inspection.py", "eyJhbGciOiJIUzI1NiJ9"},
	},
	{
		.id = "bearer-token",
		.group = REDACT_CREDENTIAL,
		.hand = HAND_BEARER,
		.needs = "bearer",
		.pattern = "(?i)\\bbearer[ \\t]{1,8}" QUOTE "([A-Za-z0-9._~+/=-]{16,})",
		.check = check_random,
		.yes = {"Authorization: Bearer {{mF_9.B5f-4.1JqM0aQ2w}}", "Authorization: Bearer    {{mF_9.B5f-4.1JqM0aQ2w}}", "bearer \"{{mF_9.B5f-4.1JqM0aQ2w}}\"", "Bearer \\\"{{mF_9.B5f-4.1JqM0aQ2w}}\\\""},
		.no = {"the bearer responsibilities-of-office", "Authorization: Bearer TOKEN", "the bearer \"responsibilities-of-office\"", "a bearer         mF_9.B5f-4.1JqM0aQ2w"},
	},
	{
		.id = "authorization-token",
		.group = REDACT_CREDENTIAL,
		.hand = HAND_AUTH_TOKEN,
		.needs = "authorization",
		.pattern = AUTHORIZATION "(?:token|(?:api[_-]?)?key)[ \\t]{1,8}" QUOTE "([A-Za-z0-9._~+/=-]{16,})",
		.check = check_random,
		.yes = {"authorization: token {{8f14e45fceea167a5a36dedd}}", "Authorization: ApiKey {{8f14e45fceea167a5a36dedd}}", "\\\"Authorization\\\": \\\"Key   {{8f14e45fceea167a5a36dedd}}\\\"", "Authorization: Token \"{{8f14e45fceea167a5a36dedd}}\""},
		.no = {"authorization: token responsibilities-of-office", "Authorization: token TOKEN", "the key 8f14e45fceea167a5a36dedd", "Authorization: monkey 8f14e45fceea167a5a36dedd"},
	},
	{
		.id = "basic-auth",
		.group = REDACT_CREDENTIAL,
		.hand = HAND_BASIC,
		.needs = "authorization",
		.pattern = AUTHORIZATION "basic[ \\t]{1,8}" QUOTE "([A-Za-z0-9+/=_-]{8,})",
		.yes = {"Authorization: Basic {{QWxhZGRpbjpvcGVuIHNlc2FtZQ==}}", "'authorization': 'basic {{dTpwYXNzdzByZA}}'"},
		.no = {"Authorization: Basic realm", "authorization is basic knowledge"},
	},
	{
		.id = "url-password",
		.group = REDACT_CREDENTIAL,
		.hand = HAND_URL_PASSWORD,
		.needs = "://&@",
		.pattern = "[a-z][a-z0-9+.-]{1,24}://[^ \\t\\n:@/\"'<>`]{0,64}:([^ \\t\\n@/\"'<>`]{1,256})@",
		.check = check_url_password,
		.yes = {"postgres://app:{{s3cr3t}}@db.internal/x", "redis://:{{p4ss}}@cache:6379/0", "amqps://u:{{a%20b}}@mq"},
		.no = {"https://example.com:8080/@user", "postgres://localhost:5432/db", "mysql://u:$PASS@h/x"},
	},
	{
		.id = "url-token",
		.group = REDACT_CREDENTIAL,
		.hand = HAND_URL_TOKEN,
		.needs = "://&@",
		.pattern = "https?://([A-Za-z0-9_-]{20,256})@[A-Za-z0-9.-]{1,80}",
		.check = check_random,
		.yes = {"https://{{a9f0e61f137d86aa9db53465}}@git.example.org/x"},
		.no = {"https://a-very-long-user-name-indeed@git.example.org/x", "https://example.org/@a9f0e61f137d86aa9db53465"},
	},
	{
		.id = "cli-password",
		.group = REDACT_CREDENTIAL,
		.hand = HAND_CURL,
		.needs = "curl&:",
		.pattern = "\\bcurl[ ](?:[^\\n|;&]{0,200}[ ])?(?:-u|--user)[ =][\"']?[^ \\t\\n:\"']{1,64}:([^ \\t\\n\"']{4,})",
		.check = check_url_password,
		.yes = {"curl -s -u admin:{{s3cret}} https://x", "curl --user='a:{{s3cret}}' x", "curl -u a:{{s3cret}} -u b:$PASS x"},
		.no = {"curl -u admin https://x", "curl https://example.com:8080/x", "curl x; y -u admin:s3cret", "scurl -u admin:s3cret x"},
	},
	{
		.id = "sshpass-password",
		.group = REDACT_CREDENTIAL,
		.hand = HAND_SSHPASS,
		.needs = "sshpass",
		.pattern = "\\bsshpass[ ]{1,2}-p[ ]?[\"']?([^ \\t\\n\"']{4,})",
		.check = check_url_password,
		.yes = {"sshpass -p {{hunter22}} ssh h", "curl -s; sshpass -p{{hunter22}} curl --user a:$X"},
		.no = {"sshpass -p $PASS ssh h", "sshpass -f file ssh h"},
	},
	/* At the begin of a line they are found, too: a pattern of this kind cannot say so. */
	{
		.id = "option-password",
		.group = REDACT_CREDENTIAL,
		.hand = HAND_OPTION_PASSWORD,
		.needs = "pass&- pwd&-",
		.pattern = "(?i)[ \\t\"']--?(?:[a-z0-9_-]{0,24}(?:passw(?:or)?d|passphrase)|(?:[a-z0-9_-]{0,24}[_-])?(?:pass|pwd))" APART "{6,})",
		.check = check_option,
		.yes = {"login --password {{hunter2!x}} -u me", "[\"x\", \"--db-pass\", \"{{hx7Qpw93}}\"]", "[\\\"--passwd\\\",\\\"{{hx7Qpw93}}\\\"]", "--pwd '{{hx7Qpw93}}'"},
		.no = {"use --password PASSWORD or --password-file x1y2z3", "add(\"--password\", \"db_password\")", "login --password $PASS1234 --bypass hx7Qpw93", "x --password --user-name1 --pass ./file1"},
	},
	{
		.id = "option-secret",
		.group = REDACT_CREDENTIAL,
		.hand = HAND_OPTION_SECRET,
		.needs = "token&- secret&- apikey&- api-key&- api_key&- accesskey&- access-key&- access_key&- authkey&- auth-key&- auth_key&- privatekey&- private-key&- private_key&-",
		.pattern = "(?i)[ \\t\"']--?[a-z0-9_-]{0,24}(?:token|secret|(?:api|access|auth|private|secret)[_-]?key)" APART "{10,})",
		.check = check_option_secret,
		.yes = {"x --token {{hx7Qpw93kdLmzQ2}} y", "[\"--api-key\",\"{{hx7Qpw93kdLmzQ2}}\"]", "x --client-secret '{{hx7Qpw93kdLmzQ2}}'", "x --aws_secret_key {{hx7Qpw93kdLmzQ2}}"},
		.no = {"x --token TOKEN --token-file hx7Qpw93kdLmzQ2", "x --key hx7Qpw93kdLmzQ2", "x --secret your-secret-goes-here", "x --token ./hx7Qpw93kdLmzQ2"},
	},
	{
		.id = "request-signature",
		.group = REDACT_CREDENTIAL,
		.pattern = GIVEN("signature", "[0-9a-f]{64}"),
		.yes = {"/x?X-Amz-Date=1&X-Amz-Signature={{9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015}}", "SignedHeaders=host, Signature={{9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015}}"},
		.no = {"X-Amz-Signature=9f86d081884c7d65", "signature=def f(a, b)"},
	},
	{
		.id = "password-hash",
		.group = REDACT_CREDENTIAL,
		.needs = "$1$ $2a$ $2b$ $2x$ $2y$ $5$ $6$ $7$ $y$ $gy$ $argon2 $scrypt$ $pbkdf2-sha",
		.pattern = "\\$(?:1|2a|2b|2x|2y|5|6|7|y|gy|argon2(?:i|d|id)|scrypt|pbkdf2-sha(?:256|512))\\$[A-Za-z0-9./$,=+_-]{28,}",
		.yes = {"root:{{$6$abcdefgh$" "K9q3mZ1xv7T5y8Wc2Rb4NnJk6Lh0Pf}}:19000:", "{{$2b$12$" "R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW}}"},
		.no = {"cost $5$ or $6$ each", "awk '{print $1$2}'"},
	},
	{
		.id = "session-cookie",
		.group = REDACT_CREDENTIAL,
		.needs = "sid= session= sessionid= session_id=",
		.pattern = GIVEN("(?:session_?id|session|sid)", "[a-z0-9%._~+/-]{16,}"),
		.check = check_random,
		.yes = {"Cookie: PHPSESSID={{298zf09hf012fh2u3k1l}}", "Set-Cookie: connect.sid={{s%3Aj7Kd92mXq0Lw4T}}; Path=/", "Cookie: a=b; session={{j7Kd92mXq0Lw4TzP8v}}"},
		.no = {"sessionid=not-logged-in-yet-user", "sid=1234", "session=requests.Session2", "session=not-logged-in-yet"},
	},
};
/* clang-format on */

const struct redact_rules rules_web = {rows, ARRAY_LEN(rows)};
