// SPDX-License-Identifier: Apache-2.0
// node.js - runs snippets one after another in one global scope; what they leave is there for the next.
//
// The channel is descriptor 3: "ready\n" goes out first; then "NUMBER NONCE LENGTH\n" and the code come in, "NONCE STATUS LENGTH\n"
// and the last expression, as util.inspect() shows it, go out.  Code is evaluated as the console of
// a debugger does it: with await at the top level, and let and const may be said again.  Whoever
// owns the other end believes none of it: a snippet can say here whatever it likes.
"use strict";
(() => {
	const inspector = require("inspector");
	const net = require("net");
	const util = require("util");
	const vm = require("vm");

	const RESULT_MAX = 65536;
	const OURS = /^\s+at .*(node:inspector|node:internal|node:vm|\[eval\]|evalmachine|new Promise)/;
	const channel = new net.Socket({ fd: 3, readable: true, writable: true });
	const debug = new inspector.Session();
	let held = Buffer.alloc(0);
	let current = null; // the snippet that runs
	let waiting = null; // to be evaluated by step()

	const show = (value) => {
		const text = util.inspect(value);
		return text.length > RESULT_MAX ? text.slice(0, RESULT_MAX) : text;
	};
	const withoutOurs = (text) =>
		text.split("\n").filter((line) => !OURS.test(line)).join("\n");
	const complain = (error) => {
		process.stderr.write("Uncaught " + withoutOurs(show(error)) + "\n");
	};

	function finish(snippet, status, result) {
		if (current !== snippet) return; // it was interrupted, and goes on for nobody
		current = null;
		const body = Buffer.from(result === undefined ? "" : result).subarray(0, RESULT_MAX);
		const length = result === undefined ? "-" : String(body.length);
		channel.write(
			Buffer.concat([Buffer.from(`${snippet.nonce} ${status} ${length}\n`), body]));
		setImmediate(next);
	}

	// A value on the other side of the debugger, as itself: only a function there can be given it.
	function value(remote, use) {
		if (remote.objectId) {
			pass = use;
			debug.post("Runtime.callFunctionOn", {
				objectId: remote.objectId,
				functionDeclaration: "function() { __belljar_pass(this); }",
			});
			debug.post("Runtime.releaseObjectGroup", { objectGroup: "snippet" });
		} else if ("unserializableValue" in remote) {
			use(vm.runInThisContext("(" + remote.unserializableValue + ")"));
		} else {
			use(remote.subtype === "null" ? null : remote.value);
		}
	}
	let pass = null;
	Object.defineProperty(globalThis, "__belljar_pass", {
		value: (v) => pass && pass(v),
	});
	Object.defineProperty(globalThis, "__belljar_step", { value: step });

	function ended(snippet, failure, answer) {
		if (current !== snippet) return;
		if (failure) {
			process.stderr.write("Uncaught " + failure.message + "\n");
			return finish(snippet, 1);
		}
		const wrong = answer.exceptionDetails;
		if (wrong) {
			if (wrong.exception && wrong.exception.className === "SyntaxError")
				process.stderr.write(`[snippet-${snippet.number}]:${wrong.lineNumber + 1}\n`);
			if (wrong.exception) value(wrong.exception, complain);
			else process.stderr.write(wrong.text + "\n");
			return finish(snippet, 1);
		}
		if (answer.result.type === "undefined") return finish(snippet, 0);
		let text;
		try {
			value(answer.result, (v) => { text = show(v); });
		} catch (error) {
			text = String(error);
		}
		finish(snippet, 0, text);
	}

	function step() {
		const snippet = waiting;
		waiting = null;
		debug.post("Runtime.evaluate", {
			expression: `${snippet.code}\n//# sourceURL=[snippet-${snippet.number}]`,
			objectGroup: "snippet",
			replMode: true,
			awaitPromise: true,
		}, (failure, answer) => ended(snippet, failure, answer));
	}

	function interrupted(snippet) {
		process.stderr.write("interrupted\n");
		finish(snippet, 130);
	}

	function run(snippet) {
		current = waiting = snippet;
		try {
			// A loop that never comes back is left when SIGINT comes.
			stepper.runInThisContext({ breakOnSigint: true });
		} catch (error) {
			if (error && error.code === "ERR_SCRIPT_EXECUTION_INTERRUPTED")
				interrupted(snippet);
			else {
				complain(error);
				finish(snippet, 1);
			}
		}
	}
	const stepper = new vm.Script("__belljar_step()");

	function next() {
		const end = held.indexOf(10);
		if (current || end < 0) return;
		const [number, nonce, length] = held.subarray(0, end).toString("latin1").split(" ");
		if (held.length < end + 1 + Number(length)) return;
		const code = held.subarray(end + 1, end + 1 + Number(length)).toString("utf8");
		held = held.subarray(end + 1 + Number(length));
		run({ number, nonce, code });
	}

	channel.on("data", (data) => {
		held = Buffer.concat([held, data]);
		next();
	});
	channel.on("end", () => process.exit(0));
	channel.on("error", () => process.exit(1));
	process.on("SIGINT", () => { if (current) interrupted(current); });
	process.on("uncaughtException", complain);
	process.on("unhandledRejection", complain);
	debug.connect();
	channel.write("ready\n");
})();
