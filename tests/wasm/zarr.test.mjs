// SPDX-License-Identifier: Apache-2.0
// Stores that zarr-python wrote, read through the codec by a small reader that uses a codec as
// zarrita's documents say that zarrita does: zarrita itself is not tested here.
import assert from "node:assert/strict";
import {existsSync, readFileSync} from "node:fs";
import {join} from "node:path";
import {test} from "node:test";
import {pathToFileURL} from "node:url";

import {FILES, PACKAGE, assertSameBits, file, load, npy, numpact} from "./support.mjs";

const {CODEC_NAMES, codecEntry, register} =
  await import(pathToFileURL(join(PACKAGE, "zarrita.js")));
const DATA_TYPES = {i4: "int32", u2: "uint16", i8: "int64", f4: "float32", f8: "float64"};

/** Data type, shapes, codecs and chunk keys of a store, of either version of Zarr. */
function metadataOf(store) {
  if (existsSync(join(store, "zarr.json"))) {
    const meta = JSON.parse(readFileSync(join(store, "zarr.json")));
    return {dataType: meta.data_type, shape: meta.shape,
      chunkShape: meta.chunk_grid.configuration.chunk_shape, codecs: meta.codecs,
      keyOf: (place) => join("c", ...place.map(String))};
  }
  const meta = JSON.parse(readFileSync(join(store, ".zarray")));
  const {id, ...configuration} = meta.compressor;
  return {dataType: DATA_TYPES[meta.dtype.slice(1)], shape: meta.shape, chunkShape: meta.chunks,
    codecs: [{name: `numcodecs.${id}`, configuration}],
    keyOf: (place) => place.join(meta.dimension_separator ?? ".")};
}

/** The array of a store with two dimensions. */
async function read(store, registry) {
  const {dataType, shape, chunkShape, codecs, keyOf} = metadataOf(store);
  assert.equal(codecs.length, 1);
  const entry = await registry.get(codecs[0].name)();
  const codec = entry.fromConfig(codecs[0].configuration,
    {dataType, shape: chunkShape, codecs, fillValue: 0});
  assert.equal(codec.kind, "array_to_bytes");
  let all;
  for (let i = 0; i * chunkShape[0] < shape[0]; ++i) {
    for (let j = 0; j * chunkShape[1] < shape[1]; ++j) {
      const bytes = new Uint8Array(readFileSync(join(store, keyOf([i, j]))));
      const {data, shape: [rows, columns], stride} = await codec.decode(bytes);
      all ??= new data.constructor(shape[0] * shape[1]);
      for (let y = 0; y < Math.min(rows, shape[0] - i * rows); ++y) {
        for (let x = 0; x < Math.min(columns, shape[1] - j * columns); ++x) {
          all[(i * rows + y) * shape[1] + j * columns + x] = data[y * stride[0] + x * stride[1]];
        }
      }
    }
  }
  return all;
}

for (const version of ["v2", "v3"]) {
  test(`stores of Zarr ${version}`, async () => {
    const registry = new Map();
    register(registry);
    assert.deepEqual([...registry.keys()], CODEC_NAMES);
    for (const dtype of Object.keys(DATA_TYPES)) {
      const found = await read(join(FILES, "zarr", `${dtype}.${version}`), registry);
      assertSameBits(found, npy("zarr", `${dtype}.npy`).data, dtype);
    }
  });
}

test("chunks are encoded and come back", async () => {
  const Entry = codecEntry(load());
  const shape = [30, 50];
  for (const [config, mode] of [[{}, /./], [{level: 2, mode_spec: "classic"}, /^classic/],
    [{delta_spec: "try_consecutive", delta_encoding_order: 3}, /consecutive=3/],
    [{delta_spec: "no_op"}, /none/], [{equal_pages_up_to: 700}, /./]]) {
    const codec = Entry.fromConfig(config, {dataType: "float32", shape, codecs: []});
    const data = Float32Array.from({length: 1500}, (_, i) => Math.fround(i / 8));
    const bytes = await codec.encode({data, shape, stride: [50, 1]});
    assert.match(load().inspect(bytes).chunks[0].description, mode);
    const back = await codec.decode(bytes);
    assert.deepEqual(back, {data, shape, stride: [50, 1]});
  }
});

test("what does not fit the array is refused", async () => {
  const Entry = codecEntry(load());
  const bytes = file("encoded", "f4_8.pco");
  const shape = [3, 10_000];
  const of = (dataType, itsShape = shape, config = {}) =>
    Entry.fromConfig(config, {dataType, shape: itsShape, codecs: []});
  assert.equal(of("float32").decode(bytes).data.length, 30_000);
  for (const [run, kind] of [
    [() => of("float64").decode(bytes), "type_mismatch"],
    [() => of("float32", [3, 9_999]).decode(bytes), "corrupt"],
    [() => of("float32").decode(bytes.subarray(0, 99)), "truncated"],
    [() => of("string"), "invalid_argument"],
    [() => of("float32", shape, {mode_spec: "best"}).encode(
      {data: new Float32Array(30_000), shape, stride: [10_000, 1]}), "invalid_argument"],
    [() => of("float32").encode({data: new Float32Array(30_000), shape, stride: [1, 3]}),
      "invalid_argument"],
  ]) {
    assert.throws(run, (error) => {
      assert.ok(error instanceof numpact.NumpactError);
      assert.equal(error.kind, kind);
      return true;
    });
  }
});

test("bools are bytes, in zarrita's class if it is passed", async () => {
  class BoolArray extends Uint8Array {}
  const Entry = codecEntry(load(), BoolArray);
  const codec = Entry.fromConfig({}, {dataType: "bool", shape: [4], codecs: []});
  const data = new BoolArray([1, 0, 0, 1]);
  const back = codec.decode(codec.encode({data, shape: [4], stride: [1]}));
  assert.ok(back.data instanceof BoolArray);
  assert.deepEqual([...back.data], [1, 0, 0, 1]);
});
