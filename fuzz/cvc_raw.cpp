// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of vectors.
#include "common/cvc_checks.hpp"

namespace numpact::fuzz {
namespace {

void run_cvc_raw(ByteSpan input) {
  Draw draw(input);
  check_vectors(input, draw);
}

NUMPACT_FUZZ_TARGET(cvc_raw, run_cvc_raw)

}  // namespace
}  // namespace numpact::fuzz
