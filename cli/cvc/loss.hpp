// SPDX-License-Identifier: Apache-2.0
// Compares a packed file with the vectors that it was made of.
#pragma once

#include <string>
#include <vector>

#include "cvc/vectors.hpp"
#include "report/progress_bar.hpp"

namespace numpact::cli {

// What a column has lost.
struct Loss {
  double max_error = 0;            // absolute, of values that are finite and stayed so
  bool has_nan = false;            // NaNs that stayed NaNs; their payloads are not compared
  bool changes_nonfinite = false;  // values became infinite or NaN, or were and are not

  // ", exact" or ", max error 1.20e-03", for the end of a line; may be empty.
  std::string text() const;
};

// The losses of all columns. `original` is read to its end. Throws Failure if the rows are not
// those of the file, because the input has changed.
std::vector<Loss> losses(VectorInput& original, const std::string& packed, ProgressBar& progress);

}  // namespace numpact::cli
