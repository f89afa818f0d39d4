// SPDX-License-Identifier: Apache-2.0
// Files in memory: encoding, decoding, and inspecting.
import {between, choice, flag, known, numeric, range, u32, u64} from "./arguments.js";
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

const LIMITS = ["maxNumbers", "maxOutputBytes", "maxScratch"];
const LOAD_OPTIONS = ["module", "simd", "variant", "maxMemory", ...LIMITS];
const DECODE_OPTIONS = ["type", "float16"];
const ENCODE_OPTIONS = ["type", "level", "mode", "delta", "format", "trailer", "restartLog",
  "maxPageCount", "favorDecodeSpeed", "decodeWeight"];

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

/** The type of a file: that which it states, else the requested one; undefined: there is none. */
function matching(found, requested) {
  const asked = requested === undefined ? undefined : typeNamed(requested);
  if (found && asked && asked !== found) {
    throw new NumpactError("type_mismatch", `the file holds ${found.name}, not ${asked.name}`);
  }
  return found ?? asked;
}

export class Numpact {
  #module;
  #maxMemory;
  #limits;
  #instance = null;
  #context = 0;

  constructor(module, options) {
    const {maxMemory = MAX_MEMORY, ...limits} = known(options, LOAD_OPTIONS);
    this.#module = module;
    this.#maxMemory = Math.min(MAX_MEMORY, Number(u64(maxMemory, "maxMemory")));
    this.#limits = LIMITS.map((name) =>
      limits[name] === undefined ? UNKNOWN : u64(limits[name], name));
    this.#ready();
  }

  static async load(options) {
    return new Numpact(await compiled(known(options, LOAD_OPTIONS)), options);
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

  decode(bytes, options) {
    const {type, float16} = known(options, DECODE_OPTIONS);
    const form = halfForm(float16);
    return this.#run(viewOfBytes(bytes), (instance, scope, file, size) => {
      const found = this.#typeOf(instance, scope, file, size, type);
      const {place, count} = this.#decoded(instance, scope, file, size, found);
      return arrayOf(found.type, instance.copied(place, count * found.type.size), form);
    });
  }

  decodeInto(bytes, target, options) {
    const requested = typeOfArray(target, known(options, ["type"]).type);
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

  decodeRange(bytes, first, count, options) {
    const {type: requested, float16} = known(options, DECODE_OPTIONS);
    const form = halfForm(float16);
    return this.#run(viewOfBytes(bytes), (instance, scope, file, size) => {
      const {type: found, reader} = this.#reader(instance, scope, file, size);
      const type = matching(found, requested) ?? typeNamed("u8");
      const part = range(first, count, instance.count("numpact_reader_count", reader), "numbers");
      const out = scope.allocate(part.count * type.size);
      instance.call("numpact_reader_read", reader, this.#context, part.first, type.code, out,
        part.count);
      return arrayOf(type, instance.copied(out, part.count * type.size), form);
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
    numeric(min, "min");
    numeric(max, "max");
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

  inspect(bytes, options) {
    const {maxChunks = 1000, bins = true} = known(options, ["maxChunks", "bins"]);
    const shown = {maxChunks: u32(maxChunks, "maxChunks"), withBins: flag(bins, "bins")};
    return this.#run(viewOfBytes(bytes), (instance, scope, file, size) => {
      const info = infoOf(instance, scope, file, size);
      const {reader} = this.#reader(instance, scope, file, size);
      const trailer = trailerOf(instance, scope, file, size);
      return inspected({instance, scope, context: this.#context, file, size, info, reader, trailer,
        ...shown});
    });
  }

  encode(numbers, options) {
    const type = typeOfArray(numbers, known(options, ENCODE_OPTIONS).type);
    return this.#run(viewOfBytes(numbers), (instance, scope, place) => {
      if (!instance.has("numpact_compress")) throw invalid("this module only decodes");
      const given = this.#encodeOptions(instance, scope, options);
      const capacity =
        instance.get("numpact_compress_bound", type.code, numbers.length, given) >>> 0;
      const out = scope.allocate(capacity);
      const size = scope.allocate(4);
      instance.call("numpact_compress", this.#context, type.code, place, numbers.length, given,
        out, capacity, size);
      return new Uint8Array(instance.copied(out, instance.u32(size)));
    });
  }

  /** A new instance of the module, for objects that keep something in its memory. */
  newInstance() {
    return new Instance(this.#module, this.#maxMemory);
  }

  /** Refuses what limits do not allow before memory is taken for it. */
  checkOutput(numbers, bytes) {
    const [maxNumbers, maxBytes] = this.#limits;
    if (numbers > maxNumbers || bytes > maxBytes) {
      throw new NumpactError("limit_exceeded",
        `${numbers} numbers of ${bytes} bytes are more than the limits allow`);
    }
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

  #typeOf(instance, scope, file, size, requested) {
    const info = infoOf(instance, scope, file, size);
    const type = matching(info.type, requested);
    if (type) return {type, hint: Number(info.countHint)};
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
    const attempt = (numbers) => {
      const capacity = numbers * type.size;
      const place = scope.allocate(capacity);
      instance.call("numpact_decompress", this.#context, file, size, type.code, place, capacity,
        count);
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
    return attempt(Number(this.#countOf(instance, scope, file, size)));
  }

  #reader(instance, scope, file, size) {
    const place = scope.allocate(4);
    instance.call("numpact_reader_create", this.#context, file, size, place);
    const reader = instance.u32(place);
    scope.owned(() => instance.get("numpact_reader_destroy", reader));
    return {reader, type: typeOfCode(instance.get("numpact_reader_type", reader) & 255)};
  }

  #encodeOptions(instance, scope, options = {}) {
    const {level = 8, mode, delta, format = "4.1", trailer = "none", restartLog = 12,
      maxPageCount = 0, favorDecodeSpeed = false, decodeWeight = 0} = options;
    const place = scope.struct(64);
    const set = (at, value) => instance.view().setUint32(place + at, value, true);
    set(4, u32(level, "level"));
    set(8, choice(FORMATS, format, "format"));
    if (mode !== undefined) set(12, scope.text(mode, "mode"));
    if (delta !== undefined) set(16, scope.text(delta, "delta"));
    set(20, u32(maxPageCount, "maxPageCount"));
    set(32, flag(favorDecodeSpeed, "favorDecodeSpeed") ? 1 : 0);
    set(36, choice(TRAILERS, trailer, "trailer"));
    const distance = u32(restartLog, "restartLog");
    if (trailer === "restarts") set(40, distance);
    instance.view().setFloat64(place + 56, between(decodeWeight, "decodeWeight", 0, 128), true);
    return place;
  }
}

