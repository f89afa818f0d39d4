// SPDX-License-Identifier: Apache-2.0
// The header of NumPy's .npy files (numpy.lib.format).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

struct NpyHeader {
  std::string descr;  // e.g. "<f8"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

// Reads the header and positions the input at the first number. Throws Failure.
NpyHeader read_npy_header(Input& input);

// The header of an array of one or two dimensions, byte for byte as numpy.save writes it. Its size
// does not depend on the first dimension.
std::string npy_header(NumberType type, std::span<const std::uint64_t> shape);

}  // namespace numpact::cli
