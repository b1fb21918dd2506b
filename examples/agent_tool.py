#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""agent_tool.py - sealed tools for an agent, in the shape that agent SDKs take (function_tool).

Run it beside `make run`; no model is needed:

    PYTHONPATH=clients/python /usr/bin/python3 examples/agent_tool.py

With the OpenAI Agents SDK, LangChain, Pydantic AI and others, put their decorator in front of the
two functions: name, types and docstring are what the model sees.
"""
import json
import sys

from belljar import ApiError, Belljar

jar = Belljar()


# @function_tool
def execute_code(code: str, language: str = "python") -> str:
    """Run a short program in a sealed box and return what it prints. No network, no files of the
    host; 30 seconds and 256 MiB at most. Languages: python, node, bash."""
    return for_the_model(jar.execute("execute_code", code, language=language))


# @function_tool
def run_command(command: str) -> str:
    """Run one command line, such as `ls -l` or `grep -c x file`, in a sealed box."""
    return for_the_model(jar.execute("run_command", arguments={"command": command}))


def for_the_model(result) -> str:
    """A refusal says in words what would be right: a model that reads it asks better next time."""
    if result.success:
        return result.output
    if result.why:
        return f"refused: {result.why.what}" + (f" ({result.why.hint})" if result.why.hint else "")
    return f"{result.status}: {result.error or ''}\n{result.stderr.decode(errors='replace')}"


def main() -> int:
    """What a model might ask for, one call after another."""
    asked = [
        (execute_code, {"code": "print(sum(i * i for i in range(100)))"}),
        (execute_code, {"code": "import socket\nsocket.create_connection(('example.com', 80))"}),
        (run_command, {"command": "echo sealed"}),
        (run_command, {"command": "rm -rf /"}),
    ]
    try:
        for function, arguments in asked:
            print(f"{function.__name__}({json.dumps(arguments)})")
            print("   ", function(**arguments).strip().replace("\n", "\n    "))
    except (ApiError, OSError) as error:
        print(f"is belljar serve running? {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
