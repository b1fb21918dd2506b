// SPDX-License-Identifier: Apache-2.0
// client_test.ts - the TypeScript client against a real service, told in TAP; the list of python_client_test.py.
import assert from "node:assert/strict";
import { ApiError, Belljar, CallFailed, expectSuccess, type Event } from "./belljar.js";

const url = process.env.BELLJAR_URL!;
const jar = new Belljar({ url });
const endless = "import time\nprint('on', flush=True)\ntime.sleep(50)";

async function all(events: AsyncIterable<Event>): Promise<Event[]> {
  const list: Event[] = [];
  for await (const event of events) list.push(event);
  return list;
}

async function thrown<E extends Error>(kind: new (...a: any[]) => E, promise: Promise<unknown>): Promise<E> {
  try {
    await promise;
  } catch (error) {
    assert(error instanceof kind, String(error));
    return error;
  }
  assert.fail(`no ${kind.name}`);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); await new Promise((go) => setTimeout(go, 20)))
    assert(Date.now() < end, "it never came");
}

const names = (events: Event[]) => events.map((event) => event.name);
const finished = async (id: string) => (await jar.call(id)).state === "finished";

const tests: Record<string, () => Promise<void>> = {
  async execute() {
    const one = await jar.execute("execute_code", "print(6 * 7)");
    assert(one.success && one.status === "success" && one.error === null && one.id);
    assert.equal(one.output, "42\n");
    assert.equal(one.stdout!.data, "42\n");
    const two = await jar.execute("execute_code", "cat; cat in.txt; echo $COLOUR; echo out >o.txt", {
      language: "bash", stdin: "a\n", files: { "in.txt": new TextEncoder().encode("b\n"), "t/x": "text" },
      env: { COLOUR: "blue" }, artifacts: ["*.txt"], limits: { wall: "9s" },
    });
    assert.equal(two.output, "a\nb\nblue\n");
    const artifact = two.artifacts!.find((file) => file.name === "o.txt");
    assert.equal(Buffer.from(artifact!.content_base64!, "base64").toString(), "out\n");
  },

  async a_failure_is_a_result() {
    const result = await jar.execute("execute_code", "import sys\nsys.stderr.write('oh\\n')\nsys.exit(3)");
    assert.deepEqual([result.success, result.status, result.exit_code, result.error], [false, "error", 3, "oh"]);
    assert.throws(() => expectSuccess(result), CallFailed);
    const slow = await jar.execute("execute_code", "sleep 50", { language: "bash", limits: { wall: "1s" } });
    assert.equal(slow.status, "timeout");
  },

  async call_tool() {
    const result = await jar.callTool("run_command", { argv: ["echo", '{"a": 1}'] });
    assert.equal(result.status, "success");
    assert.equal(result.data, '{"a": 1}\n');
    assert.deepEqual(result.json, { a: 1 });
    assert.deepEqual((await jar.tools()).map((tool) => tool.name), ["execute_code", "run_command", "seldom"]);
  },

  async a_refusal_says_why() {
    const result = await jar.execute("run_command", undefined, { arguments: { command: "rm -rf /" } });
    assert.equal(result.status, "denied");
    assert(result.why!.layer === "screen" && result.why!.hint && result.why!.what.includes("rm"));
    assert.throws(() => expectSuccess(result), { name: "CallFailed", message: result.why!.what });
    const none = await jar.callTool("nothing");
    assert(none.status === "permission_denied" && none.why!.hint!.includes("run_command"));
    const checked = await jar.check("run_command", undefined, { arguments: { command: "rm -rf /" } });
    assert.equal(checked.decision, "deny");
    assert.equal((await jar.screen({ language: "python", code: "1" })).language, "python");
  },

  async a_wrong_request_says_where() {
    const options = { limits: { walls: 1 } as object };
    const error = await thrown(ApiError, jar.execute("execute_code", "1", options));
    assert.deepEqual([error.status, error.code, error.errors[0]!.pointer], [400, "invalid_body", "/limits/walls"]);
    assert(error.requestId && error.message.includes("/limits/walls"));
    assert.equal((await thrown(ApiError, jar.call("bj-" + "0".repeat(24)))).status, 404);
    assert.equal((await thrown(ApiError, all(jar.stream("execute_code", "1", options)))).status, 400);
  },

  async keys() {
    const keyed = new Belljar({ url, key: process.env.KEY! });
    const echo = { arguments: { command: "echo 1" } };
    assert((await keyed.execute("run_command", undefined, echo)).success);
    assert.equal((await keyed.execute("execute_code", "print(1)")).status, "denied");
    const wrong = await thrown(ApiError, new Belljar({ url, key: "no-such-key" }).execute("run_command"));
    assert.deepEqual([wrong.status, wrong.code], [401, "unauthorized"]);
    assert.equal((await thrown(ApiError, keyed.audit({ limit: 1 }))).status, 403);
  },

  async a_key_makes_a_call_once() {
    const once = { idempotencyKey: "k-ts" };
    const one = await jar.execute("execute_code", "import os\nprint(os.urandom(8).hex())", once);
    const two = await jar.execute("execute_code", "import os\nprint(os.urandom(8).hex())", once);
    assert.deepEqual([one.output, one.id], [two.output, two.id]);
    assert.equal((await thrown(ApiError, jar.execute("execute_code", "print(2)", once))).status, 422);
  },

  async streams() {
    const script = "echo 1; sleep 0.3; echo 2 >&2; exit 3";
    const events = await all(jar.stream("execute_code", script, { language: "bash" }));
    assert.deepEqual(names(events), ["start", "stdout", "stderr", "result"]);
    assert.deepEqual([events[1]!.text, events[2]!.text, events[3]!.result!.exit_code], ["1\n", "2\n", 3]);
    const refused = await all(jar.stream("run_command", undefined, { arguments: { command: "rm -rf /" } }));
    assert(refused.length === 1 && refused[0]!.result!.why);
  },

  async leaving_a_stream_cancels_the_call() {
    let id = "";
    for await (const event of jar.stream("execute_code", endless)) {
      if (event.name === "start") id = event.data.id;
      if (event.name === "stdout") break;
    }
    await until(() => finished(id));
    assert.equal(((await jar.call(id)).answer as any).kill_reason, "cancelled");
  },

  async a_started_call_goes_on() {
    const id = await jar.start("execute_code", "echo 1; sleep 0.5; echo 2", { language: "bash" });
    assert.equal((await all(jar.follow(id))).map((event) => event.name === "stdout" ? event.text : "").join(""), "1\n2\n");
    assert.equal((await all(jar.follow(id, "stdout", 2))).find((event) => event.name === "stdout")!.text, "2\n");
    assert(await finished(id));
    await thrown(CallFailed, jar.start("run_command", undefined, { arguments: { command: "rm -rf /" } }));
    const other = await jar.start("execute_code", endless);
    await jar.cancel(other);
    await until(() => finished(other));
  },

  async a_session_keeps_variables() {
    const s = await jar.session("execute_code", { language: "python", files: { "a.txt": "hi" } });
    await s.code("x = 20");
    assert.equal((await s.code("print(x + 1, open('a.txt').read())")).output, "21 hi\n");
    assert.deepEqual(names(await all(s.streamCode("print(x)"))), ["start", "stdout", "result"]);
    assert.equal((await s.code("echo $((1 + 1))", { language: "bash" })).output, "2\n");
    assert.equal((await s.describe()).state, "open");
    assert.deepEqual((await jar.sessions()).map((one) => one.id), [s.id]);
    assert((await s.extend("30m")).expires! < s.opened.expires);
    await s.kill();
    assert.equal((await thrown(ApiError, s.describe())).status, 410);
  },

  async a_session_is_forked() {
    if (process.arch !== "x64") return;
    const s = await jar.session("execute_code", { language: "python" });
    await s.code("x = [1]");
    const other = await s.fork();
    assert.equal(other.opened.forked_from, s.id);
    await other.code("x.append(2)");
    assert.equal((await other.code("print(x)")).output, "[1, 2]\n");
    assert.equal((await s.code("print(x)")).output, "[1]\n");
    await s.kill();
    assert.equal((await other.code("print(x)")).output, "[1, 2]\n");
    await other.kill();
  },

  async a_session_has_files() {
    const s = await jar.session("execute_code");
    const bytes = Uint8Array.from({ length: 2_500_000 }, (_, i) => i % 251);
    assert.equal((await s.put("d e/é%.bin", bytes)).size, bytes.length);
    assert.deepEqual(await s.get("d e/é%.bin"), bytes);
    assert.deepEqual(await s.get("d e/é%.bin", 10, 20), bytes.slice(10, 30));
    assert.equal((await s.stat("d e/é%.bin")).size, bytes.length);
    await s.put("run.sh", "#!/bin/sh\necho ran\n", true);
    assert.equal((await s.exec(["./run.sh"])).output, "ran\n");
    assert.deepEqual((await s.list()).map((entry) => entry.name).sort(), ["d e", "run.sh"]);
    assert.deepEqual((await s.list("d e")).map((entry) => entry.name), ["é%.bin"]);
    assert.equal((await thrown(ApiError, s.get("none"))).status, 404);
    assert.equal((await thrown(ApiError, s.remove("d e"))).status, 409);
    await s.remove("d e", true);
    await s.remove("run.sh");
    assert.deepEqual(await s.list(), []);
    await s.kill();
  },

  async a_session_runs_programs() {
    const s = await jar.session("execute_code", { language: "bash" });
    const line = await s.exec("echo $((6 * 7)) && exit 4");
    assert.deepEqual([line.output, line.exit_code], ["42\n", 4]);
    let text = "", id = "";
    for await (const event of s.streamExec(["cat"], { stdin_open: true })) {
      if (event.name === "start") {
        id = event.data.id;
        assert((await s.processes()).some((process) => process.exec === id));
        assert.equal((await s.program(id)).state, "running");
        await s.sendInput(id, "one\n");
      } else if (event.name === "stdout") {
        text += event.text;
        await s.sendInput(id, text === "one\n" ? "two\n" : "", text !== "one\n");
      }
    }
    assert.equal(text, "one\ntwo\n");
    for await (const event of s.streamExec(["sleep", "50"])) {
      if (event.name === "start") await s.signal(event.data.id, "TERM");
      else assert.equal(event.result!.signal_name, "TERM");
    }
    await s.kill();
  },
};

const chosen = Object.entries(tests).filter(([name]) => process.argv.length < 3 || process.argv.includes(name));
console.log(`1..${chosen.length}`);
let failed = 0;
for (const [i, [name, test]] of chosen.entries()) {
  try {
    await test();
    console.log(`ok ${i + 1} - ${name}`);
  } catch (error) {
    failed++;
    console.log(`# ${String((error as Error).stack).replaceAll("\n", "\n# ")}`);
    console.log(`not ok ${i + 1} - ${name}`);
  }
}
process.exitCode = failed ? 1 : 0;
