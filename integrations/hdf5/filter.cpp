// SPDX-License-Identifier: Apache-2.0
#include "filter.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "caller.hpp"
#include "numpact/numpact.h"
#include "parameters.hpp"
#include "plugin_abi.hpp"

namespace numpact_hdf5 {

namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
// HDF5 and netCDF take and give buffers of malloc.
using Buffer = std::unique_ptr<void, Free>;

Buffer allocate(std::size_t size) { return Buffer(std::malloc(size)); }

// Scratch memory that is kept between calls: calls that overlap make their own.
class KeptContext {
 public:
  ~KeptContext() { numpact_context_destroy(context_.exchange(nullptr)); }

  // Null, if there is no memory: then calls make a temporary one and report the failure.
  numpact_context* take() {
    numpact_context* context = context_.exchange(nullptr);
    if (context == nullptr) numpact_context_create(nullptr, &context, nullptr);
    return context;
  }
  void give_back(numpact_context* context) { numpact_context_destroy(context_.exchange(context)); }

 private:
  std::atomic<numpact_context*> context_ = nullptr;
};

KeptContext kept_context;

class Context {
 public:
  Context() : context_(kept_context.take()) {}
  ~Context() {
    if (context_ != nullptr) kept_context.give_back(context_);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  operator numpact_context*() const { return context_; }

 private:
  numpact_context* context_;
};

template <class Word>
void swap_words(void* bytes, std::size_t size) {
  auto* at = static_cast<unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, at + i, sizeof word);
    if constexpr (sizeof word == 2)
      word = __builtin_bswap16(word);
    else if constexpr (sizeof word == 4)
      word = __builtin_bswap32(word);
    else
      word = __builtin_bswap64(word);
    std::memcpy(at + i, &word, sizeof word);
  }
}

void swap_bytes(void* numbers, std::size_t size, std::size_t number_size) {
  if (number_size == 2)
    swap_words<std::uint16_t>(numbers, size);
  else if (number_size == 4)
    swap_words<std::uint32_t>(numbers, size);
  else if (number_size == 8)
    swap_words<std::uint64_t>(numbers, size);
}

bool is_swapped(const Parameters& parameters) {
  const bool is_big_endian = (parameters.layout & kBigEndianLayout) != 0;
  return is_big_endian != (std::endian::native == std::endian::big);
}

// A result, or why there is none; null: the chunk is stored as it is.
struct Outcome {
  Buffer bytes;
  std::size_t size = 0;
  std::size_t capacity = 0;
  const char* wrong = nullptr;
};

Outcome failure(const char* wrong) {
  Outcome outcome;
  outcome.wrong = wrong;
  return outcome;
}

Outcome encode(const Parameters& parameters, const void* chunk, std::size_t size,
               bool is_optional) {
  const std::size_t number_size = numpact_type_size(parameters.type);
  const bool is_any_size = (parameters.layout & kAnySize) != 0;
  if (is_any_size ? size > parameters.limit() : size != parameters.size)
    return failure("the chunk that arrives has another size than its dataset says");
  Buffer swapped;
  if (is_swapped(parameters) && number_size > 1) {
    swapped = allocate(size);
    if (swapped == nullptr) return failure("out of memory");
    std::memcpy(swapped.get(), chunk, size);
    swap_bytes(swapped.get(), size, number_size);
    chunk = swapped.get();
  }
  const std::size_t count = size / number_size;
  DeltaText delta_text;
  const numpact_encode_options options = encode_options(parameters, count, delta_text);
  Outcome outcome;
  // HDF5 stores a chunk as it is where an optional filter fails, which is smaller then.
  outcome.capacity =
      is_optional ? size - 1 : numpact_compress_bound(parameters.type, count, &options);
  outcome.bytes = allocate(std::max<std::size_t>(outcome.capacity, 1));
  if (outcome.bytes == nullptr) return failure("out of memory");
  numpact_error error;
  numpact_error_init(&error);
  const Context context;
  const numpact_status status =
      numpact_compress(context, parameters.type, chunk, count, &options, outcome.bytes.get(),
                       outcome.capacity, &outcome.size, &error);
  if (status == NUMPACT_OK) return outcome;
  return failure(is_optional && status == NUMPACT_DOES_NOT_FIT ? nullptr : error.text);
}

Outcome decode(const Parameters& parameters, const void* file, std::size_t size) {
  const std::size_t number_size = numpact_type_size(parameters.type);
  numpact_error error;
  numpact_error_init(&error);
  const Context context;
  std::uint64_t count = parameters.size / number_size;
  if ((parameters.layout & kAnySize) != 0) {
    if (numpact_count(context, file, size, &count, &error) != NUMPACT_OK)
      return failure(error.text);
    if (count == 0 || count > parameters.limit() / number_size)
      return failure("the chunk holds more numbers than can belong to it, or none");
  }
  Outcome outcome;
  outcome.size = outcome.capacity = static_cast<std::size_t>(count) * number_size;
  outcome.bytes = allocate(outcome.capacity);
  if (outcome.bytes == nullptr) return failure("out of memory");
  if (numpact_decompress_exact(context, file, size, parameters.type, outcome.bytes.get(),
                               static_cast<std::size_t>(count), &error) != NUMPACT_OK)
    return failure(error.text);
  if (is_swapped(parameters)) swap_bytes(outcome.bytes.get(), outcome.size, number_size);
  return outcome;
}

Outcome run(unsigned flags, std::size_t parameter_count, const unsigned* values, std::size_t size,
            const void* chunk) {
  const bool is_optional = (flags & kOptional) != 0;
  Parameters parameters;
  const char* wrong = read_dataset_parameters(parameter_count, values, parameters);
  const bool is_decoding = (flags & kDecode) != 0;
  if (wrong == nullptr && !is_decoding)
    wrong = read_user_parameters(parameter_count, values, parameters);
  if (wrong == nullptr && size == 0) wrong = "the chunk is empty";
  if (wrong != nullptr) return failure(wrong);
  return is_decoding ? decode(parameters, chunk, size)
                     : encode(parameters, chunk, size, is_optional);
}

}  // namespace

std::size_t filter(unsigned flags, std::size_t parameter_count, const unsigned* parameters,
                   std::size_t size, std::size_t* capacity, void** buffer) noexcept {
  Outcome outcome = run(flags, parameter_count, parameters, size, *buffer);
  if (outcome.bytes == nullptr) {
    if (outcome.wrong != nullptr)
      push_error(NUMPACT_HDF5_CALLER, "filter", "H5E_CANTFILTER_g", outcome.wrong);
    return 0;
  }
  std::free(*buffer);
  *buffer = outcome.bytes.release();
  *capacity = outcome.capacity;
  return outcome.size;
}

}  // namespace numpact_hdf5
