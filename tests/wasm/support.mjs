// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests: the package and the files that tools/wasm.sh made, and .npy arrays.
import assert from "node:assert/strict";
import {readFileSync, readdirSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

export const PACKAGE = process.env.NUMPACT_JS;
export const FILES = process.env.NUMPACT_JS_FILES;
export const numpact = await import(pathToFileURL(join(PACKAGE, "index.js")));

/** Every module that is built. */
export const MODULES = await Promise.all(
  ["numpact", "numpact-scalar", "numpact-decode", "numpact-decode-scalar"].map(async (name) => ({
    name, module: await WebAssembly.compile(readFileSync(join(PACKAGE, `${name}.wasm`))),
  })));

/** Loads one of them by its name. */
export function load(name = "numpact", options = {}) {
  return new numpact.Numpact(MODULES.find((other) => other.name === name).module, options);
}

export function file(...names) {
  return new Uint8Array(readFileSync(join(FILES, ...names)));
}

/** Names without the ending, sorted. */
export function namesIn(folder, ending) {
  return readdirSync(join(FILES, folder)).filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length)).sort();
}

const ARRAYS = {
  u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, u8: BigUint64Array, i1: Int8Array,
  i2: Int16Array, i4: Int32Array, i8: BigInt64Array, f2: Uint16Array, f4: Float32Array,
  f8: Float64Array, b1: Uint8Array,
};

/** The array of a .npy file in C order: of float16 the bits. */
export function npy(...names) {
  const bytes = file(...names);
  const view = new DataView(bytes.buffer);
  const long = bytes[6] > 1;
  const start = long ? 12 : 10;
  const length = long ? view.getUint32(8, true) : view.getUint16(8, true);
  const header = new TextDecoder().decode(bytes.subarray(start, start + length));
  const dtype = /'descr': '[<|]([a-z]\d)'/.exec(header)[1];
  const shape = /'shape': \(([^)]*)\)/.exec(header)[1].split(",").filter((side) => side.trim())
    .map(Number);
  assert.match(header, /'fortran_order': False/);
  const data = new ARRAYS[dtype](bytes.buffer.slice(start + length));
  return {data, shape, dtype};
}

export function bytesOf(array) {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

export function assertSameBits(found, expected, text) {
  assert.equal(found.byteLength, expected.byteLength, text);
  assert.ok(bytesOf(found).equals(bytesOf(expected)), text ?? "the bits differ");
}

/** The NumpactError that a function throws. */
export function errorOf(run) {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof numpact.NumpactError, String(error?.stack ?? error));
    return error;
  }
  return assert.fail("nothing was thrown");
}
