// SPDX-License-Identifier: MIT
// What ONNX Runtime, optimizations off, makes of the cases of a file (common/cases.py says what that is).
//
//   NODE_PATH=DIR/node_modules node judge.mjs CASES JUDGED
//
// Writes each case with the outputs, those of its twin, or the reason why there are none. A case is written as soon as it is judged, so that one which ends
// this process can be told.
import { createRequire } from 'node:module';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

const require = createRequire(import.meta.url);
const ort = require('onnxruntime-node');
const OPTIONS = { graphOptimizationLevel: 'disabled', intraOpNumThreads: 1, interOpNumThreads: 1, enableCpuMemArena: false,
	enableMemPattern: false, logSeverityLevel: 4 };
// ONNX's numbers of the element types.
const TYPES = { 1: ['float32', Float32Array], 2: ['uint8', Uint8Array], 3: ['int8', Int8Array], 4: ['uint16', Uint16Array],
	5: ['int16', Int16Array], 6: ['int32', Int32Array], 7: ['int64', BigInt64Array], 9: ['bool', Uint8Array],
	12: ['uint32', Uint32Array], 13: ['uint64', BigUint64Array] };
const NUMBERS = Object.fromEntries(Object.entries(TYPES).map(([number, [name]]) => [name, Number(number)]));
const NOT_JUDGED = 0, JUDGED = 1, REFUSED = 2;

class Reader {
	constructor(bytes, at) {
		this.bytes = bytes;
		this.at = at;
	}
	u32() {
		this.at += 4;
		return this.bytes.readUInt32LE(this.at - 4);
	}
	blob() {
		const size = this.u32();
		this.at += size;
		return this.bytes.subarray(this.at - size, this.at);
	}
	tensor() {
		const name = this.blob().toString();
		const type = this.u32();
		const dims = Array.from({ length: this.u32() }, () => this.u32());
		return { name, type, dims, data: this.blob() };
	}
}

const u32 = (value) => {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32LE(value);
	return bytes;
};
const blob = (bytes) => [u32(bytes.length), bytes];
const tensorBytes = ({ name, type, dims, data }) => [...blob(Buffer.from(name)), u32(type), u32(dims.length), ...dims.map(u32), ...blob(data)];

async function run(model, inputs) {
	const session = await ort.InferenceSession.create(model, OPTIONS);
	try {
		const feeds = {};
		for (const { name, type, dims, data } of inputs) {
			const body = Uint8Array.from(data).buffer;
			if (session.inputNames.includes(name))
				feeds[name] = new ort.Tensor(TYPES[type][0], new TYPES[type][1](body), dims);
		}
		const results = await session.run(feeds);
		return session.outputNames.map((name) => {
			const { type, dims, data } = results[name];
			return { name, type: NUMBERS[type] ?? 0, dims: [...dims], data: Buffer.from(data.buffer, data.byteOffset, data.byteLength) };
		});
	} finally {
		await session.release();
	}
}

const [from, to] = process.argv.slice(2);
const bytes = readFileSync(from);
const out = openSync(to, 'w');
writeSync(out, bytes.subarray(0, 8));
for (let at = 8; at < bytes.length;) {
	const size = bytes.readUInt32LE(at);
	const reader = new Reader(bytes, at + 4);
	at += 4 + size;
	const name = reader.blob(), flags = reader.u32(), model = reader.blob(), twin = reader.blob();
	const inputs = Array.from({ length: reader.u32() }, () => reader.tensor());
	let state = NOT_JUDGED, outputs = [], others = [], reason = '';
	try {
		outputs = await run(model, inputs);
		state = JUDGED;
	} catch (error) {
		state = REFUSED;
		reason = String(error.message);
	}
	if (state === JUDGED && twin.length) {
		try {
			others = await run(twin, inputs);
		} catch (error) {
			reason = `twin: ${error.message}`;
		}
	}
	const body = Buffer.concat([...blob(name), u32(flags), ...blob(model), u32(0), u32(inputs.length), ...inputs.flatMap(tensorBytes),
		u32(state), ...blob(Buffer.from(reason)), u32(outputs.length), ...outputs.flatMap(tensorBytes), u32(others.length),
		...others.flatMap(tensorBytes)]);
	writeSync(out, Buffer.concat([u32(body.length), body]));
}
closeSync(out);
