// SPDX-License-Identifier: Apache-2.0
// The chunks of a file: positions, modes, bins, and the records of a trailer.
import {numberOfBits, typeOfCode} from "./types.js";

const MODES = ["classic", "int-mult", "float-mult", "float-quant", "dict"];
const DELTAS = ["none", "consecutive", "lookback", "conv1"];
const VARIABLES = ["delta", "primary", "secondary"];
/** Bytes of a chunk before its metadata: the type, and the count in 24 bits. */
const CHUNK_HEAD_BYTES = 4;
/** Enough for the description of any chunk (numpact.h). */
const DESCRIPTION_BYTES = 512;

/** Reads numpact_chunk_summary. */
function summaryAt(instance, place, type) {
  const view = instance.view();
  const bits = (at) => numberOfBits(type, view.getBigUint64(place + at, true));
  const hasRange = view.getInt32(place + 60, true) === 1;
  return {
    offset: instance.u64(place + 8),
    size: instance.u64(place + 16),
    first: instance.u64(place + 24),
    count: instance.u64(place + 32),
    nanCount: instance.u64(place + 40),
    restartPoints: instance.u64(place + 48),
    crc: view.getUint32(place + 56, true),
    min: hasRange ? bits(64) : undefined,
    max: hasRange ? bits(72) : undefined,
  };
}

/** The content of a numpact_trailer. */
export function trailerContent(instance, scope, trailer) {
  const type = typeOfCode(instance.get("numpact_trailer_type", trailer) & 255);
  const chunks = [];
  const place = scope.struct(80);
  const count = instance.get("numpact_trailer_chunk_count", trailer) >>> 0;
  for (let i = 0; i < count; ++i) {
    instance.call("numpact_trailer_chunk", trailer, i, place);
    chunks.push(summaryAt(instance, place, type));
  }
  return {
    type: type?.name,
    count: instance.count("numpact_trailer_count", trailer),
    fileSize: instance.count("numpact_trailer_file_size", trailer),
    chunks,
  };
}

/** The trailer of a file in memory; undefined: it has none. */
export function trailerOf(instance, scope, file, size) {
  const place = scope.allocate(4);
  instance.call("numpact_trailer_read", file, size, place);
  const trailer = instance.u32(place);
  if (trailer === 0) return undefined;
  scope.owned(() => instance.get("numpact_trailer_destroy", trailer));
  return trailerContent(instance, scope, trailer);
}

function binsOf(instance, scope, decoder, variable, count) {
  const place = scope.allocate(16 * count);
  const found = scope.allocate(4);
  instance.call("numpact_chunk_decoder_bins", decoder, variable, place, count, found);
  const view = instance.view();
  return Array.from({length: count}, (_, i) => ({
    lower: view.getBigUint64(place + 16 * i, true),
    weight: view.getUint32(place + 16 * i + 8, true),
    offsetBits: view.getUint32(place + 16 * i + 12, true),
  }));
}

function encodingAt({instance, context, file, info, withBins}, type, offset, pageOffset) {
  return instance.scoped((scope) => {
    const place = scope.allocate(4);
    const start = offset + CHUNK_HEAD_BYTES;
    instance.call("numpact_chunk_decoder_create", context, file + start, pageOffset - start,
      type.code, info.formatMajor, info.formatMinor, place);
    const decoder = instance.u32(place);
    scope.owned(() => instance.get("numpact_chunk_decoder_destroy", decoder));
    const text = scope.allocate(DESCRIPTION_BYTES);
    instance.call("numpact_chunk_decoder_describe", decoder, text, DESCRIPTION_BYTES, place);
    const found = scope.struct(88);
    instance.call("numpact_chunk_decoder_info", decoder, found);
    const variables = [];
    VARIABLES.forEach((name, index) => {
      const binCount = instance.u64(found + 48 + 8 * index);
      if (binCount === 0) return;
      const variable = {name, binCount, tableLog: instance.u32(found + 72 + 4 * index)};
      if (withBins) variable.bins = binsOf(instance, scope, decoder, index, binCount);
      variables.push(variable);
    });
    return {
      mode: MODES[instance.view().getInt32(found + 8, true)],
      delta: DELTAS[instance.view().getInt32(found + 12, true)],
      description: instance.text(text),
      variables,
    };
  });
}

/** The result of Numpact.inspect(). */
export function inspected(file) {
  const {instance, scope, size, info, reader, trailer, maxChunks} = file;
  const chunkCount = instance.get("numpact_reader_chunk_count", reader) >>> 0;
  const place = scope.struct(40);
  const placeOf = (index) => {
    instance.call("numpact_reader_chunk", reader, index, place);
    return {
      offset: instance.u64(place + 8), pageOffset: instance.u64(place + 16),
      first: instance.u64(place + 24), count: instance.u64(place + 32),
    };
  };
  const end = trailer ? trailer.fileSize - 1 : size - 1;
  const chunks = [];
  for (let i = 0; i < Math.min(chunkCount, maxChunks); ++i) {
    const chunk = placeOf(i);
    const next = i + 1 < chunkCount ? placeOf(i + 1).offset : end;
    chunks.push({
      offset: chunk.offset, size: next - chunk.offset,
      metaSize: chunk.pageOffset - chunk.offset - CHUNK_HEAD_BYTES,
      first: chunk.first, count: chunk.count,
      ...encodingAt(file, info.type, chunk.offset, chunk.pageOffset),
    });
  }
  return {
    type: info.type?.name,
    count: instance.count("numpact_reader_count", reader),
    size,
    standaloneVersion: info.standaloneVersion,
    formatVersion: `${info.formatMajor}.${info.formatMinor}`,
    headerSize: info.headerSize,
    chunkCount,
    chunks,
    trailer,
  };
}
