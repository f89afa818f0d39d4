// SPDX-License-Identifier: Apache-2.0
// ClickHouse's interface to Pco over the C interface of numpact.
#include "pco.h"

#include <cstddef>
#include <cstdint>

#include "../common/thread_context.hpp"
#include "numpact/numpact.h"

namespace {

// Whether n numbers of a size are at most `capacity` bytes, which fit into memory.
bool fits(std::uint64_t n, std::size_t size, std::uint64_t capacity) {
  return n <= SIZE_MAX / size && n <= capacity / size;
}

}  // namespace

extern "C" {

int32_t pco_compress(uint8_t number_type, const uint8_t* src, uint64_t n_values,
                     int32_t compression_level, uint8_t* dst, uint64_t dst_capacity,
                     uint64_t* out_size) {
  const std::size_t size = numpact_type_size(number_type);
  if (size == 0 || out_size == nullptr || !fits(n_values, size, SIZE_MAX)) return PCO_ERROR;
  if (compression_level < 0 || compression_level > NUMPACT_MAX_LEVEL) return PCO_ERROR;
  if ((src == nullptr && n_values > 0) || (dst == nullptr && dst_capacity > 0)) return PCO_ERROR;
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  options.level = static_cast<unsigned>(compression_level);
  const std::size_t capacity =
      dst_capacity > SIZE_MAX ? SIZE_MAX : static_cast<std::size_t>(dst_capacity);
  // Numbers that do not shrink are stored as they are by the host: estimates suffice to give up.
  if (capacity >= n_values * size) options.max_size = capacity;
  std::size_t written = 0;
  const numpact_status status = numpact_compress(numpact_plugin::thread_context(), number_type, src,
                                                 static_cast<std::size_t>(n_values), &options, dst,
                                                 capacity, &written, nullptr);
  if (status == NUMPACT_DOES_NOT_FIT) return PCO_WONT_FIT;
  if (status != NUMPACT_OK) return PCO_ERROR;
  *out_size = written;
  return PCO_OK;
}

int32_t pco_decompress(uint32_t element_width, uint8_t expected_type, const uint8_t* src,
                       uint64_t src_size, uint8_t* dst, uint64_t n_values, uint64_t dst_capacity) {
  if (element_width != 1 && element_width != 2 && element_width != 4 && element_width != 8) {
    return PCO_ERROR;
  }
  if (!fits(n_values, element_width, dst_capacity) || src_size > SIZE_MAX) return PCO_ERROR;
  if ((src == nullptr && src_size > 0) || (dst == nullptr && n_values > 0)) return PCO_ERROR;
  numpact_file_info info;
  info.struct_size = sizeof info;
  const std::size_t size = static_cast<std::size_t>(src_size);
  if (numpact_read_info(src, size, &info, nullptr) != NUMPACT_OK) return PCO_ERROR;
  // Only a file without numbers may lack a type; then any type will do to check the rest.
  const bool has_type = info.type != NUMPACT_NO_TYPE;
  if (!has_type && n_values > 0) return PCO_ERROR;
  if (has_type && numpact_type_size(info.type) != element_width) return PCO_ERROR;
  if (expected_type != 0) {
    if (numpact_type_size(expected_type) != element_width) return PCO_ERROR;
    if (has_type && info.type != expected_type) return PCO_ERROR;
  }
  const numpact_type type = has_type ? info.type : numpact_type{NUMPACT_U8};
  const numpact_status status =
      numpact_decompress_exact(numpact_plugin::thread_context(), src, size, type, dst,
                               static_cast<std::size_t>(n_values), nullptr);
  return status == NUMPACT_OK ? PCO_OK : PCO_ERROR;
}

void pco_release_thread_memory(void) { numpact_plugin::release_thread_context(); }

}  // extern "C"
