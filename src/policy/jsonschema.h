/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema.h - JSON Schema 2020-12: every keyword is judged, or the schema does not load.
 *
 * Where it differs from the standard it is stricter: an unknown keyword, another
 * draft, a reference out of the document (nothing is ever fetched, the
 * meta-schema neither), a loop of references and a format that is not checked
 * are load errors; a format that is checked refuses; and what takes too many
 * steps to judge is refused, beneath a "not" too.  Standard values ("default")
 * are remarks: nothing is filled in.  Patterns are those of base/match.h.
 */
#ifndef POLICY_JSONSCHEMA_H
#define POLICY_JSONSCHEMA_H

#include <jansson.h>

#include "base/error.h"
#include "call/why.h"

struct jsonschema;

/* Takes no reference to document beyond its own.  NULL: err names the place (a JSON pointer) and
 * the keyword. */
struct jsonschema *jsonschema_new(json_t *document, struct error *err);
/* From a file, at most 1 MiB. */
struct jsonschema *jsonschema_read(const char *file, struct error *err);
void jsonschema_free(struct jsonschema *s);
/* Is value valid?  If not, why says where ("args/limit") and by which keyword.  prefix begins the
 * rule, as in "tools.search.schema".  Bounded in steps: too many is a refusal. */
enum answer jsonschema_judge(const struct jsonschema *s, const json_t *value, const char *prefix,
			     struct why *why);
/* The document, borrowed: tools/list shows it. */
const json_t *jsonschema_document(const struct jsonschema *s);
/* The keywords we claim, NULL-terminated. */
extern const char *const jsonschema_keywords[];

#endif
