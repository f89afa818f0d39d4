// SPDX-License-Identifier: Apache-2.0
#include "formats/row_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "failure.hpp"

namespace numpact::cli {
namespace {

// Bytes by which the buffer grows. A header may claim a huge row, of which few bytes are there.
constexpr std::size_t kGrowthBytes = std::size_t{1} << 22;

}  // namespace

std::uint64_t checked_bytes(std::uint64_t a, std::uint64_t b, const std::string& place,
                            const std::string& what) {
  constexpr auto kMaxInt64 = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (a != 0 && b > kMaxInt64 / a) {
    fail_corrupt(place, "corrupt: {} exceeds what memory can hold", what);
  }
  return a * b;
}

std::span<std::byte> RowStream::next(std::uint64_t max_rows) {
  std::uint64_t rows = max_rows;
  if (rows_) rows = std::min(rows, *rows_ - done_);
  if (rows == 0) return {};
  const std::uint64_t needed = rows * row_bytes_;
  std::uint64_t have = 0;
  while (have < needed) {
    const std::uint64_t end = std::min<std::uint64_t>(needed, have + kGrowthBytes);
    if (buffer_.size() < end) buffer_.resize(static_cast<std::size_t>(end));
    const std::size_t got =
        input_.read_full(std::span(buffer_).subspan(have, static_cast<std::size_t>(end - have)));
    have += got;
    if (have < end) break;
  }
  const std::uint64_t got_rows = have / row_bytes_;
  if (have % row_bytes_ != 0 || (rows_ && have < needed)) {
    fail_corrupt(input_.name(), "truncated: ends in {} {}", noun_, done_ + got_rows);
  }
  done_ += got_rows;
  return std::span(buffer_).first(static_cast<std::size_t>(have));
}

}  // namespace numpact::cli
