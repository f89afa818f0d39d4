// SPDX-License-Identifier: Apache-2.0
// Trailers, and their uses: finding damage, and recovering the intact numbers.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "buffers.hpp"
#include "config.hpp"
#include "contexts.hpp"
#include "errors.hpp"
#include "numpact/inspect.hpp"
#include "numpact/trailer.hpp"

namespace numpact::python {
namespace {

nb::tuple place_tuple(const IndexedChunk& chunk) {
  return nb::make_tuple(chunk.offset, chunk.page_offset, chunk.first, chunk.count);
}

// The ends of the range as the bits of numbers, as unsigned integers; 0 where there is none.
nb::tuple summary_tuple(const ChunkSummary& chunk, NumberType type) {
  const bool has_range = chunk.has_range();
  return nb::make_tuple(place_tuple(chunk.place), chunk.bytes, chunk.crc, chunk.nan_count,
                        chunk.restart_points,
                        has_range ? from_ordered_latent(type, chunk.min_latent) : 0,
                        has_range ? from_ordered_latent(type, chunk.max_latent) : 0);
}

// The least and the greatest number of all chunks, as ordered latents, and the count of NaNs; the
// least is greater if there are no numbers.
nb::tuple range_tuple(std::span<const ChunkSummary> chunks) {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t greatest = 0;
  std::uint64_t nan_count = 0;
  for (const ChunkSummary& chunk : chunks) {
    nan_count += chunk.nan_count;
    if (!chunk.has_range()) continue;
    least = std::min(least, chunk.min_latent);
    greatest = std::max(greatest, chunk.max_latent);
  }
  return nb::make_tuple(least, greatest, nan_count);
}

nb::object trailer_dict(const std::optional<Trailer>& trailer) {
  if (!trailer) return nb::none();
  nb::dict out;
  nb::list chunks;
  for (const ChunkSummary& chunk : trailer->chunks()) {
    chunks.append(summary_tuple(chunk, *trailer->type()));
  }
  out["type"] = name_or_none(trailer->type());
  out["count"] = trailer->count();
  out["file_bytes"] = trailer->file_bytes();
  out["bytes"] = trailer->bytes();
  out["header_crc"] = trailer->header_crc();
  out["restart_every"] = restart_distance(trailer->restart_log());
  out["chunks"] = chunks;
  out["range"] = range_tuple(trailer->chunks());
  return out;
}

// With the last bytes of a file, `before` others come before them: what its trailer says, or None;
// and how many more bytes are needed to tell.
std::pair<nb::object, std::uint64_t> read_trailer(nb::handle tail, std::uint64_t before) {
  const Bytes bytes(tail);
  TrailerTail found;
  raise_if_error(Trailer::read_tail(bytes.span(), before).into(found));
  return {trailer_dict(found.trailer), found.missing};
}

DecodeConfig config_of(std::span<const std::byte> file, unsigned threads,
                       std::optional<std::uint64_t> max_output, PythonProgress& progress) {
  DecodeConfig config;
  config.limits = decode_limits(max_output);
  set_threads(config, threads, file.size() >> 12);
  config.progress = progress.function();
  return config;
}

// A trailer, and where in the file it belongs.
std::pair<nb::bytes, std::uint64_t> make_trailer(nb::handle source, unsigned trailer,
                                                 std::optional<std::uint64_t> max_output,
                                                 nb::object callback) {
  const Bytes bytes(source);
  PythonProgress progress(std::move(callback));
  const DecodeConfig config = config_of(bytes.span(), 1, max_output, progress);
  MadeTrailer made;
  run(progress,
      [&] { return Trailer::make(bytes.span(), trailer_spec(trailer), config).into(made); });
  return {nb::bytes(made.bytes.data(), made.bytes.size()), made.file_bytes};
}

nb::dict verification_dict(const Verification& found) {
  nb::dict out;
  nb::list damage;
  for (const DamagedPart& part : found.damage) {
    damage.append(nb::make_tuple(part.chunk, part.first, part.count, part.offset, part.bytes,
                                 error_of(part.status)));
  }
  out["type"] = name_or_none(found.type);
  out["trailer"] = to_string(found.trailer);
  out["trailer_error"] = error_of(found.trailer_status);
  out["header_error"] = error_of(found.header_status);
  out["damage"] = damage;
  out["sound_count"] = found.sound_count;
  out["good_bytes"] = found.good_bytes;
  out["file_bytes"] = found.file_bytes;
  out["trailing_bytes"] = found.trailing_bytes;
  out["is_sound"] = found.is_sound();
  return out;
}

nb::dict verify(nb::handle source, unsigned threads, std::optional<std::uint64_t> max_output,
                nb::object callback) {
  const Bytes bytes(source);
  PythonProgress progress(std::move(callback));
  const DecodeConfig config = config_of(bytes.span(), threads, max_output, progress);
  Verification found;
  run(progress, [&] { return numpact::verify(bytes.span(), config).into(found); });
  return verification_dict(found);
}

struct Range {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// Numbers of sound chunks, those that lie together as one range.
std::vector<Range> sound_ranges(const Verification& found) {
  std::vector<Range> ranges;
  auto damage = found.damage.begin();
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < found.index.chunk_count(); ++i) {
    const IndexedChunk chunk = found.index.chunk(i);
    if (damage != found.damage.end() && damage->chunk == number++) {
      if (!damage->count) break;
      ++damage;
      continue;
    }
    if (!ranges.empty() && ranges.back().first + ranges.back().count == chunk.first) {
      ranges.back().count += chunk.count;
    } else {
      ranges.push_back({chunk.first, chunk.count});
    }
  }
  return ranges;
}

Status read_ranges(std::span<const std::byte> file, const Verification& found,
                   const MutableNumberView& out, const DecodeConfig& config) {
  Result<FileReader> reader = FileReader::create(file, found.index, found.header);
  if (!reader.ok()) return reader.status();
  auto* at = static_cast<std::byte*>(out.data);
  for (const Range& range : sound_ranges(found)) {
    const MutableNumberView part(out.type, at, static_cast<std::size_t>(range.count));
    const Status status = reader->read(range.first, part, config);
    if (!status.ok()) return status;
    at += part.count * size_of(out.type);
  }
  return {};
}

// The numbers of intact chunks, and the damage; no numbers if their type is not known.
nb::tuple salvage(nb::handle source, unsigned threads, std::optional<std::uint64_t> max_output,
                  nb::object callback) {
  const Bytes bytes(source);
  PythonProgress progress(std::move(callback));
  const DecodeConfig config = config_of(bytes.span(), threads, max_output, progress);
  Verification found;
  run(progress, [&] { return numpact::verify(bytes.span(), config).into(found); });
  if (!found.type) return nb::make_tuple(nb::none(), verification_dict(found));
  NewArray out(*found.type, static_cast<std::size_t>(found.sound_count));
  PythonProgress signals;
  const DecodeConfig again = config_of(bytes.span(), threads, std::nullopt, signals);
  run(signals, [&] { return read_ranges(bytes.span(), found, out.view(), again); });
  return nb::make_tuple(out.release(out.view().count), verification_dict(found));
}

}  // namespace

void bind_trailer(nb::module_& m) {
  m.def("read_trailer", &read_trailer, nb::arg("tail"), nb::arg("before") = 0);
  m.def("make_trailer", &make_trailer, nb::arg("source"), nb::arg("trailer"),
        nb::arg("max_output").none() = nb::none(), nb::arg("progress").none() = nb::none());
  m.def("verify", &verify, nb::arg("source"), nb::arg("threads") = 1,
        nb::arg("max_output").none() = nb::none(), nb::arg("progress").none() = nb::none());
  m.def("salvage", &salvage, nb::arg("source"), nb::arg("threads") = 1,
        nb::arg("max_output").none() = nb::none(), nb::arg("progress").none() = nb::none());
}

}  // namespace numpact::python
