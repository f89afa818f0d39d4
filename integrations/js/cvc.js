// SPDX-License-Identifier: Apache-2.0
// CVC files: collections of vectors, read from memory.
import {choice, known, range, shown, u32, u64} from "./arguments.js";
import {invalid} from "./errors.js";
import {arrayOf, halfForm, typeNamed, viewOfBytes} from "./types.js";

/** By the number of the dtype in numpact.h, with the number type of the same memory. */
const DTYPES = [
  {name: "float32", type: "f32"}, {name: "float16", type: "f16"}, {name: "bfloat16", type: "u16"},
  {name: "float64", type: "f64"}, {name: "int32", type: "i32"}, {name: "int64", type: "i64"},
  {name: "int8", type: "i8"}, {name: "uint8", type: "u8"},
].map((dtype, code) => ({...dtype, code, number: typeNamed(dtype.type)}));
/** Those that rows are read as, by name. */
const READ_DTYPES = Object.fromEntries(DTYPES.filter(({name}) => name !== "float64")
  .map((dtype) => [dtype.name, dtype]));
const READ_OPTIONS = ["column", "dtype", "float16"];

/** Integers that are stored as such are read as such, all others as float32. */
function usualDtype({dtype, compression}) {
  return dtype.includes("int") && ["none", "pco"].includes(compression) ? dtype : "float32";
}

/** Checks the numbers of rows that are gathered. */
export function requestedRows(rows) {
  if (typeof rows === "string" || !rows?.[Symbol.iterator]) {
    throw invalid(`rows are ${shown(rows)}, not several numbers`);
  }
  return BigUint64Array.from(rows, (row) => u64(row, "a row"));
}

/** A reader of the module, in the memory of an instance of its own, which ends with this object. */
export class CvcReader {
  #codec;
  #context;
  #reader;

  /** @param open gets the instance, the context, and the place of the reader that it makes */
  constructor(codec, open) {
    this.#codec = codec;
    this.instance = codec.newInstance();
    this.#context = codec.newContext(this.instance);
    const instance = this.instance;
    instance.scoped((scope) => {
      const place = scope.allocate(4);
      open(instance, this.#context, place, scope);
      this.#reader = instance.u32(place);
    });
    this.rows = instance.count("numpact_cvc_reader_rows", this.#reader);
    this.columns = instance.scoped((scope) => this.#columns(scope));
    this.chunks = instance.scoped((scope) => this.#chunks(scope));
  }

  #columns(scope) {
    const {instance} = this;
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

  #chunks(scope) {
    const {instance} = this;
    const count = instance.get("numpact_cvc_reader_chunk_count", this.#reader) >>> 0;
    const place = scope.struct(40);
    return Array.from({length: count}, (_, index) => {
      instance.call("numpact_cvc_reader_chunk", this.#reader, index, place);
      return {
        firstRow: instance.u64(place + 8), rows: instance.u64(place + 16),
        offset: instance.u64(place + 24), size: instance.u64(place + 32),
      };
    });
  }

  /** What options say of `count` rows to read: within the limits, and what `rowsInto` takes. */
  plan(count, options) {
    const {column = 0, dtype: requested, float16} = known(options, READ_OPTIONS);
    const index = typeof column === "string"
      ? this.columns.findIndex((other) => other.name === column) : u32(column, "column");
    if (!this.columns[index]) throw invalid(`there is no column ${shown(column)}`);
    const dtype = choice(READ_DTYPES, requested ?? usualDtype(this.columns[index]), "dtype");
    const form = halfForm(float16);
    const numbers = count * Number(this.columns[index].dimension);
    const size = numbers * dtype.number.size;
    this.#codec.checkOutput(numbers, size);
    return {index, dtype, size, arrayOf: (buffer) => arrayOf(dtype.number, buffer, form)};
  }

  /** Rows one after the other, at a place of the module's memory. */
  readInto(out, first, count, {index, dtype}) {
    this.instance.call("numpact_cvc_reader_read", this.#reader, this.#context, BigInt(first),
      BigInt(count), index, dtype.code, out, 0);
  }

  gatherInto(out, rows, {index, dtype}, scope) {
    this.instance.call("numpact_cvc_reader_gather", this.#reader, this.#context,
      scope.copyOf(viewOfBytes(rows)), rows.length, index, dtype.code, out, 0);
  }
}

export class CvcFile {
  #reader;

  constructor(codec, bytes) {
    const given = viewOfBytes(bytes);
    this.#reader = new CvcReader(codec, (instance, context, place, scope) => {
      const file = scope.copyOf(given);
      instance.call("numpact_cvc_reader_create", context, file, given.length, place);
      scope.keep(file);
    });
    const {rows, columns, chunks} = this.#reader;
    Object.assign(this, {rows, columns, chunks});
  }

  /** Rows first to first + count - 1 of a column, one after the other. */
  read(first, count, options) {
    const part = range(first, count, this.rows, "rows");
    return this.#values(part.count, options, (plan, out) =>
      this.#reader.readInto(out, part.first, part.count, plan));
  }

  /** Single rows, in any order. */
  gather(rows, options) {
    const requested = requestedRows(rows);
    return this.#values(requested.length, options, (plan, out, scope) =>
      this.#reader.gatherInto(out, requested, plan, scope));
  }

  #values(count, options, fill) {
    const plan = this.#reader.plan(count, options);
    const {instance} = this.#reader;
    return instance.scoped((scope) => {
      const out = scope.allocate(plan.size);
      fill(plan, out, scope);
      return plan.arrayOf(instance.copied(out, plan.size));
    });
  }
}
