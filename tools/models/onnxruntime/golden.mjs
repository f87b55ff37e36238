// SPDX-License-Identifier: MIT
// Golden outputs: runs an ONNX model with ONNX Runtime, and with nothing of nnloop.
//
//   npm install --ignore-scripts --prefix DIR onnxruntime-node@1.30.0
//   NODE_PATH=DIR/node_modules node golden.mjs [--level LEVEL] MODEL.onnx GOLDEN INPUT ...
//
// INPUT, in the order of the graph's inputs, is a .npy file or an 8-bit grey .png whose rows are cut into items of the
// input's H x W; several .png may be joined by commas. Writes the graph's only output to GOLDEN.npy (of several outputs the k-th to GOLDEN.k.npy) and what
// made it to GOLDEN.txt. The model is run at every optimization level; LEVEL (default: disabled) is the one that is
// written, and the count of bytes that differ from it is noted for the others.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { inflateSync } from 'node:zlib';

const require = createRequire(import.meta.url);
const ort = require('onnxruntime-node');
const { version } = require('onnxruntime-node/package.json');

const LEVELS = ['disabled', 'basic', 'extended', 'all'];
const NPY = { '|u1': ['uint8', Uint8Array], '|i1': ['int8', Int8Array], '|b1': ['bool', Uint8Array], '<i2': ['int16', Int16Array], '<u2': ['uint16', Uint16Array],
	'<i4': ['int32', Int32Array], '<i8': ['int64', BigInt64Array], '<f4': ['float32', Float32Array] };

// An 8-bit grey, non-interlaced PNG: { width, height, pixels }.
function readPng(bytes) {
	const data = [];
	let width, height;
	for (let at = 8; at < bytes.length;) {
		const length = bytes.readUInt32BE(at);
		const type = bytes.toString('latin1', at + 4, at + 8);
		const body = bytes.subarray(at + 8, at + 8 + length);
		if (type === 'IHDR') {
			width = body.readUInt32BE(0);
			height = body.readUInt32BE(4);
			if (body[8] !== 8 || body[9] !== 0 || body[12] !== 0)
				throw new Error('not an 8-bit grey PNG without interlacing');
		} else if (type === 'IDAT') {
			data.push(body);
		}
		at += length + 12;
	}
	const raw = inflateSync(Buffer.concat(data));
	const pixels = new Uint8Array(width * height);
	for (let y = 0; y < height; y++) {
		const filter = raw[y * (width + 1)];
		for (let x = 0; x < width; x++) {
			const left = x ? pixels[y * width + x - 1] : 0;
			const up = y ? pixels[(y - 1) * width + x] : 0;
			const corner = x && y ? pixels[(y - 1) * width + x - 1] : 0;
			let guess = 0;
			if (filter === 1) guess = left;
			if (filter === 2) guess = up;
			if (filter === 3) guess = (left + up) >> 1;
			if (filter === 4) {
				const p = left + up - corner;
				const [a, b, c] = [left, up, corner].map((v) => Math.abs(p - v));
				guess = a <= b && a <= c ? left : b <= c ? up : corner;
			}
			pixels[y * width + x] = raw[y * (width + 1) + 1 + x] + guess;
		}
	}
	return { width, height, pixels };
}

function readNpy(bytes) {
	const length = bytes.readUInt16LE(8);
	const header = bytes.toString('latin1', 10, 10 + length);
	const descr = /'descr': *'([^']+)'/.exec(header)[1];
	const dims = /'shape': *\(([^)]*)\)/.exec(header)[1].split(',').map((s) => s.trim()).filter(Boolean).map(Number);
	if (/'fortran_order': *True/.test(header) || !NPY[descr])
		throw new Error(`cannot read .npy of ${descr}`);
	const body = Uint8Array.from(bytes.subarray(10 + length)).buffer;
	return new ort.Tensor(NPY[descr][0], new NPY[descr][1](body), dims);
}


function writeNpy(path, tensor) {
	const descr = Object.keys(NPY).find((key) => NPY[key][0] === tensor.type);
	const shape = tensor.dims.length === 1 ? `${tensor.dims[0]},` : tensor.dims.join(', ');
	let header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`;
	header = header.padEnd(Math.ceil((10 + header.length + 1) / 64) * 64 - 11) + '\n';
	const start = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length & 255, header.length >> 8]);
	const { buffer, byteOffset, byteLength } = tensor.data;
	writeFileSync(path, Buffer.concat([start, Buffer.from(header, 'latin1'), Buffer.from(buffer, byteOffset, byteLength)]));
}

function readInput(path, meta) {
	if (path.endsWith('.npy'))
		return readNpy(readFileSync(path));
	const pictures = path.split(',').map((file) => ({ file, ...readPng(readFileSync(file)) }));
	// What the model leaves open is as large as the first picture.
	const first = [pictures[0].height, pictures[0].width];
	const [rows, columns] = meta.shape.slice(-2).map((size, i) => (typeof size === 'number' ? size : first[i]));
	const parts = pictures.map(({ file, width, height, pixels }) => {
		if (width !== columns || height % rows !== 0)
			throw new Error(`${file}: ${width} x ${height} is no column of ${columns} x ${rows} items`);
		return pixels;
	});
	const pixels = Uint8Array.from(Buffer.concat(parts));
	return new ort.Tensor('uint8', pixels, [pixels.length / (rows * columns), 1, rows, columns]);
}

const byteView = ({ data }) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

const args = process.argv.slice(2);
let level = 'disabled';
if (args[0] === '--level') {
	level = args[1];
	args.splice(0, 2);
}
const [model, golden, ...inputs] = args;
if (!LEVELS.includes(level) || inputs.length === 0) {
	console.error(`usage: node golden.mjs [--level ${LEVELS.join('|')}] MODEL.onnx GOLDEN INPUT ...`);
	process.exit(2);
}
const results = {};
let names;
for (const at of LEVELS) {
	const session = await ort.InferenceSession.create(model, { graphOptimizationLevel: at, intraOpNumThreads: 1 });
	names = session.outputNames;
	const feeds = {};
	session.inputNames.forEach((name, i) => { feeds[name] = readInput(inputs[i], session.inputMetadata[i]); });
	results[at] = await session.run(feeds);
}
const notes = [`ONNX Runtime ${version} (onnxruntime-node, CPU, ${process.arch}), graph optimization level: ${level}`,
	`model ${basename(model)} sha256 ${sha256(readFileSync(model))}`];
for (const input of inputs.flatMap((list) => list.split(',')))
	notes.push(`input ${basename(input)} sha256 ${sha256(readFileSync(input))}`);
for (const [i, name] of names.entries()) {
	const tensor = results[level][name];
	const path = names.length === 1 ? `${golden}.npy` : `${golden}.${i}.npy`;
	writeNpy(path, tensor);
	notes.push(`output ${basename(path)}: ${name} ${tensor.type} [${tensor.dims}] sha256 ${sha256(readFileSync(path))}`);
	for (const other of LEVELS.filter((l) => l !== level)) {
		const [a, b] = [byteView(tensor), byteView(results[other][name])];
		const differ = a.length === b.length ? a.filter((v, k) => v !== b[k]).length : Math.max(a.length, b.length);
		notes.push(`  level ${other}: ${differ} of ${a.length} bytes differ`);
	}
}
writeFileSync(`${golden}.txt`, notes.join('\n') + '\n');
console.log(notes.join('\n'));
