// SPDX-License-Identifier: Apache-2.0
// Dict: numbers are stored as 32-bit indices into a list of ordered latents.
#pragma once

#include <span>

#include "pco/mode/mode.hpp"

namespace numpact::internal {

struct Dict {
  friend bool operator==(const Dict&, const Dict&) = default;

  static constexpr Mode kTag = Mode::kDict;
  static constexpr const char* kForm = "dict";
  static constexpr ModeParameter kParameter = ModeParameter::kNone;
  static constexpr FormatVersion kFirstVersion{4, 1};
  static constexpr bool kHasSecondary = false;
  static constexpr bool kSplitsBits = false;

  // `count` ordered latents of the width of the numbers, in an arena.
  const void* entries = nullptr;
  std::size_t count = 0;

  template <Latent L>
  std::span<const L> as() const {
    return {static_cast<const L*>(entries), count};
  }

  static Status check_request(const ModeSpec&, NumberType) { return {}; }
  static Status parse(BitReader& reader, const ModeContext& context, Dict& out);
  void write(BitWriter& writer, NumberType type) const;
  static constexpr unsigned parameter_bits(unsigned) { return 0; }
  std::uint64_t payload_bits(NumberType type, unsigned at) const;
};

// Sets out[i] to entries[indices[i]]. `out` may be `indices`. Returns false if an index is out of
// range; `out` is then unspecified. A kernel.
template <Latent L>
bool join_dict(std::span<const L> entries, const std::uint32_t* indices, std::size_t n, L* out);

}  // namespace numpact::internal
