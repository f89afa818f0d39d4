// SPDX-License-Identifier: Apache-2.0
// The filter function: encodes and decodes chunks.
#pragma once

#include <cstddef>

namespace numpact_hdf5 {

// FilterClass::filter. May be called by several threads at once.
std::size_t filter(unsigned flags, std::size_t parameter_count, const unsigned* parameters,
                   std::size_t size, std::size_t* capacity, void** buffer) noexcept;

}  // namespace numpact_hdf5
