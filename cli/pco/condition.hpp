// SPDX-License-Identifier: Apache-2.0
// A comparison of a filter, applied to the values of a column.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/others.hpp"
#include "formats/table.hpp"
#include "numbers/decimal.hpp"
#include "numpact/trailer.hpp"
#include "pco/filter.hpp"

namespace numpact::cli {

// For columns of numbers, dates, times and booleans. All comparisons are exact. They become ranges
// of ordered latents (numpact/trailer.hpp), so that values and the ranges in trailers are compared
// in the same way.
class NumberCondition {
 public:
  // Fails with a usage error if a value is of another kind than the column. `place` names the
  // column.
  NumberCondition(const Comparison& comparison, const Column& column, const std::string& place);

  // Whether a value of the chunk may satisfy the condition. A null is not in a chunk.
  bool may_match(const ChunkSummary& chunk) const;
  bool matches_null() const { return op_ == CompareOp::kIsNull; }
  // Sets `kept` to 0 for the rows that do not satisfy the condition.
  void narrow(const ColumnBlock& block, std::span<std::uint8_t> kept) const;

  // Both ends are included.
  struct LatentRange {
    std::uint64_t first;
    std::uint64_t last;
  };

 private:
  void add_value(const FilterValue& value, const Column& column, const std::string& place);
  void add_exact(const Decimal& value, const Column& column);
  bool contains(std::uint64_t latent) const;

  CompareOp op_;
  std::vector<LatentRange> ranges_;  // of numbers that satisfy the condition
  bool matches_nan_ = false;
};

// For columns of text and decimals.
class TextCondition {
 public:
  TextCondition(const Comparison& comparison, OtherKind kind, const std::string& place);

  void narrow(const TextBlock& block, std::span<std::uint8_t> kept) const;

 private:
  bool matches(std::string_view text) const;

  CompareOp op_;
  OtherKind kind_;
  std::vector<std::string> texts_;
  std::vector<Decimal> decimals_;
};

}  // namespace numpact::cli
