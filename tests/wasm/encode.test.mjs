// SPDX-License-Identifier: Apache-2.0
// The module encodes to the bytes that the library encodes to on another machine.
import assert from "node:assert/strict";
import {test} from "node:test";

import {assertSameBits, bytesOf, errorOf, file, load, npy} from "./support.mjs";

const TYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"];

for (const name of ["numpact", "numpact-scalar"]) {
  test(`${name}: the bytes are those of the native library`, () => {
    const codec = load(name);
    for (const dtype of TYPES) {
      const {data} = npy("encoded", `${dtype}.npy`);
      for (const level of [0, 4, 8]) {
        const type = dtype === "f2" ? "f16" : undefined;
        const made = codec.encode(data, {level, type});
        const native = file("encoded", `${dtype}_${level}.pco`);
        assert.ok(Buffer.from(made).equals(Buffer.from(native)), `${dtype} ${level}`);
        assertSameBits(codec.decode(made, {float16: "bits"}), data, `${dtype} ${level}`);
      }
    }
  });
}

test("options reach the encoder", () => {
  const codec = load();
  const {data} = npy("encoded", "f8.npy");
  const plain = codec.encode(data);
  const classic = codec.inspect(codec.encode(data, {mode: "classic", delta: "none"}));
  assert.deepEqual([classic.chunks[0].mode, classic.chunks[0].delta], ["classic", "none"]);
  const mult = codec.inspect(codec.encode(data, {mode: "float-mult=0.01", delta: "consecutive=2"}));
  assert.match(mult.chunks[0].description, /^float-mult=0\.01, consecutive=2;/);
  assert.equal(codec.inspect(codec.encode(data, {format: "1"})).formatVersion, "1.0");
  const paged = codec.inspect(codec.encode(data, {maxPageCount: 1000, trailer: "restarts",
    restartLog: 8}));
  assert.equal(paged.chunkCount, 30);
  assert.equal(paged.trailer.chunks.length, 30);
  assert.equal(paged.trailer.chunks[3].restartPoints, 3);
  assert.ok(plain.length < bytesOf(data).length / 2);
});

test("wrong options and arrays are refused", () => {
  const codec = load();
  const numbers = new Float64Array([1, 2, 3]);
  for (const options of [{level: 13}, {level: -1}, {level: 1.5}, {mode: "nonsense"},
    {delta: "consecutive=99"}, {format: "9"}, {trailer: "yes"}, {type: "f32"}, {type: "f128"}]) {
    assert.equal(errorOf(() => codec.encode(numbers, options)).kind, "invalid_argument",
      JSON.stringify(options));
  }
  for (const wrong of [[1, 2], new DataView(new ArrayBuffer(8)), null, "text"]) {
    assert.equal(errorOf(() => codec.encode(wrong)).kind, "invalid_argument");
  }
  assert.equal(errorOf(() => load("numpact-decode").encode(numbers)).kind, "invalid_argument");
  assert.equal(load("numpact-decode").canEncode, false);
});

test("arrays of every length and place", () => {
  const codec = load();
  for (let length = 0; length < 600; length += length < 20 ? 1 : 37) {
    const buffer = new ArrayBuffer(4 * length + 8);
    const numbers = new Uint32Array(buffer, 4, length);
    for (let i = 0; i < length; ++i) numbers[i] = i * i;
    assert.deepEqual(codec.decode(codec.encode(numbers)), new Uint32Array(numbers));
  }
  const clamped = new Uint8ClampedArray([1, 2, 255]);
  assert.deepEqual(codec.decode(codec.encode(clamped)), new Uint8Array([1, 2, 255]));
});
