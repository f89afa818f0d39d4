// SPDX-License-Identifier: Apache-2.0
// Filters while they are parsed: clauses that all must hold, of alternatives of which one must, of
// comparisons that all must (FilterJoin).
#pragma once

#include <vector>

#include "numpact/table_filter.hpp"

namespace numpact::internal {

using Alternative = std::vector<table::FilterComparison>;
using Clause = std::vector<Alternative>;
using Clauses = std::vector<Clause>;

// Makes `a` the rows of `a` or `b`: one clause. False: that takes too many comparisons.
bool disjoin(Clauses& a, Clauses b);

// The same as a list, where each comparison says how it is joined.
std::vector<table::FilterComparison> listed(Clauses clauses);

}  // namespace numpact::internal
