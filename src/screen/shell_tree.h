/* SPDX-License-Identifier: Apache-2.0 */
/* shell_tree.h - a command line as it was understood; what the reader makes and the writer writes.
 *
 * Whatever is not in here the shell is never told.
 */
#ifndef SCREEN_SHELL_TREE_H
#define SCREEN_SHELL_TREE_H

#include "screen/findings.h"
#include "screen/shell.h"

enum {
	SHELL_TEXT_MAX = 64 * 1024,
	SHELL_COMMANDS_MAX = 64,
	SHELL_WORDS_MAX = 4096,
	SHELL_DEPTH_MAX = 8, /* of ( ), { } and $( ) together */
	SHELL_HEREDOCS_MAX = 16,
};

enum shell_piece_kind {
	PIECE_TEXT,         /* itself, whatever bytes it holds */
	PIECE_GLOB,         /* * ? or a set in brackets, from a closed alphabet */
	PIECE_VARIABLE,     /* text is the name */
	PIECE_SUBSTITUTION, /* inside */
};

struct shell_piece {
	enum shell_piece_kind kind;
	bool quoted; /* by double quotes: what comes out is not split */
	const char *text;
	size_t len;
	struct shell_list *inside;
	struct shell_piece *next;
};

struct shell_word {
	size_t at, end; /* in the text that was read */
	struct shell_piece *pieces;
	bool live;         /* more than text: the shell makes something of it */
	bool bare;         /* nothing in it was quoted; a reserved word must be */
	const char *value; /* what the program gets; a live one: roughly as it was written */
	const char *name;  /* of an assignment; NULL: it is none */
	struct shell_word *next;
};

enum shell_redirect_kind {
	REDIRECT_READ,    /* <  */
	REDIRECT_WRITE,   /* >  */
	REDIRECT_APPEND,  /* >> */
	REDIRECT_JOIN,    /* >&1, >&2 */
	REDIRECT_HEREDOC, /* body, never expanded */
};

struct shell_redirect {
	enum shell_redirect_kind kind;
	int fd; /* what is redirected: 0, 1, 2 */
	int to; /* REDIRECT_JOIN */
	struct shell_word *word;
	const char *body; /* lines, each with its newline */
	size_t body_len;
	struct shell_redirect *next;
	struct shell_redirect *next_pending; /* bodies still to come */
};

enum shell_command_kind { COMMAND_SIMPLE, COMMAND_SUBSHELL, COMMAND_BRACES };

struct shell_command {
	enum shell_command_kind kind;
	size_t at;
	struct shell_word *assignments;
	struct shell_word *words;
	size_t n_words;
	struct shell_redirect *redirects;
	struct shell_list *inside;
	struct shell_command *next; /* in the pipe */
};

/* What stands behind a pipeline. */
enum shell_join { JOIN_END, JOIN_THEN, JOIN_AND, JOIN_OR, JOIN_BACKGROUND };

struct shell_pipeline {
	struct shell_command *commands;
	enum shell_join join;
	struct shell_pipeline *next;
};

struct shell_list {
	struct shell_pipeline *pipelines;
};

/* One reading of one text. */
struct shell_reader {
	const char *text;
	size_t len, at;
	unsigned allow; /* SHELL_... */
	struct arena *arena;
	struct why *why;
	char *store; /* values of words are cut from here, with room for all of them */
	size_t stored;
	struct shell_redirect *pending; /* here-documents whose bodies come after this line */
	size_t n_commands, n_words, n_heredocs;
	unsigned depth;
};

/* shell_parse.c.  NULL: why is filled in. */
struct shell_list *shell_parse(struct shell_reader *r);
struct shell_list *shell_parse_inside(struct shell_reader *r, char end);

/* shell_chars.c.  The whole text; and one character outside quotes. */
int shell_check_bytes(struct shell_reader *r);
int shell_check_bare(struct shell_reader *r, size_t at, size_t len);

/* shell_lex.c.  Each fills in why and returns -1 when it refuses. */
/* Spaces, tabs, comments, and a backslash at the end of a line. */
int shell_skip_blanks(struct shell_reader *r);
/* The word at r->at; an empty one only if empty_ok. */
int shell_read_word(struct shell_reader *r, bool empty_ok, struct shell_word **ret_word);
/* Consumes the newline and the bodies that belong to its line. */
int shell_end_line(struct shell_reader *r);
size_t shell_name_len(const char *text, size_t len);

/* shell_refuse.c.  Says where: line and column of at. */
int shell_refuse(struct shell_reader *r, size_t at, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Not one of the constructs this tool allows. */
int shell_refuse_construct(struct shell_reader *r, size_t at, unsigned construct);
int shell_no_memory(struct shell_reader *r);

/* shell_write.c.  NULL: out of memory. */
const char *shell_write(const struct shell_list *list, size_t text_len, struct arena *a);

/* One command's words, in an array; word[0] names the program. */
struct shell_words {
	const struct shell_word *const *word;
	size_t n;
};

/* shell_rules.c.  What is found goes into the sieve; fed: its input comes from somewhere. */
void shell_rules_command(struct sieve *s, const struct shell_words *w, bool fed);
void shell_rules_redirect(struct sieve *s, const struct shell_redirect *r);

/* shell_match.c.  Where in the words it is, 0: nowhere (the program itself is 0 only for
 * shell_match_always). */
struct shell_pattern;
typedef size_t shell_matcher(const struct shell_words *w, const struct shell_pattern *p);
enum { SHELL_PATTERN_DATA = 14 };
struct shell_pattern {
	unsigned row;
	const char *programs; /* base names with spaces between them; may be globs */
	shell_matcher *match; /* NULL: every use */
	const char *data[SHELL_PATTERN_DATA];
	const char *values; /* short options that take a value: what follows is not one */
};
shell_matcher shell_match_all_options; /* data: "rR/recursive": letters, then long names */
shell_matcher shell_match_option;      /* one of them */
shell_matcher shell_match_word;        /* data: one of the words is one of these */
shell_matcher shell_match_beginning;   /* data: one of the words begins so */
shell_matcher shell_match_text;        /* data: blanks do not count */
shell_matcher shell_match_open_mode;   /* chmod for everybody */
shell_matcher shell_match_sed_runs, shell_match_sed_writes; /* shell_sed.c */

/* shell_programs.c.  What programs are known for. */
enum shell_builtin { BUILTIN_NONE = 0, BUILTIN_HARMLESS, BUILTIN_REFUSED };
enum shell_builtin shell_builtin(const char *name, const char **ret_hint);
bool shell_is_reserved(const char *word);
bool shell_is_shell(const char *program);
const char *shell_base_name(const char *program);
bool shell_name_in(const char *name, const char *globs); /* globs with spaces between them */
/* The command that w would run: its words, n is 0 if there is none.  turn counts from 0. */
struct shell_words shell_inner_command(const struct shell_words *w, size_t turn);

#endif
