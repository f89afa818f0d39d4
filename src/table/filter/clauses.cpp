// SPDX-License-Identifier: Apache-2.0
#include "table/filter/clauses.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace numpact::internal {
namespace {

using table::FilterJoin;

// Comparisons, and values of them, of the alternatives that clauses are multiplied out to. Filters
// that people write stay far below; each takes some hundred bytes.
constexpr std::size_t kMaxMultiplied = std::size_t{1} << 16;

std::size_t weight(const Alternative& alternative) {
  std::size_t sum = 0;
  for (const auto& comparison : alternative) sum += 1 + comparison.values.size();
  return sum;
}

// The alternatives of a filter: (a or b) and (c or d) has a and c, a and d, b and c, b and d.
bool multiply_out(Clauses clauses, Clause& made) {
  made.assign(1, {});
  for (Clause& clause : clauses) {
    if (clause.size() == 1) {
      if (made.size() == 1) {
        std::move(clause[0].begin(), clause[0].end(), std::back_inserter(made[0]));
        continue;
      }
    } else if (made.size() == 1 && made[0].empty()) {
      made = std::move(clause);
      continue;
    }
    Clause next;
    std::size_t total = 0;
    for (const Alternative& first : made) {
      for (const Alternative& second : clause) {
        total += weight(first) + weight(second);
        if (total > kMaxMultiplied) return false;
        Alternative& both = next.emplace_back(first);
        both.insert(both.end(), second.begin(), second.end());
      }
    }
    made = std::move(next);
  }
  return true;
}

}  // namespace

bool disjoin(Clauses& a, Clauses b) {
  // One clause has its alternatives already.
  if (a.size() != 1) {
    Clause made;
    if (!multiply_out(std::move(a), made)) return false;
    a.assign(1, {});
    a[0] = std::move(made);
  }
  Clause more;
  if (b.size() == 1) {
    more = std::move(b[0]);
  } else if (!multiply_out(std::move(b), more)) {
    return false;
  }
  std::move(more.begin(), more.end(), std::back_inserter(a[0]));
  return true;
}

std::vector<table::FilterComparison> listed(Clauses clauses) {
  std::vector<table::FilterComparison> made;
  for (Clause& clause : clauses) {
    FilterJoin join = FilterJoin::kClause;
    for (Alternative& alternative : clause) {
      for (auto& comparison : alternative) {
        comparison.join = std::exchange(join, FilterJoin::kWith);
        made.push_back(std::move(comparison));
      }
      join = FilterJoin::kAlternative;
    }
  }
  return made;
}

}  // namespace numpact::internal
