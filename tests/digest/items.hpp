// SPDX-License-Identifier: Apache-2.0
// The inputs that all machines must encode to the same bytes. Numbers come from integer
// arithmetic and single roundings alone, so that they are the same everywhere themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace numpact::digest {

// Bytes, or the name of an error, under a name. Items of a long file have enough chunks for many
// threads.
struct Item {
  std::string name;
  std::vector<std::byte> bytes;
  std::string error;
};

enum class Extent : std::uint8_t { kAll, kThreaded };

// `threads` encode each; Extent::kThreaded: only items that threads can share.
std::vector<Item> pco_items(Extent extent, unsigned threads);
std::vector<Item> cvc_items(Extent extent, unsigned threads);

}  // namespace numpact::digest
