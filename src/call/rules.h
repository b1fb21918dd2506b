/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h - the nouns of a policy: clients, tools, arguments, rates, screening.
 *
 * Zero means no: a tool nobody described has no kind, a decision nobody made denies.
 */
#ifndef CALL_RULES_H
#define CALL_RULES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "call/call.h"

struct match;      /* base/match.h: a compiled pattern */
struct jsonschema; /* policy/jsonschema.h */

/* Where something is written; line and column begin at 1, 0: nowhere (built in). */
struct place {
	const char *file;
	unsigned line, column;
};

struct words {
	const char **word; /* not NULL-terminated */
	size_t n;
};

enum decision { DECISION_DENY = 0, DECISION_ASK, DECISION_ALLOW, DECISION_COUNT };
enum tool_kind { KIND_NONE = 0, KIND_CODE, KIND_COMMAND, KIND_FETCH, KIND_COUNT };

/* Whom a bucket belongs to; no bit: it is one for everybody. */
enum { RATE_PER_CLIENT = 1, RATE_PER_TOOL = 2 };

/* limit calls per period; burst of them may come at once. */
struct rate {
	uint64_t limit; /* 0: no such rate */
	uint64_t per_ms;
	uint64_t burst;
	unsigned key; /* RATE_PER_... */
	struct place place;
};

struct rates {
	struct rate *rate;
	size_t n;
	bool unlimited; /* said so in as many words; zero with n == 0: the default applies */
};

/* What a client may use up in a sliding window; 0: no such budget. */
struct budget {
	uint64_t per_ms;
	uint64_t calls;
	uint64_t cpu_ms;
	uint64_t output_bytes;
};

enum arg_type {
	ARG_NONE = 0,
	ARG_INTEGER,
	ARG_NUMBER,
	ARG_BOOLEAN,
	ARG_STRING,
	ARG_ENUM, /* a string from a list */
	ARG_PATH,
	ARG_URL,
	ARG_LIST,
	ARG_OBJECT,
	ARG_COUNT
};

struct arg_rules {
	struct arg_rule *rule;
	size_t n;
};

/* One declared argument.  has_... says whether the bound was written. */
struct arg_rule {
	const char *name; /* of a list's items: "[]" */
	enum arg_type type;
	const char *description;
	bool required;    /* false without a standard: may be absent */
	json_t *standard; /* taken when it is absent; NULL: none */
	bool has_min, has_max;
	json_t *min, *max;         /* integer or number, by type */
	uint64_t min_len, max_len; /* characters of a string, items of a list; 0: the type's own */
	const char *pattern;       /* as written */
	struct match *match;       /* compiled; always a full match */
	json_t *allowed;           /* a list of values; NULL: any */
	bool multiline;       /* newline and tab are allowed in a string; nothing else below 0x20 */
	struct words under;   /* path: beneath one of these */
	struct words globs;   /* path: and matching one of these, relative to the root ("**" too) */
	struct words schemes; /* url */
	struct words hosts;   /* url: "api.example.com", "*.example.com" */
	struct words ports;   /* url: as text, checked to be 1..65535; none: the scheme's own */
	struct arg_rule *items;  /* list: what each must be */
	struct arg_rules fields; /* object: its members, nothing else */
	struct place place;
};

/* What is refused in code and commands; screen/screen.h is what reads it. */
enum screen_mode { SCREEN_UNSET = 0, SCREEN_BLOCK, SCREEN_WARN, SCREEN_OFF, SCREEN_MODE_COUNT };

/* "python.eval: warn", "python.*: off"; a later row never beats a stricter one. */
struct screen_rule_mode {
	const char *rule; /* an id or a glob over ids */
	enum screen_mode mode;
	struct place place;
};

/* A rule of the owner's own. */
struct screen_own_rule {
	const char *id;
	const char *language; /* python, node, bash, command */
	struct words imports; /* modules */
	struct words calls;   /* dotted names: "os.system", or programs for bash and command */
	const char *pattern;  /* over the text of strings and words; NULL: none */
	struct match *match;
	const char *reason;
	enum screen_mode mode; /* unset: block */
	struct place place;
};

/* Constructs of a command line that the tool allows beyond plain words; see screen/shell.h. */
struct screen_policy {
	enum screen_mode mode; /* of every rule that says nothing else; unset: each rule's own */
	bool has_imports;
	struct words imports; /* allowlist of modules; a package stands for what is beneath it */
	struct screen_rule_mode *modes;
	size_t n_modes;
	struct screen_own_rule *own;
	size_t n_own;
	struct words allow; /* shell constructs by name */
	uint64_t max_bytes; /* 0: the standard, 256 KiB */
	uint64_t budget_ms; /* 0: the standard, 50 ms */
};

/* What is cut out of output and out of what is written down; redact/redact.h is what does it. */
struct redact_own_rule {
	const char *id;
	const char *pattern;
	struct place place;
};

struct redact_policy {
	bool off;
	bool has_groups; /* false: the standard ones */
	struct words groups;
	struct redact_own_rule *own;
	size_t n_own;
};

/* A value that must not come out.  It is read when a call needs it, and is in no text of ours. */
struct secret {
	const char *name;
	const char *file; /* whose content it is */
	const char *env;  /* the variable in which the tool gets it; NULL: it is only looked for */
	bool canary;      /* whoever prints it is killed */
	struct place place;
};

struct policy_test {
	const char *name;
	const char *client; /* NULL: the first that may use the tool */
	json_t *args;
	enum decision expect;
	const char *rule; /* the refusal's rule must begin with it; NULL: any */
	struct place place;
};

struct variable {
	const char *name, *value;
};

struct mount_rule {
	const char *source; /* may hold globs */
	const char *inside; /* NULL: the same; never together with a glob */
	bool write;
	struct place place;
};

/* What of the files a call leaves behind may go back to its caller. */
struct artifact_rules {
	bool allow;
	uint64_t files, bytes;
};

/* What runs the code of one language, and what of it is ready before a call comes. */
struct runtime {
	const char *name;
	enum warm_kind language;
	const char *program;  /* a name that is found in the box, or a path there */
	struct words modules; /* python: imported ahead */
	struct words env;     /* "K=V": of every call that it runs, and of what waits for one */
	uint64_t calls, age_ms;
	struct place place;
};

/* A box that is kept between calls. */
struct session_rules {
	bool allow;
	bool exec; /* programs, beside code for its interpreter */
	uint64_t ttl_ms, idle_ms;
};

struct tool {
	const char *name;
	enum tool_kind kind;
	const char *description;
	enum decision decision;
	struct words languages; /* code */
	struct words exec;      /* command: an argv template */
	struct words programs;  /* command: the wall; for exec also */
	bool holds_interpreter; /* programs has one: labelled "code", never "restricted" */
	struct arg_rules args;
	bool input_json; /* the arguments, as one JSON object, on standard input */
	const char *schema_file;
	struct jsonschema *schema; /* instead of args */
	struct limits limits;
	struct mount_rule *mounts;
	size_t n_mounts;
	struct variable *env;
	size_t n_env;
	struct words env_allow; /* variables that a caller may set */
	struct words hosts;     /* named network */
	struct rates rates;
	uint64_t concurrency; /* 0: no cap */
	struct screen_policy screen;
	struct redact_policy redact;
	struct secret *secrets;
	size_t n_secrets;
	const char *root; /* NULL: the host's programs */
	bool loopback;
	bool proc_full;
	bool fresh; /* no box serves two calls, not even one after the other */
	bool warm;  /* code: false: every call starts in fresh memory */
	struct words runtime_names;
	const struct runtime *runtimes[WARM_COUNT]; /* code: what runs each; NULL: none */
	struct artifact_rules artifacts;
	struct session_rules sessions;
	struct policy_test *tests;
	size_t n_tests;
	struct place place;
};

/* The log of what was called.  bodies counts as enum blob_mode (audit/blob.h) does. */
struct audit_rules {
	bool off;
	const char *directory; /* NULL: the standard one */
	bool always;           /* on disk before the call runs, not 100 ms later */
	int bodies;
};

/* belljar run, which calls no tool. */
struct run_policy {
	bool off;
	struct limits most; /* ceilings; 0: none */
	bool has_may;       /* false: all of enum run_use */
	struct words may;
	struct redact_policy redact;
	struct place place;
};

/* The service; call/listen.h is what reads the words of listen. */
struct serve_tls {
	const char *cert, *key; /* files; NULL: no TLS */
	const char *client_ca;  /* NULL: nobody is asked for a certificate */
};

struct serve_rules {
	struct words listen; /* never empty */
	struct serve_tls tls;
	bool plaintext; /* others than this host may come without TLS */
	struct words hosts, origins;
	bool loopback_without_key;
	uint64_t concurrency; /* 0: by the number of processors */
	uint64_t sessions, sessions_ready, queue, queue_wait_ms;
	uint64_t body_bytes, connections;
	uint64_t head_wait_ms, body_wait_ms, idle_wait_ms, drain_ms;
	uint64_t calls_kept, calls_kept_ms, idempotency_ms;
	uint64_t warm_node; /* keepers in which node waits for calls */
};

/* What a client may do with the service. */
enum { SCOPE_EXECUTE = 1, SCOPE_READ = 2, SCOPE_AUDIT = 4, SCOPE_ADMIN = 8 };

struct client {
	const char *name;
	struct words key_sha256; /* 64 hex digits each; none: not by key */
	const char *cert;        /* common name of its certificate; NULL: not by one */
	struct words scope_words;
	unsigned scopes;         /* SCOPE_... */
	uint64_t max_concurrent; /* 0: no cap of its own */
	bool any_uid;
	uid_t *uids;
	size_t n_uids;
	struct words tools;
	struct rates rates;
	struct budget budget;
	struct place place;
};

const char *decision_name(enum decision d);
const char *tool_kind_name(enum tool_kind k);
const char *arg_type_name(enum arg_type t);
const char *screen_mode_name(enum screen_mode m);
/* The name of one bit of SCOPE_...; NULL: there is none. */
const char *scope_name(unsigned bit);

#endif
