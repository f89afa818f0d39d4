// SPDX-License-Identifier: Apache-2.0
// Memory that ends where reading and writing ends, kept from input to input.
#pragma once

#include <array>
#include <cstring>
#include <memory>

#include "support/bytes.hpp"

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define NUMPACT_FUZZ_POISON(at, n) __msan_poison(at, n)
#endif
#endif
#ifndef NUMPACT_FUZZ_POISON
#define NUMPACT_FUZZ_POISON(at, n) std::memset(at, 0xa5, n)
#endif

namespace numpact::fuzz {

// Several at a time: each call with the same slot ends what the last one gave.
enum class Slot : unsigned { kFile, kSecondFile, kOutput, kSecondOutput };

inline testing::GuardedBuffer& capacity_of(Slot slot, std::size_t bytes) {
  struct Kept {
    std::unique_ptr<testing::GuardedBuffer> buffer;
    std::size_t bytes = 0;
  };
  static std::array<Kept, 4> all;
  Kept& kept = all[static_cast<unsigned>(slot)];
  if (kept.buffer == nullptr || kept.bytes < bytes) {
    kept.bytes = std::max(bytes, std::size_t{1} << 20);
    kept.buffer = std::make_unique<testing::GuardedBuffer>(kept.bytes);
  }
  return *kept.buffer;
}

inline testing::ByteSpan guarded(testing::ByteSpan bytes, Slot slot = Slot::kFile) {
  return capacity_of(slot, bytes.size()).copy(bytes);
}

// With something in it that is not the result.
inline std::span<std::byte> guarded_output(std::size_t bytes, Slot slot = Slot::kOutput) {
  const std::span<std::byte> out = capacity_of(slot, bytes).last(bytes);
  if (bytes > 0) NUMPACT_FUZZ_POISON(out.data(), bytes);
  return out;
}

}  // namespace numpact::fuzz
