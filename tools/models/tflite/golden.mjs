// SPDX-License-Identifier: MIT
// What TensorFlow Lite with all of XNNPACK makes of the models that tests/models/tflite/browser.txt names: NAME.golden.npy. The
// library that golden.py runs has no uint8 in its XNNPACK, and no FULLY_CONNECTED with several scales; this is the build for
// browsers, which has both, and is one of a little later.
//
//   npm install --ignore-scripts --prefix DIR @tensorflow/tfjs-tflite@0.0.1-alpha.10
//   node golden.mjs [--check] DIR [MODEL.tflite ...]
//
// Beside each model are its inputs, NAME.in0.npy, NAME.in1.npy, ...: items, of which each is a run of its own. With --check nothing is
// written, and what differs from the files that there are is counted.
import { createRequire } from 'node:module';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const NPY = { '|u1': Uint8Array, '|i1': Int8Array, '<i2': Int16Array, '<i4': Int32Array, '<f4': Float32Array };
const NAMES = new Map(Object.entries(NPY).map(([name, type]) => [type.name, name]));

function readNpy(path) {
	const bytes = readFileSync(path);
	const length = bytes.readUInt16LE(8);
	const header = bytes.toString('latin1', 10, 10 + length);
	const type = NPY[/'descr': '([^']+)'/.exec(header)[1]];
	const dims = /'shape': \(([^)]*)\)/.exec(header)[1].split(',').filter((d) => d.trim()).map(Number);
	return { dims, data: new type(bytes.buffer.slice(bytes.byteOffset + 10 + length, bytes.byteOffset + bytes.length)) };
}

function formatNpy(dims, data) {
	let header = `{'descr': '${NAMES.get(data.constructor.name)}', 'fortran_order': False, 'shape': (${dims.join(', ')}${dims.length === 1 ? ',' : ''}), }`;
	header += ' '.repeat(63 - (10 + header.length) % 64) + '\n';
	const start = Buffer.alloc(10);
	start.write('\x93NUMPY\x01\x00', 'latin1');
	start.writeUInt16LE(header.length, 8);
	return Buffer.concat([start, Buffer.from(header, 'latin1'), Buffer.from(data.buffer, data.byteOffset, data.byteLength)]);
}

function list(vector) {
	return Array.from({ length: vector.size() }, (_, i) => vector.get(i));
}

async function open(folder) {
	const at = resolve(folder, 'node_modules/@tensorflow/tfjs-tflite/wasm');
	const factory = createRequire(import.meta.url)(resolve(at, 'tflite_web_api_cc_simd.js'));
	return factory({ wasmBinary: readFileSync(resolve(at, 'tflite_web_api_cc_simd.wasm')), print() {}, printErr() {} });
}

function load(module, path) {
	const bytes = readFileSync(path);
	const at = module._malloc(bytes.length);
	module.HEAPU8.set(bytes, at);
	const runner = module.TFLiteWebModelRunner.CreateFromBufferAndOptions(at, bytes.length,
		{ numThreads: 1, enableProfiling: false, maxProfilingBufferEntries: 1 });
	if (!runner.ok())
		throw new Error(`${path}: ${runner.errorMessage()}`);
	return runner.value();
}

function run(runner, inputs, items) {
	const tensors = list(runner.GetInputs()), results = list(runner.GetOutputs());
	const outputs = results.map((tensor) => ({ dims: tensor.shape.split(',').map(Number), items: [] }));
	for (let item = 0; item < items; item++) {
		for (const [i, input] of inputs.entries()) {
			const size = input.data.length / items;
			tensors[i].data().set(input.data.subarray(item * size, (item + 1) * size));
		}
		if (!runner.Infer())
			throw new Error('it does not run');
		for (const [i, tensor] of results.entries())
			outputs[i].items.push(tensor.data().slice());
	}
	return outputs.map(({ dims, items: parts }) => {
		const data = new parts[0].constructor(parts.length * parts[0].length);
		parts.forEach((part, i) => data.set(part, i * part.length));
		return formatNpy([dims[0] * items, ...dims.slice(1)], data);
	});
}

const arguments_ = process.argv.slice(2);
const check = arguments_[0] === '--check';
const [folder, ...models] = arguments_.slice(check ? 1 : 0);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const archive = (action) => execFileSync(`${root}tools/models/common/archive.py`, [action, 'tflite'], { stdio: 'inherit' });
const packed = !models.length;
if (packed) {
	const at = `${resolve(root, process.env.O || 'build')}/models/tflite/`;
	if (!existsSync(at))
		archive('unpack');
	models.push(...readFileSync(at + 'browser.txt', 'utf8').split('\n').filter(Boolean).map((name) => `${at}${name}.tflite`));
}
const module = await open(folder);
for (const path of models) {
	const stem = path.replace(/\.tflite$/, '');
	const inputs = [];
	while (existsSync(`${stem}.in${inputs.length}.npy`))
		inputs.push(readNpy(`${stem}.in${inputs.length}.npy`));
	let outputs;
	try {
		outputs = run(load(module, path), inputs, inputs[0].dims[0]);
	} catch (error) {
		if (!check)
			throw error;
		console.log(`${path}: ${error.message ?? error}`);
		continue;
	}
	for (const [i, bytes] of outputs.entries()) {
		const name = outputs.length > 1 ? `${stem}.golden.${i}.npy` : `${stem}.golden.npy`;
		if (!check) {
			writeFileSync(name, bytes);
			continue;
		}
		const old = readNpy(name).data, end = bytes.byteOffset + bytes.length;
		const made = new old.constructor(bytes.buffer.slice(end - old.byteLength, end));
		const different = old.reduce((count, value, k) => count + (value !== made[k]), 0);
		if (different)
			console.log(`${name}: ${different} of ${old.length} differ`);
	}
}
if (packed && !check)
	archive('pack');
