# SPDX-License-Identifier: Apache-2.0
"""node_snippets.py - programs that must not be able to tell a node started ahead from a fresh one.

A row: what it shows, its files (or the text of main.js), and what differs from `node /work/main.js`.
"""


def row(what, files, **more):
    if isinstance(files, str):
        files = {"main.js": files}
    return {"what": what, "files": files, "main": "main.js", "args": [], "stdin": None, "env": [],
            "relative": False, "out": "pipe", **more}


THROW = "function f() { throw new Error('here'); }\nf();\n"

SNIPPETS = [
    # what a program sees of itself
    row("a line", "console.log(2 + 2)"),
    row("argv", "console.log(process.argv, process.argv0, process.execArgv, process.execPath, process.title)",
        args=["a b", "", "--x", "-e", "\u00fc\u4e16"]),
    row("main module", "console.log(require.main === module, module.id, module.filename, module.paths, "
        "module.parent, module.children, process.mainModule === module, __filename, __dirname)"),
    row("this and exports", "console.log(this === module.exports, typeof require, arguments.length)"),
    row("require.cache", "console.log(Object.keys(require.cache), Object.keys(require('module')._pathCache))"),
    row("module properties", "const M = require('module'); console.log(Object.getOwnPropertyDescriptors(M)); "
        "console.log(M.globalPaths, require.resolve.paths('x'))", env=["HOME=/somewhere"]),
    row("globals", "console.log(Reflect.ownKeys(globalThis), Object.keys(process).sort())"),
    row("listeners", "console.log(process.eventNames(), process._getActiveHandles().length, "
        "process._getActiveRequests().length)"),
    row("environment", "console.log(process.env, Object.keys(process.env))",
        env=["B=2", "A=1", "A=again", "EMPTY=", "U=\u00fc", "EQ=a=b"]),
    row("environment of children", "console.log(require('child_process').execSync('/usr/bin/env').toString())",
        env=["PATH=/usr/bin:/bin", "B=2"]),
    row("time zone", "console.log(new Date(0).toString(), process.env.TZ)", env=["TZ=Asia/Tokyo"]),
    row("cwd, umask, uid", "console.log(process.cwd() === __dirname, process.umask(), process.getuid())"),
    # Without their numbers: the C library's threads open and close some of their own at any time.
    row("descriptors", "const fs = require('fs'); process.stdout; console.log(fs.readdirSync('/proc/self/fd').map((f) => "
        "{ try { return fs.readlinkSync('/proc/self/fd/' + f).replace(/\\d+/, 'N') } catch { return '' } })"
        ".filter((l) => l && !/^.(proc|sys)./.test(l)).sort())"),
    row("nothing mapped", "console.log(require('fs').readFileSync('/proc/self/maps', 'utf8').match(/memfd.*|.*belljar.*/g))"),
    row("async ids", "console.log(require('async_hooks').executionAsyncId(), require('async_hooks').triggerAsyncId())"),
    row("regexp statics", "console.log(RegExp.$1, RegExp.lastMatch, RegExp.input)"),
    row("strict frames", "console.log(new Error('x').stack)"),
    row("console.trace", "function a() { console.trace('t') }\na()"),
    row("call sites", "Error.prepareStackTrace = (e, s) => s.map((c) => [c.getFileName(), c.getLineNumber(), "
        "c.getColumnNumber(), c.getFunctionName(), c.getMethodName(), c.getTypeName()]); console.log(new Error().stack)"),
    row("runMain", "console.log(String(require('module').runMain).slice(0, 40))", main="other.js",
        files_as="other.js"),
    # how it is found
    row("another name", {"b.js": "console.log(process.argv, require.main.filename, new Error('x').stack)"}, main="b.js"),
    row("a relative name", {"b.js": "console.log(process.argv)"}, main="b.js", relative=True),
    row("without its suffix", {"b.js": "console.log(process.argv, __filename)"}, main="b"),
    row("a directory", {"d/index.js": "console.log(process.argv, __filename)"}, main="d"),
    row("a package", {"d/package.json": '{"main": "x.js"}', "d/x.js": "console.log(__filename)"}, main="d"),
    row("not there", {"b.js": ""}, main="nothing.js"),
    row("a link", {"d/real.js": "console.log(process.argv, __filename)", "l.js": ("link", "d/real.js")}, main="l.js"),
    row("json", {"a.json": '{"a": 1}'}, main="a.json"),
    row("hash bang", "#!/usr/bin/env node\nconsole.log(1)"),
    row("byte order mark", "\ufeffconsole.log(1)"),
    row("node_modules", {"main.js": "console.log(require('m'), require.resolve('m'))",
                         "node_modules/m/index.js": "module.exports = [module.parent.id, __filename]"}),
    row("a cycle", {"main.js": "exports.a = 1; console.log(require('./b'))",
                    "b.js": "module.exports = require('./main').a"}),
    # modules
    row("mjs", {"a.mjs": "import fs from 'fs'; import { sep } from 'path'; "
                "console.log(import.meta.url, sep, typeof fs.readFile, typeof require, this)"}, main="a.mjs"),
    row("type: module", {"package.json": '{"type": "module"}', "main.js": "import { a } from './a.js'; console.log(a)",
                         "a.js": "export const a = await Promise.resolve(5)"}),
    row("await at the top", {"a.mjs": "await new Promise((r) => setTimeout(r, 5)); console.log('late')"}, main="a.mjs"),
    row("await without end", {"a.mjs": "await new Promise(() => {})"}, main="a.mjs"),
    row("module that throws", {"a.mjs": THROW}, main="a.mjs"),
    row("module that is not there", {"a.mjs": "import './nothing.mjs'"}, main="a.mjs"),
    row("missing export", {"a.mjs": "import { nothing } from 'fs'"}, main="a.mjs"),
    row("import of commonjs", {"a.mjs": "import d, { x } from './c.cjs'; console.log(d, x)", "c.cjs": "exports.x = 1"},
        main="a.mjs"),
    row("import()", "import('fs').then((m) => console.log(typeof m.readFile)); console.log('first')"),
    row("import in commonjs", "import fs from 'fs'; console.log(1)"),
    row("await in commonjs", "const x = await 5; console.log(x)"),
    row("register", {"main.js": "const m = require('module'); if (m.register) m.register('./h.mjs', "
                     "require('url').pathToFileURL(__filename)); import('virtual:x').then((m) => console.log(m.default), "
                     "(e) => console.log(e.code))",
                     "h.mjs": "export async function resolve(s, c, n) { return s === 'virtual:x' ? "
                     "{ url: 'virtual:x', shortCircuit: true, format: 'module' } : n(s, c) }\n"
                     "export async function load(u, c, n) { return u === 'virtual:x' ? { format: 'module', "
                     "shortCircuit: true, source: 'export default 42' } : n(u, c) }"}),
    # how it ends
    row("throws", THROW),
    row("throws a word", "throw 'word'"),
    row("throws null", "throw null"),
    row("throws an object", "throw { a: 1 }"),
    row("error with cause", "throw new Error('a', { cause: new TypeError('b') })"),
    row("syntax error", "let a = ;\n"),
    row("syntax error in another", {"main.js": "require('./b')", "b.js": "function ("}),
    row("not a function", "const x = {}; x.y.z()"),
    row("cannot find module", "require('./nothing')"),
    row("later throw", "setTimeout(() => { throw new RangeError('late') }, 1)"),
    row("throw in a tick", "process.nextTick(() => { throw new Error('tick') })"),
    row("rejection", "Promise.reject(new Error('no'))"),
    row("rejection of a word", "Promise.reject('no')"),
    row("rejection handled", "process.on('unhandledRejection', (e) => console.log('got', e)); Promise.reject(1)"),
    row("uncaught handled", "process.on('uncaughtException', (e, o) => console.log(e.message, o)); " + THROW),
    row("exit code", "process.exitCode = 7"),
    row("exit", "process.on('exit', (c) => console.log('exit', c)); process.exit(3)"),
    row("exit events", "let n = 0; process.on('beforeExit', (c) => { console.log('before', c); if (n++ < 2) "
        "setTimeout(() => console.log('more'), 1) }); process.on('exit', (c) => console.log('exit', c))"),
    row("killed", "process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 10000)"),
    row("signal handled", "process.on('SIGUSR2', (s) => { console.log(s); process.exit(4) }); "
        "process.kill(process.pid, 'SIGUSR2'); setTimeout(() => {}, 10000)"),
    row("stack overflow", "function f() { return f() + 1 }\ntry { f() } catch (e) { console.log(e instanceof RangeError, e.message) }"),
    row("warning", "process.emitWarning('careful', 'Some', 'C1'); new Buffer(1)"),
    row("assertion", "require('assert').deepStrictEqual({ a: 1, b: [1] }, { a: 1, b: [2] })"),
    # order and streams
    row("order", "setImmediate(() => console.log('i')); setTimeout(() => console.log('t'), 0); "
        "process.nextTick(() => console.log('n')); Promise.resolve().then(() => console.log('p')); "
        "queueMicrotask(() => console.log('q')); console.log('s'); setTimeout(() => {}, 20)",
        sort=True),
    row("ticks before promises", "Promise.resolve().then(() => console.log('p')); process.nextTick(() => console.log('n'))"),
    row("streams", "console.log(process.stdout.constructor.name, process.stderr.constructor.name, "
        "process.stdin.constructor.name, process.stdout._type, process.stdout.isTTY, process.stdin.fd)"),
    row("colours of objects", "console.log({ a: 1 }); console.error({ a: 'x' })", env=["FORCE_COLOR=1"]),
    row("stream properties", "console.log(Object.getOwnPropertyDescriptor(process, 'stderr'), "
        "Object.keys(process.stdout).sort(), process.stdout.writableLength)"),
    row("output to a file", "console.log(process.stdout.constructor.name, process.stdout._type); console.error('e')", out="file"),
    row("much output", "console.log('x'.repeat(1 << 20)); console.error('y'.repeat(1 << 18))"),
    row("write and exit", "process.stdout.write('a', () => process.exit(2))"),
    row("no input", "process.stdin.on('data', console.log).on('end', () => console.log('end')); "
        "console.log(require('fs').readlinkSync('/proc/self/fd/0'))"),
    row("input at once", "console.log(require('fs').readFileSync(0, 'utf8').toUpperCase())", stdin="some\nlines\n"),
    row("input as it comes", "let n = 0; process.stdin.on('data', (d) => n += d.length).on('end', () => console.log(n))",
        stdin="z" * 200000),
    row("lines", "require('readline').createInterface({ input: process.stdin }).on('line', (l) => console.log('[' + l + ']'))",
        stdin="a\nb\n"),
    row("console", "console.table([{ a: 1 }]); console.group('g'); console.info({ a: new Map([[1, { b: [] }]]) }); console.dir([1])"),
    row("colours", "console.log(require('util').inspect({ a: 1 }, { colors: true }), process.stdout.hasColors)",
        env=["FORCE_COLOR=1"]),
    # threads and children
    row("worker", {"main.js": "const { Worker } = require('worker_threads'); const w = new Worker('./w.js', "
                   "{ workerData: 5, argv: ['x'] }); w.on('message', (m) => console.log(m)); "
                   "w.on('exit', (c) => console.log(c, w instanceof Worker, w.constructor === Worker))",
                   "w.js": "const t = require('worker_threads'); t.parentPort.postMessage([t.workerData, process.argv, "
                   "process.execArgv, process.env.B, require.main === module, t.isMainThread])"}, env=["B=2"]),
    row("worker of text", "const { Worker } = require('worker_threads'); new Worker('console.log(process.argv, "
        "process.execArgv); new (require(\"worker_threads\").Worker)(\"console.log(1)\", { eval: true })', { eval: true })"),
    row("worker of a module", {"a.mjs": "import { Worker } from 'worker_threads'; new Worker(new URL('./b.mjs', import.meta.url))"
                               ".on('error', (e) => console.log(e.message)).on('message', console.log)",
                               "b.mjs": "import { parentPort } from 'node:worker_threads'; parentPort.postMessage(process.execArgv); "
                               "throw new Error('in it')"}, main="a.mjs", sort=True),
    row("worker extended", "const { Worker } = require('worker_threads'); class W extends Worker { hi() { return 'hi' } } "
        "const w = new W('process.exit(3)', { eval: true }); console.log(w.hi(), w instanceof W); w.on('exit', console.log)"),
    row("worker refused", "const { Worker } = require('worker_threads'); for (const a of [[], [5], ['x', { eval: 1, argv: 1 }], "
        "['y.js', { execArgv: 1 }], ['y.js', 7]]) try { new Worker(...a).on('error', () => {}) } catch (e) { console.log(e.code, e.message) } "
        "try { Worker('x') } catch (e) { console.log(e.message) } console.log(Worker.name, Worker.length)"),
    row("fork", {"main.js": "const c = require('child_process').fork('./c.js', ['z']); c.on('message', (m) => { console.log(m); c.disconnect() })",
                 "c.js": "process.send([process.argv.slice(2), process.execArgv, Object.keys(process.env).sort()])"}),
    row("spawn", "const c = require('child_process').spawn('/bin/sh', ['-c', 'cat; echo e >&2; exit 3']); "
        "c.stdout.on('data', (d) => console.log(String(d))); c.stdin.end('in'); c.on('close', (n, s) => console.log(n, s))"),
    row("descriptors of children", "console.log(require('child_process').execSync('ls /proc/self/fd | wc -l', "
        "{ stdio: ['ignore', 'pipe', 'inherit'] }).toString())", env=["PATH=/usr/bin:/bin"]),
    row("inherited output", "require('child_process').spawnSync('/bin/sh', ['-c', 'echo o; echo e >&2'], { stdio: 'inherit' })"),
    row("thread pool", "require('fs').promises.readFile(__filename, 'utf8').then(console.log); "
        "require('crypto').pbkdf2('a', 'b', 10, 8, 'sha1', (e, k) => console.log(k.toString('hex')))", sort=True),
    row("crypto and zlib", "console.log(require('crypto').createHash('sha256').update('a').digest('hex'), "
        "require('zlib').gunzipSync(require('zlib').gzipSync('b')).toString())"),
    row("a socket", "const s = require('http').createServer((q, r) => r.end('ok')).listen('./sock', () => "
        "require('http').get({ socketPath: './sock' }, (r) => r.on('data', (d) => { console.log(String(d)); s.close() })))"),
    row("vm", "const vm = require('vm'); console.log(vm.runInNewContext('a + 1', { a: 1 }), typeof globalThis.gc, "
        "vm.runInNewContext('Object.getOwnPropertyNames(this).length > 50'))"),
    row("resolve cache", {"main.js": "try { require('late') } catch (e) { console.log(e.code) } "
                          "require('fs').mkdirSync('node_modules/late', { recursive: true }); "
                          "require('fs').writeFileSync('node_modules/late/index.js', 'module.exports = 9'); console.log(require('late'))"}),
]

for snippet in SNIPPETS:
    if "files_as" in snippet:
        snippet["files"] = {snippet["files_as"]: snippet["files"]["main.js"]}
