/* SPDX-License-Identifier: Apache-2.0 */
/* jsonschema_keywords.c - the keywords we claim: how each is loaded and judged, one row each.
 *
 * The order is that of judging: first what a value is, then what is in it, and
 * last what only makes sense when all else has been looked at.
 */
#include "policy/jsonschema_parts.h"

#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "policy/jsonschema.h"

const struct keyword keywords[] = {
	/* Names and remarks: nothing to judge. */
	{"$schema", load_schema_uri, NULL, 0, false},
	{"$id", load_any, NULL, 0, false}, /* refs_id() has read it */
	{"$anchor", load_anchor, NULL, 0, false},
	{"$dynamicAnchor", load_dynamic_anchor, NULL, 0, false},
	{"$comment", load_text, NULL, 0, false},
	{"$defs", load_map, NULL, 0, false},
	{"title", load_text, NULL, 0, false},
	{"description", load_text, NULL, 0, false},
	{"default", load_any, NULL, 0, false},
	{"examples", load_list, NULL, 0, false},
	{"deprecated", load_flag, NULL, 0, false},
	{"readOnly", load_flag, NULL, 0, false},
	{"writeOnly", load_flag, NULL, 0, false},
	{"contentEncoding", load_text, NULL, 0, false},
	{"contentMediaType", load_text, NULL, 0, false},
	{"contentSchema", load_one, NULL, 0, false},

	/* The value itself. */
	{"type", load_type, judge_type, OF_ANY, false},
	{"const", load_any, judge_const, OF_ANY, false},
	{"enum", load_enum, judge_enum, OF_ANY, false},
	{"minimum", load_number, judge_bound, OF_NUMBER, false},
	{"maximum", load_number, judge_bound, OF_NUMBER, false},
	{"exclusiveMinimum", load_number, judge_bound, OF_NUMBER, false},
	{"exclusiveMaximum", load_number, judge_bound, OF_NUMBER, false},
	{"multipleOf", load_step, judge_multiple, OF_NUMBER, false},
	{"minLength", load_count, judge_length, OF_STRING, false},
	{"maxLength", load_count, judge_length, OF_STRING, false},
	{"pattern", load_pattern, judge_pattern, OF_STRING, false},
	{"format", load_format, judge_format, OF_STRING, false},
	{"minItems", load_count, judge_items_count, OF_LIST, false},
	{"maxItems", load_count, judge_items_count, OF_LIST, false},
	{"uniqueItems", load_unique, judge_unique, OF_LIST, false},
	{"minProperties", load_count, judge_members_count, OF_OBJECT, false},
	{"maxProperties", load_count, judge_members_count, OF_OBJECT, false},
	{"required", load_names, judge_required, OF_OBJECT, false},
	{"dependentRequired", load_needs, judge_needs, OF_OBJECT, false},

	/* What is in it. */
	{"propertyNames", load_one, judge_names, OF_OBJECT, false},
	{"properties", load_map, judge_properties, OF_OBJECT, false},
	{"patternProperties", load_patterns, judge_patterns, OF_OBJECT, false},
	{"additionalProperties", load_additional, judge_additional, OF_OBJECT, false},
	{"prefixItems", load_many, judge_prefix, OF_LIST, false},
	{"items", load_items, judge_items, OF_LIST, false},
	{"minContains", load_count, NULL, 0, false},
	{"maxContains", load_count, NULL, 0, false},
	{"contains", load_contains, judge_contains, OF_LIST, false},

	/* The same value by another schema. */
	{"$ref", load_reference, judge_reference, OF_ANY, true},
	{"$dynamicRef", load_reference, judge_dynamic, OF_ANY, false},
	{"allOf", load_many, judge_all, OF_ANY, true},
	{"anyOf", load_many, judge_any, OF_ANY, true},
	{"oneOf", load_many, judge_one, OF_ANY, true},
	{"not", load_one, judge_not, OF_ANY, true},
	{"then", load_one, NULL, 0, false}, /* "if" has both of these */
	{"else", load_one, NULL, 0, false},
	{"if", load_if, judge_if, OF_ANY, true},
	{"dependentSchemas", load_map, judge_dependents, OF_OBJECT, true},

	/* What nobody above has looked at: keep last. */
	{"unevaluatedItems", load_unevaluated, judge_more_items, OF_LIST, false},
	{"unevaluatedProperties", load_unevaluated, judge_more_members, OF_OBJECT, false},
	{NULL, NULL, NULL, 0, false},
};

const char *const jsonschema_keywords[] = {
	"$schema",
	"$id",
	"$anchor",
	"$dynamicAnchor",
	"$comment",
	"$defs",
	"title",
	"description",
	"default",
	"examples",
	"deprecated",
	"readOnly",
	"writeOnly",
	"contentEncoding",
	"contentMediaType",
	"contentSchema",
	"type",
	"const",
	"enum",
	"minimum",
	"maximum",
	"exclusiveMinimum",
	"exclusiveMaximum",
	"multipleOf",
	"minLength",
	"maxLength",
	"pattern",
	"format",
	"minItems",
	"maxItems",
	"uniqueItems",
	"minProperties",
	"maxProperties",
	"required",
	"dependentRequired",
	"propertyNames",
	"properties",
	"patternProperties",
	"additionalProperties",
	"prefixItems",
	"items",
	"minContains",
	"maxContains",
	"contains",
	"$ref",
	"$dynamicRef",
	"allOf",
	"anyOf",
	"oneOf",
	"not",
	"then",
	"else",
	"if",
	"dependentSchemas",
	"unevaluatedItems",
	"unevaluatedProperties",
	NULL,
};
static_assert(ARRAY_LEN(keywords) == ARRAY_LEN(jsonschema_keywords), "one name per keyword");

const struct keyword *keyword_find(const char *name)
{
	for (const struct keyword *k = keywords; k->name; k++)
		if (strcmp(k->name, name) == 0)
			return k;
	return NULL;
}
