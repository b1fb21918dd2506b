// SPDX-License-Identifier: Apache-2.0
/**
 * belljar.ts - a client of `belljar serve`. No dependency at run time: fetch and streams of Node 18 or newer.
 *
 *     const jar = new Belljar();                          // http://127.0.0.1:8640
 *     const { output } = await jar.execute("execute_code", "print(6 * 7)");
 *
 *     for await (const event of jar.stream("execute_code", "print('as it comes')"))
 *       if (event.name === "stdout") process.stdout.write(event.text);
 *
 *     const session = await jar.session("execute_code", { language: "python" });
 *     await session.code("x = 20");
 *     console.log((await session.code("print(x + 1)")).output);   // 21
 *     await session.kill();
 *
 *     const id = await jar.start("execute_code", "...");  // does not wait; jar.call(id), jar.follow(id)
 *
 * A call that was refused, failed or was killed is a result, not an exception: look at `success`, `status` and
 * `why`, or say `expectSuccess(result)`. What is wrong with the request, or with the service, throws ApiError.
 */

export interface Why {
  layer: string;
  rule: string;
  what: string;
  permanent?: boolean;
  retry_after_ms?: number;
  hint?: string | null;
}

export type Status =
  | "success" | "error" | "timeout" | "resource_exceeded" | "denied" | "permission_denied" | "unknown";

/** The answer of a call; fields beyond these are in belljar-api(7). */
export interface Result {
  id?: string;
  success: boolean;
  status: Status;
  output: string;
  error: string | null;
  why?: Why | null;
  execution_time_ms: number;
  exit_code?: number | null;
  stdout?: Stream;
  stderr?: Stream;
  artifacts?: Artifact[];
  [more: string]: unknown;
}

/** What was printed; `data` is base64 where it is no UTF-8. */
export interface Stream {
  encoding: "utf-8" | "base64";
  data: string;
  truncated: boolean;
}

export interface Artifact {
  name: string;
  size: number;
  sha256: string;
  content_base64?: string;
  refused?: string;
}

/** What POST /v1/tools/{name}/call answers. */
export interface ToolResult {
  status: Status;
  data?: string;
  json?: unknown;
  error?: string | null;
  why?: Why | null;
  [more: string]: unknown;
}

export interface Limits {
  wall?: string | number;
  cpu?: string | number;
  memory?: string | number;
  disk?: string | number;
  processes?: number;
  files?: number;
  output?: string | number;
}

export interface CallOptions {
  arguments?: Record<string, unknown>;
  language?: string;
  limits?: Limits;
  /** Files to put into /work before it starts, by path. */
  files?: Record<string, string | Uint8Array>;
  /** Patterns of files in /work that come back. */
  artifacts?: string[];
  stdin?: string;
  env?: Record<string, string>;
  detach?: boolean;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export interface SessionOptions {
  language?: string;
  limits?: Limits;
  ttl?: string;
  idle?: string;
  env?: Record<string, string>;
  files?: Record<string, string | Uint8Array>;
}

export interface ExecOptions {
  stdin?: string;
  stdin_open?: boolean;
  env?: Record<string, string>;
  cwd?: string;
  limits?: Limits;
  detach?: boolean;
}

/** The request was not taken (4xx) or the service cannot serve it (5xx): RFC 9457. */
export class ApiError extends Error {
  readonly code: string;
  readonly errors: { pointer: string; detail: string }[];
  readonly requestId?: string;
  readonly why?: Why;

  constructor(readonly status: number, problem: Record<string, any>, readonly retryAfter?: number) {
    const errors: { pointer: string; detail: string }[] = problem.errors ?? [];
    const where = errors.map((e) => `${e.pointer}: ${e.detail}`).join("; ");
    const detail = problem.detail ?? problem.title ?? `HTTP ${status}`;
    super(`${status} ${problem.code ?? "unknown"}: ${detail}${where ? ` (${where})` : ""}`);
    this.name = "ApiError";
    this.code = problem.code ?? "unknown";
    this.errors = errors;
    this.requestId = problem.request_id;
    this.why = problem.why;
  }
}

/** From expectSuccess(): the call was refused, failed or was killed. */
export class CallFailed extends Error {
  readonly why?: Why | null;

  constructor(readonly result: Result | ToolResult) {
    super(result.why?.what ?? result.error ?? result.status);
    this.name = "CallFailed";
    this.why = result.why;
  }
}

export function expectSuccess<T extends Result | ToolResult>(result: T): T {
  if (result.status !== "success") throw new CallFailed(result);
  return result;
}

/** One event of a stream: start, stdout, stderr, result, ... */
export class Event {
  constructor(readonly name: string, readonly data: Record<string, any>) {}

  get bytes(): Uint8Array {
    if (typeof this.data.data_base64 === "string") return Buffer.from(this.data.data_base64, "base64");
    return new TextEncoder().encode(this.data.data ?? "");
  }

  get text(): string {
    return new TextDecoder().decode(this.bytes);
  }

  get result(): Result | undefined {
    return this.name === "result" ? (this.data as Result) : undefined;
  }
}

interface Ask {
  body?: unknown;
  octets?: Uint8Array;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

function fileList(files?: Record<string, string | Uint8Array>) {
  if (!files) return undefined;
  return Object.entries(files).map(([path, content]) =>
    typeof content === "string"
      ? { path, content }
      : { path, content_base64: Buffer.from(content).toString("base64") },
  );
}

function callAsk(more: Record<string, unknown>, options: CallOptions): Ask {
  const { files, idempotencyKey, signal, ...rest } = options;
  return {
    body: { ...rest, files: fileList(files), ...more },
    headers: idempotencyKey ? { "Idempotency-Key": idempotencyKey } : {},
    signal,
  };
}

function query(parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return given.length ? "?" + new URLSearchParams(given.map(([k, v]) => [k, String(v)])).toString() : "";
}

export class Belljar {
  private readonly url: string;
  private readonly key?: string;

  constructor(options: { url?: string; key?: string } = {}) {
    this.url = (options.url || process.env.BELLJAR_URL || "http://127.0.0.1:8640").replace(/\/+$/, "");
    if (!/^https?:\/\/[^/]/.test(this.url)) {
      throw new TypeError(`the service's url is http://HOST:PORT or https://HOST:PORT, not '${this.url}'`);
    }
    this.key = options.key ?? process.env.BELLJAR_KEY;
  }

  execute(toolName: string, code?: string, options: CallOptions = {}): Promise<Result> {
    return this.ask("POST", "/v1/execute", callAsk({ tool_name: toolName, code }, options));
  }

  callTool(name: string, args: Record<string, unknown> = {}, options: CallOptions = {}): Promise<ToolResult> {
    return this.ask("POST", `/v1/tools/${encodeURIComponent(name)}/call`, callAsk({ arguments: args }, options));
  }

  /** The same as execute, as it happens. Leaving the loop early cancels the call. */
  stream(toolName: string, code?: string, options: CallOptions = {}): AsyncGenerator<Event> {
    return this.events("/v1/execute", callAsk({ tool_name: toolName, code }, options));
  }

  /** execute, but nobody waits: the id of the call, which goes on without us. A refusal throws CallFailed. */
  async start(toolName: string, code?: string, options: CallOptions = {}): Promise<string> {
    const ask = callAsk({ tool_name: toolName, code }, { ...options, detach: true });
    ask.headers = { ...ask.headers, Prefer: "respond-async" };
    const answer = await this.ask<Result>("POST", "/v1/execute", ask);
    if (answer.status) expectSuccess(answer); // it has an answer already
    return answer.id!;
  }

  /** The events of a call, whether it runs or has ended; or those of stdout or stderr only, from a byte on. */
  follow(id: string, stream?: "stdout" | "stderr", from = 0): AsyncGenerator<Event> {
    const which = query({ stream, from: stream ? from : undefined });
    return this.events(`/v1/calls/${encodeURIComponent(id)}/output${which}`, {}, "GET");
  }

  async tools(): Promise<Record<string, unknown>[]> {
    return (await this.ask<{ tools: Record<string, unknown>[] }>("GET", "/v1/tools")).tools;
  }

  /** What would be decided, without running anything. */
  check(toolName: string, code?: string, options: CallOptions = {}): Promise<Record<string, unknown>> {
    return this.ask("POST", "/v1/policy/check", callAsk({ tool_name: toolName, code }, options));
  }

  screen(what: Record<string, unknown>): Promise<Record<string, unknown>> {
    return this.ask("POST", "/v1/screen", { body: what });
  }

  /** What is known of a call: state, and when it is finished its answer. */
  call(id: string): Promise<Record<string, unknown>> {
    return this.ask("GET", `/v1/calls/${encodeURIComponent(id)}`);
  }

  async cancel(id: string): Promise<void> {
    await this.ask("DELETE", `/v1/calls/${encodeURIComponent(id)}`);
  }

  audit(parameters: Record<string, string | number | undefined> = {}): Promise<Record<string, unknown>> {
    return this.ask("GET", "/v1/audit" + query(parameters));
  }

  async session(toolName: string, options: SessionOptions = {}): Promise<Session> {
    const body = { ...options, files: fileList(options.files), tool_name: toolName };
    return new Session(this, await this.ask("POST", "/v1/sessions", { body }));
  }

  async sessions(): Promise<Record<string, unknown>[]> {
    return (await this.ask<{ sessions: Record<string, unknown>[] }>("GET", "/v1/sessions")).sessions;
  }

  // ---- the wire

  /** An answer of JSON; a rate limit (429) is a refused call with a body of its own. */
  async ask<T = Record<string, unknown>>(method: string, path: string, what: Ask = {}): Promise<T> {
    const response = await this.send(method, path, what);
    const text = await response.text();
    if (response.ok) return (text ? JSON.parse(text) : {}) as T;
    const told = parse(text);
    if (response.status === 429 && typeof told.status === "string") return told as T;
    throw new ApiError(response.status, told, retryAfter(response));
  }

  async octets(method: string, path: string, what: Ask = {}): Promise<Uint8Array> {
    const response = await this.send(method, path, what);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.ok) return bytes;
    throw new ApiError(response.status, parse(new TextDecoder().decode(bytes)), retryAfter(response));
  }

  async *events(path: string, what: Ask, method = "POST"): AsyncGenerator<Event> {
    const headers = { ...what.headers, Accept: "application/x-ndjson" };
    const response = await this.send(method, path, { ...what, headers });
    if (!response.ok || !response.body)
      throw new ApiError(response.status, parse(await response.text()), retryAfter(response));
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let held = "";
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const lines = (held + decoder.decode(value, { stream: true })).split("\n");
        held = lines.pop() ?? "";
        for (const line of lines) {
          if (!line.trim()) continue;
          const { event, ...data } = JSON.parse(line);
          if (event === "error") throw new ApiError(data.status ?? 500, data); // the service could not go on
          yield new Event(event ?? "message", data);
        }
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  private send(method: string, path: string, what: Ask): Promise<Response> {
    const headers: Record<string, string> = { ...what.headers };
    if (this.key) headers.Authorization = `Bearer ${this.key}`;
    if (what.body !== undefined) headers["Content-Type"] = "application/json";
    if (what.octets) headers["Content-Type"] = "application/octet-stream";
    return fetch(this.url + path, {
      method,
      headers,
      body: (what.octets as BodyInit | undefined) ?? (what.body === undefined ? undefined : JSON.stringify(what.body)),
      signal: what.signal,
    });
  }
}

function parse(text: string): Record<string, any> {
  try {
    const value = JSON.parse(text);
    return value && typeof value === "object" ? value : {};
  } catch {
    return {};
  }
}

function retryAfter(response: Response): number | undefined {
  const seconds = Number(response.headers.get("retry-after") ?? NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** A box with state, files and processes; ends with kill(), its ttl, or idle time. */
export class Session {
  readonly id: string;
  private readonly base: string;

  constructor(private readonly jar: Belljar, readonly opened: Record<string, any>) {
    this.id = opened.id;
    this.base = `/v1/sessions/${encodeURIComponent(this.id)}`;
  }

  code(code: string, options: ExecOptions & { language?: string } = {}): Promise<Result> {
    return this.jar.ask("POST", `${this.base}/code`, { body: { ...options, code } });
  }

  streamCode(code: string, options: ExecOptions & { language?: string } = {}): AsyncGenerator<Event> {
    return this.jar.events(`${this.base}/code`, { body: { ...options, code } });
  }

  exec(what: string | string[], options: ExecOptions = {}): Promise<Result> {
    return this.jar.ask("POST", `${this.base}/exec`, { body: { ...options, ...words(what) } });
  }

  streamExec(what: string | string[], options: ExecOptions = {}): AsyncGenerator<Event> {
    return this.jar.events(`${this.base}/exec`, { body: { ...options, ...words(what) } });
  }

  async sendInput(execId: string, data: Uint8Array | string, eof = false): Promise<void> {
    const octets = typeof data === "string" ? new TextEncoder().encode(data) : data;
    await this.jar.ask("POST", `${this.base}/execs/${encodeURIComponent(execId)}/stdin${eof ? "?eof=1" : ""}`, { octets });
  }

  /** What is known of a program that was started here: state, and its answer when it has ended. */
  program(execId: string): Promise<Record<string, unknown>> {
    return this.jar.ask("GET", `${this.base}/execs/${encodeURIComponent(execId)}`);
  }

  async signal(execId: string, signal: string | number): Promise<void> {
    await this.jar.ask("POST", `${this.base}/execs/${encodeURIComponent(execId)}/signal`, { body: { signal } });
  }

  put(path: string, data: Uint8Array | string, executable = false): Promise<Record<string, unknown>> {
    const octets = typeof data === "string" ? new TextEncoder().encode(data) : data;
    return this.jar.ask("PUT", this.file(path) + (executable ? "?executable=1" : ""), { octets });
  }

  get(path: string, offset = 0, length?: number): Promise<Uint8Array> {
    const last = length === undefined ? "" : offset + length - 1;
    const headers = offset || length !== undefined ? { Range: `bytes=${offset}-${last}` } : undefined;
    return this.jar.octets("GET", this.file(path), { headers });
  }

  stat(path: string): Promise<Record<string, unknown>> {
    return this.jar.ask("GET", this.file(path) + "?stat=1");
  }

  async list(path = ""): Promise<Record<string, unknown>[]> {
    const where = path && path !== "." ? this.file(path) : `${this.base}/files`;
    return (await this.jar.ask<{ entries: Record<string, unknown>[] }>("GET", where + "?list=1")).entries;
  }

  async remove(path: string, recursive = false): Promise<void> {
    await this.jar.ask("DELETE", this.file(path) + (recursive ? "?recursive=1" : ""));
  }

  async processes(): Promise<Record<string, unknown>[]> {
    return (await this.jar.ask<{ processes: Record<string, unknown>[] }>("GET", `${this.base}/processes`)).processes;
  }

  describe(): Promise<Record<string, unknown>> {
    return this.jar.ask("GET", this.base);
  }

  /** It ends that long from now ("30m"). */
  extend(ttl: string): Promise<Record<string, unknown>> {
    return this.jar.ask("POST", `${this.base}/extend`, { body: { ttl } });
  }

  /** A session of its own with the same Python variables and files; nothing may run meanwhile. */
  async fork(): Promise<Session> {
    return new Session(this.jar, await this.jar.ask("POST", `${this.base}/fork`));
  }

  async kill(): Promise<void> {
    await this.jar.ask("DELETE", this.base);
  }

  private file(path: string): string {
    return `${this.base}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
  }
}

function words(what: string | string[]) {
  return typeof what === "string" ? { command: what } : { argv: what };
}
