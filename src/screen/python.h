/* SPDX-License-Identifier: Apache-2.0 */
/* python.h - between the files that read Python: nodes, names, values, rules. */
#ifndef SCREEN_PYTHON_H
#define SCREEN_PYTHON_H

#include "screen/findings.h"
#include "screen/syntax.h"

/* The kinds of node we look at, as tree-sitter-python calls them. */
#define PY_KINDS(X)                 \
	X(aliased_import)           \
	X(argument_list)            \
	X(as_pattern)               \
	X(assignment)               \
	X(attribute)                \
	X(augmented_assignment)     \
	X(await)                    \
	X(binary_operator)          \
	X(block)                    \
	X(boolean_operator)         \
	X(call)                     \
	X(class_definition)         \
	X(comment)                  \
	X(concatenated_string)      \
	X(conditional_expression)   \
	X(decorated_definition)     \
	X(decorator)                \
	X(default_parameter)        \
	X(delete_statement)         \
	X(dictionary)               \
	X(dotted_name)              \
	X(exec_statement)           \
	X(expression_list)          \
	X(expression_statement)     \
	X(for_in_clause)            \
	X(for_statement)            \
	X(function_definition)      \
	X(future_import_statement)  \
	X(global_statement)         \
	X(identifier)               \
	X(import_from_statement)    \
	X(import_statement)         \
	X(integer)                  \
	X(interpolation)            \
	X(keyword_argument)         \
	X(lambda)                   \
	X(lambda_parameters)        \
	X(list)                     \
	X(module)                   \
	X(named_expression)         \
	X(nonlocal_statement)       \
	X(pair)                     \
	X(parameters)               \
	X(parenthesized_expression) \
	X(pattern_list)             \
	X(relative_import)          \
	X(set)                      \
	X(slice)                    \
	X(string)                   \
	X(string_content)           \
	X(string_start)             \
	X(subscript)                \
	X(tuple)                    \
	X(tuple_pattern)            \
	X(typed_default_parameter)  \
	X(typed_parameter)          \
	X(unary_operator)           \
	X(wildcard_import)

#define PY_KIND_ROW(name) PY_##name,
enum py_kind { PY_other = 0, PY_KINDS(PY_KIND_ROW) PY_KIND_COUNT };

#define PY_FIELDS(X)   \
	X(alias)       \
	X(arguments)   \
	X(attribute)   \
	X(body)        \
	X(definition)  \
	X(expression)  \
	X(function)    \
	X(left)        \
	X(module_name) \
	X(name)        \
	X(object)      \
	X(operator)    \
	X(parameters)  \
	X(right)       \
	X(subscript)   \
	X(value)

#define PY_FIELD_ROW(name) PY_F_##name,
enum py_field { PY_FIELDS(PY_FIELD_ROW) PY_FIELD_COUNT };

enum {
	PY_VALUES_MAX = 8,
	PY_NAME_MAX = 160,
	PY_DOTS_MAX = 4,
	PY_CONSTANT_MAX = 65536,
	PY_PENDING_MAX = 64
};

/* What an expression may stand for: full names such as "os.system".  Names of built-ins begin with
 * "builtins.", "@globals" is the dictionary of names, "@attr:x" is operator.attrgetter("x"). */
struct py_values {
	const char *name[PY_VALUES_MAX];
	size_t n;
};

/* A string (or bytes) that can be worked out without running anything. */
struct py_constant {
	const char *data;
	size_t len;
	bool composed; /* put together from parts: nobody writes a module's name that way */
};

/* A name of the code's own. */
struct py_binding {
	struct py_binding *next;
	const char *name;
	struct py_values values;
	struct py_constant constant;
	unsigned n_bound;  /* how often it is bound; a constant counts only if once */
	unsigned n_listed; /* of these, how often to elements of list */
	TSNode list;       /* that a loop takes it from */
	bool has_constant;
	bool is_class;    /* by a class statement of this code */
	bool is_function; /* by a def of this code */
	bool is_deleted;
	uint32_t defined_at; /* end of the first unconditional binding at the top level; 0: none */
};

enum { PY_BUCKETS = 256 };

/* Each name is kept once. */
struct py_word {
	struct py_word *next;
	size_t len;
	char text[];
};

struct py {
	struct sieve *sieve;
	struct py *outer; /* the code this code is a string of */
	struct syntax *syntax;
	struct arena *scratch;
	struct py_word *words[PY_BUCKETS];
	struct py_binding *buckets[PY_BUCKETS];
	TSNode *binders; /* statements and expressions that bind names */
	size_t n_binders, room_binders;
	const char *stars[PY_VALUES_MAX]; /* modules imported with * */
	size_t n_stars;
	size_t n_pending;
	unsigned nesting;       /* code in strings of code */
	unsigned fold_steps;    /* left for the constant that is being worked out */
	unsigned folding;       /* constants within constants */
	unsigned resolve_depth; /* expressions within expressions */
	bool first_round;
	bool escapes; /* a module such as os is handed around as a value */
	bool obscure; /* something was too twisted to follow: must be found */
	TSNode obscure_at;
	TSNode current;          /* what is being looked at */
	bool failed;             /* no memory: must deny */
	bool changed;            /* a round of bindings learned something */
	unsigned char seen[256]; /* imports that were reported already, by row of the table */
	enum syntax_end ended;   /* of code in strings too */
	TSNode pending[PY_PENDING_MAX]; /* last; tell-tale attributes of we know not what */
};

/* python_nodes.c */
enum py_kind py_kind(TSNode node);
TSNode py_field(TSNode node, enum py_field field);
/* The identifier as Python sees it (NFKC), terminated; NULL: no memory. */
const char *py_identifier(struct py *p, TSNode node);
const char *py_intern(struct py *p, const char *text, size_t len);
/* "a.b" of a dotted name, however it is spaced. */
const char *py_dotted(struct py *p, TSNode node);
const char *py_join(struct py *p, const char *left, const char *right);
/* Named children; the list lives as long as p. */
const TSNode *py_children(struct py *p, TSNode node, uint32_t *ret_n);
/* Too twisted to follow: notes the place. */
void py_is_obscure(struct py *p);
/* The n-th positional argument of a call; null node: none. */
TSNode py_argument(TSNode call, unsigned n);
TSNode py_keyword(struct py *p, TSNode call, const char *name);
/* Without parentheses. */
TSNode py_bare(TSNode node);

/* python_bind.c */
void py_collect(struct py *p);
struct py_binding *py_binding(struct py *p, const char *name);

/* python_names.c */
void py_resolve(struct py *p, TSNode node, struct py_values *ret);
bool py_values_add(struct py *p, struct py_values *values, const char *name);
bool py_values_have(const struct py_values *values, const char *name);
/* The module if the name of an attribute is that of one that matters ("_os": "os"); else NULL. */
const char *py_module_behind(const char *attribute);
/* Is it a built-in whose use is followed?  Of any other name alone no rule speaks. */
bool py_is_followed(const char *name);

/* python_scope.c */
/* Is the name, used here, certainly something else than the built-in? */
bool py_is_shadowed(struct py *p, const char *name, const struct visit *v);

/* python_values.c */
bool py_fold(struct py *p, TSNode node, struct py_constant *ret);

/* rules_python.c */
enum py_rule {
	PY_SYNTAX,
	PY_ENCODING,
	PY_OBSCURE,
	PY_IMPORT,
	PY_DYNAMIC_IMPORT,
	PY_EVAL,
	PY_EVAL_CONSTANT,
	PY_CODE_STRING,
	PY_BUILTINS,
	PY_INTROSPECTION,
	PY_FRAMES,
	PY_PROCESS,
	PY_KILL,
	PY_INSTALL,
	PY_NETWORK,
	PY_NATIVE,
	PY_DESTROY,
	PY_WRITE,
	PY_SECRETS,
	PY_PATHS,
	PY_DESERIALISE,
	PY_CODE_OBJECT,
	PY_BLOB,
	PY_ENVIRONMENT,
	PY_LOOKALIKE,
	PY_RULE_COUNT
};
extern const struct screen_row python_rows[PY_RULE_COUNT];
/* The rule for using "os.system", or for importing a module or what is beneath it. */
bool py_rule_for_name(const char *name, enum py_rule *ret);
bool py_rule_for_import(const char *module, enum py_rule *ret, unsigned *ret_group);
bool py_is_import_row(unsigned group, const char *module); /* not only beneath one */
/* Is there any rule about what begins so? */
bool py_is_spoken_of(const char *name);
/* Attributes that matter whatever they are taken from. */
bool py_rule_for_attribute(const char *attribute, enum py_rule *ret);
bool py_is_telltale(const char *attribute); /* system, popen, execv... */
/* Functions that run a string as code: which argument it is; -1: none. */
int py_code_argument(const char *name);
/* Functions whose file argument matters. */
bool py_changes_files(const char *name);

/* python_strings.c: what a constant says */
enum py_path { PY_PATH_NONE = 0, PY_PATH_SYSTEM, PY_PATH_SECRET };
enum py_path py_path_kind(const char *data, size_t len);
/* Outside of what a call may write: /work and /tmp. */
bool py_path_is_outside(const char *data, size_t len);
bool py_is_blob(const char *data, size_t len);
bool py_is_format_escape(const char *data, size_t len);

/* python.c */
void screen_python(struct sieve *s, struct syntax_budget *budget, enum syntax_end *ret_end);

#endif
