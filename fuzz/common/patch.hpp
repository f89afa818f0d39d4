// SPDX-License-Identifier: Apache-2.0
// Bytes changed, cut and moved as an input says.
#pragma once

#include "common/draw.hpp"
#include "common/target.hpp"

namespace numpact::fuzz {

inline void patch_once(Draw& draw, Bytes& bytes) {
  if (bytes.empty()) return;
  // Most that matters stands in front.
  const std::size_t end = draw.flag() ? std::min<std::size_t>(bytes.size(), 256) : bytes.size();
  const std::size_t at = draw.below(end);
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  switch (draw.below(8)) {
    default:
      bytes[at] ^= static_cast<std::byte>(1u << draw.below(8));
      break;
    case 1:
      bytes[at] = static_cast<std::byte>(draw.bits(1));
      break;
    case 2:
      bytes[at] = std::byte{0xff};
      break;
    case 3:
      bytes[at] = static_cast<std::byte>((std::to_integer<unsigned>(bytes[at]) + 1) & 0xff);
      break;
    case 4:
      bytes.resize(at);
      break;
    case 5:
      bytes.insert(place, static_cast<std::byte>(draw.bits(1)));
      break;
    case 6:
      bytes.erase(place);
      break;
    case 7: {
      const std::size_t from = draw.below(bytes.size());
      const std::size_t n = std::min(draw.below(64), bytes.size() - std::max(at, from));
      std::memmove(bytes.data() + at, bytes.data() + from, n);
      break;
    }
  }
}

// Up to `max_n` times.
inline void patch(Draw& draw, Bytes& bytes, std::uint64_t max_n) {
  for (std::uint64_t n = draw.below(max_n + 1); n > 0; --n) patch_once(draw, bytes);
}

}  // namespace numpact::fuzz
