// SPDX-License-Identifier: Apache-2.0
// A file of this library with some bytes changed, so that metadata is mostly sound.
#include "common/encoding.hpp"
#include "common/patch.hpp"
#include "common/pco_checks.hpp"

namespace numpact::fuzz {
namespace {

void run_pco_patch(ByteSpan input) {
  Draw draw(input);
  Encoded encoded = draw_encoded(draw, 3000);
  patch(draw, encoded.file, 6);
  check_file(encoded.file, draw);
}

NUMPACT_FUZZ_TARGET(pco_patch, run_pco_patch)

}  // namespace
}  // namespace numpact::fuzz
