/* SPDX-License-Identifier: Apache-2.0 */
/* shell_programs.c - what programs are known for: built into the shell, running code, running
 * another program.
 */
#include <string.h>

#include "base/glob.h"
#include "base/own.h"
#include "screen/shell_tree.h"

struct builtin {
	const char *name;
	const char *hint; /* NULL: harmless */
};

#define HINT_STATE "the shell ends with the call; write what you need into each command"
#define HINT_RUN   "write the command itself"
#define HINT_PLACE "name files by their full path"
#define HINT_CODE  "use a tool that takes code"

/* Of dash and of bash.  Those that touch nothing but their output run inside the shell when they
 * are listed, whether a file of that name is there or not; the rest is refused even when it is. */
static const struct builtin builtins[] = {
	{"echo", NULL},
	{"printf", NULL},
	{"test", NULL},
	{"[", NULL},
	{"true", NULL},
	{"false", NULL},
	{"pwd", NULL},
	{"kill", NULL},
	{":", HINT_RUN},
	{".", HINT_RUN},
	{"source", HINT_RUN},
	{"eval", HINT_RUN},
	{"exec", HINT_RUN},
	{"command", HINT_RUN},
	{"builtin", HINT_RUN},
	{"enable", HINT_RUN},
	{"coproc", HINT_CODE},
	{"function", HINT_CODE},
	{"cd", HINT_PLACE},
	{"chdir", HINT_PLACE},
	{"pushd", HINT_PLACE},
	{"popd", HINT_PLACE},
	{"dirs", HINT_PLACE},
	{"export", HINT_STATE},
	{"set", HINT_STATE},
	{"unset", HINT_STATE},
	{"readonly", HINT_STATE},
	{"local", HINT_STATE},
	{"declare", HINT_STATE},
	{"typeset", HINT_STATE},
	{"let", HINT_STATE},
	{"shift", HINT_STATE},
	{"getopts", HINT_STATE},
	{"read", HINT_CODE},
	{"mapfile", HINT_CODE},
	{"readarray", HINT_CODE},
	{"alias", HINT_RUN},
	{"unalias", HINT_RUN},
	{"hash", HINT_STATE},
	{"type", HINT_CODE},
	{"trap", HINT_CODE},
	{"shopt", HINT_STATE},
	{"ulimit", HINT_STATE},
	{"umask", HINT_STATE},
	{"wait", HINT_STATE},
	{"fg", HINT_STATE},
	{"bg", HINT_STATE},
	{"jobs", HINT_STATE},
	{"disown", HINT_STATE},
	{"suspend", HINT_STATE},
	{"logout", HINT_STATE},
	{"exit", HINT_CODE},
	{"return", HINT_CODE},
	{"break", HINT_CODE},
	{"continue", HINT_CODE},
	{"times", HINT_STATE},
	{"history", HINT_STATE},
	{"fc", HINT_STATE},
	{"bind", HINT_STATE},
	{"caller", HINT_CODE},
	{"complete", HINT_CODE},
	{"compgen", HINT_CODE},
	{"compopt", HINT_CODE},
	{"help", HINT_CODE},
};

enum shell_builtin shell_builtin(const char *name, const char **ret_hint)
{
	for (size_t i = 0; i < ARRAY_LEN(builtins); i++) {
		if (strcmp(builtins[i].name, name) != 0)
			continue;
		*ret_hint = builtins[i].hint;
		return builtins[i].hint ? BUILTIN_REFUSED : BUILTIN_HARMLESS;
	}
	return BUILTIN_NONE;
}

bool shell_is_reserved(const char *word)
{
	return shell_name_in(word, "if then else elif fi do done case esac while until for "
				   "function select coproc") ||
	       strcmp(word, "!") == 0 || strcmp(word, "}") == 0 || strcmp(word, "{") == 0 ||
	       strcmp(word, "[[") == 0 || strcmp(word, "]]") == 0;
}

const char *shell_base_name(const char *program)
{
	const char *slash = strrchr(program, '/');

	return slash ? slash + 1 : program;
}

static bool fits(const char *name, const char *glob, size_t len)
{
	char copy[64];

	if (strncmp(name, glob, len) == 0 && !name[len])
		return true;
	if (len >= sizeof(copy) || (!memchr(glob, '*', len) && !memchr(glob, '[', len)))
		return false;
	memcpy(copy, glob, len);
	copy[len] = '\0';
	return glob_match(copy, name);
}

bool shell_name_in(const char *name, const char *globs)
{
	while (*globs) {
		const char *end = strchrnul(globs, ' ');

		/* None begins with a wildcard: most are told apart by one byte. */
		if (*globs == *name && fits(name, globs, (size_t)(end - globs)))
			return true;
		globs = *end ? end + 1 : end;
	}
	return false;
}

static const char shells[] = "sh bash dash ash zsh ksh ksh93 mksh lksh pdksh yash posh fish csh "
			     "tcsh rc es elvish nu pwsh rbash busybox toybox";

bool shell_is_shell(const char *program)
{
	return shell_name_in(shell_base_name(program), shells);
}

/* Why a set that holds one of them is labelled code. */
static const struct {
	const char *programs;
	const char *reason;
} interpreters[] = {
	{shells, "a shell"},
	{"python python[0-9]* pypy pypy[0-9]* ipython ipython[0-9]* jython", "an interpreter"},
	{"node nodejs deno bun qjs d8 js js[0-9]* tsx ts-node", "an interpreter"},
	{"perl perl[0-9]* ruby ruby[0-9]* irb php php[0-9]* lua lua[0-9]* luajit R Rscript julia "
	 "tclsh* wish* expect guile* racket sbcl clisp ocaml ghci runghc runhaskell scala groovy "
	 "java jshell kotlin erl escript elixir iex gst octave* gnuplot swipl",
	 "an interpreter"},
	{"awk gawk mawk nawk original-awk", "system() and pipes of its programs"},
	{"sed gsed ssed", "its e command"},
	{"ed red ex vi vim vim.* nvim view rvim emacs emacs* nano pico micro joe",
	 "its ! commands"},
	{"less more most man info pg", "its ! command"},
	{"find fd fdfind parallel xargs env nohup timeout nice ionice stdbuf setsid time watch "
	 "chroot unshare nsenter setarch linux64 linux32 chrt taskset flock script strace ltrace "
	 "gdb lldb valgrind prlimit capsh runuser su sudo doas pkexec setpriv start-stop-daemon "
	 "run-parts entr",
	 "starts another program"},
	{"sort gsort", "--compress-program"},
	{"tar gtar bsdtar star cpio zip 7z 7za rsync", "options that run a program"},
	{"rg", "--pre"},
	{"git hg svn bzr", "configuration and options that run programs"},
	{"make gmake ninja cmake meson bazel rake ant mvn gradle scons just", "runs recipes"},
	{"gcc gcc-* g++ g++-* cc c++ clang clang-* clang++ tcc ld as go rustc cargo ghc javac",
	 "a compiler, and options that run programs"},
	{"npm npx yarn pnpm pip pip[0-9]* pipx uv uvx gem bundle composer apt apt-get dpkg rpm yum "
	 "dnf "
	 "apk brew conda",
	 "packages bring scripts"},
	{"ssh scp sftp socat nc ncat netcat telnet", "runs programs here or elsewhere"},
	{"sqlite3 psql mysql mariadb mongo mongosh redis-cli", "commands that reach the shell"},
	{"docker podman nerdctl kubectl crictl ctr runc crun bwrap firejail systemd-run at batch "
	 "crontab",
	 "runs programs"},
	{"tmux screen byobu xterm dialog dc bpftrace dtrace m4", "commands that reach the shell"},
	{"ld.so ld-linux*", "the loader runs any file"},
};

bool shell_is_interpreter(const char *program)
{
	const char *name = shell_base_name(program);

	for (size_t i = 0; i < ARRAY_LEN(interpreters); i++)
		if (shell_name_in(name, interpreters[i].programs))
			return true;
	return false;
}

/* A program whose operands are another command. */
static const struct wrapper {
	const char *name;
	const char *values; /* short options with a value */
	size_t operands;    /* words of its own in front of the command */
} wrappers[] = {
	{"env", "uSC", 0},    {"xargs", "IdEnLPsa", 0}, {"nohup", "", 0},
	{"timeout", "ks", 1}, {"nice", "n", 0},         {"ionice", "cnp", 0},
	{"stdbuf", "ioe", 0}, {"setsid", "", 0},        {"time", "fo", 0},
	{"watch", "n", 0},    {"sudo", "ugpCDhrt", 0},  {"doas", "uC", 0},
	{"chroot", "", 1},    {"flock", "wE", 1},       {"strace", "eoups", 0},
	{"taskset", "", 1},   {"chrt", "", 1},          {"unshare", "SG", 0},
	{"busybox", "", 0},   {"toybox", "", 0},        {"command", "", 0},
	{"exec", "a", 0},     {"builtin", "", 0},       {"parallel", "jIdN", 0},
	{"setpriv", "", 0},   {"prlimit", "", 0},       {"ltrace", "", 0},
	{"script", "c", 0},   {"systemd-run", "pu", 0}, {"eval", "", 0},
};

static const struct wrapper *wrapper_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(wrappers); i++)
		if (strcmp(wrappers[i].name, name) == 0)
			return &wrappers[i];
	return NULL;
}

static struct shell_words from(const struct shell_words *w, size_t begin, size_t end)
{
	if (begin >= end)
		return (struct shell_words){0};
	return (struct shell_words){.word = w->word + begin, .n = end - begin};
}

static struct shell_words behind_wrapper(const struct shell_words *w, const struct wrapper *wrapper)
{
	size_t i = 1, operands = wrapper->operands;

	for (; i < w->n; i++) {
		const char *value = w->word[i]->value;
		size_t name = shell_name_len(value, strlen(value));

		if (strcmp(value, "--") == 0)
			continue;
		if (value[0] == '-' && value[1] && value[1] != '-') {
			if (strchr(wrapper->values, value[1]) && !value[2])
				i++;
			continue;
		}
		if (value[0] == '-' || (name > 0 && value[name] == '='))
			continue;
		if (operands == 0)
			break;
		operands--;
	}
	return from(w, i, w->n);
}

static struct shell_words behind_exec(const struct shell_words *w, size_t turn)
{
	for (size_t i = 1; i < w->n; i++) {
		size_t end = i + 1;

		if (!shell_name_in(w->word[i]->value, "-exec -execdir -ok -okdir"))
			continue;
		if (turn-- > 0)
			continue;
		while (end < w->n && strcmp(w->word[end]->value, ";") != 0)
			end++;
		return from(w, i + 1, end);
	}
	return (struct shell_words){0};
}

struct shell_words shell_inner_command(const struct shell_words *w, size_t turn)
{
	const char *name = shell_base_name(w->word[0]->value);
	const struct wrapper *wrapper = wrapper_of(name);

	if (strcmp(name, "find") == 0)
		return behind_exec(w, turn);
	return wrapper && turn == 0 ? behind_wrapper(w, wrapper) : (struct shell_words){0};
}
