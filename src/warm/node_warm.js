// SPDX-License-Identifier: Apache-2.0
// node_warm.js - makes a node that was started ahead ready, waits for its call, and gets out of the way.
//
// NODE_OPTIONS has node require it when it has started and before it looks at its main script.  While it
// waits nothing of a caller's is there.  When it returns node goes on by itself, so that a program has
// beneath it exactly what it has in `node MAIN`: the same loader, frames, events and exit codes.  The file
// stays, because worker threads look for it too; there it does nothing.
'use strict';

const LIBRARY = 41, WORDS = 42, PIPE_IN = 44; // src/sandbox/native/nodewire.h

const fs = require('fs');
const os = require('os');
const path = require('path');
const Module = require('module');

// What nearly every program touches on its way to its first byte of output, and what is slow to load.
const USUAL = ['assert', 'async_hooks', 'buffer', 'child_process', 'crypto', 'events', 'fs', 'fs/promises',
	'net', 'os', 'path', 'perf_hooks', 'querystring', 'readline', 'stream', 'stream/promises',
	'string_decoder', 'timers', 'timers/promises', 'tty', 'url', 'util', 'vm', 'worker_threads', 'zlib'];

// Nothing may remember that this module was there.
function forget(file) {
	delete require.cache[file];
	for (const key of Object.keys(Module._pathCache))
		if (Module._pathCache[key] === file)
			delete Module._pathCache[key];
}

// The library waits when it is loaded for the second time; the first time it makes a pipe.  It registers
// nothing, and node says so.
function loadLibrary() {
	try {
		process.dlopen({ exports: {} }, `/proc/self/fd/${LIBRARY}`, os.constants.dlopen.RTLD_NOW);
	} catch {
		// If it could not be loaded there is no pipe, or there are no words.
	}
}

// Standard output is mostly a pipe.  Ends with nothing of it left, also not in the queue of ticks.
function rehearseOutput() {
	const { Console } = require('console');
	const pipe = new (require('net').Socket)({ fd: PIPE_IN, readable: false, writable: true });
	const out = new Console(pipe, pipe);

	out.log('%s %d', 'a', 1, { a: [1, 2.5, null, undefined, true], b: new Map([[1, 'x']]) });
	out.error(new Error('rehearsal'));
	out.log(4);
	process._tickCallback();
	pipe.unref();
	pipe.destroy();
	process._tickCallback();
}

// The whole way to a main script: the null device is an empty one.
function rehearseMain() {
	const before = Object.getOwnPropertyDescriptor(process, 'mainModule');

	Module.runMain('/dev/null');
	if (before)
		Object.defineProperty(process, 'mainModule', before);
	else
		delete process.mainModule;
	forget('/dev/null');
}

// node makes process.stdin, stdout and stderr when they are first looked at, after what they are then.
// Some of its modules look at whether they are terminals; so for now there are others, which are none.
function withoutStreams(work) {
	const names = ['stdin', 'stdout', 'stderr'];
	const usual = names.map((name) => Object.getOwnPropertyDescriptor(process, name));

	for (const name of names)
		Object.defineProperty(process, name, { configurable: true, value: { isTTY: false } });
	work();
	names.forEach((name, i) => Object.defineProperty(process, name, usual[i]));
}

// What the rehearsal has left would else be cleared away in the middle of the call.
function emptyYoungHeap() {
	let junk;

	for (let i = 0; i < 4000; i++)
		junk = new Array(64).fill(i);
	return junk;
}

// Changes nothing: it is called with what is there.
function rehearseBegin() {
	const env = Object.entries(process.env).map((entry) => entry.join('='));
	const counts = Buffer.from(Uint32Array.of(2, env.length).buffer);

	readWords(LIBRARY);
	fs.closeSync(fs.openSync('/dev/null'));
	begin(Buffer.concat([counts, Buffer.from([process.argv[0], process.argv[1], ...env, ''].join('\0'))]));
	void Module.runMain;
}

// Code that was run once is compiled.
function rehearse() {
	for (const name of USUAL)
		require(name);
	loadLibrary();
	rehearseOutput();
	rehearseMain();
	JSON.stringify(JSON.parse('{"a": [1, "x", {"b": null}]}'));
	rehearseBegin();
}

function readWords(fd) {
	const bytes = Buffer.allocUnsafeSlow(fs.fstatSync(fd).size);

	if (fs.readSync(fd, bytes, 0, bytes.length, 0) !== bytes.length)
		throw new Error('the words are not whole');
	return bytes;
}

// src/call/pack.c: two counts, then that many words, each with a NUL behind.
function unpack(bytes) {
	const argc = bytes.readUInt32LE(0), envc = bytes.readUInt32LE(4);
	const words = bytes.toString('utf8', 8).split('\0');

	if (words.pop() !== '' || words.length !== argc + envc || argc < 2)
		throw new Error('the words do not fill the bytes');
	if (words[1] === '' || words[1] === 'inspect' || words[1].startsWith('-'))
		throw new Error('that is not a script');
	return { argv: words.slice(0, argc), env: words.slice(argc) };
}

// Wholly: also in its order.  Of a name that is there twice the first counts, as for getenv.
function replaceEnvironment(env) {
	const seen = new Set();

	for (const name of Object.keys(process.env))
		delete process.env[name];
	for (const entry of env) {
		const at = entry.indexOf('=');

		if (at < 1 || seen.has(entry.slice(0, at)))
			continue;
		seen.add(entry.slice(0, at));
		process.env[entry.slice(0, at)] = entry.slice(at + 1);
	}
	Module._initPaths(); // it looked at HOME
}

// node has bound its own idea of the main script already.  A bound function has no frame of its own, and
// when it is called Module.runMain is what it was.
function replaceMain(main) {
	const usual = Object.getOwnPropertyDescriptor(Module, 'runMain');

	Object.defineProperty(Module, 'runMain', {
		configurable: true,
		enumerable: usual.enumerable,
		get() {
			Object.defineProperty(Module, 'runMain', usual);
			return usual.value.bind(Module, main);
		},
	});
}

function begin(bytes) {
	const { argv, env } = unpack(bytes);
	const main = path.resolve(argv[1]);

	process.argv.splice(1, Infinity, main, ...argv.slice(2));
	replaceEnvironment(env);
	replaceMain(main);
}

function serve() {
	withoutStreams(rehearse);
	emptyYoungHeap();
	loadLibrary();
	begin(readWords(WORDS));
	fs.closeSync(WORDS);
}

forget(__filename);
if (require('worker_threads').isMainThread)
	try {
		serve();
	} catch {
		process.reallyExit(1);
	}
