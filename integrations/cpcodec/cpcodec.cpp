// SPDX-License-Identifier: Apache-2.0
// The reference's C binding over numpact: the same names, signatures and results.
#include "cpcodec.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "numpact/pco.hpp"

namespace {

using numpact::EncodeConfig;
using numpact::NumberType;
using numpact::PagingSpec;

std::optional<NumberType> type_of(unsigned char dtype) {
  if (!numpact::is_number_type(dtype)) return std::nullopt;
  return static_cast<NumberType>(dtype);
}

EncodeConfig config_of(const PcoChunkConfig* config) {
  EncodeConfig made;
  if (config == nullptr) return made;
  made.level = config->compression_level;
  if (config->max_page_n != 0) made.paging = PagingSpec::equal_pages_up_to(config->max_page_n);
  return made;
}

PcoError decompress(const void* src, std::size_t src_len, NumberType type, void* dst,
                    std::size_t dst_count, std::size_t* n_written) noexcept {
  const std::span file(static_cast<const std::byte*>(src), src_len);
  // Callers rely on an output that is unchanged after an error, so it is written last. A file may
  // claim any count: no more is decoded than the output has room for.
  numpact::DecodeConfig config;
  config.limits.max_numbers = dst_count;
  const numpact::Result<numpact::NumberArray> numbers = numpact::decompress_any(file, config);
  if (!numbers.ok()) {
    // An empty file without a type has no type to decode to.
    const numpact::Result<numpact::FileHeader> header = numpact::read_header(file);
    const bool is_empty = header.ok() && !header->number_type &&
                          numbers.status().kind() == numpact::ErrorKind::kTypeMismatch;
    if (!is_empty) return PcoDecompressionError;
    if (n_written != nullptr) *n_written = 0;
    return PcoSuccess;
  }
  const std::size_t count = numbers->count();
  if (count > dst_count || numbers->type() != type) return PcoDecompressionError;
  if (count > 0) std::memcpy(dst, numbers->data(), count * numpact::size_of(type));
  if (n_written != nullptr) *n_written = count;
  return PcoSuccess;
}

}  // namespace

extern "C" {

size_t pco_standalone_guarantee_file_size(size_t n, unsigned char dtype) {
  const std::optional<NumberType> type = type_of(dtype);
  if (!type) return 0;
  EncodeConfig pages_of_one;
  pages_of_one.paging = PagingSpec::equal_pages_up_to(1);
  return std::max(numpact::compress_bound(*type, n),
                  numpact::compress_bound(*type, n, pages_of_one));
}

size_t pco_standalone_guarantee_file_size_with_config(size_t n, unsigned char dtype,
                                                      const PcoChunkConfig* config) {
  const std::optional<NumberType> type = type_of(dtype);
  return type ? numpact::compress_bound(*type, n, config_of(config)) : 0;
}

PcoError pco_standalone_simple_compress_into(const void* nums, size_t n, unsigned char dtype,
                                             const PcoChunkConfig* config, void* dst,
                                             size_t dst_cap, size_t* n_written) {
  const std::optional<NumberType> type = type_of(dtype);
  if (!type) return PcoInvalidType;
  const numpact::Result<std::size_t> size =
      numpact::compress_into(numpact::NumberView(*type, nums, n),
                             std::span(static_cast<std::byte*>(dst), dst_cap), config_of(config));
  if (!size.ok()) return PcoCompressionError;
  if (n_written != nullptr) *n_written = *size;
  return PcoSuccess;
}

PcoError pco_standalone_simple_decompress_into(const void* src, size_t src_len, unsigned char dtype,
                                               void* dst, size_t dst_cap, size_t* n_written) {
  const std::optional<NumberType> type = type_of(dtype);
  if (!type) return PcoInvalidType;
  return decompress(src, src_len, *type, dst, dst_cap, n_written);
}

PcoError pco_standalone_simple_decompress_into_bytes(const void* src, size_t src_len,
                                                     unsigned char dtype, void* dst, size_t dst_cap,
                                                     size_t* n_written) {
  const std::optional<NumberType> type = type_of(dtype);
  if (!type) return PcoInvalidType;
  return decompress(src, src_len, *type, dst, dst_cap / numpact::size_of(*type), n_written);
}

}  // extern "C"
