/* SPDX-License-Identifier: Apache-2.0 */
/* shell_rules.c - patterns in command lines: the ones that are blocked, and advice.
 *
 * They look at words, never at text: "grep sudoku" and "echo su" are nothing.
 * Blocked is what an agent has no use for in a box; what only reaches for
 * something the box does not give is advice.
 */
#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "screen/shell_tree.h"

enum row {
	ROW_RM,
	ROW_MKFS,
	ROW_DD,
	ROW_CHMOD,
	ROW_DEVICE,
	ROW_PIPE_SHELL,
	ROW_PIPE_CODE,
	ROW_EVAL,
	ROW_EXPORT,
	ROW_ENV,
	ROW_PRINTENV,
	ROW_SET,
	ROW_SUDO,
	ROW_SU,
	ROW_PASSWD,
	ROW_SHELL_TEXT,
	ROW_RUNS,
	ROW_WRITES,
	ROW_NETWORK,
	ROW_INSTALLS,
	ROW_DEEP,
	ROW_COUNT
};

enum { INNER_MAX = 8 }; /* programs behind each other, and behind one */

#define HINT_ROOT "nothing here needs another user: files in /work and /tmp are yours"

static const struct screen_row rows[] = {
	[ROW_RM] = {"command.rm-rf", "fs-write", SCREEN_BLOCK,
		    "rm with -r and -f removes whole trees without asking",
		    "name the files; rm -r without -f works too"},
	[ROW_MKFS] = {"command.mkfs", "fs-write", SCREEN_BLOCK, "makes a file system", NULL},
	[ROW_DD] = {"command.dd-if", "fs-write", SCREEN_BLOCK, "dd copies devices",
		    "use head -c or cp"},
	[ROW_CHMOD] = {"command.chmod-777", "fs-write", SCREEN_BLOCK,
		       "lets everybody read, write and execute", "use 755 or u+x"},
	[ROW_DEVICE] = {"command.write-device", "fs-write", SCREEN_BLOCK,
			"reads from or writes to a device", "use /dev/null, or >&2 for errors"},
	[ROW_PIPE_SHELL] = {"command.pipe-to-shell", "dynamic", SCREEN_BLOCK,
			    "a shell runs whatever comes into it", "write the commands themselves"},
	[ROW_PIPE_CODE] = {"command.pipe-to-interpreter", "dynamic", SCREEN_WARN,
			   "an interpreter runs whatever comes into it",
			   "send the code with a tool that takes code"},
	[ROW_EVAL] = {"command.eval", "dynamic", SCREEN_BLOCK, "eval runs text as commands",
		      "write the commands themselves"},
	[ROW_EXPORT] = {"command.export", "environment", SCREEN_BLOCK,
			"changes the environment of what comes after", NULL},
	[ROW_ENV] = {"command.env", "environment", SCREEN_BLOCK, "shows or changes the environment",
		     "run the program itself"},
	[ROW_PRINTENV] = {"command.printenv", "environment", SCREEN_BLOCK, "shows the environment",
			  NULL},
	[ROW_SET] = {"command.set", "environment", SCREEN_BLOCK,
		     "shows the shell's variables or changes how it works", NULL},
	[ROW_SUDO] = {"command.sudo", "privilege", SCREEN_BLOCK, "asks for another user's rights",
		      HINT_ROOT},
	[ROW_SU] = {"command.su", "privilege", SCREEN_BLOCK, "becomes another user", HINT_ROOT},
	[ROW_PASSWD] = {"command.passwd", "privilege", SCREEN_BLOCK, "changes passwords or users",
			NULL},
	[ROW_SHELL_TEXT] = {"command.shell-text", "dynamic", SCREEN_WARN,
			    "a shell is given commands as text, which is not read here",
			    "write the commands themselves"},
	[ROW_RUNS] = {"command.runs-program", "proc", SCREEN_WARN,
		      "makes the program start another one", NULL},
	[ROW_WRITES] = {"command.writes-file", "fs-write", SCREEN_WARN,
			"makes the program write or remove files", NULL},
	[ROW_NETWORK] = {"command.network", "net", SCREEN_WARN,
			 "talks to the network; a name that is looked up is a message too", NULL},
	[ROW_INSTALLS] = {"command.installs", "proc", SCREEN_WARN,
			  "installs packages, which bring scripts of their own", NULL},
	[ROW_DEEP] = {"command.too-deep", "proc", SCREEN_BLOCK,
		      "programs start programs more often than is followed here", NULL},
};
static_assert(ARRAY_LEN(rows) == ROW_COUNT, "one row each");

const struct screen_row *shell_rows(size_t *ret_n)
{
	*ret_n = ROW_COUNT;
	return rows;
}

static const struct shell_pattern patterns[] = {
	{.row = ROW_RM,
	 .programs = "rm",
	 .match = shell_match_all_options,
	 .data = {"rR/recursive", "f/force"}},
	{.row = ROW_MKFS, .programs = "mkfs mkfs.* mke2fs mkswap mkdosfs mkntfs mkudffs"},
	{.row = ROW_DD,
	 .programs = "dd",
	 .match = shell_match_beginning,
	 .data = {"if=", "of=/dev/"}},
	{.row = ROW_CHMOD, .programs = "chmod mkdir install", .match = shell_match_open_mode},
	{.row = ROW_EVAL, .programs = "eval"},
	{.row = ROW_EXPORT, .programs = "export declare typeset readonly setenv"},
	{.row = ROW_ENV, .programs = "env"},
	{.row = ROW_PRINTENV, .programs = "printenv"},
	{.row = ROW_SET, .programs = "set unset shopt"},
	{.row = ROW_SUDO, .programs = "sudo sudoedit doas pkexec run0 visudo"},
	{.row = ROW_SU, .programs = "su runuser newgrp sg"},
	{.row = ROW_PASSWD,
	 .programs = "passwd chpasswd gpasswd chgpasswd useradd usermod userdel adduser deluser "
		     "groupadd groupmod groupdel vipw"},
	{.row = ROW_DEVICE,
	 .programs = "tee",
	 .match = shell_match_beginning,
	 .data = {"/dev/sd", "/dev/nvme", "/dev/vd", "/dev/mem", "/dev/kmem", "/dev/tcp",
		  "/dev/udp", "/dev/loop"}},
	/* From here on advice: see the box. */
	{.row = ROW_SHELL_TEXT,
	 .programs = "sh bash dash ash zsh ksh ksh93 mksh fish csh tcsh",
	 .match = shell_match_option,
	 .data = {"c/command/init-command"},
	 .values = "oO"},
	{.row = ROW_RUNS,
	 .programs = "find fd fdfind",
	 .match = shell_match_word,
	 .data = {"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}},
	{.row = ROW_WRITES,
	 .programs = "find",
	 .match = shell_match_word,
	 .data = {"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"}},
	{.row = ROW_RUNS,
	 .programs = "sort gsort",
	 .match = shell_match_option,
	 .data = {"/compress-program"}},
	{.row = ROW_WRITES,
	 .programs = "sort gsort",
	 .match = shell_match_option,
	 .data = {"o/output"},
	 .values = "kStT"},
	{.row = ROW_RUNS,
	 .programs = "tar gtar bsdtar",
	 .match = shell_match_option,
	 .data = {"IF/to-command/checkpoint-action/use-compress-program/rsh-command/info-script/"
		  "new-volume-script"},
	 .values = "fbCgHLNTVX"},
	{.row = ROW_RUNS,
	 .programs = "awk gawk mawk nawk original-awk",
	 .match = shell_match_text,
	 .data = {"system(", "|\"", "\"|", "|&", "|getline", "@load"}},
	{.row = ROW_WRITES,
	 .programs = "awk gawk mawk nawk original-awk",
	 .match = shell_match_text,
	 .data = {"print>", ">\"", ">>", "inplace"}},
	{.row = ROW_RUNS, .programs = "sed gsed ssed", .match = shell_match_sed_runs},
	{.row = ROW_WRITES, .programs = "sed gsed ssed", .match = shell_match_sed_writes},
	{.row = ROW_WRITES,
	 .programs = "sed gsed ssed",
	 .match = shell_match_option,
	 .data = {"i/in-place"},
	 .values = "efl"},
	{.row = ROW_RUNS,
	 .programs =
		 "xargs parallel nohup timeout nice ionice stdbuf setsid time watch chroot unshare "
		 "nsenter flock strace ltrace taskset chrt script entr run-parts ld.so ld-linux* "
		 "setpriv prlimit systemd-run"},
	{.row = ROW_RUNS,
	 .programs = "git",
	 .match = shell_match_option,
	 .data = {"cOx/config-env/exec-path/upload-pack/receive-pack/exec/ext-diff/textconv/"
		  "open-files-in-pager/extcmd/extcommand/template/paginate"},
	 .values = "CmSLnU"},
	{.row = ROW_RUNS,
	 .programs = "git",
	 .match = shell_match_word,
	 .data = {"config", "bisect", "difftool", "mergetool", "submodule", "filter-branch", "hook",
		  "instaweb", "daemon", "send-email"}},
	{.row = ROW_RUNS,
	 .programs = "rg",
	 .match = shell_match_option,
	 .data = {"z/pre/hostname-bin/search-zip"},
	 .values = "ABCEMTdefgjmrt"},
	{.row = ROW_RUNS,
	 .programs = "rsync scp ssh sftp",
	 .match = shell_match_option,
	 .data = {"eoS/rsh/rsync-path"}},
	{.row = ROW_RUNS,
	 .programs = "man",
	 .match = shell_match_option,
	 .data = {"PHTt/pager/html/troff"}},
	{.row = ROW_RUNS,
	 .programs = "vi vim nvim view ex ed emacs nano less more most make gmake"},
	{.row = ROW_RUNS,
	 .programs = "zip",
	 .match = shell_match_option,
	 .data = {"T/test/unzip-command"}},
	{.row = ROW_WRITES, .programs = "tee truncate shred split csplit"},
	{.row = ROW_NETWORK,
	 .programs = "ping ping6 nslookup dig host drill resolvectl traceroute tracepath mtr whois "
		     "curl "
		     "wget nc ncat netcat socat telnet ssh scp sftp ftp rsync nmap aria2c http"},
	{.row = ROW_NETWORK,
	 .programs = "getent",
	 .match = shell_match_word,
	 .data = {"hosts", "ahosts", "ahostsv4", "ahostsv6"}},
	{.row = ROW_INSTALLS,
	 .programs =
		 "npm yarn pnpm pip pip[0-9]* pipx uv gem cargo go apt apt-get brew conda composer",
	 .match = shell_match_word,
	 .data = {"install", "i", "ci", "add", "update", "upgrade", "run", "exec", "get", "sync"}},
	{.row = ROW_INSTALLS, .programs = "npx uvx bunx"},
};

static void add(struct sieve *s, enum row row, const struct shell_word *from,
		const struct shell_word *to)
{
	sieve_add(s, &rows[row], from->at, to->end - from->at, NULL, NULL);
}

/* Options that say where the program is, other than standard input. */
static bool takes_program_elsewhere(const struct shell_words *w)
{
	for (size_t i = 1; i < w->n; i++) {
		const char *value = w->word[i]->value;

		if (value[0] != '-' || strpbrk(value, "cemrEp"))
			return true;
	}
	return false;
}

static void find_fed(struct sieve *s, const struct shell_words *w)
{
	const struct shell_word *program = w->word[0];
	const char *name = shell_base_name(program->value);

	if (shell_is_shell(name) && !shell_name_in(name, "busybox toybox"))
		add(s, ROW_PIPE_SHELL, program, program);
	else if (shell_name_in(name,
			       "python python[0-9]* pypy* node nodejs deno bun perl perl[0-9]* "
			       "ruby ruby[0-9]* php php[0-9]* lua lua[0-9]* luajit Rscript julia "
			       "tclsh*") &&
		 !takes_program_elsewhere(w))
		add(s, ROW_PIPE_CODE, program, program);
}

static void find_here(struct sieve *s, const struct shell_words *w, bool fed)
{
	const char *name = shell_base_name(w->word[0]->value);

	if (fed)
		find_fed(s, w);
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		size_t at = 0;

		if (!shell_name_in(name, patterns[i].programs))
			continue;
		if (patterns[i].match)
			at = patterns[i].match(w, &patterns[i]);
		if (at > 0 || !patterns[i].match)
			add(s, patterns[i].row, w->word[0], w->word[at]);
	}
}

/* A program in front of a program in front of a program; find has several behind it.  Who nests
 * deeper than anybody would is refused: the time must not grow with it. */
void shell_rules_command(struct sieve *s, const struct shell_words *w, bool fed)
{
	struct shell_words now = *w;

	for (size_t level = 0; now.n > 0; level++) {
		struct shell_words inner = shell_inner_command(&now, 0), more = inner;

		find_here(s, &now, fed);
		for (size_t turn = 1; more.n > 0 && turn <= INNER_MAX; turn++) {
			more = shell_inner_command(&now, turn);
			if (more.n > 0)
				find_here(s, &more, false);
		}
		if (more.n > 0 || level == INNER_MAX) {
			add(s, ROW_DEEP, now.word[0], now.word[0]);
			return;
		}
		now = inner;
	}
}

/* /dev and what is beneath it, by the name alone; ".." may lead anywhere. */
static bool is_device(const char *path, const char *const *fine)
{
	bool at_root = path[0] == '/';
	size_t len;

	for (const char *const *f = fine; *f; f++)
		if (strcmp(path, *f) == 0)
			return false;
	for (; *path; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (len == 1 && path[0] == '.')
			continue;
		if (len == 2 && path[0] == '.' && path[1] == '.')
			at_root = true;
		else if (at_root && len == 3 && strncmp(path, "dev", 3) == 0)
			return true;
		else if (len > 0)
			at_root = false;
	}
	return false;
}

void shell_rules_redirect(struct sieve *s, const struct shell_redirect *r)
{
	static const char *const may_write[] = {"/dev/null", NULL};
	static const char *const may_read[] = {"/dev/null",    "/dev/zero",  "/dev/random",
					       "/dev/urandom", "/dev/stdin", NULL};

	if (r->kind == REDIRECT_JOIN || r->kind == REDIRECT_HEREDOC)
		return;
	if (is_device(r->word->value, r->kind == REDIRECT_READ ? may_read : may_write))
		add(s, ROW_DEVICE, r->word, r->word);
}
