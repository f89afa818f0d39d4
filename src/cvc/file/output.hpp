// SPDX-License-Identifier: Apache-2.0
// Where a file is written to, in any order of places.
#ifndef NUMPACT_CVC_FILE_OUTPUT_HPP
#define NUMPACT_CVC_FILE_OUTPUT_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "numpact/error.hpp"

namespace numpact::cvc {

class Output {
 public:
  virtual ~Output() = default;
  // Nothing before `end` is outside afterwards; what was not written is zeros.
  virtual Status reserve(std::uint64_t end) = 0;
  // Inside. May be called from several threads for different places.
  virtual Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  // `bytes` from one place to another; they may overlap. Makes room as reserve does.
  virtual Status move(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) = 0;
  // The file is complete, and this long.
  virtual Status finish(std::uint64_t bytes) = 0;
};

}  // namespace numpact::cvc

#endif
