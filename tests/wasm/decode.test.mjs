// SPDX-License-Identifier: Apache-2.0
// Files of other writers decode to the numbers they are known to hold; damaged ones are refused.
import assert from "node:assert/strict";
import {test} from "node:test";

import {MODULES, assertSameBits, errorOf, file, load, namesIn, npy, numpact} from "./support.mjs";

const TYPELESS = "v0_1_1_standalone_versioned";
const CONFORMANCE = namesIn(".", ".pco");
const MADE = namesIn("made", ".pco");
const REFUSED = namesIn("made/refused", ".pco");
/** All others are corrupt. */
const OTHER_KINDS = new Map([
  ["cut_in_metadata", "truncated"], ["cut_in_page", "truncated"],
  ["dict_longer_than_file", "truncated"], ["header_only", "truncated"],
  ["no_terminator", "truncated"], ["format_version_5", "unsupported_version"],
  ["standalone_version_4", "unsupported_version"],
]);

test("all files are there", () => {
  assert.deepEqual([CONFORMANCE.length, MADE.length, REFUSED.length], [13, 46, 51]);
});

for (const {name} of MODULES) {
  test(`${name}: conformance and made files, bit for bit`, () => {
    const codec = load(name);
    for (const path of [...CONFORMANCE, ...MADE.map((made) => `made/${made}`)]) {
      if (path === TYPELESS) continue;
      const {data, dtype} = npy(`${path}.npy`);
      const bytes = file(`${path}.pco`);
      const found = codec.decode(bytes, {float16: "bits"});
      assert.equal(found.constructor, data.constructor, path);
      assertSameBits(found, data, path);
      assert.equal(codec.count(bytes), data.length, path);
      const target = new data.constructor(data.length + 3);
      const type = dtype === "f2" ? "f16" : undefined;
      assert.equal(codec.decodeInto(bytes, target, {type}), data.length, path);
      assertSameBits(target.subarray(0, data.length), data, path);
      assert.equal(codec.inspect(bytes).count, data.length, path);
    }
  });

  test(`${name}: refused files, each with its kind`, () => {
    const codec = load(name);
    for (const path of REFUSED) {
      const bytes = file(`made/refused/${path}.pco`);
      const error = errorOf(() => codec.decode(bytes));
      assert.equal(error.kind, OTHER_KINDS.get(path) ?? "corrupt", `${path}: ${error.message}`);
      assert.ok(error.offset <= bytes.length, path);
      assert.ok(error.code >= 20);
      assert.equal(errorOf(() => codec.decodeInto(bytes, new Uint8Array(8), {type: "u8"})).name,
        "NumpactError", path);
    }
  });

  test(`${name}: every prefix of a file is refused`, () => {
    const codec = load(name);
    for (const path of ["v0_4_0_lookback_delta", "v1_0_0_conv1", "made/conv1_on_dict_f64"]) {
      const bytes = file(`${path}.pco`);
      for (let end = 0; end < bytes.length; ++end) {
        const error = errorOf(() => codec.decode(bytes.subarray(0, end)));
        assert.ok(["truncated", "corrupt"].includes(error.kind), `${path} ${end}: ${error.kind}`);
      }
    }
  });

  test(`${name}: changed bytes never break the module`, () => {
    const codec = load(name);
    let seed = 12345;
    const random = (below) => {
      seed = Math.imul(seed, 1103515245) + 12345 >>> 0;
      return (seed >>> 8) % below;
    };
    for (const path of [...CONFORMANCE, ...MADE.map((made) => `made/${made}`)]) {
      const bytes = file(`${path}.pco`);
      for (let round = 0; round < 20; ++round) {
        const changed = bytes.slice();
        for (let i = 0; i < 1 + random(3); ++i) changed[random(changed.length)] ^= 1 << random(8);
        for (const call of ["decode", "inspect", "verify"]) {
          try {
            codec[call](changed);
          } catch (error) {
            assert.ok(error instanceof numpact.NumpactError, String(error.stack));
            assert.notEqual(error.kind, "internal", `${path} ${call}: ${error.cause?.stack}`);
          }
        }
      }
    }
  });
}

test("an empty file without a type fits every type, and is of none", () => {
  const codec = load();
  const bytes = file(`${TYPELESS}.pco`);
  assert.equal(errorOf(() => codec.decode(bytes)).kind, "type_mismatch");
  assert.deepEqual(codec.decode(bytes, {type: "f32"}), new Float32Array(0));
  assert.equal(codec.inspect(bytes).type, undefined);
  assert.equal(errorOf(() => codec.decode(bytes.subarray(0, bytes.length - 1))).kind, "truncated");
});

test("float16 numbers come in three forms of the same value", () => {
  const codec = load();
  const bytes = file("v0_3_0_f16.pco");
  const bits = codec.decode(bytes, {float16: "bits"});
  const wide = codec.decode(bytes, {float16: "float32"});
  assert.ok(wide instanceof Float32Array);
  for (let i = 0; i < bits.length; ++i) {
    const sign = bits[i] >> 15 ? -1 : 1;
    const exponent = bits[i] >> 10 & 31;
    const fraction = bits[i] & 1023;
    const value = exponent === 31 ? fraction ? NaN : Infinity
      : exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction;
    assert.ok(Object.is(wide[i], sign * value), `${i}`);
  }
  if (globalThis.Float16Array) {
    assert.ok(codec.decode(bytes) instanceof globalThis.Float16Array);
  } else {
    assert.deepEqual(codec.decode(bytes), wide);
    assert.equal(errorOf(() => codec.decode(bytes, {float16: "float16"})).kind, "invalid_argument");
  }
});

test("every float16 widens to the float32 of its value", () => {
  const codec = load();
  const bits = Uint16Array.from({length: 65536}, (_, i) => i);
  const file16 = codec.encode(bits, {type: "f16"});
  assertSameBits(codec.decode(file16, {float16: "bits"}), bits);
  const wide = codec.decode(file16, {float16: "float32"});
  for (let i = 0; i < 65536; ++i) {
    const exponent = i >> 10 & 31;
    const value = exponent === 31 ? (i & 1023 ? NaN : Infinity)
      : exponent ? 2 ** (exponent - 15) * (1 + (i & 1023) / 1024) : 2 ** -24 * (i & 1023);
    assert.ok(Object.is(wide[i], i >> 15 ? -value : value), `${i}`);
  }
});

test("errors say what, where and why", () => {
  const codec = load();
  const bytes = file("v1_0_0_conv1.pco");
  const mismatch = errorOf(() => codec.decode(bytes, {type: "f64"}));
  assert.equal(mismatch.kind, "type_mismatch");
  assert.equal(mismatch.code, 11);
  const small = errorOf(() => codec.decodeInto(bytes, new Int32Array(10)));
  assert.equal(small.kind, "does_not_fit");
  assert.equal(small.needed, 2000 * 4);
  const cut = errorOf(() => codec.decode(bytes.subarray(0, 800)));
  assert.equal(cut.kind, "truncated");
  assert.match(cut.message, /^truncated: .+ \(at byte \d+\)$/);
  assert.equal(cut.chunk, 0);
  for (const wrong of [undefined, "text", 5, [1, 2]]) {
    assert.equal(errorOf(() => codec.decode(wrong)).kind, "invalid_argument");
  }
});
