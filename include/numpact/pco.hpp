// SPDX-License-Identifier: Apache-2.0
// One-shot compression of an array into a standalone Pco file in memory, and decompression.
//
// All functions are thread-safe; a context serves one call at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/error.hpp"
#include "numpact/types.hpp"

namespace numpact {

// Maximum bytes of `count` numbers of `type` compressed with `config`, to size the output of
// compress_into. Never fails; saturates at SIZE_MAX.
NUMPACT_API std::size_t compress_bound(NumberType type, std::size_t count,
                                       const EncodeConfig& config = {}) noexcept;

// Compresses into the caller's memory; returns the bytes used. Errors: kInvalidArgument (config),
// kOutputTooSmall (never if `out` has compress_bound bytes), kOutOfMemory, kCancelled. The other
// bytes of `out`, or all after an error, are unspecified.
NUMPACT_API Result<std::size_t> compress_into(const NumberView& numbers, std::span<std::byte> out,
                                              const EncodeConfig& config = {},
                                              EncodeContext* context = nullptr) noexcept;
// The same into a new vector, whose capacity is about its size.
NUMPACT_API Result<std::vector<std::byte>> compress(const NumberView& numbers,
                                                    const EncodeConfig& config = {},
                                                    EncodeContext* context = nullptr) noexcept;

// Chooses what makes the series in `sample` smallest, for others like them; config.paging divides
// the sample into series. Takes as long as encoding some of them (at most 16) several times.
NUMPACT_API Result<Recipe> choose_recipe(const NumberView& sample, const EncodeConfig& config = {},
                                         EncodeContext* context = nullptr) noexcept;

// The header of a standalone file.
struct FileHeader {
  unsigned standalone_version = 0;  // 0 and 1: files older than this version field
  unsigned format_major = 0;
  unsigned format_minor = 0;
  std::optional<NumberType> uniform_type;  // if set, every chunk has this type
  std::uint64_t n_hint = 0;                // count stated by the writer; untrusted
  std::uint64_t size_bytes = 0;            // offset of the first chunk

  std::optional<NumberType> number_type;  // the uniform type, else that of the first chunk, if any
};

// Reads the header and the first chunk's type; decodes nothing.
NUMPACT_API Result<FileHeader> read_header(std::span<const std::byte> file) noexcept;

// Decodes a file of a known number type into the caller's memory; returns the numbers written.
// Errors: kTypeMismatch (never for an empty file without a type), kOutputTooSmall (the file holds
// more than out.count numbers), those of invalid bytes, kLimitExceeded, kOutOfMemory, kCancelled.
// After an error the first good_numbers() are right, those of the chunks before it.
NUMPACT_API Result<std::size_t> decompress_into(std::span<const std::byte> file,
                                                const MutableNumberView& out,
                                                const DecodeConfig& config = {},
                                                DecodeContext* context = nullptr) noexcept;

// The same, but stops when `out` is full.
struct Front {
  std::size_t count = 0;  // numbers written
  // The whole file was read. Otherwise the rest of the chunk in which `out` ends is not read; if
  // `out` ends on a chunk boundary, the head and metadata of the next chunk have been read.
  bool is_finished = false;
};
NUMPACT_API Result<Front> decompress_front(std::span<const std::byte> file,
                                           const MutableNumberView& out,
                                           const DecodeConfig& config = {},
                                           DecodeContext* context = nullptr) noexcept;

// Counts the numbers by walking the chunks and their tANS codes, at about half the cost of
// decoding. Detects all errors that do not depend on decoded numbers. Limits apply.
NUMPACT_API Result<std::uint64_t> count_numbers(std::span<const std::byte> file,
                                                const DecodeConfig& config = {},
                                                DecodeContext* context = nullptr) noexcept;

// A movable array that owns numbers of a type known at run time.
class NUMPACT_API NumberArray {
 public:
  NumberArray() = default;
  explicit NumberArray(NumberType type) : type_(type) {}

  NumberType type() const noexcept { return type_; }
  std::size_t count() const noexcept { return numbers_in(bytes_.size(), type_); }
  const void* data() const noexcept { return bytes_.data(); }
  NumberView view() const noexcept { return {type_, bytes_.data(), count()}; }
  // The numbers as T; kTypeMismatch for another type.
  template <Number T>
  Result<std::span<const T>> as() const noexcept {
    if (type_ != kNumberTypeOf<T>) {
      return Status(ErrorKind::kTypeMismatch, "the array holds another number type");
    }
    return std::span<const T>(reinterpret_cast<const T*>(bytes_.data()), count());
  }
  std::vector<std::byte>& storage() noexcept { return bytes_; }

 private:
  NumberType type_ = NumberType::kU8;
  std::vector<std::byte> bytes_;  // operator new aligns for every number type
};

// Decodes a file of any number type. kTypeMismatch: an empty file without a type.
NUMPACT_API Result<NumberArray> decompress_any(std::span<const std::byte> file,
                                               const DecodeConfig& config = {},
                                               DecodeContext* context = nullptr) noexcept;

namespace detail {
// Decodes in steps; before each, `grow` provides memory for `count` numbers in total and keeps the
// previous ones; `expected` is the probable final count.
using GrowFunction = void* (*)(void* owner, std::size_t count, std::size_t expected);
NUMPACT_API Status decompress_growing(std::span<const std::byte> file, NumberType type,
                                      GrowFunction grow, void* owner, const DecodeConfig& config,
                                      DecodeContext* context) noexcept;
}  // namespace detail

// Decodes all numbers; the vector grows with decoded chunks, whatever n_hint says.
template <Number T>
Result<std::vector<T>> decompress(std::span<const std::byte> file, const DecodeConfig& config = {},
                                  DecodeContext* context = nullptr) noexcept {
  std::vector<T> out;
  const auto grow = [](void* owner, std::size_t count, std::size_t expected) -> void* {
    auto& numbers = *static_cast<std::vector<T>*>(owner);
    numbers.reserve(expected);
    numbers.resize(count);
    return numbers.data();
  };
  const Status status =
      detail::decompress_growing(file, kNumberTypeOf<T>, grow, &out, config, context);
  if (!status.ok()) return status;
  return out;
}

}  // namespace numpact
