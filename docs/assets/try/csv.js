// SPDX-License-Identifier: Apache-2.0
// Reads tables of text in two passes over the file: the first finds the kinds of the columns, the
// second their numbers. Memory holds the numbers, not the text.
import {FileError} from "./formats.js";

const COMMA = 44, TAB = 9, SEMICOLON = 59, QUOTE = 34, NEWLINE = 10, RETURN = 13;
/** Columns of a table at most: more are no table, but a file without the delimiters of one. */
const MAX_COLUMNS = 10_000;
/** Bytes of a cell at most: an open quote would make one of all that follows. */
const MAX_CELL_BYTES = 2 ** 20;
/** Integers of up to this number of digits are exact as a Number. */
const EXACT_DIGITS = 15;
/** Powers of ten that are exact as a Number. */
const POWERS = Array.from({length: 23}, (_, i) => 10 ** i);
const I64 = [-(2n ** 63n), 2n ** 63n - 1n];
const NAMED = /^[+-]?(nan|inf|infinity)$/i;
const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

function delimiterOf(start) {
  const line = start.subarray(0, start.indexOf(NEWLINE) < 0 ? start.length
    : start.indexOf(NEWLINE));
  const counts = [COMMA, TAB, SEMICOLON].map((byte) =>
    line.reduce((count, other) => count + (other === byte ? 1 : 0), 0));
  return [COMMA, TAB, SEMICOLON][counts.indexOf(Math.max(...counts))];
}

/** Splits bytes into cells: calls cell(column, bytes, begin, end) and row(columns). */
class Splitter {
  constructor(delimiter, cell, row) {
    this.delimiter = delimiter;
    this.cell = cell;
    this.row = row;
    this.rest = new Uint8Array(0);
    this.column = 0;
  }

  push(block, isLast) {
    let bytes = block;
    if (this.rest.length > 0) {
      bytes = new Uint8Array(this.rest.length + block.length);
      bytes.set(this.rest);
      bytes.set(block, this.rest.length);
    }
    const done = this.#split(bytes, isLast);
    this.rest = bytes.slice(done);
    if (isLast && this.column > 0) this.#emit(bytes, done, done, true); // behind a last delimiter
    if (this.rest.length > MAX_CELL_BYTES) throw new FileError("A cell of the table is too long.");
  }

  /** The bytes up to the last cell that is whole. */
  #split(bytes, isLast) {
    const {delimiter} = this;
    const length = bytes.length;
    let begin = 0;
    while (begin < length) {
      let end = begin;
      if (bytes[begin] === QUOTE) {
        end = this.#quoteEnd(bytes, begin);
        if (end < 0 || (end === length && !isLast)) {
          if (isLast) throw new FileError("A quoted cell of the table does not end.");
          return begin;
        }
      }
      while (end < length && bytes[end] !== delimiter && bytes[end] !== NEWLINE) ++end;
      if (end === length && !isLast) return begin;
      this.#emit(bytes, begin, end, end === length || bytes[end] === NEWLINE);
      begin = end + 1;
    }
    return length;
  }

  /** Behind the closing quote; -1: it is not here. */
  #quoteEnd(bytes, begin) {
    let at = begin + 1;
    while (true) {
      at = bytes.indexOf(QUOTE, at);
      if (at < 0) return -1;
      if (bytes[at + 1] !== QUOTE) return at + 1;
      at += 2;
    }
  }

  #emit(bytes, begin, end, isRowEnd) {
    let from = begin;
    let to = end;
    if (isRowEnd && to > from && bytes[to - 1] === RETURN) --to;
    const isBlankLine = isRowEnd && this.column === 0 && to === from;
    if (to - from > 1 && bytes[from] === QUOTE && bytes[to - 1] === QUOTE) {
      ++from;
      --to;
    }
    if (!isBlankLine) {
      if (this.column >= MAX_COLUMNS) throw new FileError("The table has too many columns.");
      this.cell(this.column++, bytes, from, to);
    }
    if (isRowEnd) {
      if (!isBlankLine) this.row(this.column);
      this.column = 0;
    }
  }
}

/** A number of digits with at most one point, as [mantissa, decimals], or null: read it slowly. */
const simple = {mantissa: 0, decimals: 0, isNegative: false, isSimple: false, isInteger: false};

function scan(bytes, begin, end) {
  let at = begin;
  simple.isNegative = bytes[at] === 45;
  if (simple.isNegative || bytes[at] === 43) ++at;
  let mantissa = 0;
  let digits = 0;
  let point = -1;
  for (; at < end; ++at) {
    const byte = bytes[at];
    if (byte >= 48 && byte <= 57) {
      mantissa = 10 * mantissa + byte - 48;
      if (mantissa > 0) ++digits;
    } else if (byte === 46 && point < 0) {
      point = at;
    } else {
      break;
    }
  }
  const hasDigits = at - begin > (point >= 0 ? 1 : 0) + (bytes[begin] === 45 ||
    bytes[begin] === 43 ? 1 : 0);
  simple.mantissa = mantissa;
  simple.decimals = point < 0 ? 0 : end - point - 1;
  simple.isSimple = at === end && hasDigits && digits <= EXACT_DIGITS && simple.decimals < 23;
  simple.isInteger = point < 0;
  return simple;
}

const decoder = new TextDecoder();

function textOf(bytes, begin, end) {
  return decoder.decode(bytes.subarray(begin, end)).replaceAll('""', '"').trim();
}

/** What a column is found to hold: integers, floats or text. */
class Column {
  constructor() {
    this.name = undefined;
    this.filled = 0;
    this.empty = 0;
    this.kind = "integer";
  }

  see(bytes, begin, end) {
    if (begin === end) {
      ++this.empty;
      return;
    }
    ++this.filled;
    if (this.kind === "text") return;
    const found = scan(bytes, begin, end);
    if (found.isSimple) {
      if (!found.isInteger || (found.isNegative && found.mantissa === 0)) this.kind = "float";
      return;
    }
    const text = textOf(bytes, begin, end);
    if (/^[+-]?\d+$/.test(text)) {
      const value = BigInt(text.replace("+", ""));
      if (value < I64[0] || value > I64[1]) this.kind = "float";
    } else {
      this.kind = FLOAT.test(text) || NAMED.test(text) ? "float" : "text";
    }
  }

  allocate() {
    this.at = 0;
    if (this.kind === "integer") {
      this.numbers = new BigInt64Array(this.filled);
      this.words = new Uint32Array(this.numbers.buffer);
    } else if (this.kind === "float") {
      this.numbers = new Float64Array(this.filled);
    }
  }

  store(bytes, begin, end) {
    if (begin === end || this.kind === "text") return;
    const found = scan(bytes, begin, end);
    const index = this.at++;
    if (!found.isSimple) {
      const text = textOf(bytes, begin, end);
      this.numbers[index] = this.kind === "integer" ? BigInt(text.replace("+", ""))
        : NAMED.test(text) ? namedFloat(text) : Number(text);
      return;
    }
    const value = found.isNegative ? -found.mantissa : found.mantissa;
    if (this.kind === "float") {
      // Both are exact, so their quotient is the nearest number.
      this.numbers[index] = value / POWERS[found.decimals];
    } else {
      this.words[2 * index] = value;
      this.words[2 * index + 1] = Math.floor(value / 2 ** 32);
    }
  }
}

function namedFloat(text) {
  const magnitude = /nan/i.test(text) ? NaN : Infinity;
  return text[0] === "-" ? -magnitude : magnitude;
}

/** Whether the first row has names: some cell is not empty, and none is a number. */
function areNames(cells) {
  return cells.some((cell) => cell !== "") &&
    !cells.some((cell) => FLOAT.test(cell) || NAMED.test(cell));
}

async function readThrough(file, splitter, progress) {
  const reader = file.stream().getReader();
  let done = 0;
  while (true) {
    const {value, done: isEnd} = await reader.read();
    if (isEnd) break;
    splitter.push(value, false);
    done += value.length;
    progress(done);
  }
  splitter.push(new Uint8Array(0), true);
}

/**
 * The columns of a table: {name, kind, numbers, empty}; text has no numbers.
 * @param {Blob} file
 * @param {(share: number) => void} progress from 0 to 1
 */
export async function readCsv(file, progress) {
  const start = new Uint8Array(await file.slice(0, 65536).arrayBuffer());
  const delimiter = delimiterOf(start);
  const columns = [];
  let first = [];
  let rows = 0;
  const see = (column, bytes, begin, end) => {
    if (rows === 0) first.push(textOf(bytes, begin, end));
    else if (column < columns.length) columns[column].see(bytes, begin, end);
    else throw new FileError(`Row ${rows + 1} has more cells than the first.`);
  };
  let hasNames = true;
  const firstRow = () => {
    columns.push(...first.map(() => new Column()));
    hasNames = areNames(first);
    columns.forEach((column, index) => {
      column.name = hasNames ? first[index] : `column ${index}`;
      if (hasNames) return;
      const bytes = new TextEncoder().encode(first[index]);
      column.see(bytes, 0, bytes.length);
    });
    first = [];
  };
  const count = () => {
    if (rows++ === 0) firstRow();
  };
  await readThrough(file, new Splitter(delimiter, see, count), (done) =>
    progress(done / file.size / 2));
  if (columns.length === 0) throw new FileError("The file has no rows.");
  columns.forEach((column) => column.allocate());
  let row = 0;
  const store = (column, bytes, begin, end) => {
    if (row > 0 || !hasNames) columns[column].store(bytes, begin, end);
  };
  await readThrough(file, new Splitter(delimiter, store, () => ++row), (done) =>
    progress(0.5 + done / file.size / 2));
  return {columns, rows: hasNames ? rows - 1 : rows};
}
