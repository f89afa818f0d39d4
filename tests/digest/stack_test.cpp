// SPDX-License-Identifier: Apache-2.0
// Encoding and decoding in a thread with a small stack.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "digest/items.hpp"
#include "numpact/cpu.hpp"
#include "support/system.hpp"

namespace numpact::digest {
namespace {

// Bytes of the stack of a thread in musl, which has the smallest of all systems.
constexpr std::size_t kSmallestStack = std::size_t{128} << 10;

bool all_fine(const std::vector<Item>& items) {
  return !items.empty() && std::all_of(items.begin(), items.end(),
                                       [](const Item& item) { return item.error.empty(); });
}

// All types, modes, deltas and levels of Pco, and all of CVC, with every instruction set.
TEST(Stack, OfMuslSuffices) {
  for (const CpuTarget& target : cpu_targets()) {
    if (!target.supported) continue;
    ASSERT_TRUE(force_cpu_target(target.name).ok());
    for (const bool is_pco : {true, false}) {
      bool is_fine = false;
      const std::optional<std::size_t> used = testing::system::stack_bytes_of([&] {
        is_fine = all_fine(is_pco ? pco_items(Extent::kAll, 1) : cvc_items(Extent::kAll, 1));
      });
      if (!used) GTEST_SKIP() << "the stack of a thread cannot be chosen here";
      EXPECT_TRUE(is_fine);
      EXPECT_LE(*used, kSmallestStack);
      std::printf("%s, %s: %zu bytes of stack\n", std::string(target.name).c_str(),
                  is_pco ? "Pco" : "CVC", *used);
    }
  }
  ASSERT_TRUE(force_cpu_target("auto").ok());
}

}  // namespace
}  // namespace numpact::digest
