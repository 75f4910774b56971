"""Asks a server through the official SDKs and says what each call gave.

In: the address of a server, a file with the answers that are right, the model names to ask for.
Out: one JSON line per call: {"case", "ok", "detail"}. Never judges leniently: an answer is right
when the SDK hands out exactly the expected text, arguments or parsed object.
"""

import json
import sys

import anthropic
import openai
from pydantic import BaseModel

ADDRESS, ANSWERS, MODELS = sys.argv[1], json.load(open(sys.argv[2])), sys.argv[3:]
KEY = "sk-not-a-key"
ASKED = "Write what we spoke about."
OPENAI = openai.OpenAI(base_url=f"{ADDRESS}/v1", api_key=KEY, max_retries=0, timeout=60)
ANTHROPIC = anthropic.Anthropic(base_url=ADDRESS, api_key=KEY, max_retries=0, timeout=60)


class Author(BaseModel):
    name: str
    email: str


class Section(BaseModel):
    heading: str
    body: str
    score: float


class Report(BaseModel):
    title: str
    author: Author
    sections: list[Section]
    approved: bool
    pages: int


PARAMETERS = {
    "type": "object",
    "required": ["path", "content", "overwrite", "tags", "note"],
    "properties": {
        "path": {"type": "string"},
        "content": {"type": "string"},
        "overwrite": {"type": "boolean"},
        "tags": {"type": "array"},
        "note": {"type": "string"},
    },
}
CHAT_TOOLS = [{"type": "function", "function": {"name": "write_file", "parameters": PARAMETERS}}]
RESPONSES_TOOLS = [{"type": "function", "name": "write_file", "parameters": PARAMETERS}]
MESSAGES_TOOLS = [{"name": "write_file", "description": "Writes.", "input_schema": PARAMETERS}]
USER = [{"role": "user", "content": ASKED}]


def chat_text(model):
    return OPENAI.chat.completions.create(model=model, messages=USER).choices[0].message.content


def chat_text_stream(model):
    text = ""
    for chunk in OPENAI.chat.completions.create(model=model, messages=USER, stream=True):
        if chunk.choices and chunk.choices[0].delta.content:
            text += chunk.choices[0].delta.content
    return text


def chat_tool(model):
    reply = OPENAI.chat.completions.create(model=model, messages=USER, tools=CHAT_TOOLS)
    return json.loads(reply.choices[0].message.tool_calls[0].function.arguments)


def chat_tool_stream(model):
    with OPENAI.chat.completions.stream(model=model, messages=USER, tools=CHAT_TOOLS) as stream:
        for _ in stream:
            pass
        reply = stream.get_final_completion()
    return json.loads(reply.choices[0].message.tool_calls[0].function.arguments)


def chat_json(model):
    reply = OPENAI.chat.completions.parse(model=model, messages=USER, response_format=Report)
    return reply.choices[0].message.parsed.model_dump()


def chat_json_stream(model):
    with OPENAI.chat.completions.stream(
        model=model, messages=USER, response_format=Report
    ) as stream:
        for _ in stream:
            pass
        return stream.get_final_completion().choices[0].message.parsed.model_dump()


def responses_text(model):
    return OPENAI.responses.create(model=model, input=ASKED).output_text


def responses_text_stream(model):
    with OPENAI.responses.stream(model=model, input=ASKED) as stream:
        for _ in stream:
            pass
        return stream.get_final_response().output_text


def arguments_of(response):
    calls = [item for item in response.output if item.type == "function_call"]
    return json.loads(calls[0].arguments)


def responses_tool(model):
    reply = OPENAI.responses.create(model=model, input=ASKED, tools=RESPONSES_TOOLS)
    return arguments_of(reply)


def responses_tool_stream(model):
    with OPENAI.responses.stream(model=model, input=ASKED, tools=RESPONSES_TOOLS) as stream:
        for _ in stream:
            pass
        return arguments_of(stream.get_final_response())


def responses_json(model):
    return OPENAI.responses.parse(
        model=model, input=ASKED, text_format=Report
    ).output_parsed.model_dump()


def responses_json_stream(model):
    with OPENAI.responses.stream(model=model, input=ASKED, text_format=Report) as stream:
        for _ in stream:
            pass
        return stream.get_final_response().output_parsed.model_dump()


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def messages_text(model):
    return text_of(ANTHROPIC.messages.create(model=model, messages=USER, max_tokens=4096))


def messages_text_stream(model):
    with ANTHROPIC.messages.stream(model=model, messages=USER, max_tokens=4096) as stream:
        return "".join(stream.text_stream)


def input_of(message):
    return [block.input for block in message.content if block.type == "tool_use"][0]


def messages_tool(model):
    return input_of(
        ANTHROPIC.messages.create(
            model=model, messages=USER, max_tokens=4096, tools=MESSAGES_TOOLS
        )
    )


def messages_tool_stream(model):
    with ANTHROPIC.messages.stream(
        model=model, messages=USER, max_tokens=4096, tools=MESSAGES_TOOLS
    ) as stream:
        return input_of(stream.get_final_message())


def messages_json(model):
    reply = ANTHROPIC.messages.parse(
        model=model, messages=USER, max_tokens=4096, output_format=Report
    )
    return reply.parsed_output.model_dump()


def messages_json_stream(model):
    with ANTHROPIC.messages.stream(
        model=model, messages=USER, max_tokens=4096, output_format=Report
    ) as stream:
        return stream.get_final_message().parsed_output.model_dump()


CALLS = {
    f"{dialect}_{kind}{mode}": globals()[f"{dialect}_{kind}{mode}"]
    for dialect in ("chat", "responses", "messages")
    for kind in ("text", "tool", "json")
    for mode in ("", "_stream")
}

for model in MODELS:
    kind = model.split("-")[0]
    for name, call in CALLS.items():
        if f"_{kind}" not in name:
            continue
        line = {"case": f"{name} {model}", "ok": False}
        try:
            answer = call(model)
            line["ok"] = answer == ANSWERS[kind]
            line["detail"] = "" if line["ok"] else f"another answer: {str(answer)[-120:]!r}"
        except Exception as error:
            line["detail"] = f"{type(error).__name__}: {str(error)[:160]}"
        print(json.dumps(line), flush=True)
