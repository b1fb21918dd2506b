/* SPDX-License-Identifier: Apache-2.0 */
/* rules_javascript.c - what is looked for in JavaScript, as data. */
#include "screen/javascript.h"

#include <string.h>

#include "base/own.h"

const struct screen_row javascript_rows[JS_RULE_COUNT] = {
	[JS_SYNTAX] = {"node.syntax", "unreadable", SCREEN_BLOCK,
		       "this cannot be read as JavaScript", "send plain JavaScript for node"},
	[JS_OBSCURE] = {"node.obscure", "dynamic", SCREEN_BLOCK,
			"too twisted to tell what it stands for", "write it straight"},
	[JS_IMPORT] = {"node.import", "import", SCREEN_BLOCK, "this module is not importable here",
		       NULL},
	[JS_DYNAMIC_IMPORT] = {"node.dynamic-import", "dynamic", SCREEN_BLOCK,
			       "loads a module whose name is only known when it runs",
			       "use a plain import or require"},
	[JS_EVAL] = {"node.eval", "dynamic", SCREEN_BLOCK, "runs text as code",
		     "write the code itself; for data use JSON.parse"},
	[JS_GLOBALS] = {"node.globals", "introspection", SCREEN_BLOCK,
			"reaches functions by names that are only known when it runs",
			"name the function itself"},
	[JS_PROCESS] = {"node.process", "proc", SCREEN_BLOCK, "starts another program or thread",
			"do it in JavaScript"},
	[JS_KILL] = {"node.kill", "proc", SCREEN_WARN, "ends or signals processes", NULL},
	[JS_NETWORK] = {"node.network", "net", SCREEN_BLOCK, "there is no network in the box",
			"ask for a tool that fetches, or work on data that is passed in"},
	[JS_NATIVE] = {"node.native", "native", SCREEN_BLOCK, "loads native code", NULL},
	[JS_WRITE] = {"node.write", "fs-write", SCREEN_WARN, "writes or removes files",
		      "files live in /work, for this call only"},
	[JS_SECRETS] = {"node.secrets", "paths", SCREEN_BLOCK,
			"opens a file that holds credentials or is the host's affair",
			"such files are not in the box"},
	[JS_PATHS] = {"node.paths", "paths", SCREEN_WARN, "names a path of the system",
		      "work in /work"},
	[JS_ENVIRONMENT] = {"node.environment", "environment", SCREEN_WARN,
			    "reads or changes environment variables", NULL},
	[JS_BLOB] = {"node.blob", "blob", SCREEN_WARN, "holds a large encoded block of data", NULL},
};

/* names: members; NULL: the module itself. */
static const struct group {
	const char *module;
	const char *names;
	enum js_rule rule;
} groups[] = {
	{"child_process", NULL, JS_PROCESS},
	{"cluster", NULL, JS_PROCESS},
	{"worker_threads", NULL, JS_PROCESS},
	{"execa", NULL, JS_PROCESS},
	{"shelljs", NULL, JS_PROCESS},
	{"cross-spawn", NULL, JS_PROCESS},
	{"node-pty", NULL, JS_PROCESS},
	{"zx", NULL, JS_PROCESS},
	{"vm", NULL, JS_EVAL},
	{"vm2", NULL, JS_EVAL},
	{"repl", NULL, JS_EVAL},
	{"inspector", NULL, JS_EVAL},
	{"module", "register _load _extensions _resolveFilename runMain", JS_DYNAMIC_IMPORT},
	{"@module", "constructor _load", JS_DYNAMIC_IMPORT},
	{"net", NULL, JS_NETWORK},
	{"http", NULL, JS_NETWORK},
	{"https", NULL, JS_NETWORK},
	{"http2", NULL, JS_NETWORK},
	{"dgram", NULL, JS_NETWORK},
	{"dns", NULL, JS_NETWORK},
	{"tls", NULL, JS_NETWORK},
	{"axios", NULL, JS_NETWORK},
	{"node-fetch", NULL, JS_NETWORK},
	{"got", NULL, JS_NETWORK},
	{"request", NULL, JS_NETWORK},
	{"undici", NULL, JS_NETWORK},
	{"superagent", NULL, JS_NETWORK},
	{"ws", NULL, JS_NETWORK},
	{"socket.io", NULL, JS_NETWORK},
	{"socket.io-client", NULL, JS_NETWORK},
	{"ssh2", NULL, JS_NETWORK},
	{"nodemailer", NULL, JS_NETWORK},
	{"puppeteer", NULL, JS_NETWORK},
	{"playwright", NULL, JS_NETWORK},
	{"ffi-napi", NULL, JS_NATIVE},
	{"node-gyp-build", NULL, JS_NATIVE},
	{"bindings", NULL, JS_NATIVE},
	{"process", "binding _linkedBinding dlopen", JS_NATIVE},
	{"process", "kill abort reallyExit _kill", JS_KILL},
	{"process", "env", JS_ENVIRONMENT},
	{"fs",
	 "writeFile writeFileSync appendFile appendFileSync createWriteStream rm rmSync rmdir "
	 "rmdirSync unlink unlinkSync rename renameSync truncate truncateSync chmod chmodSync "
	 "chown chownSync symlink symlinkSync link linkSync copyFile copyFileSync cp cpSync "
	 "mkdir mkdirSync mkdtemp mkdtempSync",
	 JS_WRITE},
	{"@global", "eval", JS_EVAL},
	{"@global", "fetch XMLHttpRequest WebSocket EventSource", JS_NETWORK},
};

static bool in_list(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = list; n > 0 && (at = strstr(at, word)); at += n)
		if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
			return true;
	return false;
}

bool js_rule_for_name(const char *name, enum js_rule *ret)
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

bool js_rule_for_import(const char *module, enum js_rule *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		size_t len = strlen(groups[i].module);

		if (!groups[i].names && strncmp(groups[i].module, module, len) == 0 &&
		    (module[len] == '\0' || module[len] == '/')) {
			*ret = groups[i].rule;
			return true;
		}
	}
	return false;
}
