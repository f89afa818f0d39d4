// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>
#include <string>

#include "base/guard.hpp"
#include "number/ordered.hpp"
#include "numpact/table_filter.hpp"
#include "table/filter/value.hpp"

namespace numpact {
namespace internal {
namespace {

// The ordered latents of two columns.
template <class L, NumberKind kKind>
class Pairs {
 public:
  Pairs(const NumberView& a, const NumberView& b)
      : a_(static_cast<const std::byte*>(a.data)), b_(static_cast<const std::byte*>(b.data)) {
    const NumberFilter::Range all = latents_without_nan(a.type);
    first_ = static_cast<L>(all.first);
    last_ = static_cast<L>(all.last);
  }

  // -1, 0 or 1 as a number of `a` is less than, equal to or greater than that of `b`; 2 if one of
  // them is NaN, 3 if both are.
  int order_at(std::size_t i) const {
    const L x = latent(a_, i);
    const L y = latent(b_, i);
    if constexpr (kKind == NumberKind::kFloat) {
      const bool is_nan = x < first_ || x > last_;
      const bool is_other_nan = y < first_ || y > last_;
      if (is_nan || is_other_nan) return is_nan && is_other_nan ? 3 : 2;
    }
    return x < y ? -1 : x > y ? 1 : 0;
  }

 private:
  static L latent(const std::byte* numbers, std::size_t i) {
    L bits;
    std::memcpy(&bits, numbers + i * sizeof(L), sizeof(L));
    if constexpr (kKind == NumberKind::kFloat) {
      const L sign = static_cast<L>(L{1} << (8 * sizeof(L) - 1));
      if (bits == sign) bits = 0;  // -0.0
    }
    return to_ordered(bits, kKind);
  }

  const std::byte* a_;
  const std::byte* b_;
  L first_ = 0;
  L last_ = 0;
};

// Which orders satisfy a comparison: bit 0 less, 1 equal, 2 greater, 3 one is NaN, 4 both are.
unsigned orders_of(table::FilterOp op, bool negated) {
  constexpr unsigned kLess = 1;
  constexpr unsigned kEqual = 2;
  constexpr unsigned kGreater = 4;
  constexpr unsigned kApart = 8;
  constexpr unsigned kBothNan = 16;
  unsigned orders = 0;
  switch (op) {
    case table::FilterOp::kEqual:
      orders = kEqual | kBothNan;
      break;
    case table::FilterOp::kNotEqual:
      orders = kLess | kGreater | kApart;
      break;
    case table::FilterOp::kLess:
      orders = kLess;
      break;
    case table::FilterOp::kLessEqual:
      orders = kLess | kEqual;
      break;
    case table::FilterOp::kGreater:
      orders = kGreater;
      break;
    default:
      orders = kGreater | kEqual;
      break;
  }
  return negated ? orders ^ 31U : orders;
}

template <class L, NumberKind kKind>
void narrow_pairs(unsigned orders, const NumberView& a, const NumberView& b,
                  std::span<std::uint8_t> kept) {
  const Pairs<L, kKind> pairs(a, b);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i] &= static_cast<std::uint8_t>(orders >> (pairs.order_at(i) + 1) & 1U);
  }
}

template <class L>
void narrow_size(unsigned orders, const NumberView& a, const NumberView& b,
                 std::span<std::uint8_t> kept) {
  switch (kind_of(a.type)) {
    case NumberKind::kUnsigned:
      return narrow_pairs<L, NumberKind::kUnsigned>(orders, a, b, kept);
    case NumberKind::kSigned:
      return narrow_pairs<L, NumberKind::kSigned>(orders, a, b, kept);
    case NumberKind::kFloat:
      return narrow_pairs<L, NumberKind::kFloat>(orders, a, b, kept);
  }
}

}  // namespace
}  // namespace internal

namespace table {

Result<PairFilter> PairFilter::bind(const FilterComparison& comparison, const ColumnType& column,
                                    const ColumnType& other, std::string* message) noexcept {
  return internal::guarded_value<PairFilter>([&](PairFilter& made) {
    internal::FilterProblem problem;
    const bool is_known = comparison.op <= FilterOp::kGreaterEqual;
    if (!is_known || !comparison.values.empty() || !comparison.other) {
      problem.is_invalid(
          "a column is compared with another by =, !=, <, <=, > or >=, without values");
      return problem.report(message);
    }
    const std::string types[] = {describe(column), describe(other)};
    if (types[0] != types[1]) {
      problem.set(ErrorKind::kTypeMismatch,
                  "column '" + internal::shown(comparison.column) + "' is of type " + types[0] +
                      ", column '" + internal::shown(*comparison.other) + "' of type " + types[1] +
                      ": only columns of the same type are compared");
      return problem.report(message);
    }
    made.orders_ = internal::orders_of(comparison.op, comparison.negated);
    return Status();
  });
}

void PairFilter::narrow(const NumberView& column, const NumberView& other,
                        std::span<std::uint8_t> kept) const noexcept {
  switch (size_of(column.type)) {
    case 1:
      return internal::narrow_size<std::uint8_t>(orders_, column, other, kept);
    case 2:
      return internal::narrow_size<std::uint16_t>(orders_, column, other, kept);
    case 4:
      return internal::narrow_size<std::uint32_t>(orders_, column, other, kept);
    default:
      return internal::narrow_size<std::uint64_t>(orders_, column, other, kept);
  }
}

}  // namespace table
}  // namespace numpact
