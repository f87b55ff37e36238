// SPDX-License-Identifier: MIT
// The host device's time beside ONNX Runtime's, in one run: the whole of an inference of one item, on one thread each. And its time on all processors.
//
//   NODE_PATH=DIR/node_modules node bench_host.mjs [--level LEVEL] [--rounds N] NNLOOP MODEL.onnx ...
//
// In each round the three run a model some times, in turn, and count with the median of these; a ratio is of two in the same round. Printed are the medians of all
// rounds, and of the ratios the least and the greatest as well. LEVEL is ONNX Runtime's graph optimization level (all).
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism, cpus } from 'node:os';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

const require = createRequire(import.meta.url);
const ort = require('onnxruntime-node');
const { version } = require('onnxruntime-node/package.json');

const RUNS = 7;		// of a competitor, in a round
const ARRAYS = { uint8: Uint8Array, int8: Int8Array, float32: Float32Array };

const { values: options, positionals: [nnloop, ...models] } = parseArgs({
	options: { level: { type: 'string', default: 'all' }, rounds: { type: 'string', default: '9' } },
	allowPositionals: true,
});

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

function runNnloop(model, threads) {
	const run = spawnSync(nnloop, ['bench', '--device', `host:${threads}`, '--repeat', RUNS, '--json', model]);
	if (run.status !== 0)
		throw new Error(`${nnloop} bench ${model}: ${run.error ?? run.stderr}`);
	return JSON.parse(run.stdout).milliseconds.median;
}

// One item of bytes that look random.
async function openOrt(model) {
	const session = await ort.InferenceSession.create(model, { graphOptimizationLevel: options.level, executionMode: 'sequential',
		intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 });
	const feeds = {};
	for (const { name, type, shape } of session.inputMetadata) {
		const dims = shape.map((size) => typeof size === 'number' ? size : 1);
		const data = new ARRAYS[type](dims.reduce((a, b) => a * b, 1)).map((_, i) => (i * 7919) % 251);
		feeds[name] = new ort.Tensor(type, data, dims);
	}
	await session.run(feeds);
	return async () => {
		const times = [];
		for (let i = 0; i < RUNS; i++) {
			const start = process.hrtime.bigint();
			await session.run(feeds);
			times.push(Number(process.hrtime.bigint() - start) / 1e6);
		}
		return median(times);
	};
}

const show = (ratios) => `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;

const over = (times, others) => show(times.map((time, i) => time / others[i]));

async function compare(model) {
	const runOrt = await openOrt(model);
	const theirs = [], alone = [], together = [];
	for (let i = 0; i < options.rounds; i++) {
		theirs.push(await runOrt());
		alone.push(runNnloop(model, 1));
		together.push(runNnloop(model, processors));
	}
	const times = [theirs, alone, together].map((list) => median(list).toFixed(1));
	console.log(`| ${basename(model, '.onnx')} | ${times[0]} | ${times[1]} | ${over(alone, theirs)} | ${times[2]} | ${over(together, alone)} |`);
}

const processors = availableParallelism();

console.log(`${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus()[0].model}, ${processors} processors, ` +
	`ONNX Runtime ${version}, optimization level ${options.level}, ${options.rounds} rounds\n`);
console.log(`| milliseconds | ONNX Runtime | nnloop, 1 thread | over ONNX Runtime's | nnloop, ${processors} threads | over 1 thread's |`);
console.log('|---|---:|---:|---|---:|---|');
for (const model of models)
	await compare(model);
