# SPDX-License-Identifier: Apache-2.0
"""schemacheck.py - does a value fit a schema?  The part of JSON Schema that /openapi.json uses; a word
that is not known here is an error, so that nothing is taken for checked which is not."""
import base64
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
SAYS_NOTHING = {"description", "examples"}


class Schemas:
    def __init__(self, document):
        self.document = document
        self.unlisted = set()  # members that answers have and no row names

    def resolve(self, ref):
        at = self.document
        for word in ref.removeprefix("#/").split("/"):
            at = at[word]
        return at

    def problems(self, schema, value, where=""):
        """Sentences; none: it fits."""
        found = []
        for word, what in schema.items():
            if word in SAYS_NOTHING:
                continue
            rule = getattr(self, "rule_" + word.removeprefix("$"), None)
            if not rule:
                raise NotImplementedError("a schema says %s" % word)
            found += rule(what, value, where, schema)
        return found

    def rule_ref(self, ref, value, where, _):
        return self.problems(self.resolve(ref), value, where)

    def rule_anyOf(self, ways, value, where, _):
        best = None
        for way in ways:
            before = set(self.unlisted)
            found = self.problems(way, value, where)
            if not found:
                return []
            self.unlisted = before  # it is not that one
            best = found if best is None or len(found) < len(best) else best
        return best

    def rule_oneOf(self, ways, value, where, _):
        fit = sum(not self.problems(way, value, where) for way in ways)
        return [] if fit == 1 else ["%s: %d of oneOf fit" % (where, fit)]

    def rule_type(self, name, value, where, _):
        if name in ("integer", "number"):
            kinds = (int,) if name == "integer" else (int, float)
            right = isinstance(value, kinds) and not isinstance(value, bool)
        else:
            right = isinstance(value, TYPES[name])
        return [] if right else ["%s: %r is no %s" % (where, value, name)]

    def rule_enum(self, words, value, where, _):
        return [] if value in words else ["%s: %r is none of %s" % (where, value, words)]

    def rule_required(self, names, value, where, _):
        value = value if isinstance(value, dict) else {}
        return ["%s: there is no %s" % (where, n) for n in names if n not in value]

    def rule_properties(self, members, value, where, schema):
        found = []
        if not isinstance(value, dict):
            return found
        for name, member in value.items():
            if name in members:
                found += self.problems(members[name], member, where + "/" + name)
            elif "additionalProperties" not in schema:
                self.unlisted.add(where + "/" + name)
        return found

    def rule_additionalProperties(self, rest, value, where, schema):
        more = [n for n in (value if isinstance(value, dict) else {}) if n not in schema.get("properties", {})]
        if rest is False:
            return ["%s: %s is not known" % (where, n) for n in more]
        return [p for n in more for p in self.problems(rest, value[n], where + "/" + n)]

    def rule_items(self, item, value, where, _):
        return [p for i, one in enumerate(value if isinstance(value, list) else [])
                for p in self.problems(item, one, "%s/*" % where)]

    def rule_minimum(self, least, value, where, _):
        return [] if not isinstance(value, int) or value >= least else [where + ": too little"]

    def rule_maximum(self, most, value, where, _):
        return [] if not isinstance(value, int) or value <= most else [where + ": too much"]

    def rule_minLength(self, least, value, where, _):
        return [] if not isinstance(value, str) or len(value) >= least else [where + ": too short"]

    def rule_maxLength(self, most, value, where, _):
        return [] if not isinstance(value, str) or len(value) <= most else [where + ": too long"]

    def rule_minItems(self, least, value, where, _):
        return [] if not isinstance(value, list) or len(value) >= least else [where + ": too few"]

    def rule_maxItems(self, most, value, where, _):
        return [] if not isinstance(value, list) or len(value) <= most else [where + ": too many"]

    def rule_maxProperties(self, most, value, where, _):
        return [] if not isinstance(value, dict) or len(value) <= most else [where + ": too many"]

    def rule_pattern(self, pattern, value, where, _):
        fits = not isinstance(value, str) or re.search(pattern, value)
        return [] if fits else ["%s: %r does not match" % (where, value)]

    def rule_format(self, name, value, where, _):
        assert name == "date-time"
        fits = not isinstance(value, str) or TIME.fullmatch(value)
        return [] if fits else ["%s: %r is no time" % (where, value)]

    def rule_contentEncoding(self, name, value, where, _):
        assert name == "base64"
        try:
            base64.b64decode(value, validate=True)
        except (ValueError, TypeError):
            return ["%s: no base64" % where]
        return []
