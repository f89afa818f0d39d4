// SPDX-License-Identifier: Apache-2.0
#include "api/trailer_use.hpp"

#include "base/crc.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "numpact/pco.hpp"
#include "pco/standalone/chunk_scanner.hpp"
#include "pco/wire.hpp"

namespace numpact {
namespace {

Status contradicts(std::uint64_t offset) {
  return Status(ErrorKind::kCorrupt, "the trailer contradicts the file", offset);
}

Status contradicts(std::uint64_t chunk, std::uint64_t offset) {
  return contradicts(offset).at_chunk(chunk);
}

Status none() { return Status(ErrorKind::kCorrupt, "the file has no trailer"); }

}  // namespace

Status find_trailer(std::span<const std::byte> file, TrailerPolicy policy,
                    std::optional<trailer::View>& view) {
  view.reset();
  if (policy == TrailerPolicy::kIgnore) return {};
  if (!trailer::ends_with_trailer(file)) {
    return policy == TrailerPolicy::kRequire ? none() : Status();
  }
  const Status status = trailer::parse({file}, view.emplace());
  if (!status.ok()) view.reset();
  return policy == TrailerPolicy::kUse ? Status() : status;
}

bool agree(const trailer::Front& front, const FileHeader& header) {
  return header.size_bytes == front.header_bytes && header.format_major == front.format.major &&
         header.format_minor == front.format.minor &&
         (!header.uniform_type || header.uniform_type == front.type);
}

Status verify_if_asked(std::span<const std::byte> file, const DecodeConfig& config,
                       DecodeContext* context) {
  if (config.trailer != TrailerPolicy::kVerify) return {};
  Verification found;
  NUMPACT_TRY(verify(file, config, context).into(found));
  return first_error(found);
}

Status first_error(const Verification& found) {
  NUMPACT_TRY(found.header_status);
  if (!found.damage.empty()) return found.damage.front().status;
  return found.trailer_status;
}

Status TrailerCheck::start(std::span<const std::byte> file, TrailerPolicy policy) {
  file_ = file;
  NUMPACT_TRY(find_trailer(file, policy, view_));
  if (!view_) return {};
  if (crc32(file.first(view_->front.header_bytes)) != view_->front.header_crc) {
    return Status(ErrorKind::kChecksum, "the header has another checksum than the trailer says", 0);
  }
  FileHeader header;
  NUMPACT_TRY(read_header(file).into(header));
  return agree(view_->front, header) ? Status() : contradicts(0);
}

bool TrailerCheck::fits_head(const trailer::ChunkRecord& record) const {
  const auto rest = file_.subspan(static_cast<std::size_t>(record.offset));
  return standalone::begin_with_head(rest, *view_->front.type, record.n);
}

// Distinguishes damage, which the checksum finds, from a trailer of another file.
Status TrailerCheck::check_chunk(std::uint64_t chunk) const {
  const trailer::ChunkRecord record = view_->record(chunk);
  const std::uint64_t end = view_->end_of(chunk);
  const auto bytes = file_.subspan(static_cast<std::size_t>(record.offset),
                                   static_cast<std::size_t>(end - record.offset));
  if (crc32(bytes) != record.crc) {
    return Status(ErrorKind::kChecksum, "a chunk has another checksum than the trailer says",
                  record.offset)
        .at_chunk(chunk);
  }
  return fits_head(record) ? Status() : contradicts(chunk, record.offset);
}

Status TrailerCheck::before_chunk(std::uint64_t chunk, std::uint64_t offset,
                                  std::uint64_t max_n) const {
  if (!view_) return {};
  if (chunk >= view_->front.chunk_n) {
    const bool is_end = offset < file_.size() &&
                        file_[static_cast<std::size_t>(offset)] == std::byte{wire::kTerminator};
    return is_end ? Status() : contradicts(offset);
  }
  const trailer::ChunkRecord record = view_->record(chunk);
  if (record.offset != offset) return contradicts(chunk, offset);
  if (record.n > max_n && fits_head(record)) return {};
  return check_chunk(chunk);
}

Status TrailerCheck::after_chunks(std::uint64_t first, std::uint64_t end, std::uint64_t offset,
                                  std::uint64_t n, std::uint64_t& valid_n) const {
  valid_n = 0;
  if (!view_) return {};
  if (end > view_->front.chunk_n) return contradicts(first, offset);
  for (std::uint64_t i = first; i < end; ++i) {
    NUMPACT_TRY(check_chunk(i));
    valid_n += view_->record(i).n;
  }
  const bool agrees = valid_n == n && (end == 0 || view_->end_of(end - 1) == offset);
  if (agrees) return {};
  valid_n = 0;
  return contradicts(end - 1, offset);
}

Status TrailerCheck::at_end(std::uint64_t chunks, std::uint64_t offset,
                            std::uint64_t numbers) const {
  if (!view_) return {};
  const trailer::Front& front = view_->front;
  const bool agrees =
      chunks == front.chunk_n && numbers == front.number_n && offset == view_->file_bytes;
  return agrees ? Status() : contradicts(offset);
}

}  // namespace numpact
