/* SPDX-License-Identifier: Apache-2.0 */
/* progdata.c - what programs need beyond their libraries, and which of them run code. */
#include "sandbox/native/progdata.h"

#include <fnmatch.h>

#include "base/own.h"

const struct progdata_row progdata_rows[] = {
	/* Without it LANG=C.UTF-8 falls back to ASCII: sort, wc -m, grep and python notice. */
	{"*", "/usr/lib/locale/C.utf8", NULL, false},

	/* Time zones: TZ=Europe/Berlin date; zoneinfo in python; strftime elsewhere. */
	{"date", "/usr/share/zoneinfo", NULL, false},
	{"python3*", "/usr/share/zoneinfo", NULL, false},
	{"perl*", "/usr/share/zoneinfo", NULL, false},
	{"node*", "/usr/share/zoneinfo", NULL, false},
	{"ruby*", "/usr/share/zoneinfo", NULL, false},
	{"php*", "/usr/share/zoneinfo", NULL, false},
	{"gawk*", "/usr/share/zoneinfo", NULL, false},

	/* libc loads it when a thread ends by pthread_exit() or is cancelled. */
	{"python3*", "libgcc_s.so.1", NULL, false},
	{"perl*", "libgcc_s.so.1", NULL, false},
	{"ruby*", "libgcc_s.so.1", NULL, false},

	/* The standard library; lib-dynload holds what loads OpenSSL, SQLite and others. */
	{"python3.*", "%p/lib/python%v", "lib-dynload", false},
	{"python3.*", "%p/lib/python%v", "site-packages", false},
	{"python3*", "%p/lib/python3/dist-packages", ".", false},
	{"python3.*", "%p/local/lib/python%v/dist-packages", ".", false},
	{"python3.*", "%p/lib64/python%v", "lib-dynload", false},
	{"python3.*", "%p/lib64/python%v", "site-packages", false},
	{"python3*", "%i/pyvenv.cfg", NULL, false},
	{"python3.*", "%i/lib/python%v/site-packages", ".", false},

	/* @INC of Debian, of Fedora, and of a perl that was built by hand. */
	{"perl*", "/usr/lib/%m/perl", ".", false},
	{"perl*", "/usr/lib/%m/perl-base", ".", false},
	{"perl*", "/usr/lib/%m/perl5", ".", false},
	{"perl*", "/usr/share/perl", NULL, false},
	{"perl*", "/usr/share/perl5", NULL, false},
	{"perl*", "/usr/lib64/perl5", ".", false},
	{"perl*", "%p/lib/perl5", ".", false},

	/* Debian takes node's own modules out of the program. */
	{"node*", "/usr/share/nodejs", NULL, false},
	{"node*", "/usr/lib/nodejs", NULL, false},
	{"node*", "/usr/lib/%m/nodejs", ".", false},

	{"ruby*", "%p/lib/ruby", ".", false},
	{"ruby*", "/usr/lib/%m/ruby", ".", false},
	{"ruby*", "/usr/share/rubygems-integration", NULL, false},
	{"lua*", "%p/share/lua", NULL, false},
	{"lua*", "%p/lib/lua", ".", false},
	{"lua*", "/usr/lib/%m/lua", ".", false},
	{"tclsh*", "/usr/share/tcltk", NULL, false},
	{"tclsh*", "/usr/lib/tcltk", ".", false},
	{"php*", "/usr/lib/php", ".", false},
	{"php*", "/usr/share/php", NULL, false},
	{"gawk*", "/usr/share/awk", NULL, false},
	{"gawk*", "/usr/lib/%m/gawk", ".", false},
	{"java", "%p/lib", ".", false},
	{"java", "%p/conf", NULL, false},

	/* git runs itself and its helpers from git-core, also for plain local commands. */
	{"git", "%p/lib/git-core", NULL, true},
	{"git", "%p/libexec/git-core", NULL, true},
	{"git", "%p/share/git-core", NULL, false},

	/* Scripts that load their own package from beside themselves. */
	{"npm-cli.js", "%p", NULL, false},
	{"npx-cli.js", "%p", NULL, false},

	{"stdbuf", "%p/libexec/coreutils", NULL, false},
	{"file", "/usr/share/misc/magic.mgc", NULL, false},
	{"file", "/usr/share/misc/magic", NULL, false},
	{"iconv", "/usr/lib/%m/gconv", ".", false},
	{"iconv", "/usr/lib64/gconv", ".", false},

	/* OpenSSL's legacy algorithms, loaded by name. */
	{"openssl", "/usr/lib/%m/ossl-modules", ".", false},
	{"openssl", "/usr/lib64/ossl-modules", ".", false},
	{"python3*", "/usr/lib/%m/ossl-modules", ".", false},
	{"python3*", "/usr/lib64/ossl-modules", ".", false},
	{"ruby*", "/usr/lib/%m/ossl-modules", ".", false},

	{"vim*", "/usr/share/vim", NULL, false},

	/* What the terminal can do; only programs that draw on it ask. */
	{"less", "/usr/lib/terminfo", NULL, false},
	{"less", "/usr/share/terminfo", NULL, false},
	{"tput", "/usr/lib/terminfo", NULL, false},
	{"tput", "/usr/share/terminfo", NULL, false},
	{"vim*", "/usr/lib/terminfo", NULL, false},
	{"vim*", "/usr/share/terminfo", NULL, false},
};
const size_t progdata_row_count = ARRAY_LEN(progdata_rows);

struct interpreter {
	const char *programs; /* a pattern */
	const char *why;      /* for whoever wants to add or take away a row */
};

/* A program is here when it runs a general language that its caller hands it, and does so alone.
 * One that can only start other programs (find, xargs, env, git, timeout, make's recipes) is not:
 * these others are in the box only if they are listed.  Nor are sed, jq, bc and sqlite3: their
 * languages reach data, not system calls.  In doubt a program is here: the word costs the caller
 * a label, its lack costs them a surprise. */
static const struct interpreter interpreters[] = {
	{"python*", "-c, files, modules; ctypes makes any call"},
	{"pypy*", "as python"},
	{"ipython*", "as python"},
	{"perl*", "-e; syscall() makes any call"},
	{"node", "-e; files, sockets, workers"},
	{"nodejs", "as node"},
	{"deno", "as node"},
	{"bun", "as node"},
	{"qjs*", "JavaScript with files"},
	{"ruby*", "-e; syscall and fiddle"},
	{"irb*", "as ruby"},
	{"lua*", "-e; files, C modules"},
	{"texlua", "as lua"},
	{"php*", "-r; files, sockets, FFI"},
	{"tclsh*", "files, sockets"},
	{"wish*", "as tclsh"},
	{"expect*", "as tclsh"},
	{"sh", "builtins write files, open sockets by name, loop without end"},
	{"bash", "as sh; /dev/tcp, loadable builtins"},
	{"rbash", "as bash"},
	{"dash", "as sh"},
	{"ash", "as sh"},
	{"ksh*", "as sh"},
	{"mksh*", "as sh"},
	{"zsh*", "as sh; modules for files and sockets"},
	{"fish", "as sh"},
	{"csh", "as sh"},
	{"tcsh", "as sh"},
	{"elvish", "as sh"},
	{"nu", "as sh"},
	{"pwsh", "as sh; .NET"},
	{"awk", "a whole language that reads and writes any file"},
	{"gawk*", "as awk; sockets, extensions"},
	{"mawk*", "as awk"},
	{"nawk*", "as awk"},
	{"original-awk", "as awk"},
	{"busybox*", "many programs in one file, a shell and awk among them: argv[0] chooses"},
	{"toybox*", "as busybox"},
	{"vi", "vim's language, and what it embeds"},
	{"vim*", "as vi"},
	{"view", "as vi"},
	{"ex", "as vi"},
	{"nvim", "as vi; lua"},
	{"emacs*", "lisp"},
	{"gdb*", "embeds python, calls functions"},
	{"lldb*", "as gdb"},
	{"java", "class files"},
	{"jshell", "as java"},
	{"scala*", "as java"},
	{"kotlin*", "as java"},
	{"groovy*", "as java"},
	{"dotnet", "assemblies"},
	{"mono", "as dotnet"},
	{"R", "a language with files, sockets and C calls"},
	{"Rscript", "as R"},
	{"julia", "a language with C calls"},
	{"octave*", "a language with files"},
	{"gnuplot*", "its language reads and writes files"},
	{"guile*", "scheme with C calls"},
	{"racket", "scheme with C calls"},
	{"sbcl", "lisp with C calls"},
	{"clisp", "lisp with C calls"},
	{"ecl", "lisp with C calls"},
	{"ocaml", "a language with files"},
	{"ghci", "a language with C calls"},
	{"runghc", "as ghci"},
	{"erl", "a language with files and sockets"},
	{"escript", "as erl"},
	{"elixir", "as erl"},
	{"iex", "as erl"},
	{"swipl", "prolog with files and C calls"},
	{"gforth", "forth with C calls"},
	{"tcc", "-run: compiles C and jumps into it"},
	{"wasmtime", "WebAssembly with files"},
	{"wasmer", "as wasmtime"},
	{"qemu-*", "runs machine code from a file that nobody marked as executable"},
	{"bpftrace", "programs for the kernel"},
};

bool progdata_is_interpreter(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(interpreters); i++)
		if (fnmatch(interpreters[i].programs, name, 0) == 0)
			return true;
	return false;
}
