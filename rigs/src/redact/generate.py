"""Secrets made from the regular expressions of CredSweeper, a scanner that is not ours.

In: the folder it was installed in, how many secrets per kind, a seed. Out: one JSON line per secret:
kind, the text that its rule matches, the value that the rule calls the secret, and whether the value
alone has a format (`token`) or the words around it give it away (`named`). Taken are the rules of type
`pattern` for code, with severity above `info` and confidence above `weak`. Never looks at our table.
"""

import json
import pathlib
import random
import re
import string
import sys

try:
    from re import _constants as ops, _parser as parser
except ImportError:
    import sre_constants as ops
    import sre_parse as parser

import yaml

LETTERS = string.ascii_letters + string.digits
PRINTABLE = LETTERS + "-_.:/+=~!@#%&*"
MORE = 12  # How many repeats an open end may add.

# Expressions that fit what is no secret; the scanner decides by filters after them.
BROAD = {
    "BASE64 Private Key",  # Every certificate, and any text after `MII`.
    "JSON Web Key",  # Every JSON document in base64, as in source maps.
    "Grafana Provisioned API Key",  # The same.
}


def members(items):
    """The characters of a set."""
    chosen, negated = [], False
    for op, value in items:
        if op is ops.NEGATE:
            negated = True
        elif op is ops.LITERAL:
            chosen.append(chr(value))
        elif op is ops.RANGE:
            chosen.extend(chr(code) for code in range(value[0], min(value[1], 126) + 1))
        elif op is ops.CATEGORY:
            chosen.extend(category(value))
    if negated:
        return [c for c in PRINTABLE if c not in chosen]
    return [c for c in chosen if c.isprintable()] or chosen


def category(value):
    return {
        ops.CATEGORY_DIGIT: string.digits,
        ops.CATEGORY_WORD: LETTERS + "_",
        ops.CATEGORY_SPACE: " ",
    }.get(value, PRINTABLE)


def write(rng, tree, groups):
    """A text that the parsed expression may match."""
    return "".join(one(rng, op, value, groups) for op, value in tree)


def one(rng, op, value, groups):
    if op is ops.LITERAL:
        return chr(value)
    if op is ops.NOT_LITERAL:
        return rng.choice([c for c in PRINTABLE if c != chr(value)])
    if op is ops.ANY:
        return rng.choice(LETTERS)
    if op is ops.IN:
        return rng.choice(members(value))
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, getattr(ops, "POSSESSIVE_REPEAT", None)):
        least, most, inner = value
        most = least + MORE if most == ops.MAXREPEAT else min(int(most), least + 400)
        return "".join(write(rng, inner, groups) for _ in range(rng.randint(least, most)))
    if op is ops.SUBPATTERN:
        text = write(rng, value[-1], groups)
        groups[value[0]] = text
        return text
    if op is ops.BRANCH:
        return write(rng, rng.choice(value[1]), groups)
    if op is ops.GROUPREF_EXISTS:
        group, there, absent = value
        return write(rng, (there if group in groups else absent) or [], groups)
    if op is ops.GROUPREF:
        return groups.get(value, "")
    if op is getattr(ops, "ATOMIC_GROUP", None):
        return write(rng, value, groups)
    if op is ops.ASSERT and value[0] < 0:
        return write(rng, value[1], groups)
    return ""  # Places and other conditions: the match below says whether they hold.


def make(rng, pattern, tries=400):
    tree, compiled = parser.parse(pattern), re.compile(pattern)
    for _ in range(tries):
        text = write(rng, tree, {})
        found = compiled.search(text)
        if found and "value" in compiled.groupindex and found.group("value"):
            return text, found.group("value")
    return None


def main():
    folder, count, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    rules = yaml.safe_load((folder / "credsweeper/rules/config.yaml").read_text())
    for rule in rules:
        wanted = (
            rule["type"] == "pattern"
            and rule["severity"] != "info"
            and rule.get("confidence") != "weak"
            and "code" in rule.get("target", ["code"])
            and rule["name"] not in BROAD
        )
        if not wanted:
            continue
        rng = random.Random(f"{seed}/{rule['name']}")
        for number in range(count):
            made = make(rng, rule["values"][number % len(rule["values"])])
            if made is None:
                print(f"not generated: {rule['name']}", file=sys.stderr)
                break
            text, value = made
            form = "named" if "(?P<variable>" in rule["values"][0] else "token"
            print(json.dumps({"kind": rule["name"], "form": form, "text": text, "value": value}))


main()
