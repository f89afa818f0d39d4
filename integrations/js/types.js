// SPDX-License-Identifier: Apache-2.0
// Types of numbers, and the arrays that hold them.
import {shown} from "./arguments.js";
import {invalid} from "./errors.js";

/** Absent in older engines; float16 numbers then come as Float32Array. */
const Float16Array = globalThis.Float16Array;

/** By the number of the type in a file. */
const TYPES = [
  undefined,
  {name: "u32", code: 1, size: 4, Bits: Uint32Array, Array: Uint32Array},
  {name: "u64", code: 2, size: 8, Bits: BigUint64Array, Array: BigUint64Array},
  {name: "i32", code: 3, size: 4, Bits: Uint32Array, Array: Int32Array},
  {name: "i64", code: 4, size: 8, Bits: BigUint64Array, Array: BigInt64Array},
  {name: "f32", code: 5, size: 4, Bits: Uint32Array, Array: Float32Array},
  {name: "f64", code: 6, size: 8, Bits: BigUint64Array, Array: Float64Array},
  {name: "u16", code: 7, size: 2, Bits: Uint16Array, Array: Uint16Array},
  {name: "i16", code: 8, size: 2, Bits: Uint16Array, Array: Int16Array},
  {name: "f16", code: 9, size: 2, Bits: Uint16Array, Array: Float16Array},
  {name: "u8", code: 10, size: 1, Bits: Uint8Array, Array: Uint8Array},
  {name: "i8", code: 11, size: 1, Bits: Uint8Array, Array: Int8Array},
];
const BY_NAME = new Map(TYPES.filter((type) => type).map((type) => [type.name, type]));

export function typeOfCode(code) {
  return TYPES[code];
}

export function typeNamed(name) {
  const type = BY_NAME.get(name);
  if (!type) throw invalid(`there is no number type ${shown(name)}`);
  return type;
}

/** The type of the numbers of an array, which `name` overrides for arrays of bits. */
export function typeOfArray(array, name) {
  if (!ArrayBuffer.isView(array) || array instanceof DataView) {
    throw invalid("numbers are passed as a TypedArray");
  }
  if (name !== undefined) {
    const type = typeNamed(name);
    if (type.Array === array.constructor || type.Bits === array.constructor) return type;
    throw invalid(`${array.constructor.name} does not hold numbers of type ${type.name}`);
  }
  if (array instanceof Uint8ClampedArray) return BY_NAME.get("u8");
  for (const type of BY_NAME.values()) {
    if (type.Array === array.constructor) return type;
  }
  throw invalid(`${array.constructor.name} holds no numbers that can be compressed`);
}

/** float32 with the same value; of NaNs also the payload. */
function widenedHalf(half) {
  const sign = (half & 0x8000) << 16;
  const exponent = half >>> 10 & 31;
  const fraction = half & 0x3ff;
  if (exponent === 31) return (sign | 0x7f800000 | fraction << 13) >>> 0;
  if (exponent > 0) return (sign | exponent + 112 << 23 | fraction << 13) >>> 0;
  if (fraction === 0) return sign >>> 0;
  const shift = Math.clz32(fraction) - 21; // until the leading bit is the implicit one
  return (sign | 113 - shift << 23 | (fraction << shift & 0x3ff) << 13) >>> 0;
}

/** Float32Array of the same values as bits of float16 numbers. */
export function widenedHalves(bits) {
  const wide = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; ++i) wide[i] = widenedHalf(bits[i]);
  return new Float32Array(wide.buffer);
}

/** How float16 numbers are returned: "float16", "float32" or "bits"; default: as there is. */
export function halfForm(form) {
  const chosen = form ?? (Float16Array ? "float16" : "float32");
  if (chosen === "float16" && !Float16Array) throw invalid("this engine has no Float16Array");
  if (!["float16", "float32", "bits"].includes(chosen)) {
    throw invalid(`float16 is ${shown(form)}, none of "float16", "float32", "bits"`);
  }
  return chosen;
}

/** Numbers in a buffer of their own as the array that callers get. */
export function arrayOf(type, buffer, form) {
  if (type.name !== "f16") return new type.Array(buffer);
  if (form === "bits") return new Uint16Array(buffer);
  return form === "float16" ? new Float16Array(buffer) : widenedHalves(new Uint16Array(buffer));
}

/** The number that the low bytes of a BigInt are, as elements of the arrays are. */
export function numberOfBits(type, bits) {
  const buffer = new ArrayBuffer(8);
  new BigUint64Array(buffer)[0] = bits;
  if (type.name === "f16") return widenedHalves(new Uint16Array(buffer, 0, 1))[0];
  return new type.Array(buffer)[0];
}

/**
 * The bytes of a bound of a range of values. Integers are taken exactly or not at all; of floats
 * the nearest one stands for a Number, infinity for no other.
 */
export function bytesOfNumber(type, value) {
  if (type.name === "f16" && !Float16Array) throw invalid("this engine has no Float16Array");
  const array = new type.Array(1);
  const isFloat = type.name[0] === "f";
  const isInteger = typeof value === "bigint" || Number.isInteger(value);
  if (isFloat || isInteger) array[0] = array[0] === 0n ? BigInt(value) : Number(value);
  const isExact = isInteger && Number.isFinite(Number(array[0])) &&
    BigInt(array[0]) === BigInt(value);
  const isNear = isFloat && typeof value === "number" &&
    Number.isFinite(array[0]) === Number.isFinite(value);
  if (!isExact && !isNear) throw invalid(`${value} is no number of type ${type.name}`);
  return new Uint8Array(array.buffer);
}

/** A view of the bytes of anything that has some. */
export function viewOfBytes(bytes) {
  if (bytes instanceof Uint8Array) return bytes;
  if (ArrayBuffer.isView(bytes)) {
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes);
  if (globalThis.SharedArrayBuffer && bytes instanceof SharedArrayBuffer) {
    return new Uint8Array(bytes);
  }
  throw invalid("a file is passed as an ArrayBuffer or a view of one");
}

/** A 64-bit field as a number, or as a BigInt if a number cannot hold it exactly. */
export function plain(value) {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}
