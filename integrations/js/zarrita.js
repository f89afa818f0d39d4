// SPDX-License-Identifier: Apache-2.0
// Pco as a codec of zarrita, under the names that zarr-python writes: "numcodecs.pcodec" in the
// metadata of Zarr v3, "pcodec" as the compressor of Zarr v2.
import {u32} from "./arguments.js";
import {NumpactError, invalid} from "./errors.js";
import {Numpact} from "./codec.js";
import {typeNamed} from "./types.js";

/** zarrita's names of data types, and those of numpact. A bool is stored as a byte. */
const TYPES = new Map([
  ["int8", "i8"], ["int16", "i16"], ["int32", "i32"], ["int64", "i64"],
  ["uint8", "u8"], ["uint16", "u16"], ["uint32", "u32"], ["uint64", "u64"],
  ["float16", "f16"], ["float32", "f32"], ["float64", "f64"], ["bool", "u8"],
]);
/** zarrita reads the compressor "id" of Zarr v2 as the codec "numcodecs.id". */
export const CODEC_NAMES = ["numcodecs.pcodec", "pcodec"];

function rowMajorStride(shape) {
  const stride = new Array(shape.length);
  let step = 1;
  for (let i = shape.length - 1; i >= 0; --i) {
    stride[i] = step;
    step *= shape[i];
  }
  return stride;
}

function isRowMajor({shape, stride}) {
  return rowMajorStride(shape).every((step, i) => shape[i] < 2 || stride[i] === step);
}

function consecutive(order) {
  return `consecutive=${u32(order, "delta_encoding_order")}`;
}

/** The settings of numcodecs' PCodec as options of encode(). */
function optionsOf(config) {
  const {level = 8, mode_spec: mode = "auto", delta_spec: delta = "auto",
    delta_encoding_order: order = null, equal_pages_up_to: pages = 0} = config ?? {};
  const options = {level, maxPageCount: u32(pages, "equal_pages_up_to")};
  if (mode === "classic") options.mode = "classic";
  else if (mode !== "auto") throw invalid(`mode_spec "${mode}" is not known`);
  if (delta === "none" || delta === "no_op") options.delta = "none";
  else if (delta === "try_lookback") options.delta = "lookback";
  else if (delta === "try_consecutive") options.delta = consecutive(order ?? 1);
  else if (delta !== "auto") throw invalid(`delta_spec "${delta}" is not known`);
  else if (order !== null) options.delta = consecutive(order);
  return options;
}

/**
 * The entry for zarrita's registry: one whose codecs use one Numpact.
 * @param {Numpact} numpact
 * @param {Function} [BoolArray] zarrita's array of bools over bytes; default: Uint8Array
 */
export function codecEntry(numpact, BoolArray = Uint8Array) {
  class PcoCodec {
    kind = "array_to_bytes";
    #config;
    #shape;
    #type;
    #count;
    #isBool;

    constructor(config, {dataType, shape}) {
      const name = TYPES.get(dataType);
      if (!name) throw invalid(`Pco has no numbers of type ${dataType}`);
      this.#config = config;
      this.#shape = shape;
      this.#type = typeNamed(name);
      this.#isBool = dataType === "bool";
      this.#count = shape.reduce((product, side) => product * u32(side, "a side of the chunk"), 1);
    }

    static kind = "array_to_bytes";

    static fromConfig(config, meta) {
      return new PcoCodec(config, meta);
    }

    decode(bytes) {
      const numbers = numpact.decode(bytes, {type: this.#type.name});
      if (numbers.length !== this.#count) {
        throw new NumpactError("corrupt",
          `the chunk has ${numbers.length} numbers, not ${this.#count}`);
      }
      const data = this.#isBool
        ? new BoolArray(numbers.buffer, numbers.byteOffset, numbers.length) : numbers;
      return {data, shape: this.#shape, stride: rowMajorStride(this.#shape)};
    }

    encode(chunk) {
      if (!isRowMajor(chunk)) throw invalid("the chunk is not in row-major order");
      const {data} = chunk;
      if (data.length !== this.#count) {
        throw invalid(`the chunk has ${data.length} numbers, not ${this.#count}`);
      }
      const numbers = this.#isBool ? new Uint8Array(data.buffer, data.byteOffset, data.length)
        : data;
      return numpact.encode(numbers, {...optionsOf(this.#config), type: this.#type.name});
    }
  }
  return PcoCodec;
}

/**
 * Makes a registry of zarrita read and write Pco.
 * @param {Map<string, () => Promise<unknown>>} registry
 * @param {object} [options] those of Numpact.load(); or {numpact}
 */
export function register(registry, {numpact, BoolArray, ...options} = {}) {
  let entry;
  const load = async () => codecEntry(numpact ?? await Numpact.load(options), BoolArray);
  for (const name of CODEC_NAMES) registry.set(name, () => (entry ??= load()));
}
