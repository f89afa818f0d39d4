// SPDX-License-Identifier: Apache-2.0
// What satisfies the comparisons of a filter with one column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "numpact/table_filter.hpp"
#include "table/filter/cuts.hpp"
#include "table/filter/problem.hpp"
#include "table/filter/value.hpp"

namespace numpact::internal {

template <class T>
struct ValueMatches {
  CutSet<T> values;
  bool nan = false;
  bool null = false;
};

template <class T>
ValueMatches<T> all_of(std::vector<ValueMatches<T>> parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  ValueMatches<T> all{{}, true, true};
  std::vector<CutSet<T>> sets;
  for (ValueMatches<T>& part : parts) {
    sets.push_back(std::move(part.values));
    all.nan = all.nan && part.nan;
    all.null = all.null && part.null;
  }
  all.values = intersection_of(std::move(sets));
  return all;
}

template <class T>
ValueMatches<T> any_of(std::vector<ValueMatches<T>> parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  ValueMatches<T> any;
  for (ValueMatches<T>& part : parts) {
    std::move(part.values.begin(), part.values.end(), std::back_inserter(any.values));
    any.nan = any.nan || part.nan;
    any.null = any.null || part.null;
  }
  any.values = united(std::move(any.values));
  return any;
}

// Comparisons divided into runs; `begins` says of a comparison whether it begins one.
template <class Begins>
std::vector<std::span<const FilterComparison>> runs_of(
    std::span<const FilterComparison> comparisons, const Begins& begins) {
  std::vector<std::span<const FilterComparison>> runs;
  for (std::size_t first = 0, end = 0; first < comparisons.size(); first = end) {
    end = first + 1;
    while (end < comparisons.size() && !begins(comparisons[end])) ++end;
    runs.push_back(comparisons.subspan(first, end - first));
  }
  return runs;
}

inline std::vector<std::span<const FilterComparison>> clauses_of(
    std::span<const FilterComparison> comparisons) {
  return runs_of(comparisons,
                 [](const auto& one) { return one.join == table::FilterJoin::kClause; });
}

inline std::vector<std::span<const FilterComparison>> alternatives_of(
    std::span<const FilterComparison> clause) {
  return runs_of(clause, [](const auto& one) { return one.join != table::FilterJoin::kWith; });
}

// What satisfies one comparison. `find(comparison, matches, problem)` sets the values and `nan` of
// one that is not a test for null and not negated, or fails.
template <class T, class Find>
bool match_one(const FilterComparison& comparison, const Find& find, ValueMatches<T>& matches,
               FilterProblem& problem) {
  if (!check_count(comparison, problem)) return false;
  const bool is_test = comparison.op == FilterOp::kIsNull || comparison.op == FilterOp::kIsNotNull;
  if (is_test) {
    matches.null = (comparison.op == FilterOp::kIsNull) != comparison.negated;
    matches.nan = !matches.null;
    if (!matches.null) matches.values = all_values<T>();
    return true;
  }
  if (!find(comparison, matches, problem)) return false;
  if (comparison.negated) {
    matches.values = complement_of(matches.values);
    matches.nan = !matches.nan;
  }
  return true;
}

// What satisfies comparisons with one column, joined as they say.
template <class T, class Find>
bool match_all(std::span<const FilterComparison> comparisons, const Find& find,
               ValueMatches<T>& matches, FilterProblem& problem) {
  std::vector<ValueMatches<T>> clauses;
  for (const auto clause : clauses_of(comparisons)) {
    std::vector<ValueMatches<T>> alternatives;
    for (const auto alternative : alternatives_of(clause)) {
      std::vector<ValueMatches<T>> parts;
      for (const FilterComparison& comparison : alternative) {
        if (!match_one(comparison, find, parts.emplace_back(), problem)) return false;
      }
      alternatives.push_back(all_of(std::move(parts)));
    }
    clauses.push_back(any_of(std::move(alternatives)));
  }
  matches = all_of(std::move(clauses));
  return true;
}

}  // namespace numpact::internal
