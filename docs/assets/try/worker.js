// SPDX-License-Identifier: Apache-2.0
// Compresses and opens files away from the page, which stays responsive. Messages to the page:
// {progress}, {column}, {opened}, {done}, {problem}.
import {readCsv} from "./csv.js";
import {FileError, kindOf, readNpy} from "./formats.js";

/** Rows of numbers that are shown. */
const PREVIEW = 20;
/** Bytes of numbers of an opened file at most; the page says so of larger ones. */
const MAX_OPENED_BYTES = 2 ** 30;

let numpact;
let library;

/** Loads the module; a page of documents that was made without it has none. */
async function load() {
  try {
    library = await import("../numpact/index.js");
  } catch {
    throw new FileError("This site was made without the WebAssembly module: ./dev wasm builds " +
      "it, and ./dev docs then adds it.");
  }
  numpact = await library.Numpact.load({maxOutputBytes: MAX_OPENED_BYTES});
  return {version: numpact.version, target: numpact.target};
}

const loaded = load();

async function gzippedSize(bytes) {
  if (!globalThis.CompressionStream) return undefined;
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  const reader = stream.getReader();
  let size = 0;
  while (true) {
    const {value, done} = await reader.read();
    if (done) return size;
    size += value.length;
  }
}

/** Bits of a chunk by purpose, computed from the bins. */
function described(info) {
  return {
    type: info.type, count: info.count, size: info.size, formatVersion: info.formatVersion,
    chunkCount: info.chunkCount, hasTrailer: info.trailer !== undefined,
    chunks: info.chunks.map(({offset, size, metaSize, first, count, description}) =>
      ({offset, size, metaSize, first, count, description})),
    picture: info.chunks[0],
  };
}

function previewOf(numbers) {
  return Array.from(numbers.subarray(0, PREVIEW), String);
}

async function compressColumn({name, numbers, type, level, notes = []}) {
  const start = performance.now();
  const file = numpact.encode(numbers, {level, type, trailer: "index"});
  const milliseconds = performance.now() - start;
  const info = described(numpact.inspect(file));
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  const gzip = await gzippedSize(bytes);
  postMessage({column: {
    name, notes, type: info.type, count: info.count, bytes: bytes.length, packed: file.length,
    gzip, milliseconds, info, preview: previewOf(numbers), file,
  }}, [file.buffer]);
}

async function openCsv(file, level) {
  const {columns, rows} = await readCsv(file, (share) => postMessage({progress: share / 2}));
  let done = 0;
  for (const column of columns) {
    const {name, kind, empty} = column;
    const notes = empty > 0 ? [`${empty} empty cells are left out`] : [];
    if (kind === "text" || column.numbers.length === 0) {
      postMessage({column: {name, type: "text", notes: ["text is not compressed here"]}});
    } else {
      await compressColumn({name, numbers: column.numbers, level, notes});
    }
    column.numbers = column.words = undefined;
    postMessage({progress: 0.5 + ++done / columns.length / 2});
  }
  postMessage({opened: `a table of ${columns.length} columns and ${rows} rows`});
}

function openPco(bytes) {
  const info = described(numpact.inspect(bytes));
  const check = numpact.verify(bytes);
  const numbers = info.type ? numpact.decode(bytes, {float16: "bits"}) : new Uint8Array(0);
  const shown = info.type === "f16"
    ? numpact.decodeRange(bytes, 0, Math.min(PREVIEW, numbers.length), {float16: "float32"})
    : numbers;
  postMessage({column: {
    name: "numbers", type: info.type ?? "no type", count: info.count, bytes: numbers.byteLength,
    packed: bytes.length, info, preview: previewOf(shown), numbers, shape: [info.count],
    notes: check.isSound ? [] : ["bytes behind the file are unknown or damaged"],
  }}, [numbers.buffer]);
  postMessage({opened: "a Pco file"});
}

function openCvc(bytes) {
  const cvc = new library.CvcFile(numpact, bytes);
  cvc.columns.forEach(({name, compression, dimension, dtype}, index) => {
    const size = cvc.rows * dimension * 4;
    if (size > MAX_OPENED_BYTES) throw new FileError("The file holds more than 1 GiB of numbers.");
    const numbers = cvc.read(0, cvc.rows, {column: index});
    postMessage({column: {
      name: name || "vectors", type: dtype, count: numbers.length, bytes: size,
      preview: previewOf(numbers), numbers, shape: [cvc.rows, dimension],
      notes: [`${cvc.rows} rows of ${dimension} values, stored as ${compression}`],
    }}, [numbers.buffer]);
  });
  postMessage({opened: "a CVC file"});
}

async function open({file, level}) {
  await loaded;
  const kind = kindOf(new Uint8Array(await file.slice(0, 4096).arrayBuffer()), file.name);
  if (kind === "csv") return openCsv(file, level);
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (kind === "pco") return openPco(bytes);
  if (kind === "cvc") return openCvc(bytes);
  const {numbers, shape, type} = readNpy(bytes);
  await compressColumn({name: file.name, numbers, type, level});
  return postMessage({opened: `an array of ${shape.join(" x ") || "one number"}`});
}

function problemOf(error) {
  if (error instanceof FileError) return error.message;
  if (library && error instanceof library.NumpactError) {
    return error.kind === "out_of_memory" ? "The browser has not enough memory for this file."
      : `The file was refused. ${error.message}`;
  }
  if (error instanceof RangeError) return "The browser has not enough memory for this file.";
  return `The page failed: ${error}`;
}

onmessage = async ({data}) => {
  try {
    await open(data);
    postMessage({done: true});
  } catch (error) {
    postMessage({problem: problemOf(error), done: true});
  }
};

loaded.then((ready) => postMessage({ready}), (error) =>
  postMessage({problem: problemOf(error), done: true}));
