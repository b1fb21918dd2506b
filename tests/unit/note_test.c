/* SPDX-License-Identifier: Apache-2.0 */
/* note_test.c - checkpoints are believed only as they were signed. */
#include "tap.h"

#include <sys/stat.h>

#include "audit/note.h"
#include "base/own.h"
#include "scratch.h"

/* An example of the note format that is not ours. */
static const char other_key[] =
	"PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
static const char other_note[] =
	"If you think cryptography is the answer to your problem,\n"
	"then you don't know what your problem is.\n"
	"\n"
	"\xe2\x80\x94 PeterNeumann "
	"x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqf"
	"qdngotpRZb6KE6RyyBwJnAM=\n";

static struct note_signer signer_in(const struct scratch *dir)
{
	struct note_signer s = {0};
	struct error err = {0};

	CHECK(note_signer_create(dir->fd, "key", "key.pub", "test.example/log", &err) == 0);
	CHECK(note_signer_open(&s, dir->fd, "key", &err) == 0);
	return s;
}

static int sample(const struct note_signer *s, char *ret, size_t room)
{
	struct checkpoint c = {.origin = "test.example/log", .size = 20852163};
	struct error err;

	hash_bytes("root", 4, &c.root);
	return note_sign(s, &c, ret, room, &err);
}

TEST(a_foreign_signature_holds_and_its_text_is_no_checkpoint)
{
	struct error err = {0};
	struct checkpoint c;
	struct note_key key;

	CHECK(note_key_parse(other_key, strlen(other_key), &key, &err) == 0);
	CHECK(note_verify(&key, other_note, strlen(other_note), &c, &err) < 0);
	CHECK_STR(err.text, "what is signed is no checkpoint");
}

TEST(what_was_signed_is_believed_and_the_key_files_are_as_they_should_be)
{
	own(scratch) dir = scratch_make();
	struct note_signer s = signer_in(&dir);
	struct error err = {0};
	struct checkpoint c;
	struct note_key key;
	char text[1024];
	struct stat st;
	int n = sample(&s, text, sizeof(text));

	CHECK(n > 0 && strlen(text) == (size_t)n);
	CHECK(strncmp(text, "test.example/log\n20852163\n", 26) == 0);
	CHECK(note_key_read(dir.fd, "key.pub", &key, &err) == 0);
	CHECK(note_verify(&key, text, (size_t)n, &c, &err) == 0);
	CHECK(c.size == 20852163);
	CHECK(fstatat(dir.fd, "key", &st, 0) == 0 && (st.st_mode & 0777) == 0600);
	CHECK(note_signer_create(dir.fd, "key", "key.pub", "x", &err) < 0);
	CHECK(fchmodat(dir.fd, "key", 0640, 0) == 0);
	note_signer_done(&s);
	CHECK(note_signer_open(&s, dir.fd, "key", &err) < 0);
}

TEST(no_changed_byte_of_a_checkpoint_is_believed)
{
	own(scratch) dir = scratch_make();
	struct note_signer s = signer_in(&dir);
	struct checkpoint c;
	struct error err;
	char text[1024];
	int n = sample(&s, text, sizeof(text));

	for (int i = 0; i < n; i++)
		for (int bit = 0; bit < 8; bit++) {
			text[i] = (char)(text[i] ^ 1 << bit);
			if (note_verify(&s.key, text, (size_t)n, &c, &err) == 0) {
				printf("# byte %d, bit %d\n", i, bit);
				CHECK(false);
			}
			text[i] = (char)(text[i] ^ 1 << bit);
		}
	for (int i = 0; i < n; i++)
		CHECK(note_verify(&s.key, text, (size_t)i, &c, &err) < 0);
	note_signer_done(&s);
}

TEST(signatures_of_others_are_passed_over_and_do_not_count)
{
	own(scratch) dir = scratch_make();
	struct note_signer s = signer_in(&dir);
	struct checkpoint c;
	struct error err;
	char text[1024], more[1200];
	struct note_key key;

	(void)sample(&s, text, sizeof(text));
	(void)snprintf(more, sizeof(more), "%s\xe2\x80\x94 witness.example AAAAAAAAAAAAAAAA\n",
		       text);
	CHECK(note_verify(&s.key, more, strlen(more), &c, &err) == 0);
	CHECK(note_key_parse(other_key, strlen(other_key), &key, &err) == 0);
	CHECK(note_verify(&key, more, strlen(more), &c, &err) < 0);
	(void)snprintf(more, sizeof(more), "%s\xe2\x80\x94 witness.example ?\n", text);
	CHECK(note_verify(&s.key, more, strlen(more), &c, &err) < 0);
	(void)snprintf(more, sizeof(more), "%s\n", text);
	CHECK(note_verify(&s.key, more, strlen(more), &c, &err) < 0);
	note_signer_done(&s);
}

TEST(keys_are_read_strictly)
{
	static const char *const bad[] = {
		"",
		"PeterNeumann",
		"PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
		"PeterNeumann+c74f20a3+AhPc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
		"PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10T",
		"PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW\n\n",
		"Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
		"+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
	};
	struct note_key key;
	struct error err;
	char text[NOTE_KEY_MAX];

	CHECK(note_key_parse(other_key, strlen(other_key), &key, &err) == 0);
	note_key_text(&key, text);
	CHECK_STR(text, other_key);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		CHECK(note_key_parse(bad[i], strlen(bad[i]), &key, &err) < 0);
	CHECK(!note_name_is_fine("a b") && !note_name_is_fine("a+b") && !note_name_is_fine(""));
}
