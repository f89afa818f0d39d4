// SPDX-License-Identifier: Apache-2.0
// Parts of files, what is said of them, limits of memory, and CVC files.
import assert from "node:assert/strict";
import {test} from "node:test";

import {
  MODULES, assertSameBits, errorOf, file, load, namesIn, npy, numpact,
} from "./support.mjs";

const WITH_TRAILER = file("encoded", "trailer.pco");
const NUMBERS = npy("encoded", "trailer.npy").data;

test("any range of a file", () => {
  const codec = load();
  for (const [first, count] of [[0, 0], [0, 1], [4095, 2], [10_000, 20_000], [0, 50_000],
    [49_999, 1], [50_000, 0]]) {
    const found = codec.decodeRange(WITH_TRAILER, first, count);
    assertSameBits(found, NUMBERS.slice(first, first + count), `${first} ${count}`);
  }
  assert.equal(errorOf(() => codec.decodeRange(WITH_TRAILER, 49_999, 2)).kind, "invalid_argument");
  assert.equal(errorOf(() => codec.decodeRange(WITH_TRAILER, -1, 2)).kind, "invalid_argument");
});

test("numbers in a range of values", () => {
  const codec = load();
  const expected = NUMBERS.filter((x) => x >= -3 && x <= 4.5).length;
  assert.equal(codec.countWhere(WITH_TRAILER, -3, 4.5), expected);
  assert.equal(codec.countWhere(WITH_TRAILER, 5, 4), 0);
  const {data} = npy("encoded", "i8.npy");
  assert.equal(codec.countWhere(file("encoded", "i8_8.pco"), 0n, 10),
    data.filter((x) => x >= 0n && x <= 10n).length);
});

test("inspect says what the command line tool says", () => {
  const codec = load();
  const native = JSON.parse(new TextDecoder().decode(file("encoded", "trailer.json")));
  const found = codec.inspect(WITH_TRAILER);
  assert.equal(found.type, native.number_type);
  assert.equal(found.count, native.count);
  assert.equal(found.headerSize, native.header_bytes);
  assert.equal(found.formatVersion, native.format_version.join("."));
  assert.equal(found.chunkCount, native.chunks.length);
  native.chunks.forEach((chunk, i) => {
    const mine = found.chunks[i];
    assert.deepEqual([mine.offset, mine.count, mine.metaSize, mine.size],
      [chunk.offset, chunk.count, chunk.meta_bytes, 4 + chunk.meta_bytes + chunk.page_bytes]);
    assert.ok(mine.description.startsWith(`${chunk.mode_text}, ${chunk.delta_text};`));
    assert.deepEqual(mine.variables.map(({name, binCount, tableLog, bins}) =>
      [name, binCount, tableLog, bins.length]),
    chunk.variables.map((variable) =>
      [variable.variable, variable.bins, variable.ans_size_log, variable.bins]));
    for (const {bins, tableLog} of mine.variables) {
      assert.equal(bins.reduce((sum, bin) => sum + bin.weight, 0), 2 ** tableLog);
    }
    const record = found.trailer.chunks[i];
    const numbers = NUMBERS.subarray(record.first, record.first + record.count);
    assert.deepEqual([record.min, record.max], [Math.min(...numbers), Math.max(...numbers)]);
    assert.equal(record.crc,
      codec.crc32(WITH_TRAILER.subarray(record.offset, record.offset + record.size)));
  });
  assert.equal(codec.inspect(WITH_TRAILER, {maxChunks: 2, bins: false}).chunks.length, 2);
});

test("verify finds the chunk that changed", () => {
  const codec = load();
  assert.deepEqual(codec.verify(WITH_TRAILER), {isSound: true, trailer: "sound",
    soundCount: 50_000, damageCount: 0, damagedChunk: undefined, damagedOffset: undefined});
  const {offset, first, size} = codec.inspect(WITH_TRAILER).chunks[5];
  const damaged = WITH_TRAILER.slice();
  damaged[offset + size - 9] ^= 4;
  const found = codec.verify(damaged);
  assert.equal(found.isSound, false);
  assert.deepEqual([found.damagedChunk, found.damagedOffset], [5, offset]);
  assert.equal(errorOf(() => codec.decode(damaged)).kind, "checksum");
  assertSameBits(codec.decodeRange(damaged, 0, first), NUMBERS.slice(0, first));
});

test("limits are kept, and the next call works", () => {
  const numbersLimit = load("numpact", {maxNumbers: 100});
  assert.equal(errorOf(() => numbersLimit.decode(WITH_TRAILER)).kind, "limit_exceeded");
  const bytesLimit = load("numpact", {maxOutputBytes: 399_999});
  assert.equal(errorOf(() => bytesLimit.decode(WITH_TRAILER)).kind, "limit_exceeded");
  assertSameBits(load("numpact", {maxOutputBytes: 400_000}).decode(WITH_TRAILER), NUMBERS);
  assert.equal(errorOf(() => load("numpact", {maxNumbers: -1})).kind, "invalid_argument");
});

test("memory that does not suffice is an error, whatever there is of it", () => {
  const large = new Float64Array(200_000).map((_, i) => Math.sin(i) * 1e6);
  const compressed = load().encode(large);
  const small = new Int32Array([1, 2, 3]);
  const smallFile = load().encode(small);
  const outcomes = new Set();
  for (let pages = 64; pages < 200; pages += 4) {
    const codec = load("numpact", {maxMemory: pages * 65536});
    for (const call of [() => codec.encode(large), () => codec.decode(compressed),
      () => codec.inspect(compressed), () => codec.verify(compressed)]) {
      try {
        call();
        outcomes.add("done");
      } catch (error) {
        outcomes.add(error.kind);
        assert.equal(error.kind, "out_of_memory", `${pages}: ${error.cause?.stack ?? error.stack}`);
      }
      assert.deepEqual(codec.decode(smallFile), small);
    }
  }
  assert.deepEqual([...outcomes].sort(), ["done", "out_of_memory"]);
});

test("a file that claims more than there is costs no memory", () => {
  const codec = load("numpact", {maxMemory: 16 * 2 ** 20});
  const hint = file("made/n_hint_64_bits_wrong.pco");
  assertSameBits(codec.decode(hint), npy("made/n_hint_64_bits_wrong.npy").data);
  assert.ok(codec.memoryBytes < 8 * 2 ** 20);
  // 2^24 numbers, 128 MiB, in some bytes: counted before anything is allocated.
  const constant = load().encode(new Float64Array(2 ** 24).fill(7));
  assert.ok(constant.length < 1000);
  assert.equal(errorOf(() => codec.decode(constant)).kind, "out_of_memory");
  assert.equal(load().decode(constant).length, 2 ** 24);
});

test("memory is given back after large calls", () => {
  const codec = load();
  codec.encode(new Uint32Array(2 ** 25).map((_, i) => i));
  assert.equal(codec.memoryBytes, 0);
  assert.deepEqual(codec.decode(codec.encode(new Uint8Array([5]))), new Uint8Array([5]));
  codec.release();
  assert.equal(codec.memoryBytes, 0);
});

test("modules say what they are", () => {
  for (const {name} of MODULES) {
    const codec = load(name);
    assert.match(codec.version, /^\d+\.\d+\.\d+$/);
    assert.equal(codec.target, name.endsWith("scalar") ? "scalar" : "wasm");
  }
});

test("functions of the package load the module by themselves", async () => {
  const numbers = new Int16Array([5, 6, 7]);
  const made = await numpact.encode(numbers);
  assert.deepEqual(await numpact.decode(made), numbers);
  const target = new Int16Array(3);
  assert.equal(await numpact.decodeInto(made, target), 3);
  assert.equal((await numpact.inspect(made)).count, 3);
  const decoder = await numpact.Numpact.load({variant: "decode", simd: false});
  assert.equal(decoder.target, "scalar");
  assert.deepEqual(decoder.decode(made.buffer), numbers);
});

// ---- CVC ----

test("CVC files decode to the values they are known to hold", () => {
  let checked = 0;
  for (const {name} of MODULES) {
    const codec = load(name);
    for (const path of namesIn("cvc", ".cvc")) {
      if (path === "odd_mmap_overrun") continue; // refused by every reader but the first one
      const cvc = new numpact.CvcFile(codec, file("cvc", `${path}.cvc`));
      cvc.columns.forEach((column, index) => {
        let expected;
        try {
          expected = npy("cvc", cvc.columns.length > 1 ? `${path}.${column.name}.npy`
            : `${path}.npy`);
        } catch (error) {
          if (error.code === "ENOENT") return; // of odd files there is no array
          throw error;
        }
        let rows = cvc.read(0, cvc.rows, {column: index});
        // As the first reader returned: several columns also give integers as float32.
        const isWidened = expected.dtype === "f4" && column.dtype === "int32";
        if (isWidened) rows = Float32Array.from(rows);
        assert.equal(rows.constructor, expected.data.constructor, `${path} ${column.name}`);
        assertSameBits(rows, expected.data, path);
        const last = cvc.rows - 1;
        if (last >= 0) {
          let two = cvc.gather([last, 0], {column: index});
          if (isWidened) two = Float32Array.from(two);
          assertSameBits(two.subarray(0, column.dimension),
            expected.data.subarray(last * column.dimension), path);
        }
        ++checked;
      });
    }
  }
  assert.ok(checked > 200, `${checked}`);
});

test("damaged CVC files are refused", () => {
  const codec = load();
  for (const path of namesIn("cvc/bad", ".cvc")) {
    const bytes = file("cvc/bad", `${path}.cvc`);
    const error = errorOf(() => {
      const cvc = new numpact.CvcFile(codec, bytes);
      cvc.columns.forEach((_, column) => cvc.read(0, cvc.rows, {column}));
    });
    assert.notEqual(error.kind, "internal", `${path} ${error.cause?.stack}`);
  }
});
