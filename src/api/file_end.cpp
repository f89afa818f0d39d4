// SPDX-License-Identifier: Apache-2.0
#include "api/file_end.hpp"

#include <algorithm>

#include "api/context.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "pco/standalone/file_walker.hpp"

namespace numpact {
namespace {

Status damaged_trailer(ErrorKind kind, std::uint64_t offset) {
  return Status(kind,
                "the trailer is damaged, and so the numbers before it may be: read what is left "
                "by salvage, or take the trailer away before anything is written behind them",
                offset);
}

// Finds the end of a file whose trailer cannot be used: codes are read, and no numbers computed.
Status walk_to_end(std::span<const std::byte> file, std::uint64_t& file_bytes) {
  ScratchArena arena(static_cast<DecodeContext*>(nullptr));
  standalone::FileWalker walker(file, *arena);
  NUMPACT_TRY(walker.read_header());
  while (true) {
    bool is_end = false;
    NUMPACT_TRY(walker.enter_chunk(is_end));
    if (is_end) break;
    std::array<PageVariableSizes, kVariables> sizes{};
    NUMPACT_TRY(walker.skip(sizes));
    NUMPACT_TRY(walker.leave_chunk());
  }
  file_bytes = walker.offset();
  return {};
}

}  // namespace

std::string_view FileEnd::warning() const noexcept {
  if (trailer == TrailerState::kDamaged) {
    return is_unfinished ? "its trailer is unfinished: checksums were not compared"
                         : "its trailer is damaged: checksums were not compared";
  }
  return foreign_at ? "bytes follow that are not a trailer, and were not read" : "";
}

FileEnd end_of_file(std::span<const std::byte> rest, std::uint64_t file_bytes,
                    trailer::View* view) {
  FileEnd end;
  end.file_bytes = file_bytes;
  if (rest.empty()) return end;
  trailer::View found;
  if (trailer::parse_front_of({rest, file_bytes}, found).ok()) {
    if (view != nullptr) *view = found;
    const bool is_all = found.bytes == rest.size();
    end.trailer = is_all ? TrailerState::kSound : TrailerState::kUnrecognised;
    if (!is_all) end.foreign_at = file_bytes + found.bytes;
    return end;
  }
  end.is_unfinished = trailer::begins_unfinished(rest);
  if (end.is_unfinished || trailer::begins_with_trailer(rest) ||
      trailer::ends_with_trailer_at({rest, file_bytes}, file_bytes)) {
    end.trailer = TrailerState::kDamaged;
  } else {
    end.trailer = TrailerState::kUnrecognised;
    end.foreign_at = file_bytes;
  }
  return end;
}

void note_end(const DecodeConfig& config, std::span<const std::byte> file,
              std::uint64_t file_bytes) {
  if (config.file_end == nullptr) return;
  const bool is_ignored = config.trailer == TrailerPolicy::kIgnore;
  const std::span<const std::byte> rest = file.subspan(to_size(file_bytes));
  *config.file_end = end_of_file(is_ignored ? rest.first(0) : rest, file_bytes);
}

Status check_end(const FileEnd& end) {
  if (end.foreign_at) {
    return Status(ErrorKind::kCorrupt,
                  "other bytes follow the file here, which would be lost: move them elsewhere, or "
                  "drop them by 'numpact index --force FILE'",
                  *end.foreign_at);
  }
  if (end.trailer != TrailerState::kDamaged || end.is_unfinished) return {};
  return damaged_trailer(ErrorKind::kCorrupt, end.file_bytes);
}

Status find_own_trailer(std::span<const std::byte> file, std::optional<trailer::View>& view) {
  view.reset();
  if (!trailer::ends_with_trailer(file)) return {};
  const Status status = trailer::parse({file}, view.emplace());
  if (status.ok()) return {};
  view.reset();
  if (status.kind() == ErrorKind::kUnsupportedVersion) return status;
  // It may be the trailer of another file, which was joined to this one.
  std::uint64_t file_bytes = 0;
  if (walk_to_end(file, file_bytes).ok()) {
    const FileEnd end = end_of_file(file.subspan(to_size(file_bytes)), file_bytes);
    if (end.foreign_at || end.is_unfinished) return check_end(end);
  }
  return damaged_trailer(status.kind(), status.offset());
}

}  // namespace numpact
