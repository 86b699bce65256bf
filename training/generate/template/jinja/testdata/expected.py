"""Writes expected.json: what Jinja2, set up as transformers' apply_chat_template sets it up, makes of the lines of snippets.txt."""
import json

import jinja2
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, "jinja2.ext.do"])
env.filters["tojson"] = lambda x, ensure_ascii=False, indent=None, separators=None, sort_keys=False: json.dumps(
    x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
)
variables = {
    "s": " Añ漢 b\n",
    "n": 7,
    "f": 2.5,
    "yes": True,
    "nil": None,
    "l": ["a", "b", "c"],
    "one": ["x"],
    "empty": [],
    "d": {"k": "v", "items": 1, "nested": {"a": [1, 2.5, None, True, "é\"<\n"]}},
    "m": [{"role": "system", "content": "S"}, {"role": "user", "content": " hi <b> "}, {"role": "assistant", "content": "<think>x</think>\n\ny"}],
}
cases = []
for line in open("snippets.txt", encoding="utf-8").read().split("\n----\n"):
    case = {"template": line}
    try:
        case["want"] = env.from_string(line).render(**variables)
    except Exception as e:
        case["error"] = type(e).__name__ + ": " + str(e)
    cases.append(case)
with open("expected.json", "w", encoding="utf-8") as f:
    json.dump({"made_by": "Jinja2 " + jinja2.__version__, "variables": variables, "cases": cases}, f, indent=1, ensure_ascii=False)
    f.write("\n")
print(len(cases), sum("error" in c for c in cases))
