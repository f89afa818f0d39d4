// SPDX-License-Identifier: Apache-2.0
// Values of filters in the types of columns.
#pragma once

#include <cstdint>
#include <string_view>

#include "numpact/table_filter.hpp"
#include "table/filter/cuts.hpp"
#include "table/filter/problem.hpp"

namespace numpact::internal {

// The latents of all numbers of a type but NaNs, both ends included.
NumberFilter::Range latents_without_nan(NumberType type);

// Whether the value is a NaN for a column of this kind.
bool is_nan_of(const FilterValue& value, table::Kind kind);

// Where a value lies among the ordered latents of a column: before the first latent that is not
// less, and before the first one that is greater. Fails if the value is of another kind.
struct LatentCuts {
  Cut<std::uint64_t> lower;
  Cut<std::uint64_t> upper;
};
bool find_latents(const FilterValue& value, const ColumnType& type, std::string_view column,
                  LatentCuts& cuts, FilterProblem& problem);

// Fails with the words for a value that cannot be compared with a column of some type.
bool mismatch(const FilterValue& value, std::string_view column, std::string_view type,
              FilterProblem& problem);

// Fails with the words for a `like` of a column that is not text.
bool not_text(const FilterComparison& comparison, std::string_view type, FilterProblem& problem);

// Whether an operator has as many values as it takes.
bool check_count(const FilterComparison& comparison, FilterProblem& problem);

}  // namespace numpact::internal
