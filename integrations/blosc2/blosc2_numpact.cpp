// SPDX-License-Identifier: Apache-2.0
// Pco as a codec of Blosc2, which loads libblosc2_numpact.so by the codec's name and finds its two
// functions by the symbol `info`.
#include <blosc2.h>
#include <blosc2/codecs-registry.h>

#include <cstddef>
#include <cstdint>

#include "common/thread_context.hpp"
#include "numpact/numpact.h"

#if defined(_WIN32)
#define BLOSC2_NUMPACT_API __declspec(dllexport)
#else
#define BLOSC2_NUMPACT_API __attribute__((visibility("default")))
#endif

namespace {

// Levels of Pco for those of Blosc2, 1 to 9; Blosc2's own default, 5, is that of numpact.
constexpr unsigned kLevels[] = {0, 1, 3, 5, 7, 8, 9, 10, 11, 12};
constexpr int kMaxLevel = 9;

enum class Content { kNumbers, kWords, kBytes };

// Effects of filters of Blosc2 on numbers. Rounded ones are still numbers; differences by XOR are
// words of the same size; the others reorder bytes.
Content after_filter(std::uint8_t filter, Content before) {
  switch (filter) {
    case BLOSC_NOFILTER:
    case BLOSC_TRUNC_PREC:
      return before;
    case BLOSC_DELTA:
      return before == Content::kBytes ? before : Content::kWords;
    default:
      return Content::kBytes;
  }
}

Content content_of(const blosc2_cparams& params) {
  Content content = Content::kNumbers;
  for (const std::uint8_t filter : params.filters) content = after_filter(filter, content);
  return content;
}

numpact_type words_of(std::int32_t size) {
  switch (size) {
    case 2:
      return NUMPACT_U16;
    case 4:
      return NUMPACT_U32;
    case 8:
      return NUMPACT_U64;
    default:
      return NUMPACT_U8;
  }
}

// The type to compress a block as. Blosc2 splits blocks into streams that may end within a number:
// those are bytes.
numpact_type type_of(const blosc2_cparams& params, std::uint8_t meta, std::int32_t size) {
  numpact_type type = NUMPACT_U8;
  switch (content_of(params)) {
    case Content::kNumbers:
      type = meta != NUMPACT_NO_TYPE ? meta : words_of(params.typesize);
      break;
    case Content::kWords:
      type = words_of(params.typesize);
      break;
    case Content::kBytes:
      break;
  }
  const bool is_whole = static_cast<std::size_t>(size) % numpact_type_size(type) == 0;
  return is_whole ? type : numpact_type{NUMPACT_U8};
}

}  // namespace

extern "C" {

BLOSC2_NUMPACT_API int blosc2_numpact_encoder(const std::uint8_t* input, std::int32_t input_len,
                                              std::uint8_t* output, std::int32_t output_len,
                                              std::uint8_t meta, blosc2_cparams* cparams,
                                              const void* chunk);
BLOSC2_NUMPACT_API int blosc2_numpact_decoder(const std::uint8_t* input, std::int32_t input_len,
                                              std::uint8_t* output, std::int32_t output_len,
                                              std::uint8_t meta, blosc2_dparams* dparams,
                                              const void* chunk);
extern BLOSC2_NUMPACT_API codec_info info;

// `meta` is the type of the numbers, NUMPACT_U32 ...; 0: unsigned integers of the type size.
// Returns the bytes written, or 0 if the block does not get smaller: then Blosc2 stores it.
int blosc2_numpact_encoder(const std::uint8_t* input, std::int32_t input_len, std::uint8_t* output,
                           std::int32_t output_len, std::uint8_t meta, blosc2_cparams* cparams,
                           const void*) {
  if (input == nullptr || output == nullptr || cparams == nullptr || input_len < 0 ||
      output_len < 0) {
    return BLOSC2_ERROR_INVALID_PARAM;
  }
  if (meta != NUMPACT_NO_TYPE && numpact_type_size(meta) == 0) return BLOSC2_ERROR_CODEC_PARAM;
  // Blosc2 takes a block of its own size for a stored one.
  const std::int32_t capacity = output_len < input_len ? output_len : input_len - 1;
  if (capacity <= 0) return 0;
  const numpact_type type = type_of(*cparams, meta, input_len);
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  const int level = cparams->clevel;
  options.level = kLevels[level < 0 ? 0 : level > kMaxLevel ? kMaxLevel : level];
  std::size_t written = 0;
  const numpact_status status =
      numpact_compress(numpact_plugin::thread_context(), type, input,
                       static_cast<std::size_t>(input_len) / numpact_type_size(type), &options,
                       output, static_cast<std::size_t>(capacity), &written, nullptr);
  if (status == NUMPACT_DOES_NOT_FIT) return 0;
  return status == NUMPACT_OK ? static_cast<int>(written) : BLOSC2_ERROR_FAILURE;
}

// The file states its type, so that neither `meta` nor the parameters are needed. Returns
// output_len, or an error: the file is damaged, or has not exactly output_len bytes of numbers.
int blosc2_numpact_decoder(const std::uint8_t* input, std::int32_t input_len, std::uint8_t* output,
                           std::int32_t output_len, std::uint8_t, blosc2_dparams*, const void*) {
  if (input == nullptr || output == nullptr || input_len < 0 || output_len < 0) {
    return BLOSC2_ERROR_INVALID_PARAM;
  }
  numpact_file_info file;
  file.struct_size = sizeof file;
  const std::size_t input_size = static_cast<std::size_t>(input_len);
  const std::size_t output_size = static_cast<std::size_t>(output_len);
  if (numpact_read_info(input, input_size, &file, nullptr) != NUMPACT_OK) return BLOSC2_ERROR_DATA;
  const std::size_t width = numpact_type_size(file.type);
  if (width == 0 || output_size % width != 0) return BLOSC2_ERROR_DATA;
  const numpact_status status =
      numpact_decompress_exact(numpact_plugin::thread_context(), input, input_size, file.type,
                               output, output_size / width, nullptr);
  if (status == NUMPACT_OUT_OF_MEMORY) return BLOSC2_ERROR_MEMORY_ALLOC;
  return status == NUMPACT_OK ? output_len : BLOSC2_ERROR_DATA;
}

// Blosc2 looks these names up; it does not write to them.
codec_info info = {const_cast<char*>("blosc2_numpact_encoder"),
                   const_cast<char*>("blosc2_numpact_decoder")};

}  // extern "C"
