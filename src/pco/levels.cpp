// SPDX-License-Identifier: Apache-2.0
#include "pco/levels.hpp"

#include <algorithm>

#include "pco/limits.hpp"

namespace numpact {

EncodeEffort EncodeEffort::of(const EncodeConfig& config) {
  const unsigned level = config.level;
  EncodeEffort effort;
  effort.max_sample_n = std::size_t{1} << (level < 3    ? 10
                                           : level < 7  ? 11
                                           : level < 9  ? 12
                                           : level < 10 ? 13
                                                        : 15);
  effort.max_consecutive_order = level < 2 ? 1 : level < 5 ? 2 : kMaxConsecutiveOrder;
  effort.all_modes = level >= 2;
  effort.max_estimated_modes = level < 5 ? 2 : level < 9 ? 3 : level < 10 ? 4 : 8;
  effort.base_divisors = level >= 5;
  effort.secondary_deltas = level >= 5;
  effort.dicts = level >= 6;
  effort.dict_required_saving = level < kLevelForSize ? 0.03f : 0.0f;
  effort.min_dict_chunk_bits = level < kLevelForSize ? 16384 : 0;
  effort.dict_penalty = level < kLevelForSize ? 0.02f : 0.015f;
  effort.lookback = level >= 5;
  effort.max_conv1_order = level < 8 ? 0 : kMaxConv1Order;
  effort.max_conv1_order_short =
      level < kLevelForSize ? std::min(effort.max_conv1_order, 16u) : kMaxConv1Order;
  effort.conv1_reweight_n = std::size_t{1} << (level < 9 ? 11 : level < 10 ? 12 : 15);
  effort.conv1_required_saving = config.favor_decode_speed ? 0.1f : level < 9 ? 0.04f : 0.015f;
  effort.conv1_reweight_rounds = level < 10 ? 2 : 3;
  effort.max_attempts = level < 4 ? 1 : level < 10 ? 2 : 3;
  effort.estimate_error_margin = level < kLevelForSize ? 1.03f : 1.01f;
  effort.attempts_classic = level >= 10;
  effort.favors_decode_speed = config.favor_decode_speed;
  if (effort.favors_decode_speed) {
    effort.max_consecutive_order = std::min(effort.max_consecutive_order, 2u);
  }
  return effort;
}

}  // namespace numpact
