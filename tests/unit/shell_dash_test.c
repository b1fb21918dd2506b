/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader saw is what a shell runs: texts from a seeded grammar and from the corpus are
 * read, written again, and given to sh and bash; every command is this program, which writes down
 * its arguments.  They must be the ones that the tree, walked here, says.
 *
 * The shells find nothing but this program: PATH is a directory of links to it, the environment
 * holds what is listed below, and the working directory is empty but for ".out".
 */
#include "screen/shell_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/own.h"
#include "shell_corpus.h"
#include "tap.h"

enum { LOG_FD = 9, LOG_MAX = 1 << 20, TEXTS = 250, RECORDS = 512, WORDS = 1024 };

/* Programs of the grammar: the digit is the exit status; pin writes down its input, too. */
static const char *const printers[] = {"p0", "p1", "pin"};

/* One record: every word escaped to one line, so that lines can be compared as a set. */
static void put_record(struct buf *out, const char *const *words, size_t n, const char *input)
{
	struct error err;

	for (size_t i = 0; i < n; i++) {
		(void)buf_add_str(out, "<", &err);
		for (const char *c = words[i]; *c; c++)
			(void)buf_printf(out, &err, *c > ' ' && *c < 0x7f ? "%c" : "\\x%02x",
					 (unsigned char)*c);
		(void)buf_add_str(out, ">", &err);
	}
	for (const char *c = input; c && *c; c++)
		(void)buf_printf(out, &err, "~%02x", (unsigned char)*c);
	(void)buf_add_str(out, "\n", &err);
}

static int status_of(const char *name)
{
	return strcmp(name, "p1") == 0 ? 1 : 0;
}

/* Before main: when the log is there, this is one of the printers. */
__attribute__((constructor)) static void be_printer(int argc, char **argv)
{
	const char *name = argc > 0 ? shell_base_name(argv[0]) : "";
	own(buf) out = {0};
	char input[4096] = "";
	ssize_t n, all = 0;

	if (!getenv("ARGV_LOG") || fcntl(LOG_FD, F_GETFD) < 0)
		return;
	if (strcmp(name, "pin") == 0)
		while ((n = read(0, input + all, sizeof(input) - 1 - (size_t)all)) > 0)
			all += n;
	argv[0] = (char *)(uintptr_t)name;
	buf_init(&out, LOG_MAX);
	put_record(&out, (const char *const *)argv, (size_t)argc, input);
	if (out.len > PIPE_BUF || write(LOG_FD, out.data, out.len) != (ssize_t)out.len)
		abort();
	(void)!write(1, "out\n", 4);
	_exit(status_of(name));
}

/* --- the same by walking the tree --- */

struct walk {
	struct buf *log;
	char unset; /* for variables that are not there */
};

static int walk_list(struct walk *w, const struct shell_list *list);

/* $V is "v1", $EMPTY is there and empty, $( ) prints "out"; patterns match no file. */
static void expand(struct walk *w, const struct shell_word *word, struct buf *ret, bool *ret_gone)
{
	struct error err;
	bool gone = true;

	buf_init(ret, 1 << 17);
	(void)buf_add(ret, "", 0, &err);
	for (const struct shell_piece *p = word->pieces; p; p = p->next) {
		bool v = p->len == 1 && p->text[0] == 'V';

		if (p->kind == PIECE_SUBSTITUTION) {
			(void)walk_list(w, p->inside);
			(void)buf_add_str(ret, "out", &err);
		} else if (p->kind != PIECE_VARIABLE) {
			(void)buf_add(ret, p->text, p->len, &err);
		} else if (v) {
			(void)buf_add_str(ret, "v1", &err);
		}
		gone &= p->kind == PIECE_VARIABLE && !p->quoted && !v;
	}
	*ret_gone = gone;
}

/* Output of a substitution is "out" once for each command whose output it gets: only one is
 * generated.  -1: no status that is known here. */
static int walk_simple(struct walk *w, const struct shell_command *c)
{
	const char *words[WORDS];
	struct buf bufs[WORDS];
	const char *hint, *input = NULL;
	size_t n = 0;
	bool gone;

	for (const struct shell_word *word = c->words; word && n < WORDS; word = word->next) {
		expand(w, word, &bufs[n], &gone);
		if (!gone)
			n++;
		else
			buf_done(&bufs[n]);
	}
	for (const struct shell_word *a = c->assignments; a; a = a->next) {
		struct buf value;

		expand(w, a, &value, &gone);
		buf_done(&value);
	}
	if (!c->words)
		return 0;
	for (size_t i = 0; i < n; i++)
		words[i] = buf_str(&bufs[i]);
	for (const struct shell_redirect *r = c->redirects; r; r = r->next)
		if (r->kind == REDIRECT_HEREDOC)
			input = strndup(r->body, r->body_len);
	if (shell_builtin(words[0], &hint) == BUILTIN_NONE)
		put_record(w->log, words, n, strcmp(words[0], "pin") == 0 ? input : NULL);
	return status_of(words[0]);
}

static int walk_command(struct walk *w, const struct shell_command *c)
{
	return c->kind == COMMAND_SIMPLE ? walk_simple(w, c) : walk_list(w, c->inside);
}

static int walk_pipeline(struct walk *w, const struct shell_pipeline *p)
{
	int status = 0;

	for (const struct shell_command *c = p->commands; c; c = c->next)
		status = walk_command(w, c);
	return status;
}

static int walk_list(struct walk *w, const struct shell_list *list)
{
	bool run = true;
	int status = 0;

	for (const struct shell_pipeline *p = list->pipelines; p; p = p->next) {
		if (run)
			status = walk_pipeline(w, p);
		if (p->join == JOIN_AND)
			run = status == 0;
		else if (p->join == JOIN_OR)
			run = status != 0;
		else
			run = true;
		if (p->join == JOIN_BACKGROUND)
			status = 0;
	}
	return status;
}

/* --- texts from a grammar --- */

static uint64_t noise_state = 0x9e3779b97f4a7c15;

static unsigned noise(unsigned below)
{
	noise_state ^= noise_state << 13;
	noise_state ^= noise_state >> 7;
	noise_state ^= noise_state << 17;
	return (unsigned)(noise_state % below);
}

struct maker {
	struct buf out;
	unsigned depth, documents;
	bool in_heredoc_line;
	char bodies[1024]; /* of the line that is being made */
};

static void make(struct maker *m, const char *text)
{
	struct error err;

	(void)buf_add_str(&m->out, text, &err);
}

/* No slash: nothing that could be the path of a program. */
static const char *const plain[] = {
	"a",    "b1",  "-x",       "--y=z", "foo.c", "%s", "@",  "+", "=", ",",
	":",    "x=1", "{",        "}",     "{a,b}", "!",  "if", "^", "-", "é",
	"日本", "Á",   "ÁÂÃÄÅÆÇÈ", "αβ",    "a#b",   "a~", "]",  "[",
};
static const char *const escaped[] = {"\\'", "\\\"", "\\\\", "\\$", "\\`", "\\*", "\\;", "\\ ",
				      "\\&", "\\|",  "\\#",  "\\~", "\\(", "\\a", "\\[", "\\!"};
static const char *const single[] = {
	"''",    "'a b'",       "'$V'",     "'`p1`'",  "'\"'",      "'\\'",    "'\n'",   "'; p1 ;'",
	"'*'",   "'$(p1)'",     "'\\n\\t'", "'#'",     "'~'",       "'&& p1'", "'é\t'",  "'あ'",
	"'[a]'", "'\n\n p1\n'", "'Á'",      "'{a,b}'", "'a'\\''b'", "'${V}'",  "'\\\\'", "'!'",
};
static const char *const in_double[] = {"a",  " ", "'",  "\\\"", "\\\\", "\\$", "\\`",
					"*",  ";", "#",  "~",    "\\n",  "$",   "$ ",
					"\n", "é", "あ", "&&",   "|",    "!"};
static const char *const globs[] = {"*",           "?",   "[ab]", "[!x]", "[a-z]",
				    "[[:digit:]]", "*.c", "[a",   "[]",   "[0]"};

#define ANY(list) (list)[noise((unsigned)ARRAY_LEN(list))]

static void make_list(struct maker *m);

static void make_inside(struct maker *m)
{
	m->depth++;
	make(m, "$(");
	make(m, noise(2) ? "p0 x " : " p1 ");
	make(m, noise(2) ? "'y z'" : "y");
	make(m, ")");
	m->depth--;
}

static void make_double(struct maker *m)
{
	make(m, "\"");
	for (unsigned n = noise(4); n > 0; n--) {
		unsigned kind = noise(8);

		if (kind == 0)
			make(m, noise(2) ? "${V}" : "$EMPTY");
		else if (kind == 1 && m->depth < 3 && !m->documents)
			make_inside(m);
		else
			make(m, ANY(in_double));
		/* a dollar in front of a letter would be a name */
		if (m->out.data[m->out.len - 1] == '$')
			make(m, " ");
	}
	make(m, "\"");
}

static void make_word(struct maker *m)
{
	for (unsigned n = noise(3) + 1; n > 0; n--) {
		switch (noise(9)) {
		case 0:
		case 1:
			make(m, ANY(plain));
			break;
		case 2:
			make(m, ANY(escaped));
			break;
		case 3:
		case 4:
			make(m, ANY(single));
			break;
		case 5:
			make_double(m);
			break;
		case 6:
			make(m, ANY(globs));
			break;
		case 7:
			make(m, noise(3) ? "${V}" : "${NONE}");
			break;
		default:
			if (m->depth < 3 && !m->documents)
				make_inside(m);
			else
				make(m, "z");
		}
	}
}

static void make_redirect(struct maker *m)
{
	static const char *const redirects[] = {">/dev/null",  "2>&1",      "> .out/f",
						">> '.out/g'", "2>.out/e",  "< '.out/in'",
						">&2",         "1>.out/\\h"};

	make(m, " ");
	make(m, ANY(redirects));
}

static void make_document(struct maker *m)
{
	static const char *const bodies[] = {"",         "x\n",     "$V `p1` $(p1)\n'\n",
					     "\\\n\"\n", "END_0\n", "END\\\n",
					     " E\n",     "Áあ\n",   "E \nEE\n"};
	size_t used = strlen(m->bodies);

	make(m, noise(2) ? "pin <<'E'" : noise(2) ? "pin << \"E\"" : "pin <<\\E");
	(void)snprintf(m->bodies + used, sizeof(m->bodies) - used, "%sE\n", ANY(bodies));
	m->documents++;
}

static void make_simple(struct maker *m)
{
	if (m->documents < 3 && m->depth == 0 && noise(12) == 0) {
		make_document(m);
		return;
	}
	for (unsigned n = noise(8) == 0 ? 2 : 0; n > 0; n--) {
		make(m, noise(2) ? "A=" : "B_2=");
		make(m, noise(2) ? ANY(single) : "x*");
		make(m, " ");
	}
	if (noise(30) == 0) {
		make(m, "C=c");
		return;
	}
	make(m, noise(5) ? "p0" : noise(2) ? "'p1'" : "p\\1");
	for (unsigned n = noise(5); n > 0; n--) {
		make(m, noise(6) ? " " : " \\\n\t");
		make_word(m);
	}
	if (noise(5) == 0)
		make_redirect(m);
}

static void make_command(struct maker *m)
{
	if (m->depth < 3 && !m->documents && noise(10) == 0) {
		m->depth++;
		make(m, noise(2) ? "( " : "(");
		make_list(m);
		make(m, ")");
		m->depth--;
	} else if (m->depth < 3 && !m->documents && noise(12) == 0) {
		m->depth++;
		make(m, "{ ");
		make_list(m);
		make(m, noise(2) ? "; }" : "\n}");
		m->depth--;
	} else {
		make_simple(m);
	}
}

static void end_line(struct maker *m)
{
	make(m, noise(6) ? "\n" : " # a comment; p1 'x\n");
	make(m, m->bodies);
	m->bodies[0] = '\0';
	m->documents = 0;
}

static void make_list(struct maker *m)
{
	static const char *const joins[] = {" | ", "|",   " && ", " || ", "; ",
					    ";",   " & ", "||",   "&&"};

	for (unsigned n = noise(4); n > 0; n--) {
		make_command(m);
		if (noise(4) || m->depth)
			make(m, ANY(joins));
		else
			end_line(m);
	}
	make_command(m);
	if (m->depth == 0)
		end_line(m);
}

/* --- running --- */

static char scratch[] = "/tmp/shell-dash-XXXXXX";

static void link_printer(const char *name)
{
	char path[512], self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	(void)snprintf(path, sizeof(path), "%s/bin/%s", scratch, name);
	if (symlink(self, path) < 0 && errno != EEXIST)
		abort();
}

static void prepare(void)
{
	char path[512];
	own_fd in = -1;

	if (!mkdtemp(scratch))
		abort();
	(void)snprintf(path, sizeof(path), "%s/bin", scratch);
	(void)mkdir(path, 0755);
	(void)snprintf(path, sizeof(path), "%s/cwd", scratch);
	(void)mkdir(path, 0755);
	if (chdir(path) < 0 || mkdir(".out", 0755) < 0)
		abort();
	in = open(".out/in", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	for (size_t i = 0; i < ARRAY_LEN(printers); i++)
		link_printer(printers[i]);
	for (size_t i = 0; i < ARRAY_LEN(benign_programs); i++)
		link_printer(benign_programs[i]);
}

static void clean_up(void)
{
	char command[600];

	(void)snprintf(command, sizeof(command), "%s", scratch);
	if (chdir("/") == 0 && fork() == 0) {
		execl("/bin/rm", "rm", "-r", "-f", "--", command, NULL);
		_exit(127);
	}
	(void)wait(NULL);
}

static _Noreturn void become_shell(const char *const *shell, const char *text, int log)
{
	char path[600];
	const char *env[] = {path, "ARGV_LOG=1", "V=v1", "EMPTY=", "LC_ALL=C.UTF-8", NULL};
	const char *argv[5];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	size_t n = 0;

	for (; shell[n]; n++)
		argv[n] = shell[n];
	argv[n++] = "-c";
	argv[n++] = text;
	argv[n] = NULL;
	(void)snprintf(path, sizeof(path), "PATH=%s/bin", scratch);
	if (dup2(log, LOG_FD) < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
		_exit(126);
	(void)alarm(20);
	(void)signal(SIGPIPE, SIG_IGN); /* nobody reads what the printers say */
	execve(shell[0], (char **)(uintptr_t)argv, (char **)(uintptr_t)env);
	_exit(127);
}

/* Waits for every process that could still write. */
static void run_shell(const char *const *shell, const char *text, struct buf *log)
{
	struct error err;
	char chunk[4096];
	int ends[2];
	ssize_t n;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		abort();
	child = fork();
	if (child == 0)
		become_shell(shell, text, ends[1]);
	(void)close(ends[1]);
	while ((n = read(ends[0], chunk, sizeof(chunk))) > 0)
		(void)buf_add(log, chunk, (size_t)n, &err);
	(void)close(ends[0]);
	(void)waitpid(child, NULL, 0);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In a pipe the order is anybody's. */
static void sort_lines(struct buf *log)
{
	own_str copy = strdup(buf_str(log));
	char *lines[RECORDS], *save = NULL;
	struct error err;
	size_t n = 0;

	for (char *l = strtok_r(copy, "\n", &save); l && n < RECORDS;
	     l = strtok_r(NULL, "\n", &save))
		lines[n++] = l;
	qsort(lines, n, sizeof(lines[0]), by_text);
	log->len = 0;
	for (size_t i = 0; i < n; i++)
		(void)buf_printf(log, &err, "%s\n", lines[i]);
}

static bool same_in(const char *const *shell, const char *written, struct buf *expected)
{
	own(buf) log;

	buf_init(&log, LOG_MAX);
	run_shell(shell, written, &log);
	sort_lines(&log);
	sort_lines(expected);
	if (strcmp(buf_str(&log), buf_str(expected)) == 0)
		return true;
	printf("# %s does something else with:\n# ", shell[0]);
	for (const char *c = written; *c; c++)
		printf(*c == '\n' ? "\n# " : "%c", *c);
	printf("\n");
	for (const char *c = buf_str(expected); *c; c++)
		printf(*c == '\n' ? "\n" : "%s%c",
		       c == buf_str(expected) || c[-1] == '\n' ? "# read: " : "", *c);
	for (const char *c = buf_str(&log); *c; c++)
		printf(*c == '\n' ? "\n" : "%s%c",
		       c == buf_str(&log) || c[-1] == '\n' ? "# ran: " : "", *c);
	return false;
}

static const char *const dash[] = {"/bin/sh", NULL};
static const char *const bash[] = {"/bin/bash", "--posix", NULL};

/* false: the reader refused it. */
static bool try_text(const char *text, size_t len)
{
	struct why why = {0};
	own(arena) a;
	own(buf) expected;
	struct error err;
	struct shell_reader r = {
		.text = text, .len = len, .allow = 0xffff, .arena = &a, .why = &why};
	struct walk w = {.log = &expected};
	struct shell_list *list;
	const char *written;

	arena_init(&a, 1 << 22);
	buf_init(&expected, LOG_MAX);
	if (shell_check_bytes(&r) < 0)
		return false;
	r.store = arena_alloc(&a, len * 2 + 16, &err);
	list = r.store ? shell_parse(&r) : NULL;
	if (!list) {
		if (getenv("VERBOSE"))
			printf("# refused (%s): %.*s\n", why.what, (int)len, text);
		return false;
	}
	written = shell_write(list, len, &a);
	CHECK(written);
	if (!written)
		return true;
	(void)walk_list(&w, list);
	CHECK(same_in(dash, arena_copy(&a, text, len, &err), &expected)); /* reads as dash does */
	CHECK(same_in(dash, written, &expected));
	if (access(bash[0], X_OK) == 0)
		CHECK(same_in(bash, written, &expected));
	return true;
}

TEST(shells_run_what_the_reader_saw_in_texts_from_a_grammar)
{
	const char *more = getenv("TEXTS");
	unsigned texts = more ? (unsigned)strtoul(more, NULL, 10) : TEXTS;
	unsigned read = 0;

	if (getenv("SEED"))
		noise_state = strtoul(getenv("SEED"), NULL, 10) | 1;
	prepare();
	for (unsigned i = 0; i < texts && tap_failures < 5; i++) {
		struct maker m = {0};

		buf_init(&m.out, 1 << 16);
		make_list(&m);
		read += try_text(buf_str(&m.out), m.out.len);
		buf_done(&m.out);
	}
	clean_up();
	printf("# %u texts, %u of them read\n", texts, read);
	CHECK(read > texts / 2);
}

/* What is in there for the shell's own built-ins or for its variables is left out. */
static bool can_be_walked(const struct piece *p)
{
	static const char *const not_here[] = {"test ",   "[ -",   "false", "kill", "HOME",
					       "USER",    "LANG",  "$n",    "$X",   "${X}",
					       "wc -l x", "> out", ".txt",  "< ",   " <f"};

	for (size_t i = 0; i < ARRAY_LEN(not_here); i++)
		if (memmem(p->text, p->len, not_here[i], strlen(not_here[i])))
			return false;
	return true;
}

TEST(shells_run_what_the_reader_saw_in_ordinary_lines)
{
	own_str data = load_corpus("command-benign.corpus");
	const char *at = data;
	unsigned n = 0, read = 0;
	struct piece p;

	prepare();
	while (next_piece(&at, &p)) {
		if (!can_be_walked(&p))
			continue;
		n++;
		read += try_text(p.text, p.len);
	}
	clean_up();
	printf("# %u lines, %u of them read\n", n, read);
	CHECK(read == n && n > 100);
}
