// SPDX-License-Identifier: Apache-2.0
// CVC files: collections of vectors, read from memory.
import {invalid} from "./errors.js";
import {arrayOf, halfForm, typeNamed, viewOfBytes} from "./types.js";

/** By the number of the dtype in numpact.h, with the number type of the same memory. */
const DTYPES = [
  {name: "float32", type: "f32"}, {name: "float16", type: "f16"}, {name: "bfloat16", type: "u16"},
  {name: "float64", type: "f64"}, {name: "int32", type: "i32"}, {name: "int64", type: "i64"},
  {name: "int8", type: "i8"}, {name: "uint8", type: "u8"},
].map((dtype, code) => ({...dtype, code, number: typeNamed(dtype.type)}));
const READ_DTYPES = ["float32", "float16", "bfloat16", "int32", "int64", "int8", "uint8"];

function dtypeNamed(name) {
  const dtype = DTYPES.find((other) => other.name === name);
  if (!dtype) throw invalid(`there is no dtype "${name}"`);
  return dtype;
}

function bigCount(value, name) {
  if (!Number.isSafeInteger(value) || value < 0) throw invalid(`${name} is no count`);
  return BigInt(value);
}

/** Integers that are stored as such are read as such, all others as float32. */
function usualDtype({dtype, compression}) {
  return dtype.includes("int") && ["none", "pco"].includes(compression) ? dtype : "float32";
}

/** A CVC file in the memory of an instance of its own, which ends with this object. */
export class CvcFile {
  #instance;
  #context;
  #reader;

  constructor(codec, bytes) {
    this.#instance = codec.newInstance();
    this.#context = codec.newContext(this.#instance);
    const instance = this.#instance;
    const given = viewOfBytes(bytes);
    instance.scoped((scope) => {
      const file = scope.copyOf(given);
      const place = scope.allocate(4);
      instance.call("numpact_cvc_reader_create", this.#context, file, given.length, place);
      this.#reader = instance.u32(place);
      scope.keep(file);
    });
    this.rows = Number(BigInt.asUintN(64, instance.get("numpact_cvc_reader_rows", this.#reader)));
    this.columns = instance.scoped((scope) => this.#columns(scope));
  }

  #columns(scope) {
    const instance = this.#instance;
    const count = instance.get("numpact_cvc_reader_column_count", this.#reader) >>> 0;
    const place = scope.struct(32);
    return Array.from({length: count}, (_, index) => {
      instance.call("numpact_cvc_reader_column", this.#reader, index, place);
      return {
        name: instance.text(instance.u32(place + 4)),
        compression: instance.text(instance.u32(place + 8)),
        dimension: instance.u64(place + 16),
        dtype: DTYPES[instance.view().getUint8(place + 24)].name,
      };
    });
  }

  /** Rows first to first + count - 1 of a column, one after the other. */
  read(first = 0, count = this.rows - first, options = {}) {
    const rows = [bigCount(first, "first"), bigCount(count, "count")];
    return this.#values(count, options, (scope, index, dtype, out) =>
      this.#instance.call("numpact_cvc_reader_read", this.#reader, this.#context, ...rows, index,
        dtype.code, out, 0));
  }

  /** Single rows, in any order. */
  gather(rows, options = {}) {
    const requested = BigUint64Array.from(rows, (row) => bigCount(Number(row), "a row"));
    return this.#values(requested.length, options, (scope, index, dtype, out) =>
      this.#instance.call("numpact_cvc_reader_gather", this.#reader, this.#context,
        scope.copyOf(viewOfBytes(requested)), requested.length, index, dtype.code, out, 0));
  }

  #values(count, {column = 0, dtype: requested, float16}, fill) {
    const index = typeof column === "string"
      ? this.columns.findIndex((other) => other.name === column) : column;
    if (!this.columns[index]) throw invalid(`there is no column ${column}`);
    const dtype = requested ?? usualDtype(this.columns[index]);
    const chosen = dtypeNamed(dtype);
    if (!READ_DTYPES.includes(dtype)) throw invalid(`rows are not read as ${dtype}`);
    const form = halfForm(float16);
    const size = count * this.columns[index].dimension * chosen.number.size;
    if (size >= 2 ** 32) throw invalid("the rows are more than memory can hold");
    return this.#instance.scoped((scope) => {
      const out = scope.allocate(size);
      fill(scope, index, chosen, out);
      return arrayOf(chosen.number, this.#instance.memory.buffer.slice(out, out + size), form);
    });
  }
}
