// SPDX-License-Identifier: Apache-2.0
// A file of vectors with some bytes changed and its checksums repaired, so that what is behind them
// is reached.
#include "common/cvc_checks.hpp"
#include "common/patch.hpp"
#include "common/vectors.hpp"

namespace numpact::fuzz {
namespace {

void run_cvc_patch(ByteSpan input) {
  Draw draw(input);
  std::optional<VectorFile> file = draw_vectors(draw);
  if (!file) return;
  patch(draw, file->bytes, 6);
  if (!draw.one_in(8)) repair_checksums(file->bytes);
  check_vectors(file->bytes, draw);
}

NUMPACT_FUZZ_TARGET(cvc_patch, run_cvc_patch)

}  // namespace
}  // namespace numpact::fuzz
