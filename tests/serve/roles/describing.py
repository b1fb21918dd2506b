# SPDX-License-Identifier: Apache-2.0
"""describing.py - holds real answers against what /openapi.json says of them."""

TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array",
         dict: "object", type(None): "null"}


def follow(document, ref):
    for step in ref[2:].split("/"):
        document = document[step]
    return document


def wrong(value, schema, document, at=""):
    """What is wrong with it, as far as the words that our schemas are made of go."""
    if "$ref" in schema:
        return wrong(value, follow(document, schema["$ref"]), document, at)
    for word in ("anyOf", "oneOf"):
        if word in schema and all(wrong(value, one, document, at) for one in schema[word]):
            return [at + ": none of " + word]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    kind = TYPES[type(value)]
    if kinds and kind not in kinds and not (kind == "integer" and "number" in kinds):
        return ["%s: %s, not %s" % (at, kind, kinds)]
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append("%s: %r is none of its words" % (at, value))
    if kind == "object":
        known = schema.get("properties", {})
        found += ["%s: no %s" % (at, name) for name in schema.get("required", []) if name not in value]
        for name, member in value.items():
            if name in known:
                found += wrong(member, known[name], document, at + "/" + name)
            elif schema.get("additionalProperties") is False:
                found.append("%s: %s is not described" % (at, name))
    for i, item in enumerate(value if kind == "array" and "items" in schema else ()):
        found += wrong(item, schema["items"], document, "%s/%d" % (at, i))
    return found


def undescribed(document, method, pattern, status, kind, value):
    """kind: the answer's Content-Type; value: its JSON, or bytes."""
    answers = document["paths"][pattern][method.lower()]["responses"]
    answer = answers.get(str(status), answers["default"])
    answer = follow(document, answer["$ref"]) if "$ref" in answer else answer
    content = answer["content"].get(kind.split(";")[0])
    if content is None:
        return ["%d with %s" % (status, kind)]
    return [] if isinstance(value, bytes) else wrong(value, content["schema"], document)
