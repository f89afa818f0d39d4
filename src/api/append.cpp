// SPDX-License-Identifier: Apache-2.0
// Appending to a standalone file on disk: walk it, copy it beside, write on from its terminator,
// rename. A trailer for all of it is made at the end, from all of its bytes.
#include <algorithm>
#include <utility>
#include <vector>

#include "api/paging.hpp"
#include "api/replacement.hpp"
#include "api/trailer_use.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "numpact/inspect.hpp"
#include "numpact/stream.hpp"
#include "pco/choose/choice.hpp"

namespace numpact {
namespace {

Status read_file(const std::string& path, std::vector<std::byte>& bytes) {
  FileSource source(path);
  std::size_t size = 0;
  while (true) {
    if (bytes.size() - size < 4096) bytes.resize(std::max<std::size_t>(2 * bytes.size(), 1 << 16));
    std::size_t got = 0;
    NUMPACT_TRY(source.read({bytes.data() + size, bytes.size() - size}, got));
    if (got == 0) break;
    size += got;
  }
  bytes.resize(size);
  return {};
}

Status check_appendable(const FileInfo& info, NumberType type) {
  if (info.header.number_type && *info.header.number_type != type) {
    return Status(ErrorKind::kTypeMismatch, "the file holds numbers of another type");
  }
  if (info.header.format_major < 4) {
    return Status(ErrorKind::kUnsupportedVersion,
                  "files of a format version before 4 cannot be appended to");
  }
  return {};
}

// The version that a file has holds for what is appended.
Status take_version(const FileInfo& info, NumberType type, EncodeConfig& config) {
  const Compatibility version =
      info.header.format_minor == 0 ? Compatibility::kV4_0 : Compatibility::kV4_1;
  if (config.compatibility < version) {
    return Status(ErrorKind::kInvalidArgument, "the file's format version is newer than asked for");
  }
  config.compatibility = version;
  return check_specs(type, config);
}

// What a trailer knows is lost with it: that chunks are damaged must not be.
Status check_by_trailer(std::span<const std::byte> file, const FileInfo& info) {
  TrailerCheck check;
  NUMPACT_TRY(check.start(file, TrailerPolicy::kUse));
  std::uint64_t sound_n = 0;
  NUMPACT_TRY(check.after_chunks(0, info.chunks.size(), info.file_bytes - 1, sound_n));
  return check.at_end(info.chunks.size(), info.file_bytes);
}

Status write_with_trailer(std::span<const std::byte> file, const TrailerSpec& spec,
                          ByteSink& sink) {
  std::vector<std::byte> trailer;
  std::uint64_t file_bytes = 0;
  NUMPACT_TRY(Trailer::try_make(file, spec, trailer, file_bytes));
  NUMPACT_TRY(sink.write(file));
  return sink.write(trailer);
}

}  // namespace

Status try_append_to_file(const std::string& path, const NumberView& numbers,
                          const EncodeConfig& config) noexcept {
  return guarded([&]() -> Status {
    NUMPACT_TRY(check_specs(numbers.type, config));
    NUMPACT_TRY(check_chunk_sizes(config.paging));
    std::vector<std::byte> bytes;
    NUMPACT_TRY(read_file(path, bytes));
    FileInfo info;
    NUMPACT_TRY(try_inspect(bytes, info));
    NUMPACT_TRY(check_appendable(info, numbers.type));
    NUMPACT_TRY(check_by_trailer(bytes, info));
    EncodeConfig fitting = config;
    NUMPACT_TRY(take_version(info, numbers.type, fitting));
    Replacement file;
    NUMPACT_TRY(file.open(path));
    bytes.resize(static_cast<std::size_t>(info.file_bytes) - 1);
    const bool has_trailer = fitting.trailer.is_wanted();
    if (!has_trailer) NUMPACT_TRY(file.write(bytes));
    VectorSink longer(bytes);
    ByteSink& sink = has_trailer ? static_cast<ByteSink&>(longer) : file;
    StreamWriter writer(sink, numbers.type, fitting, numbers.count);
    writer.continue_file();
    NUMPACT_TRY(writer.try_write(numbers));
    NUMPACT_TRY(writer.try_finish());
    if (has_trailer) NUMPACT_TRY(write_with_trailer(bytes, fitting.trailer, file));
    return file.replace();
  });
}

}  // namespace numpact
