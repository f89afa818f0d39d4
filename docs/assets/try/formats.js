// SPDX-License-Identifier: Apache-2.0
// Which kind of file there is, and arrays of .npy files.

/** An error whose text is for the visitor. */
export class FileError extends Error {}

const NPY_MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
const PCO_MAGIC = [0x70, 0x63, 0x6f, 0x21];
const CVC_MAGIC = [0x43, 0x56, 0x43, 0x46];
/** Maximum bytes of a .npy header; headers of arrays have about 128. */
const MAX_HEADER_BYTES = 65536;
const NPY_TYPES = {
  u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, u8: BigUint64Array, i1: Int8Array,
  i2: Int16Array, i4: Int32Array, i8: BigInt64Array, f2: Uint16Array, f4: Float32Array,
  f8: Float64Array, b1: Uint8Array,
};

function startsWith(bytes, magic) {
  return bytes.length >= magic.length && magic.every((byte, i) => bytes[i] === byte);
}

/** "npy", "pco", "cvc" or "csv", by the first bytes of a file. */
export function kindOf(start, name) {
  if (startsWith(start, NPY_MAGIC)) return "npy";
  if (startsWith(start, PCO_MAGIC)) return "pco";
  if (startsWith(start, CVC_MAGIC)) return "cvc";
  if (/\.(pco|cvc|npy)$/i.test(name)) {
    throw new FileError(`The file does not begin as a ${name.slice(-4)} file does.`);
  }
  const isText = !start.some((byte) => byte < 9 || (byte > 13 && byte < 32));
  if (start.length > 0 && isText) return "csv";
  throw new FileError("This is none of the kinds of files that the page knows.");
}

function swapped(bytes, size) {
  const other = bytes.slice();
  for (let i = 0; i < other.length; i += size) other.subarray(i, i + size).reverse();
  return other;
}

/** The numbers of a .npy file in the order of memory; `type` names bits of float16. */
export function readNpy(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12) throw new FileError("The .npy file ends within its header.");
  const isLong = bytes[6] > 1;
  const start = isLong ? 12 : 10;
  const length = isLong ? view.getUint32(8, true) : view.getUint16(8, true);
  if (length > MAX_HEADER_BYTES || start + length > bytes.length) {
    throw new FileError("The header of the .npy file is too long.");
  }
  const header = new TextDecoder().decode(bytes.subarray(start, start + length));
  const descr = /'descr'\s*:\s*'([<>|=])([a-z]\d+)'/.exec(header);
  const shaped = /'shape'\s*:\s*\(([\d,\s]*)\)/.exec(header);
  if (!descr || !shaped) throw new FileError("The page reads arrays of one number type only.");
  const NumberArray = NPY_TYPES[descr[2]];
  if (!NumberArray) throw new FileError(`Pco has no numbers of NumPy's type ${descr[2]}.`);
  const shape = shaped[1].split(",").filter((side) => side.trim()).map(Number);
  const count = shape.reduce((product, side) => product * side, 1);
  const size = NumberArray.BYTES_PER_ELEMENT;
  const data = bytes.subarray(start + length);
  if (!(count * size <= data.length)) throw new FileError("The .npy file ends within its numbers.");
  let numbers = data.slice(0, count * size);
  if (descr[1] === ">" && size > 1) numbers = swapped(numbers, size);
  return {
    numbers: new NumberArray(numbers.buffer), shape,
    type: descr[2] === "f2" ? "f16" : undefined,
  };
}

const DESCRS = {
  u8: "|u1", u16: "<u2", u32: "<u4", u64: "<u8", i8: "|i1", i16: "<i2", i32: "<i4", i64: "<i8",
  f16: "<f2", f32: "<f4", f64: "<f8",
};

/** A .npy file of numbers of a type of Pco. */
export function npyFile(type, shape, numbers) {
  const sides = shape.join(", ") + (shape.length === 1 ? "," : "");
  const text = `{'descr': '${DESCRS[type]}', 'fortran_order': False, 'shape': (${sides}), }`;
  const header = `${text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11)}\n`;
  const head = new Uint8Array([...NPY_MAGIC, 1, 0, header.length & 255, header.length >> 8,
    ...new TextEncoder().encode(header)]);
  return new Blob([head, numbers], {type: "application/octet-stream"});
}
