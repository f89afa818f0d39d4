// SPDX-License-Identifier: Apache-2.0
// Counting of the numbers in a range: by the ranges of a trailer, by dictionaries and bins, and
// where these do not decide, by decoding.
#include <algorithm>
#include <optional>

#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/file_end.hpp"
#include "api/trailer_use.hpp"
#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "number/ordered.hpp"
#include "numpact/trailer.hpp"
#include "pco/limits.hpp"
#include "pco/meta/latent_range.hpp"
#include "pco/standalone/file_walker.hpp"

namespace numpact {
namespace {

// Numbers decoded at a time. They stay in the L2 cache until they are compared.
constexpr std::size_t kCountStepN = std::size_t{1} << 14;
// Numbers after which progress is reported, a multiple of kCountStepN.
constexpr std::size_t kCountProgressN = std::size_t{1} << 18;

template <NumberKind kKind, Latent L>
std::size_t count_block(const L* numbers, std::size_t n, L min, L span) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    count += static_cast<L>(to_ordered(numbers[i], kKind) - min) <= span ? 1 : 0;
  }
  return count;
}

// `range` is not empty.
std::size_t count_numbers_in(const NumberView& numbers, const LatentRange& range) {
  return visit_latent(latent_bits(numbers.type), [&](auto width) {
    using L = decltype(width);
    const auto* const at = static_cast<const L*>(numbers.data);
    const auto min = static_cast<L>(range.min);
    const auto span = static_cast<L>(range.max - range.min);
    switch (kind_of(numbers.type)) {
      case NumberKind::kUnsigned:
        return count_block<NumberKind::kUnsigned>(at, numbers.count, min, span);
      case NumberKind::kSigned:
        return count_block<NumberKind::kSigned>(at, numbers.count, min, span);
      default:
        return count_block<NumberKind::kFloat>(at, numbers.count, min, span);
    }
  });
}

class RangeCount {
 public:
  // is_search: stops at the first number found. All arguments must outlive this object.
  RangeCount(std::span<const std::byte> file, const ValueRange& range, const DecodeConfig& config,
             bool is_search, Arena& arena)
      : file_(file),
        config_(config),
        type_(range.type),
        range_(comparable_range(range.type, range.min_latent, range.max_latent)),
        is_search_(is_search),
        buffer_(arena.make<std::byte>(kCountStepN * size_of(range.type))),
        walker_(file, arena) {}

  Status run() {
    NUMPACT_TRY(check_.start(file_, config_.trailer));
    NUMPACT_TRY(walker_.read_header());
    if (walker_.header().uniform_type) NUMPACT_TRY(check_type(*walker_.header().uniform_type));
    return check_.has_trailer() ? use_trailer() : walk();
  }
  // Numbers found; of a search, at least one if there is one.
  std::uint64_t count() const { return count_; }

 private:
  bool is_done() const { return is_search_ && count_ > 0; }

  Status check_type(NumberType type) const {
    if (type == type_) return {};
    return Status(ErrorKind::kTypeMismatch, "the file holds numbers of another type");
  }

  Status use_trailer() {
    const trailer::View& view = check_.view();
    if (view.front.type) NUMPACT_TRY(check_type(*view.front.type));
    NUMPACT_TRY(check_limits(config_.limits, view.front.number_n, type_));
    for (std::size_t i = 0; i < view.front.chunk_n && !is_done(); ++i) {
      const trailer::ChunkRecord record = view.record(i);
      seen_ += record.n;
      const std::uint64_t comparable_n = record.n - record.nan_n;
      const Overlap overlap =
          comparable_n == 0 ? Overlap::kNone
                            : overlap_of(LatentRange{record.min_latent, record.max_latent}, range_);
      if (overlap == Overlap::kAll) count_ += comparable_n;
      if (overlap != Overlap::kSome) continue;
      NUMPACT_TRY(enter_recorded(record, i));
      NUMPACT_TRY(count_chunk());
      if (walker_.numbers_left() > 0) continue;
      NUMPACT_TRY(walker_.leave_chunk());
      if (walker_.offset() != view.end_of(i)) return contradiction(i);
    }
    note_end(config_, file_, view.file_bytes);
    return {};
  }

  // Compares the chunk's checksum before anything of it is used.
  Status enter_recorded(const trailer::ChunkRecord& record, std::size_t chunk) {
    const auto offset = static_cast<std::size_t>(record.offset);
    NUMPACT_TRY(check_.before_chunk(chunk, offset, kMaxChunkN));
    walker_.resume(walker_.header(), type_, offset, chunk);
    bool is_end = false;
    NUMPACT_TRY(walker_.enter_chunk(is_end));
    return is_end || walker_.head().n != record.n ? contradiction(chunk) : Status();
  }

  Status contradiction(std::size_t chunk) const {
    return Status(ErrorKind::kCorrupt, "the trailer contradicts the file", walker_.offset())
        .at_chunk(chunk);
  }

  Status walk() {
    while (!is_done()) {
      bool is_end = false;
      NUMPACT_TRY(walker_.enter_chunk(is_end));
      if (is_end) {
        note_end(config_, file_, walker_.offset());
        break;
      }
      const standalone::ChunkHead& head = walker_.head();
      NUMPACT_TRY(check_type(head.type).at_chunk(walker_.chunk_index()));
      NUMPACT_TRY(
          check_limits(config_.limits, seen_ + head.n, type_).at_chunk(walker_.chunk_index()));
      seen_ += head.n;
      NUMPACT_TRY(count_chunk());
      if (is_done()) break;
      std::array<PageVariableSizes, kVariables> sizes{};
      NUMPACT_TRY(walker_.skip(sizes));
      NUMPACT_TRY(walker_.leave_chunk());
    }
    return {};
  }

  // Counts in the chunk that was entered. Decodes all its numbers or, if the metadata decide, none.
  Status count_chunk() {
    const std::size_t n = walker_.head().n;
    const Overlap overlap = overlap_of(walker_.meta(), range_);
    if (overlap == Overlap::kAll) count_ += n;
    if (overlap != Overlap::kSome) {
      return report_progress(config_.progress, {seen_, walker_.offset()});
    }
    for (std::size_t done = 0; done < n && !is_done();) {
      const std::size_t step = std::min(kCountStepN, n - done);
      NUMPACT_TRY(walker_.decode(step, buffer_.data()));
      count_ += count_numbers_in({type_, buffer_.data(), step}, range_);
      done += step;
      if (done < n && done % kCountProgressN != 0) continue;
      NUMPACT_TRY(report_progress(config_.progress, {seen_ - n + done, walker_.offset()}));
    }
    return {};
  }

  std::span<const std::byte> file_;
  const DecodeConfig& config_;
  NumberType type_;
  LatentRange range_;
  bool is_search_;
  std::span<std::byte> buffer_;
  standalone::FileWalker walker_;
  TrailerCheck check_;
  std::uint64_t seen_ = 0;  // numbers of the chunks passed
  std::uint64_t count_ = 0;
};

Status count_in_file(std::span<const std::byte> file, const ValueRange& range, bool is_search,
                     const DecodeConfig& config, DecodeContext* context, std::uint64_t& count) {
  NUMPACT_TRY(check_number_type(range.type));
  std::optional<trailer::View> view;
  NUMPACT_TRY(find_trailer(file, config.trailer, view));
  if (view) NUMPACT_TRY(verify_if_asked(file, config, context));
  ScratchArena arena(context, config.limits.max_memory);
  NUMPACT_TRY(arena.status());
  RangeCount counter(file, range, config, is_search, *arena);
  NUMPACT_TRY(counter.run());
  count = counter.count();
  return {};
}

}  // namespace

Result<std::uint64_t> count_where(std::span<const std::byte> file, const ValueRange& range,
                                  const DecodeConfig& config, DecodeContext* context) noexcept {
  return guarded_value<std::uint64_t>([&](std::uint64_t& count) {
    return count_in_file(file, range, false, config, context, count);
  });
}

Result<bool> exists(std::span<const std::byte> file, const ValueRange& range,
                    const DecodeConfig& config, DecodeContext* context) noexcept {
  return guarded_value<bool>([&](bool& found) -> Status {
    std::uint64_t count = 0;
    NUMPACT_TRY(count_in_file(file, range, true, config, context, count));
    found = count > 0;
    return {};
  });
}

std::uint32_t checksum_of(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  return crc32(bytes, before);
}

}  // namespace numpact
