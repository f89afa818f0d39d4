// SPDX-License-Identifier: Apache-2.0
// Files in memory: encoding, decoding, and inspecting.
import {NumpactError, invalid} from "./errors.js";
import {Instance, compiled} from "./module.js";
import {inspected, trailerOf} from "./inspect.js";
import {
  arrayOf, bytesOfNumber, halfForm, typeNamed, typeOfArray, typeOfCode, viewOfBytes,
} from "./types.js";

const MAX_MEMORY = 2 ** 32;
/** Bytes of memory that an idle codec keeps: memory of a module never shrinks. */
const KEPT_MEMORY = 2 ** 28;
/** Bytes that the count a file states may claim before the numbers are counted instead. */
const TRUSTED_BYTES = 2 ** 24;
const UNKNOWN = 0xffffffffffffffffn;

const TRAILERS = {none: 0, index: 1, restarts: 2};
const FORMATS = {"1": 0, "2": 1, "3": 2, "4.0": 3, "4.1": 4};

function limitOf(value, name) {
  if (value === undefined) return UNKNOWN;
  if (!(value >= 0) || !Number.isInteger(Number(value))) throw invalid(`${name} is no limit`);
  return BigInt(value);
}

function wholeNumber(value, name) {
  if (!Number.isSafeInteger(Number(value)) || value < 0) throw invalid(`${name} is no count`);
  return Number(value);
}

/** Fills numpact_file_info. */
export function infoOf(instance, scope, file, size) {
  const place = scope.struct(24);
  instance.call("numpact_read_info", file, size, place);
  const view = instance.view();
  return {
    type: typeOfCode(view.getUint8(place + 4)),
    standaloneVersion: view.getUint8(place + 5),
    formatMajor: view.getUint8(place + 6),
    formatMinor: view.getUint8(place + 7),
    headerSize: view.getUint32(place + 8, true),
    countHint: instance.u64(place + 16),
  };
}

export class Numpact {
  #module;
  #maxMemory;
  #limits;
  #instance = null;
  #context = 0;

  constructor(module, {maxMemory = MAX_MEMORY, maxNumbers, maxOutputBytes, maxScratch} = {}) {
    this.#module = module;
    this.#maxMemory = maxMemory;
    this.#limits = [limitOf(maxNumbers, "maxNumbers"), limitOf(maxOutputBytes, "maxOutputBytes"),
      limitOf(maxScratch, "maxScratch")];
    this.#ready();
  }

  static async load(options = {}) {
    return new Numpact(await compiled(options), options);
  }

  get version() {
    const instance = this.#ready();
    return instance.text(instance.get("numpact_version"));
  }

  /** "wasm" (SIMD) or "scalar" (portable code). */
  get target() {
    const instance = this.#ready();
    return instance.text(instance.get("numpact_cpu_target"));
  }

  get canEncode() {
    return this.#ready().has("numpact_compress");
  }

  /** The bytes of memory in use by the module. */
  get memoryBytes() {
    return this.#instance?.memory.buffer.byteLength ?? 0;
  }

  /** Gives all memory back; the next call takes new one. */
  release() {
    this.#instance = null;
  }

  decode(bytes, {type, float16} = {}) {
    const form = halfForm(float16);
    return this.#run(viewOfBytes(bytes), (instance, scope, file, size) => {
      const found = this.#typeOf(instance, scope, file, size, type);
      const {place, count} = this.#decoded(instance, scope, file, size, found);
      return arrayOf(found.type, this.#copied(instance, place, count * found.type.size), form);
    });
  }

  decodeInto(bytes, target, {type} = {}) {
    const requested = typeOfArray(target, type);
    return this.#run(viewOfBytes(bytes), (instance, scope, file, size) => {
      const out = scope.allocate(target.byteLength);
      const count = scope.allocate(4);
      instance.call("numpact_decompress", this.#context, file, size, requested.code, out,
        target.byteLength, count);
      const done = instance.u32(count);
      viewOfBytes(target).set(instance.bytes(out, done * requested.size));
      return done;
    });
  }

  decodeRange(bytes, first, count, {float16} = {}) {
    const form = halfForm(float16);
    const requested = wholeNumber(count, "count");
    const from = BigInt(wholeNumber(first, "first"));
    return this.#run(viewOfBytes(bytes), (instance, scope, file, size) => {
      const {type, reader} = this.#reader(instance, scope, file, size);
      if (requested > Math.floor(MAX_MEMORY / type.size)) throw invalid("there are fewer numbers");
      const out = scope.allocate(requested * type.size);
      instance.call("numpact_reader_read", reader, this.#context, from, type.code, out, requested);
      return arrayOf(type, this.#copied(instance, out, requested * type.size), form);
    });
  }

  count(bytes) {
    return this.#run(viewOfBytes(bytes), (instance, scope, file, size) => {
      const place = scope.allocate(8);
      instance.call("numpact_count", this.#context, file, size, place);
      return instance.u64(place);
    });
  }

  countWhere(bytes, min, max) {
    return this.#run(viewOfBytes(bytes), (instance, scope, file, size) => {
      const {type} = infoOf(instance, scope, file, size);
      if (!type) return 0;
      const low = scope.copyOf(bytesOfNumber(type, min));
      const high = scope.copyOf(bytesOfNumber(type, max));
      const place = scope.allocate(8);
      instance.call("numpact_count_where", this.#context, file, size, type.code, low, high, place);
      return instance.u64(place);
    });
  }

  /** The CRC-32 of zlib, as trailers have it. */
  crc32(bytes) {
    return this.#run(viewOfBytes(bytes), (instance, scope, place, size) =>
      instance.get("numpact_crc32", place, size, 0) >>> 0);
  }

  verify(bytes) {
    return this.#run(viewOfBytes(bytes), (instance, scope, file, size) => {
      const place = scope.struct(56);
      instance.call("numpact_verify", this.#context, file, size, place);
      const view = instance.view();
      const damages = instance.u64(place + 24);
      return {
        isSound: view.getInt32(place + 4, true) === 1,
        trailer: ["absent", "sound", "damaged", "unrecognized"][view.getInt32(place + 8, true)],
        soundCount: instance.u64(place + 16),
        damageCount: damages,
        damagedChunk: damages === 0 ? undefined : instance.u64(place + 32),
        damagedOffset: damages === 0 ? undefined : instance.u64(place + 40),
      };
    });
  }

  inspect(bytes, {maxChunks = 1000, bins = true} = {}) {
    return this.#run(viewOfBytes(bytes), (instance, scope, file, size) => {
      const info = infoOf(instance, scope, file, size);
      const {reader} = this.#reader(instance, scope, file, size);
      const trailer = trailerOf(instance, scope, file, size);
      return inspected({instance, scope, context: this.#context, file, size, info, reader, trailer,
        maxChunks, withBins: bins});
    });
  }

  encode(numbers, options = {}) {
    const type = typeOfArray(numbers, options.type);
    return this.#run(viewOfBytes(numbers), (instance, scope, place) => {
      if (!instance.has("numpact_compress")) throw invalid("this module only decodes");
      const given = this.#encodeOptions(instance, scope, options);
      const capacity =
        instance.get("numpact_compress_bound", type.code, numbers.length, given) >>> 0;
      const out = scope.allocate(capacity);
      const size = scope.allocate(4);
      instance.call("numpact_compress", this.#context, type.code, place, numbers.length, given,
        out, capacity, size);
      return new Uint8Array(this.#copied(instance, out, instance.u32(size)));
    });
  }

  /** A new instance of the module, for objects that keep something in its memory. */
  newInstance() {
    return new Instance(this.#module, this.#maxMemory);
  }

  /** A context with the limits, which ends with the instance. */
  newContext(instance) {
    return instance.scoped((scope) => {
      const options = scope.struct(48);
      this.#limits.forEach((limit, index) =>
        instance.view().setBigUint64(options + 24 + 8 * index, limit, true));
      const context = scope.allocate(4);
      instance.call("numpact_context_create", options, context);
      return instance.u32(context);
    });
  }

  #ready() {
    if (!this.#instance) {
      const instance = this.newInstance();
      this.#context = this.newContext(instance);
      this.#instance = instance;
    }
    return this.#instance;
  }

  #run(bytes, operation) {
    const instance = this.#ready();
    let isSpent = true;
    try {
      const result = instance.scoped((scope) =>
        operation(instance, scope, scope.copyOf(bytes), bytes.length));
      isSpent = instance.memory.buffer.byteLength > KEPT_MEMORY;
      return result;
    } catch (error) {
      // After other errors memory is as it was.
      isSpent = instance.isBroken || error.kind === "out_of_memory" ||
        instance.memory.buffer.byteLength > KEPT_MEMORY;
      throw error;
    } finally {
      if (isSpent) this.#instance = null;
    }
  }

  #copied(instance, place, size) {
    try {
      return instance.memory.buffer.slice(place, place + size);
    } catch (cause) {
      throw new NumpactError("out_of_memory", "the engine has no memory for the result", {cause});
    }
  }

  #typeOf(instance, scope, file, size, requested) {
    const info = infoOf(instance, scope, file, size);
    const asked = requested === undefined ? undefined : typeNamed(requested);
    if (info.type && asked && asked !== info.type) {
      throw new NumpactError("type_mismatch",
        `the file holds ${info.type.name}, not ${asked.name}`);
    }
    if (info.type || asked) return {type: info.type ?? asked, hint: Number(info.countHint)};
    this.#countOf(instance, scope, file, size); // damage is reported before the missing type
    throw new NumpactError("type_mismatch", "the file is empty and states no type");
  }

  #countOf(instance, scope, file, size) {
    const place = scope.allocate(8);
    instance.call("numpact_count", this.#context, file, size, place);
    return instance.u64(place);
  }

  /** Decodes with the count that the file states, where that claims little, else counts first. */
  #decoded(instance, scope, file, size, {type, hint}) {
    const count = scope.allocate(4);
    const attempt = (capacity) => {
      if (capacity > Math.floor((MAX_MEMORY - 1) / type.size)) {
        throw new NumpactError("out_of_memory", "the numbers are more than memory can hold");
      }
      const place = scope.allocate(capacity * type.size);
      instance.call("numpact_decompress", this.#context, file, size, type.code, place,
        capacity * type.size, count);
      return {place, count: instance.u32(count)};
    };
    const likely = hint > 0 && hint * type.size <= Math.max(TRUSTED_BYTES, 16 * size);
    if (likely) {
      try {
        return attempt(hint);
      } catch (error) {
        if (error.kind !== "does_not_fit") throw error;
      }
    }
    return attempt(this.#countOf(instance, scope, file, size));
  }

  #reader(instance, scope, file, size) {
    const place = scope.allocate(4);
    instance.call("numpact_reader_create", this.#context, file, size, place);
    const reader = instance.u32(place);
    scope.owned(() => instance.get("numpact_reader_destroy", reader));
    const type = typeOfCode(instance.get("numpact_reader_type", reader) & 255);
    return {reader, type: type ?? typeNamed("u8")};
  }

  #encodeOptions(instance, scope, options) {
    const {level = 8, mode, delta, format = "4.1", trailer = "none", restartLog = 12,
      maxPageCount = 0, favorDecodeSpeed = false} = options;
    if (!(format in FORMATS)) throw invalid(`there is no format "${format}"`);
    if (!(trailer in TRAILERS)) throw invalid(`there is no trailer "${trailer}"`);
    const texts = [mode, delta].map((text) => text === undefined ? 0 : scope.text(text));
    const place = scope.struct(56);
    const view = instance.view();
    view.setUint32(place + 4, wholeNumber(level, "level"), true);
    view.setInt32(place + 8, FORMATS[format], true);
    view.setUint32(place + 12, texts[0], true);
    view.setUint32(place + 16, texts[1], true);
    view.setUint32(place + 20, wholeNumber(maxPageCount, "maxPageCount"), true);
    view.setInt32(place + 32, favorDecodeSpeed ? 1 : 0, true);
    view.setInt32(place + 36, TRAILERS[trailer], true);
    view.setUint32(place + 40, trailer === "restarts" ? restartLog : 0, true);
    return place;
  }
}

