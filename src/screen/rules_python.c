/* SPDX-License-Identifier: Apache-2.0 */
/* rules_python.c - what is looked for in Python, as data.
 *
 * A rule blocks what ordinary snippets almost never do, and warns of what they do every day: the
 * box keeps its promise either way.
 */
#include "screen/python.h"

#include <assert.h>
#include <string.h>

#include "base/own.h"

const struct screen_row python_rows[PY_RULE_COUNT] = {
	[PY_SYNTAX] = {"python.syntax", "unreadable", SCREEN_BLOCK,
		       "this cannot be read as Python 3", "send plain Python 3 source"},
	[PY_ENCODING] = {"python.encoding", "unreadable", SCREEN_BLOCK,
			 "the source must be plain UTF-8", "remove the coding line, send UTF-8"},
	[PY_OBSCURE] = {"python.obscure", "dynamic", SCREEN_BLOCK,
			"too twisted to tell what it stands for", "write it straight"},
	[PY_IMPORT] = {"python.import", "import", SCREEN_BLOCK,
		       "this module is not importable here", NULL},
	[PY_DYNAMIC_IMPORT] = {"python.dynamic-import", "dynamic", SCREEN_BLOCK,
			       "imports a module whose name is only known when it runs",
			       "use a plain import statement"},
	[PY_EVAL] = {"python.eval", "dynamic", SCREEN_BLOCK,
		     "runs text as code that cannot be read beforehand",
		     "write the code itself; for data use json or ast.literal_eval"},
	[PY_EVAL_CONSTANT] = {"python.eval-constant", "dynamic", SCREEN_WARN,
			      "runs a constant string as code", "write the code itself"},
	[PY_CODE_STRING] = {"python.code-string", "dynamic", SCREEN_WARN,
			    "may run a string as code", "pass a function"},
	[PY_BUILTINS] = {"python.builtins", "introspection", SCREEN_BLOCK,
			 "reaches functions by names that are only known when it runs",
			 "name the function itself"},
	[PY_INTROSPECTION] = {"python.introspection", "introspection", SCREEN_BLOCK,
			      "reaches into the interpreter's insides", "use the plain object"},
	[PY_FRAMES] = {"python.frames", "introspection", SCREEN_WARN,
		       "looks at frames or code objects of the interpreter", NULL},
	[PY_PROCESS] = {"python.process", "proc", SCREEN_BLOCK, "starts another program",
			"there are no other programs to rely on in the box; do it in Python"},
	[PY_KILL] = {"python.kill", "proc", SCREEN_WARN, "ends or signals processes", NULL},
	[PY_INSTALL] = {"python.install", "net", SCREEN_BLOCK,
			"nothing can be installed, there is no network in the box",
			"use what is there; the standard library is"},
	[PY_NETWORK] = {"python.network", "net", SCREEN_BLOCK, "there is no network in the box",
			"ask for a tool that fetches, or work on data that is passed in"},
	[PY_NATIVE] = {"python.native", "native", SCREEN_BLOCK, "calls native code or raw memory",
		       "use Python's own modules"},
	[PY_DESTROY] = {"python.destroy", "fs-write", SCREEN_BLOCK,
			"changes files outside of /work and /tmp", "write to /work or /tmp"},
	[PY_WRITE] = {"python.write", "fs-write", SCREEN_WARN, "writes or removes files",
		      "files live in /work, for this call only"},
	[PY_SECRETS] = {"python.secrets", "paths", SCREEN_BLOCK,
			"opens a file that holds credentials or is the host's affair",
			"such files are not in the box"},
	[PY_PATHS] = {"python.paths", "paths", SCREEN_WARN, "names a path of the system",
		      "work in /work"},
	[PY_DESERIALISE] = {"python.deserialise", "deserialise", SCREEN_WARN,
			    "loads objects in a format that can run code", "use json"},
	[PY_CODE_OBJECT] = {"python.code-object", "dynamic", SCREEN_BLOCK,
			    "makes code or functions from raw parts", "write the code itself"},
	[PY_BLOB] = {"python.blob", "blob", SCREEN_WARN, "holds a large encoded block of data",
		     NULL},
	[PY_ENVIRONMENT] = {"python.environment", "environment", SCREEN_WARN,
			    "reads or changes environment variables", NULL},
	[PY_LOOKALIKE] = {"python.lookalike", "unreadable", SCREEN_WARN,
			  "a name that looks different from what Python takes it for", NULL},
};

/* names: of the module's members, with globs; NULL: importing it at all. */
static const struct group {
	const char *module;
	const char *names;
	enum py_rule rule;
} groups[] = {
	{"os",
	 "system popen popen2 popen3 popen4 execl execle execlp execlpe execv execve execvp "
	 "execvpe "
	 "spawn* posix_spawn* fork forkpty startfile setuid setgid setreuid setregid setresuid "
	 "setresgid seteuid setegid setgroups initgroups chroot unshare setns ptrace",
	 PY_PROCESS},
	{"os", "kill killpg abort _exit pidfd_open", PY_KILL},
	{"os", "environ environb getenv getenvb putenv unsetenv", PY_ENVIRONMENT},
	{"os", "memfd_create", PY_NATIVE},
	{"posix", NULL, PY_PROCESS},
	{"nt", NULL, PY_PROCESS},
	{"subprocess", NULL, PY_PROCESS},
	{"_posixsubprocess", NULL, PY_PROCESS},
	{"pty", NULL, PY_PROCESS},
	{"commands", NULL, PY_PROCESS},
	{"popen2", NULL, PY_PROCESS},
	{"sh", NULL, PY_PROCESS},
	{"plumbum", NULL, PY_PROCESS},
	{"pexpect", NULL, PY_PROCESS},
	{"asyncio",
	 "create_subprocess_exec create_subprocess_shell subprocess subprocess_exec "
	 "subprocess_shell",
	 PY_PROCESS},
	{"platform", "popen", PY_PROCESS},
	{"distutils.spawn", NULL, PY_PROCESS},
	{"_xxsubinterpreters", NULL, PY_PROCESS},
	{"_interpreters", NULL, PY_PROCESS},
	{"multiprocessing.spawn", NULL, PY_PROCESS},
	{"multiprocessing.popen_fork", NULL, PY_PROCESS},
	{"multiprocessing.util", "spawnv_passfds", PY_PROCESS},
	{"shutil", "which", PY_PATHS},
	{"builtins", "eval exec compile execfile", PY_EVAL},
	{"builtins", "breakpoint", PY_EVAL},
	{"code", NULL, PY_EVAL},
	{"codeop", NULL, PY_EVAL},
	{"bdb", NULL, PY_EVAL},
	{"pdb", NULL, PY_EVAL},
	{"rlcompleter", NULL, PY_EVAL},
	{"idlelib", NULL, PY_EVAL},
	{"__main__", "__builtins__ __loader__ __spec__", PY_BUILTINS},
	{"inspect", "getmodule", PY_BUILTINS},
	{"types", "CodeType", PY_CODE_OBJECT},
	{"marshal", "load loads", PY_CODE_OBJECT},
	{"imp", NULL, PY_DYNAMIC_IMPORT},
	{"_imp", NULL, PY_DYNAMIC_IMPORT},
	{"runpy", NULL, PY_DYNAMIC_IMPORT},
	{"zipimport", NULL, PY_DYNAMIC_IMPORT},
	{"_frozen_importlib", NULL, PY_DYNAMIC_IMPORT},
	{"_frozen_importlib_external", NULL, PY_DYNAMIC_IMPORT},
	{"pkgutil", "resolve_name get_loader find_loader ImpImporter ImpLoader get_importer",
	 PY_DYNAMIC_IMPORT},
	{"importlib", "_bootstrap _bootstrap_external machinery abc find_loader",
	 PY_DYNAMIC_IMPORT},
	{"importlib.util", "spec_from_file_location spec_from_loader module_from_spec LazyLoader",
	 PY_DYNAMIC_IMPORT},
	{"importlib.machinery", NULL, PY_DYNAMIC_IMPORT},
	{"importlib._bootstrap", NULL, PY_DYNAMIC_IMPORT},
	{"importlib._bootstrap_external", NULL, PY_DYNAMIC_IMPORT},
	{"sys", "meta_path path_hooks path_importer_cache", PY_DYNAMIC_IMPORT},
	{"sys", "_getframe", PY_FRAMES},
	{"sys", "_current_frames _current_exceptions settrace setprofile", PY_INTROSPECTION},
	{"threading", "settrace setprofile", PY_INTROSPECTION},
	{"inspect", "currentframe stack trace getinnerframes getouterframes", PY_FRAMES},
	{"gc", "get_objects get_referrers get_referents", PY_INTROSPECTION},
	{"pip", NULL, PY_INSTALL},
	{"pip._internal", NULL, PY_INSTALL},
	{"ensurepip", NULL, PY_INSTALL},
	{"venv", NULL, PY_INSTALL},
	{"easy_install", NULL, PY_INSTALL},
	{"socket", NULL, PY_NETWORK},
	{"_socket", NULL, PY_NETWORK},
	{"ssl", NULL, PY_NETWORK},
	{"_ssl", NULL, PY_NETWORK},
	{"socketserver", NULL, PY_NETWORK},
	{"SocketServer", NULL, PY_NETWORK},
	{"http.client", NULL, PY_NETWORK},
	{"http.server", NULL, PY_NETWORK},
	{"httplib", NULL, PY_NETWORK},
	{"httplib2", NULL, PY_NETWORK},
	{"BaseHTTPServer", NULL, PY_NETWORK},
	{"SimpleHTTPServer", NULL, PY_NETWORK},
	{"urllib.request", NULL, PY_NETWORK},
	{"urllib", "urlopen urlretrieve URLopener FancyURLopener", PY_NETWORK},
	{"urllib2", NULL, PY_NETWORK},
	{"urllib3", NULL, PY_NETWORK},
	{"requests", NULL, PY_NETWORK},
	{"httpx", NULL, PY_NETWORK},
	{"aiohttp", NULL, PY_NETWORK},
	{"ftplib", NULL, PY_NETWORK},
	{"smtplib", NULL, PY_NETWORK},
	{"smtpd", NULL, PY_NETWORK},
	{"poplib", NULL, PY_NETWORK},
	{"imaplib", NULL, PY_NETWORK},
	{"nntplib", NULL, PY_NETWORK},
	{"telnetlib", NULL, PY_NETWORK},
	{"xmlrpc", NULL, PY_NETWORK},
	{"websocket", NULL, PY_NETWORK},
	{"websockets", NULL, PY_NETWORK},
	{"paramiko", NULL, PY_NETWORK},
	{"fabric", NULL, PY_NETWORK},
	{"pycurl", NULL, PY_NETWORK},
	{"scapy", NULL, PY_NETWORK},
	{"asyncore", NULL, PY_NETWORK},
	{"asynchat", NULL, PY_NETWORK},
	{"grpc", NULL, PY_NETWORK},
	{"boto3", NULL, PY_NETWORK},
	{"dns", NULL, PY_NETWORK},
	{"pyngrok", NULL, PY_NETWORK},
	{"asyncio", "open_connection start_server open_unix_connection start_unix_server",
	 PY_NETWORK},
	{"webbrowser", NULL, PY_NETWORK},
	{"antigravity", NULL, PY_NETWORK},
	{"ctypes", NULL, PY_NATIVE},
	{"_ctypes", NULL, PY_NATIVE},
	{"cffi", NULL, PY_NATIVE},
	{"_cffi_backend", NULL, PY_NATIVE},
	{"numpy.ctypeslib", NULL, PY_NATIVE},
	{"mmap", "PROT_EXEC", PY_NATIVE},
	{"sys", "setdlopenflags", PY_NATIVE},
	{"keyring", NULL, PY_SECRETS},
	{"spwd", NULL, PY_SECRETS},
	{"pickle", "load loads Unpickler", PY_DESERIALISE},
	{"_pickle", "load loads Unpickler", PY_DESERIALISE},
	{"cPickle", "load loads Unpickler", PY_DESERIALISE},
	{"dill", "load loads", PY_DESERIALISE},
	{"cloudpickle", "load loads", PY_DESERIALISE},
	{"joblib", "load", PY_DESERIALISE},
	{"shelve", "open", PY_DESERIALISE},
	{"pandas", "read_pickle", PY_DESERIALISE},
	{"jsonpickle", "decode", PY_DESERIALISE},
	{"torch", "load", PY_DESERIALISE},
	{"yaml", "unsafe_load unsafe_load_all full_load full_load_all UnsafeLoader",
	 PY_DESERIALISE},
};
static_assert(ARRAY_LEN(groups) < 256, "py.seen has a flag for each");

/* Attributes that lead out, whatever they are taken from. */
static const struct attribute_rule {
	const char *names;
	enum py_rule rule;
} attribute_rules[] = {
	{"__subclasses__ __globals__ __builtins__ __loader__ __import__ __base__ f_globals "
	 "f_locals f_builtins __self__ __func__ func_globals func_code _bootstrap load_module "
	 "exec_module",
	 PY_INTROSPECTION},
	{"f_back f_code gi_frame gi_code cr_frame cr_code ag_frame ag_code tb_frame __code__ "
	 "__closure__ __reduce_ex__",
	 PY_FRAMES},
};

static const char telltales[] =
	"system popen execl execle execlp execlpe execv execve execvp execvpe spawn* posix_spawn* "
	"fork forkpty import_module check_output check_call Popen getoutput getstatusoutput";

static const char file_changers[] =
	"os.remove os.unlink os.rmdir os.removedirs os.rename os.renames os.replace os.truncate "
	"os.chmod os.lchmod os.chown os.lchown os.symlink os.link os.mkfifo os.mknod os.mkdir "
	"os.makedirs shutil.rmtree shutil.move shutil.copy shutil.copy2 shutil.copyfile "
	"shutil.copytree shutil.chown shutil.unpack_archive shutil.make_archive";

/* What calls of these give is followed. */
static const char followed_members[] =
	"sys.modules importlib.import_module importlib.reload importlib.__import__ os.__dict__ "
	"sys.__dict__ functools.partial operator.attrgetter operator.methodcaller";

/* Functions that run a string as code, and which argument it is. */
static const struct runner {
	const char *name;
	int argument;
} runners[] = {
	{"builtins.eval", 0},  {"builtins.exec", 0},   {"builtins.compile", 0},
	{"timeit.timeit", 0},  {"timeit.repeat", 0},   {"timeit.Timer", 0},
	{"cProfile.run", 0},   {"cProfile.runctx", 0}, {"profile.run", 0},
	{"profile.runctx", 0},
};

/* Is the word in a list of words, which may be globs? */
static bool in_list(const char *list, const char *word)
{
	char one[64];

	while (*list) {
		size_t len = strcspn(list, " ");

		if (len < sizeof(one)) {
			memcpy(one, list, len);
			one[len] = '\0';
			if (len > 0 && one[len - 1] == '*' ? strncmp(one, word, len - 1) == 0
							   : strcmp(one, word) == 0)
				return true;
		}
		list += len;
		list += strspn(list, " ");
	}
	return false;
}

bool py_rule_for_name(const char *name, enum py_rule *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		size_t len = strlen(groups[i].module);

		if (groups[i].names && strncmp(groups[i].module, name, len) == 0 &&
		    name[len] == '.' && in_list(groups[i].names, name + len + 1)) {
			*ret = groups[i].rule;
			return true;
		}
	}
	return false;
}

bool py_rule_for_import(const char *module, enum py_rule *ret, unsigned *ret_group)
{
	for (unsigned i = 0; i < ARRAY_LEN(groups); i++) {
		size_t len = strlen(groups[i].module);

		if (!groups[i].names && strncmp(groups[i].module, module, len) == 0 &&
		    (module[len] == '\0' || module[len] == '.')) {
			*ret = groups[i].rule;
			*ret_group = i;
			return true;
		}
	}
	return false;
}

bool py_is_import_row(unsigned group, const char *module)
{
	return strcmp(groups[group].module, module) == 0;
}

bool py_is_spoken_of(const char *name)
{
	size_t len = strlen(name);
	enum py_rule rule;

	if (name[0] == '@' || strncmp(name, "builtins", 8) == 0 || py_rule_for_name(name, &rule) ||
	    in_list(followed_members, name) || py_changes_files(name) ||
	    py_code_argument(name) >= 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (strncmp(groups[i].module, name, len) == 0 &&
		    (groups[i].module[len] == '\0' || groups[i].module[len] == '.'))
			return true;
	return false;
}

bool py_rule_for_attribute(const char *attribute, enum py_rule *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(attribute_rules); i++) {
		if (in_list(attribute_rules[i].names, attribute)) {
			*ret = attribute_rules[i].rule;
			return true;
		}
	}
	return false;
}

bool py_is_telltale(const char *attribute)
{
	return in_list(telltales, attribute);
}

int py_code_argument(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(runners); i++)
		if (strcmp(runners[i].name, name) == 0)
			return runners[i].argument;
	return -1;
}

bool py_changes_files(const char *name)
{
	return in_list(file_changers, name);
}
