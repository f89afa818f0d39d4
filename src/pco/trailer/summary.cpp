// SPDX-License-Identifier: Apache-2.0
#include "pco/trailer/summary.hpp"

#include <algorithm>

#include "base/append.hpp"
#include "base/crc.hpp"
#include "base/try.hpp"
#include "pco/trailer/number_range.hpp"

namespace numpact::internal::trailer {
namespace {

// Writes the restart points of one chunk while it is decoded.
class PointsWriter {
 public:
  PointsWriter(const standalone::FileWalker& walker, std::optional<unsigned> log,
               std::vector<std::byte>& out)
      : walker_(walker), out_(out) {
    out.clear();
    if (!log || point_count(walker.head().n, *log) == 0) return;
    has_points_ = walker.page().has_state();
    distance_ = std::size_t{1} << *log;
    state_bytes_ = walker.page().state_bytes();
    append_le(out, has_points_ ? static_cast<std::uint16_t>(state_bytes_) : kNoPoints);
  }

  // The number, of at most max_n, to decode at `done`, until pass() must be called.
  std::size_t step(std::size_t done, std::size_t max_n) const {
    return has_points_ ? std::min(max_n, distance_ - done % distance_) : max_n;
  }
  // Writes a restart point if one belongs behind the first `done` numbers of the chunk.
  void pass(std::size_t done) {
    if (!has_points_ || done % distance_ != 0 || done == walker_.head().n) return;
    append_le(out_, static_cast<std::uint32_t>(walker_.page_bits()));
    const std::size_t at = out_.size();
    out_.resize(at + state_bytes_);
    BitWriter writer(std::span<std::byte>(out_).subspan(at));
    walker_.page().write_state(writer);
  }

 private:
  const standalone::FileWalker& walker_;
  std::vector<std::byte>& out_;
  bool has_points_ = false;
  std::size_t distance_ = 0;
  std::size_t state_bytes_ = 0;
};

}  // namespace

Status summarise(std::span<const std::byte> file, standalone::FileWalker& walker,
                 std::optional<unsigned> restart_log, std::span<std::byte> buffer,
                 Summary& summary) {
  const standalone::ChunkHead head = walker.head();
  ChunkRecord& record = summary.record;
  record = {};
  record.offset = walker.chunk_offset();
  record.n = static_cast<std::uint32_t>(head.n);
  record.page_at = static_cast<std::uint32_t>(walker.page_offset() - walker.chunk_offset());
  if (restart_log) {
    const std::uint64_t point = kPositionBytes + walker.page().state_bytes();
    NUMPACT_TRY(ensure_memory(3 * (point_count(head.n, *restart_log) + 1) * point));
  }
  PointsWriter points(walker, restart_log, summary.points);
  const std::size_t buffer_n = numbers_in(buffer.size(), head.type);
  for (std::size_t done = 0; done < head.n;) {
    const std::size_t n = points.step(done, std::min(buffer_n, head.n - done));
    NUMPACT_TRY(walker.decode(n, buffer.data()));
    add_to_range({head.type, buffer.data(), n}, record);
    done += n;
    points.pass(done);
  }
  NUMPACT_TRY(walker.leave_chunk());
  record.crc = crc32(file.subspan(walker.chunk_offset(), walker.offset() - walker.chunk_offset()));
  return {};
}

ChunkRecord summarise_numbers(const NumberView& numbers, std::span<const std::byte> bytes,
                              std::size_t page_at) {
  ChunkRecord record;
  record.n = static_cast<std::uint32_t>(numbers.count);
  record.page_at = static_cast<std::uint32_t>(page_at);
  record.crc = crc32(bytes);
  add_to_range(numbers, record);
  return record;
}

}  // namespace numpact::internal::trailer
