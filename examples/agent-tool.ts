// SPDX-License-Identifier: Apache-2.0
// agent-tool.ts - sealed tools for an agent, in the shape that agent SDKs take: name, description, schema, function.
// Runs beside `make run` and needs no model; hand `tools` to the Vercel AI SDK, Mastra or OpenAI Agents as they are.
import { Belljar, type Result } from "../clients/typescript/belljar.js";

const jar = new Belljar();

interface Tool {
  description: string;
  parameters: object;
  execute(input: Record<string, string>): Promise<string>;
}

// A refusal says in words what would be right: a model that reads it asks better next time.
function forTheModel(result: Result): string {
  if (result.success) return result.output;
  if (result.why) return `refused: ${result.why.what}${result.why.hint ? ` (${result.why.hint})` : ""}`;
  return `${result.status}: ${result.error ?? ""}`;
}

export const tools: Record<string, Tool> = {
  execute_code: {
    description: "Run a short Python, JavaScript or bash program in a sealed box and return what it prints.",
    parameters: {
      type: "object",
      properties: { code: { type: "string" }, language: { enum: ["python", "node", "bash"] } },
      required: ["code"],
    },
    execute: async ({ code, language }) => forTheModel(await jar.execute("execute_code", code, { language })),
  },
  run_command: {
    description: "Run one command line in a sealed box.",
    parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    execute: async ({ command }) => forTheModel(await jar.execute("run_command", undefined, { arguments: { command } })),
  },
};

const asked: [string, Record<string, string>][] = [
  ["execute_code", { code: "print(sum(range(10)))", language: "python" }],
  ["execute_code", { code: "import socket; socket.socket()", language: "python" }],
  ["run_command", { command: "echo sealed" }],
  ["run_command", { command: "rm -rf /" }],
];

try {
  for (const [name, input] of asked) {
    console.log(`${name}(${JSON.stringify(input)})`);
    console.log("   ", (await tools[name]!.execute(input)).trim().replaceAll("\n", "\n    "));
  }
} catch (error) {
  console.error(`is belljar serve running? ${error}`);
  process.exitCode = 1;
}
