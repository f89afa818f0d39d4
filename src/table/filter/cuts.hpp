// SPDX-License-Identifier: Apache-2.0
// Sets of ordered values as spans between cuts, which lie before or after a value.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "literal/decimal.hpp"
#include "table/filter/problem.hpp"

namespace numpact::internal {

inline std::strong_ordering order_of(std::uint64_t a, std::uint64_t b) { return a <=> b; }
inline std::strong_ordering order_of(std::string_view a, std::string_view b) {
  return a.compare(b) <=> 0;
}
inline std::strong_ordering order_of(const Decimal& a, const Decimal& b) { return compare(a, b); }

template <class T>
struct Cut {
  enum class Place : std::uint8_t { kStart, kBefore, kAfter, kEnd };
  Place place = Place::kStart;
  T value{};

  static Cut start() { return {Place::kStart, T{}}; }
  static Cut end() { return {Place::kEnd, T{}}; }
  static Cut before(T value) { return {Place::kBefore, std::move(value)}; }
  static Cut after(T value) { return {Place::kAfter, std::move(value)}; }

  bool has_value() const { return place == Place::kBefore || place == Place::kAfter; }
  // Whether a value lies behind the cut.
  template <class U>
  bool is_before(const U& other) const {
    if (!has_value()) return place == Place::kStart;
    const std::strong_ordering order = order_of(value, other);
    return std::is_lt(order) || (std::is_eq(order) && place == Place::kBefore);
  }

  friend bool operator<(const Cut& a, const Cut& b) {
    if (!a.has_value() || !b.has_value()) {
      const auto rank = [](const Cut& cut) {
        return cut.has_value() ? 1 : cut.place == Place::kStart ? 0 : 2;
      };
      return rank(a) < rank(b);
    }
    const std::strong_ordering order = order_of(a.value, b.value);
    return std::is_eq(order) ? a.place < b.place : std::is_lt(order);
  }
};

template <class T>
struct CutSpan {
  Cut<T> begin;
  Cut<T> end;
};

// Whether the span is from before a value to behind it.
template <class T>
bool is_one_value(const CutSpan<T>& span) {
  return span.begin.place == Cut<T>::Place::kBefore && span.end.place == Cut<T>::Place::kAfter &&
         std::is_eq(order_of(span.begin.value, span.end.value));
}

// Spans that are not empty, increase, and do not touch.
template <class T>
using CutSet = std::vector<CutSpan<T>>;

template <class T>
void add_span(CutSet<T>& set, Cut<T> begin, Cut<T> end) {
  if (begin < end) set.push_back({std::move(begin), std::move(end)});
}

// The values that compare so with one that lies between two cuts: `lower` is behind all smaller
// values, `upper` before all larger ones. kIn is as kEqual.
template <class T>
CutSet<T> values_of(FilterOp op, Cut<T> lower, Cut<T> upper) {
  CutSet<T> set;
  switch (op) {
    case FilterOp::kNotEqual:
      add_span(set, Cut<T>::start(), lower);
      add_span(set, upper, Cut<T>::end());
      break;
    case FilterOp::kLess:
      add_span(set, Cut<T>::start(), lower);
      break;
    case FilterOp::kLessEqual:
      add_span(set, Cut<T>::start(), upper);
      break;
    case FilterOp::kGreater:
      add_span(set, upper, Cut<T>::end());
      break;
    case FilterOp::kGreaterEqual:
      add_span(set, lower, Cut<T>::end());
      break;
    default:
      add_span(set, lower, upper);
  }
  if (set.size() == 2 && !(set[0].end < set[1].begin)) {  // no value is equal
    set[0].end = Cut<T>::end();
    set.pop_back();
  }
  return set;
}

template <class T>
CutSet<T> all_values() {
  return {{Cut<T>::start(), Cut<T>::end()}};
}

// Joins spans of any order.
template <class T>
CutSet<T> united(CutSet<T> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const CutSpan<T>& a, const CutSpan<T>& b) { return a.begin < b.begin; });
  CutSet<T> made;
  for (CutSpan<T>& span : spans) {
    if (made.empty() || made.back().end < span.begin) {
      made.push_back(std::move(span));
    } else if (made.back().end < span.end) {
      made.back().end = std::move(span.end);
    }
  }
  return made;
}

template <class T>
CutSet<T> intersected(const CutSet<T>& a, const CutSet<T>& b) {
  CutSet<T> made;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    add_span(made, a[i].begin < b[j].begin ? b[j].begin : a[i].begin,
             a[i].end < b[j].end ? a[i].end : b[j].end);
    a[i].end < b[j].end ? ++i : ++j;
  }
  return made;
}

// All values that are not in a set.
template <class T>
CutSet<T> complement_of(const CutSet<T>& set) {
  CutSet<T> made;
  Cut<T> at = Cut<T>::start();
  for (const CutSpan<T>& span : set) {
    add_span(made, std::move(at), span.begin);
    at = span.end;
  }
  add_span(made, std::move(at), Cut<T>::end());
  return made;
}

// The values in all of the sets. Pairs are intersected, then pairs of these: the time is that of a
// sort, also for thousands of conditions.
template <class T>
CutSet<T> intersection_of(std::vector<CutSet<T>> sets) {
  if (sets.empty()) return all_values<T>();
  while (sets.size() > 1) {
    const std::size_t half = (sets.size() + 1) / 2;
    for (std::size_t i = 0; i + half < sets.size(); ++i) {
      sets[i] = intersected(sets[i], sets[i + half]);
    }
    sets.resize(half);
  }
  return std::move(sets[0]);
}

template <class T, class U>
bool holds_value(const CutSet<T>& set, const U& value) {
  if (set.size() == 1) return set[0].begin.is_before(value) && !set[0].end.is_before(value);
  const auto behind = std::partition_point(
      set.begin(), set.end(), [&](const CutSpan<T>& span) { return span.begin.is_before(value); });
  return behind != set.begin() && !(behind - 1)->end.is_before(value);
}

}  // namespace numpact::internal
