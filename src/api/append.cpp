// SPDX-License-Identifier: Apache-2.0
// Appends to a standalone file on disk: locks it, copies it to a file next to it, continues at its
// terminator, renames. At the end a trailer is made of the chunks that were copied and written.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "api/decode_checks.hpp"
#include "api/file_end.hpp"
#include "api/replacement.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "bits/bit_reader.hpp"
#include "bits/bit_writer.hpp"
#include "numpact/file_access.hpp"
#include "numpact/stream.hpp"
#include "numpact/trailer.hpp"
#include "pco/standalone/frame.hpp"

namespace numpact {
namespace {

// The requested trailer, else the kind that the file has. A damaged trailer is refused in any case.
Status choose_trailer(const std::string& path, TrailerSpec& spec) {
  MappedFile file;
  NUMPACT_TRY(MappedFile::open(path).into(file));
  std::optional<trailer::View> old;
  NUMPACT_TRY(find_own_trailer(file.bytes(), old));
  if (!old || spec.is_requested() || spec.is_excluded()) return {};
  const std::optional<unsigned> log = old->front.restart_log;
  spec = log ? TrailerSpec::restarts(*log) : TrailerSpec::index();
  return {};
}

// If the header states the count of the old file, rewrites it with the new count, since readers may
// plan by it.
Status renew_count(std::uint64_t numbers, Replacement& file) {
  const auto text_of = [](const standalone::Header& header) {
    std::vector<std::byte> text(standalone::kMaxHeaderBytes);
    BitWriter writer(text);
    standalone::write_header(writer, header);
    text.resize(writer.size());
    return text;
  };
  std::vector<std::byte> bytes;
  std::uint64_t old_bytes = 0;
  std::uint64_t file_bytes = 0;
  {
    MappedFile written;
    NUMPACT_TRY(MappedFile::open(file.temporary_path()).into(written));
    file_bytes = written.bytes().size();
    BitReader reader(written.bytes());
    standalone::Header header;
    NUMPACT_TRY(standalone::parse_header(reader, header));
    if (header.n_hint == 0 || header.n_hint == numbers) return {};
    old_bytes = reader.byte_position();
    // A header from another writer, whose layout is unknown here, stays unchanged.
    if (!std::ranges::equal(text_of(header), written.bytes().first(to_size(old_bytes)))) return {};
    header.n_hint = numbers;
    bytes = text_of(header);
  }
  if (bytes.size() != old_bytes) {
    NUMPACT_TRY(file.move(old_bytes, bytes.size(), file_bytes - old_bytes));
    NUMPACT_TRY(file.resize(file_bytes - old_bytes + bytes.size()));
  }
  return file.write_at(0, bytes);
}

Status write_trailer(const TrailerSpec& spec, Replacement& file) {
  MappedFile written;
  NUMPACT_TRY(MappedFile::open(file.temporary_path()).into(written));
  DecodeConfig config;
  config.progress = written.releasing();
  MadeTrailer trailer;
  NUMPACT_TRY(Trailer::make(written.bytes(), spec, config).into(trailer));
  return file.write(trailer.bytes);
}

}  // namespace

Status append_to_file(const std::string& path, const NumberView& numbers,
                      const EncodeConfig& config, const LockConfig& lock) noexcept {
  return guarded([&]() -> Status {
    NUMPACT_TRY(check_view(numbers));
    Replacement file;
    NUMPACT_TRY(file.open_locked(path, lock));
    Result<FileSource> old = FileSource::open(file.path());
    NUMPACT_TRY(old.status());
    TrailerSpec spec = config.trailer;
    NUMPACT_TRY(choose_trailer(file.path(), spec));
    EncodeConfig plain = config;
    plain.trailer = TrailerSpec::none();
    StreamWriter writer(file, numbers.type, std::move(plain), numbers.count);
    NUMPACT_TRY(writer.copy_file(*old));
    NUMPACT_TRY(writer.write(numbers));
    NUMPACT_TRY(writer.finish());
    NUMPACT_TRY(renew_count(writer.numbers_written(), file));
    if (spec.is_requested()) NUMPACT_TRY(write_trailer(spec, file));
    return file.replace();
  });
}

}  // namespace numpact
