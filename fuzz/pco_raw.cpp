// SPDX-License-Identifier: Apache-2.0
// Any bytes as a standalone file.
#include "common/pco_checks.hpp"

namespace numpact::fuzz {
namespace {

void run_pco_raw(ByteSpan input) {
  // The choices of the checks follow from the bytes too: the end of a file is rarely read twice.
  Draw draw(input);
  check_file(input, draw);
}

NUMPACT_FUZZ_TARGET(pco_raw, run_pco_raw)

}  // namespace
}  // namespace numpact::fuzz
