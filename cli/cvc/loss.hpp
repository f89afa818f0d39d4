// SPDX-License-Identifier: Apache-2.0
// Compares a packed file with the vectors that it was made of.
#pragma once

#include <string>
#include <vector>

#include "cvc/vectors.hpp"
#include "report/progress_bar.hpp"

namespace numpact::cli {

// The largest absolute error of each column's finite values; values that became infinite or NaN are
// left out. `original` is read to its end. Throws Failure if the rows are not those of the file,
// because the input has changed.
std::vector<double> max_errors(VectorInput& original, const std::string& packed,
                               ProgressBar& progress);

}  // namespace numpact::cli
