// SPDX-License-Identifier: Apache-2.0
// The destination of a file: writes at any offset, in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "numpact/error.hpp"

namespace numpact::cvc::internal {

class Output {
 public:
  virtual ~Output() = default;
  // Makes the output at least `end` bytes long. Bytes that were never written are zero.
  virtual Status reserve(std::uint64_t end) = 0;
  // Writes within the reserved bytes. May be called by several threads for disjoint ranges.
  virtual Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  // Moves `bytes` bytes from one offset to another; the ranges may overlap. Extends the output as
  // reserve does.
  virtual Status move(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) = 0;
  // The file is complete; its length is `bytes`.
  virtual Status finish(std::uint64_t bytes) = 0;
};

}  // namespace numpact::cvc::internal
