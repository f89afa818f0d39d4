// SPDX-License-Identifier: Apache-2.0
// What callers pass: integers that a module would take modulo 2^32 or 2^64, other kinds of values,
// and options that do not exist are errors that name what is wrong. No result has other memory.
import assert from "node:assert/strict";
import {join} from "node:path";
import {test} from "node:test";
import {pathToFileURL} from "node:url";

import {MODULES, PACKAGE, assertSameBits, errorOf, file, load, npy, numpact} from "./support.mjs";

const {codecEntry} = await import(pathToFileURL(join(PACKAGE, "zarrita.js")));
const {Instance} = await import(pathToFileURL(join(PACKAGE, "module.js")));

const NUMBERS = npy("encoded", "trailer.npy").data;
const WITH_TRAILER = file("encoded", "trailer.pco");

/** Of no integer type, or wrapping to a small number in one of 32 or of 64 bits. */
const NO_INTEGERS = [-1, -1n, 0.5, 1.5, 2 ** 31 + 0.5, NaN, Infinity, -Infinity, -(2 ** 32),
  -(2n ** 64n), "", "5", "x", null, true, [], [5], {}, () => 5, Symbol("s"), new Date(5),
  {valueOf: () => 5}];
const NO_U32 = [...NO_INTEGERS, 2 ** 32, 2 ** 32 + 5, 2 ** 33, 2 ** 53, 2 ** 64, 2n ** 32n,
  2n ** 32n + 5n, 2n ** 64n, 2n ** 64n + 5n, 1e300];
const NO_U64 = [...NO_INTEGERS, 2 ** 64, 2n ** 64n, 2n ** 64n + 5n, 1e300];

/** Every value is refused, with the name of the argument. */
function assertRefused(call, values, name) {
  for (const value of values) {
    const text = `${name} ${typeof value} ${String(value)}`;
    const error = errorOf(() => call(value));
    assert.equal(error.kind, "invalid_argument", `${text}: ${error.message}`);
    assert.ok(error.message.includes(`${name} is `), `${text}: ${error.message}`);
  }
}

/** Every call is refused as invalid, with the text. */
function assertInvalid(calls, text) {
  for (const call of calls) {
    const error = errorOf(call);
    assert.equal(error.kind, "invalid_argument", `${call}: ${error.message}`);
    assert.ok(error.message.includes(text), `${call}: ${error.message}`);
  }
}

test("ranges are within the file, whatever the size of its numbers", () => {
  for (const {name} of MODULES) {
    const codec = load(name);
    const encoder = load();
    for (const Numbers of [Uint8Array, Int8Array, Uint16Array, Float32Array, BigInt64Array]) {
      const made = encoder.encode(new Numbers(1000));
      // What calls before leave in the memory of the module may be in no result.
      codec.count(encoder.encode(new TextEncoder().encode("OF-ANOTHER-CALL".repeat(999))));
      assertRefused((value) => codec.decodeRange(made, 0, value), NO_U32, "count");
      assertRefused((value) => codec.decodeRange(made, value, 1), NO_U64, "first");
      for (const [first, count] of [[0, 1001], [1000, 1], [1001, 0], [1, 1000], [1001, undefined],
        [0, 2 ** 29], [0, 2 ** 31], [0, 2 ** 32 - 1], [0, 2 ** 32 - 8], [2 ** 32, 1],
        [2 ** 32, 1000], [2 ** 53, 0], [2n ** 64n - 1n, 1], [2n ** 64n - 1n, 2 ** 32 - 1],
        [2n ** 64n - 500n, 1000]]) {
        const error = errorOf(() => codec.decodeRange(made, first, count));
        assert.equal(error.kind, "invalid_argument", `${first} ${count}: ${error.message}`);
        assert.match(error.message, /the file has 1000 numbers/);
      }
      assert.equal(codec.decodeRange(made, 1000n, 0n).length, 0);
      assert.equal(codec.decodeRange(made, 999).length, 1);
      assert.deepEqual(codec.decodeRange(made), new Numbers(1000));
      assert.ok(codec.memoryBytes < 2 ** 24);
    }
  }
});

test("a range may name the type of the file", () => {
  const codec = load();
  assertSameBits(codec.decodeRange(WITH_TRAILER, 5, 5, {type: "f64"}), NUMBERS.slice(5, 10));
  assert.equal(errorOf(() => codec.decodeRange(WITH_TRAILER, 5, 5, {type: "f32"})).kind,
    "type_mismatch");
});

test("integers among the options of encoding", () => {
  const codec = load();
  for (const name of ["level", "maxPageCount", "restartLog"]) {
    for (const trailer of ["none", "index", "restarts"]) {
      assertRefused((value) => codec.encode(NUMBERS, {[name]: value, trailer}), NO_U32, name);
    }
  }
  const made = codec.encode(NUMBERS, {level: 3n, maxPageCount: 2 ** 32 - 1});
  assert.deepEqual(made, codec.encode(NUMBERS, {level: 3}));
  assert.equal(codec.inspect(codec.encode(NUMBERS, {maxPageCount: 1000n})).chunkCount, 50);
});

test("other options of encoding", () => {
  const codec = load();
  for (const value of [0, 1, "true", "false", null, []]) {
    assertInvalid([() => codec.encode(NUMBERS, {favorDecodeSpeed: value})], "favorDecodeSpeed is ");
  }
  for (const value of [-1, 128.5, NaN, Infinity, 1n, "1", true, null]) {
    assertInvalid([() => codec.encode(NUMBERS, {decodeWeight: value})], "decodeWeight is ");
  }
  assert.deepEqual(codec.encode(NUMBERS, {decodeWeight: 1}),
    codec.encode(NUMBERS, {favorDecodeSpeed: true}));
  assert.equal(codec.decode(codec.encode(NUMBERS, {decodeWeight: 128})).length, NUMBERS.length);
  for (const name of ["mode", "delta"]) {
    for (const value of [5, null, true, {}, "none\0", "\0", "classic\0junk"]) {
      assertInvalid([() => codec.encode(NUMBERS, {[name]: value})], `${name} is `);
    }
  }
  // Names that every object has are no formats.
  for (const value of ["constructor", "__proto__", "toString", "", "5", null, {}, Symbol("s")]) {
    assertInvalid([() => codec.encode(NUMBERS, {format: value})], "format is ");
    assertInvalid([() => codec.encode(NUMBERS, {trailer: value})], "trailer is ");
  }
});

test("names of types and forms", () => {
  const codec = load();
  for (const value of ["f128", "constructor", 5, {}, Symbol("s"), null]) {
    assertInvalid([() => codec.decode(WITH_TRAILER, {type: value}),
      () => codec.encode(NUMBERS, {type: value}),
      () => codec.decodeRange(WITH_TRAILER, 0, 1, {type: value}),
      () => codec.decodeInto(WITH_TRAILER, new Float64Array(5), {type: value})],
    "there is no number type ");
  }
  for (const value of ["f16", 5, {}, Symbol("s")]) {
    assertInvalid([() => codec.decode(WITH_TRAILER, {float16: value}),
      () => codec.decodeRange(WITH_TRAILER, 0, 1, {float16: value})], "float16 is ");
  }
});

test("options that do not exist", async () => {
  const codec = load();
  const made = codec.encode(NUMBERS);
  const cvc = new numpact.CvcFile(codec, file("cvc", "v10_int8.cvc"));
  assertInvalid([
    () => codec.encode(NUMBERS, {lvel: 3}),
    () => codec.decode(made, {lvel: 3}),
    () => codec.decodeInto(made, new Float64Array(50_000), {lvel: 3}),
    () => codec.decodeInto(made, new Float64Array(50_000), {lvel: undefined}),
    () => codec.decodeRange(made, 0, 1, {lvel: 3}),
    () => codec.inspect(made, {lvel: 3}),
    () => cvc.read(0, 1, {lvel: 3}),
    () => cvc.gather([0], {lvel: 3}),
    () => load("numpact", {lvel: 3}),
  ], 'no option "lvel"');
  assertInvalid([() => codec.encode(NUMBERS, {maxpagecount: 3}), () => codec.encode(NUMBERS,
    {Level: 3})], "only type, level, mode, delta,");
  for (const options of [null, 5, 0, true, "level"]) {
    assertInvalid([() => codec.encode(NUMBERS, options), () => codec.decode(made, options),
      () => codec.inspect(made, options), () => load("numpact", options)], "passed as an object");
  }
  const refused = {name: "NumpactError", kind: "invalid_argument", message: /"lvel"/};
  await assert.rejects(numpact.Numpact.load({lvel: 3}), refused);
  await assert.rejects(numpact.encode(NUMBERS, {lvel: 3}), refused);
  await assert.rejects(numpact.decode(made, {lvel: 3}), refused);
  await assert.rejects(numpact.openUrl("http://127.0.0.1:1/", {lvel: 3}), refused);
});

test("limits and budgets", async () => {
  for (const name of ["maxNumbers", "maxOutputBytes", "maxScratch", "maxMemory"]) {
    assertRefused((value) => load("numpact", {[name]: value}), NO_U64, name);
    await assert.rejects(numpact.Numpact.load({[name]: 2 ** 64}), {kind: "invalid_argument"});
  }
  for (const pages of [0, 1, 63]) {
    assert.equal(errorOf(() => load("numpact", {maxMemory: 65536 * pages})).kind,
      "invalid_argument");
  }
  const made = load().encode(NUMBERS);
  for (const limit of [50_000, 50_000n, 2 ** 32, 2 ** 53, 2n ** 64n - 1n]) {
    assertSameBits(load("numpact", {maxNumbers: limit}).decode(made), NUMBERS);
  }
  for (const maxMemory of [64n * 65536n, 2 ** 32, 2 ** 32 + 5, 2n ** 40n]) {
    assertSameBits(load("numpact", {maxMemory}).decode(made), NUMBERS);
  }
  assert.equal(errorOf(() => load("numpact", {maxNumbers: 49_999n}).decode(made)).kind,
    "limit_exceeded");
  await assert.rejects(numpact.Numpact.load({simd: "no"}), {kind: "invalid_argument"});
  await assert.rejects(numpact.Numpact.load({variant: "toString"}), {kind: "invalid_argument"});
});

test("what inspect shows", () => {
  const codec = load();
  assertRefused((maxChunks) => codec.inspect(WITH_TRAILER, {maxChunks}), NO_U32, "maxChunks");
  assert.equal(codec.inspect(WITH_TRAILER, {maxChunks: 2n}).chunks.length, 2);
  assert.equal(codec.inspect(WITH_TRAILER, {maxChunks: 0}).chunks.length, 0);
  assertInvalid([() => codec.inspect(WITH_TRAILER, {bins: 0})], "bins is ");
});

test("bounds of values are numbers of the type of the file", () => {
  const codec = load();
  const bounds = [undefined, null, "5", "", true, [], [5], {}, Symbol("s"), new Date(5)];
  for (const made of [WITH_TRAILER, file("v0_1_1_standalone_versioned.pco")]) {
    assertRefused((min) => codec.countWhere(made, min, 5), bounds, "min");
    assertRefused((max) => codec.countWhere(made, 5, max), bounds, "max");
  }
  const integers = [NaN, Infinity, 0.5, -1.5, 1e300, -1e300, 2 ** 64, 2n ** 64n,
    -(2n ** 63n) - 1n];
  for (const [Numbers, wrong] of [[Uint8Array, [256, -1, 2 ** 32, 2 ** 32 + 5, 256n, -1n]],
    [Int8Array, [128, -129, 2 ** 32]], [Uint16Array, [65536, -1, 2 ** 32 + 5]],
    [Int16Array, [32768, -32769]], [Uint32Array, [2 ** 32, 2 ** 32 + 5, -1, 2n ** 32n + 5n]],
    [Int32Array, [2 ** 31, 2 ** 32 + 5, -(2 ** 31) - 1]],
    [BigUint64Array, [-1, -1n, 2n ** 64n + 5n]], [BigInt64Array, [2 ** 63, 2n ** 63n]]]) {
    const made = codec.encode(new Numbers(9));
    for (const value of [...integers, ...wrong]) {
      assertInvalid([() => codec.countWhere(made, value, 5),
        () => codec.countWhere(made, 0, value)], "is no number of type ");
    }
    assert.equal(codec.countWhere(made, 0, 5n), 9);
    assert.equal(codec.countWhere(made, -0, 0), 9);
  }
  const single = codec.encode(new Float32Array([0.7, 16777216, 3e38, Infinity]));
  for (const value of [1e39, -1e39, 2n ** 128n, 16777217n, 2n ** 2000n]) {
    assertInvalid([() => codec.countWhere(single, value, 5),
      () => codec.countWhere(single, 0, value)], "is no number of type f32");
  }
  assert.equal(codec.countWhere(single, 0.7, 0.7), 1);
  assert.equal(codec.countWhere(single, 16777216n, Infinity), 3);
  assert.equal(codec.countWhere(single, NaN, Infinity), 0);
  const double = codec.encode(new Float64Array([2 ** 53, 0.5]));
  assertInvalid([() => codec.countWhere(double, 2n ** 53n + 1n, Infinity)],
    "no number of type f64");
  assert.equal(codec.countWhere(double, 2n ** 53n, Infinity), 1);
});

test("rows and columns of CVC files", () => {
  const cvc = new numpact.CvcFile(load(), file("cvc", "v10_int8.cvc"));
  assertRefused((first) => cvc.read(first, 1), NO_U64, "first");
  assertRefused((count) => cvc.read(0, count), NO_U32, "count");
  assertRefused((row) => cvc.gather([0, row]), [...NO_U64, undefined], "a row");
  assertRefused((column) => cvc.read(0, 1, {column}),
    NO_U32.filter((value) => typeof value !== "string"), "column");
  for (const [first, count] of [[0, cvc.rows + 1], [cvc.rows, 1], [cvc.rows + 1, undefined],
    [2 ** 32, 1], [2n ** 64n - 1n, 1], [0, 2 ** 32 - 1]]) {
    assertInvalid([() => cvc.read(first, count)], `the file has ${cvc.rows} rows`);
  }
  for (const rows of [5, null, undefined, {length: 1}, "01"]) {
    assertInvalid([() => cvc.gather(rows)], "rows are ");
  }
  for (const column of ["none", "0", "length", cvc.columns.length, 2 ** 32 - 1]) {
    assertInvalid([() => cvc.read(0, 1, {column})], "there is no column ");
  }
  for (const dtype of ["float64", "toString", "f32", 5]) {
    assertInvalid([() => cvc.read(0, 1, {dtype})], "dtype is ");
  }
  for (const row of [cvc.rows, 2 ** 32, 2 ** 53, 2n ** 64n - 1n]) {
    assert.equal(errorOf(() => cvc.gather([row])).kind, "invalid_argument", `${row}`);
  }
  const all = cvc.read();
  assertSameBits(cvc.read(1n, 2n, {column: 0n}), all.slice(cvc.columns[0].dimension,
    3 * cvc.columns[0].dimension));
  assertSameBits(cvc.gather(new Set([0n, 1])), all.slice(0, 2 * cvc.columns[0].dimension));
});

test("limits of the output of CVC files hold before memory is taken", () => {
  const bytes = file("cvc", "zeros.cvc");
  assert.ok(bytes.length < 2 ** 16);
  for (const limit of [{maxOutputBytes: 10 ** 6}, {maxNumbers: 250_000n}]) {
    const cvc = new numpact.CvcFile(load("numpact", {maxMemory: 2 ** 23, ...limit}), bytes);
    for (const call of [() => cvc.read(), () => cvc.gather(new Uint32Array(10_000)),
      () => cvc.read(0, 3907)]) {
      assert.equal(errorOf(call).kind, "limit_exceeded");
    }
    assertSameBits(cvc.read(100_000, 3906), new Int32Array(3906 * 64));
  }
  const cvc = new numpact.CvcFile(load("numpact", {maxMemory: 2 ** 23}), bytes);
  assert.equal(errorOf(() => cvc.read()).kind, "out_of_memory");
  assertSameBits(cvc.read(5, 5), new Int32Array(5 * 64));
});

test("the codec of zarrita", () => {
  const Entry = codecEntry(load());
  const data = new Float64Array(6);
  const encode = (config, array = data) => Entry.fromConfig(config,
    {dataType: "float64", shape: [2, 3]}).encode({data: array, shape: [2, 3], stride: [3, 1]});
  assertRefused((level) => encode({level}), NO_U32, "level");
  assertRefused((pages) => encode({equal_pages_up_to: pages}), NO_U32, "equal_pages_up_to");
  for (const spec of ["auto", "try_consecutive"]) {
    assertRefused((order) => encode({delta_spec: spec, delta_encoding_order: order}),
      NO_U32.filter((order) => order !== null), "delta_encoding_order");
  }
  assertRefused((side) => Entry.fromConfig({}, {dataType: "float64", shape: [2, side]}), NO_U32,
    "a side of the chunk");
  for (const length of [0, 5, 7]) {
    assertInvalid([() => encode({}, new Float64Array(length))],
      `the chunk has ${length} numbers, not 6`);
  }
  const codec = Entry.fromConfig({}, {dataType: "float64", shape: [2, 3]});
  assert.deepEqual(codec.decode(encode({})).data, data);
});

test("nothing wraps on the way to the module", () => {
  for (const {module} of MODULES) {
    const instance = new Instance(module, 2 ** 32);
    instance.scoped((scope) => {
      for (const size of [2 ** 32, 2 ** 32 + 5, 2 ** 33, 2 ** 53, 2 ** 64, 2 ** 32 - 1,
        2 ** 32 - 15, 2 ** 32 - 65535, -1, NaN, Infinity]) {
        assert.equal(errorOf(() => scope.allocate(size)).kind, "out_of_memory", `${size}`);
      }
      const place = scope.allocate(16);
      for (const wrong of [2 ** 32, -1, 0.5, NaN, "16", undefined, 2n ** 64n, -1n]) {
        const error = errorOf(() => instance.get("numpact_crc32", place, wrong, 0));
        assert.equal(error.kind, "internal");
      }
      const end = instance.memory.buffer.byteLength;
      assert.equal(errorOf(() => instance.copied(end - 8, 9)).kind, "internal");
      assert.equal(instance.copied(end - 8, 8).byteLength, 8);
    });
    assert.equal(instance.isBroken, false);
  }
});

test("messages are for readers in a browser", () => {
  const codec = load();
  const texts = ["a,b\n1,2\n3,4\n", "<!doctype html><html></html>"].map((text) =>
    new TextEncoder().encode(text));
  const npyFile = file("encoded", "f8.npy");
  const gzip = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  const parquet = new TextEncoder().encode("PAR1 and more than that");
  for (const wrong of [...texts, npyFile, gzip, parquet, file("cvc", "v10_int8.cvc")]) {
    for (const call of ["decode", "count", "inspect", "decodeRange"]) {
      const {kind, message} = errorOf(() => codec[call](wrong));
      assert.equal(kind, "corrupt");
      assert.doesNotMatch(message, /numpact|python|;|corrupt/i);
      assert.match(message, /^another format: this is an? .*, not a standalone Pco file \(/);
    }
  }
  const {message} = errorOf(() => new numpact.CvcFile(codec, WITH_TRAILER));
  assert.match(message, /^another format: this is a standalone Pco file, not a CVC file \(/);
});
