/* SPDX-License-Identifier: Apache-2.0 */
/* keyblock_test.c - private keys go as a whole, ended or not, and what follows stays. */
#include "base/own.h"
#include "redacting.h"
#include "tap.h"

#define BEGIN                     \
	"-----BEGIN RSA PRIVATE " \
	"KEY-----"
#define END                     \
	"-----END RSA PRIVATE " \
	"KEY-----"
#define BODY  "MIIEowIBAAKCAQEAw5n3Z1pXq8vT2mKfLrYdGhJsBcQeWtUyIoPaSdFgHjKlZxCv"
#define LABEL "[REDACTED:private-key]"

static const struct {
	const char *text, *want;
} rows[] = {
	{"a\n" BEGIN "\n" BODY "\n" BODY "\nAb3=\n" END "\nb\n", "a\n" LABEL "\nb\n"},
	{"a " BEGIN "\\n" BODY "\\n" END "\\n\", \"next\": 1\n", "a " LABEL "\\n\", \"next\": 1\n"},
	{BEGIN "\n" BODY "\n" BODY "\nordinary text again\nmore\n",
	 LABEL "\nordinary text again\nmore\n"},
	{BEGIN "\n" BODY "\n" BODY, LABEL},
	{BEGIN "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\n" BODY "\n" END "\nx\n",
	 LABEL "\nx\n"},
	{"  " BEGIN "\n  " BODY "\n  " END "\n  x\n", "  " LABEL "\n  x\n"},
	{"> " BEGIN "\n> " BODY "\n> " END "\nx\n", "> " LABEL "\nx\n"},
	{"app | " BEGIN "\napp | " BODY "\napp | " END "\napp | x\n", "app | " LABEL "\napp | x\n"},
	{"\"" BEGIN "\\n\" +\n\"" BODY "\\n\" +\n\"" END "\\n\";\nx\n", "\"" LABEL "\\n\";\nx\n"},
	{BEGIN "\nnot a key at all\n", LABEL "\nnot a key at all\n"},
	{BEGIN "\n" BODY "\nBearer: 8.8.8.8 is an address\n",
	 LABEL "\nBearer: [REDACTED:ipv4] is an address\n"},
	{BEGIN "\n" BODY "\n" END "\n" BEGIN "\n" BODY "\n" END "\nx\n", LABEL "\n" LABEL "\nx\n"},
	{"-----BEGIN OPENSSH PRIVATE "
	 "KEY-----\n" BODY "\n-----END OPENSSH PRIVATE "
	 "KEY-----\nx\n",
	 LABEL "\nx\n"},
	{"-----BEGIN PGP PRIVATE "
	 "KEY BLOCK-----\nVersion: X\n\n" BODY "\n=aB3d\n-----END PGP PRIVATE "
	 "KEY BLOCK-----\nx\n",
	 LABEL "\nx\n"},
	{"-----BEGIN PUBLIC KEY-----\n" BODY "\n-----END PUBLIC KEY-----\n",
	 "-----BEGIN PUBLIC KEY-----\n" BODY "\n-----END PUBLIC KEY-----\n"},
};

TEST(keys_go_whole_however_the_text_is_cut)
{
	struct redact_set *set = redacting_set(REDACT_KEY | REDACT_ADDRESS);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		for (size_t size = 1; size < strlen(rows[i].text); size += 1 + size / 8) {
			struct buf out = {0};

			redacting_pieces(set, rows[i].text, strlen(rows[i].text), redacting_same,
					 &size, &out);
			CHECK_STR(buf_str(&out), rows[i].want);
			buf_done(&out);
		}
	}
	redact_set_free(set);
}

TEST(a_putty_key_ends_with_its_mac)
{
	struct redact_set *set = redacting_set(REDACT_KEY);
	own_str got = redacting_text(set, "Public-Lines: 1\nAAAA\nPrivate-Lines: 2\n" BODY "\n" BODY
					  "\nPrivate-MAC: 0011aabb\nx\n");

	CHECK_STR(got, "Public-Lines: 1\nAAAA\n[REDACTED:putty-key]\nx\n");
	redact_set_free(set);
}

TEST(a_key_in_an_endless_line_is_swallowed_to_its_end)
{
	struct redact_set *set = redacting_set(REDACT_KEY);
	size_t len = 400000;
	own_str text = malloc(len + 128);
	own_str got = NULL;

	memset(text, 'Q', len);
	memcpy(text, "x " BEGIN, strlen("x " BEGIN));
	(void)snprintf(text + len, 128, END "y\n");
	got = redacting_text(set, text);
	CHECK_STR(got, "x " LABEL "y\n");
	redact_set_free(set);
}

/* What begins before it, and ends in it or behind it, hides no key. */
TEST(a_key_whose_begin_is_part_of_another_secret_goes_whole)
{
	struct redact_set *set = redacting_set(REDACT_STANDARD);
	static const char *const before[] = {
		"PASSWORD=",       "password: 8gT2", "password=\"" BEGIN "\" x",
		"curl -u me:pw12", "https://me:pw1", "api_key=x8Jq2mPz7LwTn4Rv",
	};

	for (size_t i = 0; i < ARRAY_LEN(before); i++) {
		for (size_t size = 1; size < 200; size += 1 + size) {
			char text[512];
			struct buf out = {0};

			(void)snprintf(text, sizeof(text), "%s%s\n%s\n%s\n%s\nx\n", before[i],
				       strchr(before[i], '"') ? "" : BEGIN, BODY, BODY, END);
			redacting_pieces(set, text, strlen(text), redacting_same, &size, &out);
			CHECK(!strstr(buf_str(&out), BODY));
			CHECK(strstr(buf_str(&out), "\nx\n"));
			buf_done(&out);
		}
	}
	redact_set_free(set);
}
