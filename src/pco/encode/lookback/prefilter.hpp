// SPDX-License-Identifier: Apache-2.0
// A cheap test of whether a search for lookbacks is worth its time.
#pragma once

#include <cmath>

#include "pco/encode/choice.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/encode/lookback/evaluate.hpp"

namespace numpact::internal {

struct PrefilterResult {
  bool passes = false;
  // The lowest estimate of the tests, in bits per number; infinite if none made one.
  float min_bits = HUGE_VALF;
  float required_bits = 0;  // what it must save to pass, since the tests are not exact
};

// page: the chunk's first page_n ordered latents, which stand for its longest page.
PrefilterResult prefilter_lookback(const Sample& sample, const LatentArray& page,
                                   const Choice& choice, const LookbackInput& input, Arena& arena);

}  // namespace numpact::internal
