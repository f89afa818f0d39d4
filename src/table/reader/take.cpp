// SPDX-License-Identifier: Apache-2.0
// Reads rows by their numbers.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "numpact/table_reader.hpp"

namespace numpact::table {
namespace {

// Rows between two that are taken up to which they are read together.
constexpr std::uint64_t kMaxGapRows = 64;
// And up to which the chunks between them are requested with theirs: half a chunk of the usual
// size.
constexpr std::uint64_t kMaxFetchedGapRows = std::uint64_t{1} << 17;

// Rows that are decoded at once, and bound the memory: half a chunk of the usual size, too.
constexpr std::uint64_t kMaxRunRows = std::uint64_t{1} << 17;

constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();

// The end of the rows from rows[at] on between which no gap is larger.
std::size_t run_end(std::span<const std::uint64_t> rows, std::size_t at, std::uint64_t max_gap,
                    std::uint64_t max_rows) {
  const std::uint64_t first = rows[at];
  while (at + 1 < rows.size() && rows[at + 1] - rows[at] <= max_gap &&
         rows[at + 1] - first < max_rows) {
    ++at;
  }
  return at + 1;
}

}  // namespace

Status Cursor::take(std::size_t column, std::span<const std::uint64_t> rows,
                    const MutableNumberView& out, std::span<std::uint8_t> valid,
                    Failure* failure) noexcept {
  return internal::guarded([&]() -> Status {
    const bool fits = rows.size() == out.count && (valid.empty() || valid.size() == out.count);
    if (!fits || !std::is_sorted(rows.begin(), rows.end())) {
      return Status(ErrorKind::kInvalidArgument, "the rows do not increase, or are not as many");
    }
    const std::size_t size = size_of(out.type);
    std::vector<std::uint64_t> numbers;  // of any type, aligned
    std::vector<std::uint8_t> flags;
    for (std::size_t at = 0, fetched_end = 0; at < rows.size();) {
      if (at >= fetched_end) fetched_end = run_end(rows, at, kMaxFetchedGapRows, kNoBound);
      const std::size_t end = run_end(rows, at, kMaxGapRows, kMaxRunRows);
      const std::uint64_t first = rows[at];
      const auto count = static_cast<std::size_t>(rows[end - 1] - first) + 1;
      numbers.resize((count * size + 7) / 8);
      if (!valid.empty()) flags.resize(count);
      NUMPACT_TRY(read(column, first, MutableNumberView(out.type, numbers.data(), count), flags,
                       rows[fetched_end - 1] + 1, failure));
      const auto* const from = reinterpret_cast<const std::byte*>(numbers.data());
      for (; at < end; ++at) {
        const auto place = static_cast<std::size_t>(rows[at] - first);
        std::memcpy(static_cast<std::byte*>(out.data) + at * size, from + place * size, size);
        if (!valid.empty()) valid[at] = flags[place];
      }
    }
    return {};
  });
}

}  // namespace numpact::table
