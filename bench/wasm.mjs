// SPDX-License-Identifier: Apache-2.0
// wasm.mjs PACKAGE FOLDER DTYPE LEVEL ROUNDS: times for bench/wasm.py, in seconds.
import {readFileSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

const [folderOfPackage, folder, dtype, level, rounds] = process.argv.slice(2);
const {Numpact} = await import(pathToFileURL(join(folderOfPackage, "index.js")));
const ARRAYS = {
  u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, u8: BigUint64Array, i1: Int8Array,
  i2: Int16Array, i4: Int32Array, i8: BigInt64Array, f2: Uint16Array, f4: Float32Array,
  f8: Float64Array,
};

function bytesOf(name) {
  return new Uint8Array(readFileSync(join(folder, name)));
}

function best(run) {
  let fastest = Infinity;
  for (let round = 0; round < Number(rounds); ++round) {
    const start = performance.now();
    run();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest / 1000;
}

const numbers = new ARRAYS[dtype](bytesOf("numbers").slice().buffer);
const file = bytesOf("file");
const type = dtype === "f2" ? "f16" : undefined;
const times = {};
for (const [build, simd] of [["simd", true], ["scalar", false]]) {
  const codec = await Numpact.load({simd});
  const made = codec.encode(numbers, {level: Number(level), type});
  if (!Buffer.from(made).equals(Buffer.from(file))) throw new Error("the bytes differ");
  const target = new numbers.constructor(numbers.length);
  codec.decodeInto(file, target, {type});
  if (!Buffer.from(target.buffer).equals(Buffer.from(numbers.buffer))) {
    throw new Error("the numbers differ");
  }
  times[build] = [best(() => codec.encode(numbers, {level: Number(level), type})),
    best(() => codec.decodeInto(file, target, {type}))];
}
process.stdout.write(JSON.stringify(times));
