// SPDX-License-Identifier: Apache-2.0
// node_probe.js - looks in a box for anything that a node started ahead could have left, and leaves marks.
'use strict';
const fs = require('fs');
const { Worker } = require('worker_threads');
const { execFileSync } = require('child_process');

const attempt = (work) => {
	try {
		return work();
	} catch (e) {
		return e.code ?? e.message;
	}
};
const links = (dir) => fs.readdirSync(dir).map((f) => attempt(() => fs.readlinkSync(`${dir}/${f}`)))
	.map((l) => l.replace(/\d+/, 'N')).sort();

process.stdout; // libuv opens a descriptor of its own with the first stream
const seen = {
	descriptors: links('/proc/self/fd'),
	ofChild: execFileSync('/bin/ls', ['/proc/self/fd']).toString(),
	env: Object.entries(process.env),
	envOfChild: execFileSync('/usr/bin/env').toString(),
	argv: process.argv.concat(process.execArgv, process.argv0, process.title),
	mapped: fs.readFileSync('/proc/self/maps', 'utf8').match(/memfd.*|.*belljar.*/g),
	processes: fs.readdirSync('/proc').filter((f) => /^\d+$/.test(f)).length,
	marks: ['/work', '/tmp', '/dev/shm'].map((d) => fs.readdirSync(d).filter((f) => f !== 'node_probe.js')),
	global: globalThis.mark ?? null,
	cache: Object.keys(require.cache),
	input: fs.fstatSync(0).rdev,
	inputIsOfTheBox: fs.fstatSync(0).ino === fs.statSync('/dev/null').ino,
	driver: attempt(() => fs.writeFileSync('/etc/belljar-node.cjs', 'x')) !== undefined,
	status: fs.readFileSync('/proc/self/status', 'utf8').match(/^(Cap\w+|NoNewPrivs|Seccomp|Uid|Groups):.*/gm),
	limits: fs.readFileSync('/proc/self/limits', 'utf8').split('\n').filter((l) => !/Pending|realtime/.test(l)),
	ids: [process.pid === 1, process.ppid, process.getuid(), process.getgid()],
	unshare: attempt(() => execFileSync('/usr/bin/unshare', ['-U', '/bin/true'], { stdio: 'ignore' })) !== undefined,
	frames: new Error('x').stack,
};
globalThis.mark = 'of an earlier call';
for (const dir of ['/work', '/tmp', '/dev/shm'])
	fs.writeFileSync(`${dir}/mark`, 'of an earlier call');
new Worker('require("worker_threads").parentPort.postMessage([process.argv, process.execArgv, Object.keys(require.cache)])',
	{ eval: true }).on('message', (said) => {
	seen.worker = said;
	console.log(JSON.stringify(seen));
	process.exitCode = 5;
});
