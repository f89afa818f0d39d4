// SPDX-License-Identifier: Apache-2.0
// What is chosen for numbers, and the bytes of their chunk.
#pragma once

#include <gtest/gtest.h>

#include <memory_resource>
#include <vector>

#include "base/internal.hpp"
#include "choose_cases.hpp"
#include "pco/encode/chunk_encoder.hpp"
#include "pco/encode/race.hpp"
#include "pco/encode/session.hpp"

namespace numpact::testing {

class Choose : public ::testing::Test {
 protected:
  template <class L, class T>
  Choice choose_for(const std::vector<T>& numbers, NumberType type, EncodeConfig config = {}) {
    Ordered<L> ordered(numbers, kind_of(type));
    arena_.reset();
    ChoiceSession session({type, ordered.array(), numbers.size()}, config, arena_);
    plan_run(session, {.segments = false});
    return session.best();
  }
  template <class T>
  std::size_t bytes_of(const std::vector<T>& numbers, NumberType type, EncodeConfig config = {}) {
    arena_.reset();
    const std::size_t page_sizes[] = {numbers.size()};
    return encode_chunk(NumberView(type, numbers.data(), numbers.size()), page_sizes, config,
                        arena_)
        .bytes();
  }
  static EncodeConfig plain(DeltaSpec delta) {
    EncodeConfig config;
    config.mode = ModeSpec::classic();
    config.delta = delta;
    return config;
  }

  Arena arena_{std::pmr::new_delete_resource()};
  Random random_{82};
};

}  // namespace numpact::testing
