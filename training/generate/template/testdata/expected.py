"""Writes expected.json: what Jinja2, set up as transformers' apply_chat_template sets it up, makes of the templates here."""
import datetime
import glob
import json

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment


def raise_exception(message):
    raise jinja2.TemplateError(message)


env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
env.globals["raise_exception"] = raise_exception
env.globals["strftime_now"] = datetime.datetime(2024, 7, 26).strftime
conversations = [
    [("user", " Hi there. ")],
    [("system", "Be brief.\n"), ("user", 'Is "x" <b>& é 漢\n{{ 1 }}?')],
    [("user", "Hi"), ("assistant", " Hello. "), ("user", "Again?")],
    [("system", "S"), ("user", "Hi"), ("assistant", "<think>\nhm\n</think>\n\nHello"), ("user", "Again?")],
    [("user", "Hi"), ("user", "ho")],
]
cases = []
for path in sorted(glob.glob("*.jinja")):
    template = env.from_string(open(path).read())
    for conversation in conversations:
        messages = [{"role": role, "content": text} for role, text in conversation]
        case = {"template": path, "messages": [{"role": role, "text": text} for role, text in conversation]}
        try:
            case["want"] = template.render(messages=messages, add_generation_prompt=True, bos_token="<s>", eos_token="</s>")
        except jinja2.TemplateError as e:
            case["error"] = str(e)
        cases.append(case)
with open("expected.json", "w") as f:
    json.dump({"made_by": "Jinja2 " + jinja2.__version__, "cases": cases}, f, indent=1)
    f.write("\n")
