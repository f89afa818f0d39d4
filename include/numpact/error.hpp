// SPDX-License-Identifier: Apache-2.0
// Errors: Status and Result for callers without exceptions, Error for callers with them.
#ifndef NUMPACT_ERROR_HPP
#define NUMPACT_ERROR_HPP

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "numpact/version.hpp"

namespace numpact {

// Error categories. The values are stable; new kinds use free ones.
enum class ErrorKind : std::int32_t {
  kNone = 0,
  kInvalidArgument = 10,     // arguments contradict each other or the documentation
  kTypeMismatch = 11,        // the numbers have another type than requested
  kOutputTooSmall = 12,      // the caller's memory cannot hold the result
  kCorrupt = 20,             // the bytes violate the format
  kTruncated = 21,           // the bytes end early
  kUnsupportedVersion = 22,  // the format version is not supported
  kChecksum = 23,            // a stored checksum does not match
  kLimitExceeded = 30,       // decoding would exceed one of the DecodeLimits
  kOutOfMemory = 31,         // an allocation failed
  kIo = 40,                  // reading or writing failed
  kTimedOut = 41,            // waiting for a file lock (FileLock) timed out
  kCancelled = 50,           // the progress callback stopped the call
  kUnavailable = 60,         // the device is missing, or the build lacks support for it
  kDevice = 61,              // a device failed
};

// The kind as text, e.g. "corrupt"; a static string.
NUMPACT_API const char* to_string(ErrorKind kind) noexcept;

// The outcome of an operation: success, or an error kind with a static text and a position. Never
// allocates.
class [[nodiscard]] Status {
 public:
  static constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};

  constexpr Status() noexcept = default;
  // `what` must outlive the Status, such as a literal.
  constexpr Status(ErrorKind kind, const char* what, std::uint64_t offset = kNoOffset) noexcept
      : kind_(kind), what_(what), offset_(offset) {}

  constexpr bool ok() const noexcept { return kind_ == ErrorKind::kNone; }
  constexpr ErrorKind kind() const noexcept { return kind_; }
  constexpr const char* what() const noexcept { return what_; }
  // Byte offset from the start of the input (streams: from where reading began; wrapped objects: in
  // the span passed); kNoOffset if not applicable.
  constexpr std::uint64_t offset() const noexcept { return offset_; }
  // Index of the chunk being read; kNoOffset outside of chunks.
  constexpr std::uint64_t chunk() const noexcept { return chunk_; }
  // kOutputTooSmall: output bytes that suffice; kNoOffset if unknown.
  constexpr std::uint64_t needed_bytes() const noexcept { return needed_bytes_; }

  constexpr Status at_chunk(std::uint64_t chunk) const noexcept {
    Status status = *this;
    status.chunk_ = chunk;
    return status;
  }
  // The same error with `base` added to its offset.
  constexpr Status shifted(std::uint64_t base) const noexcept {
    Status status = *this;
    if (offset_ != kNoOffset) status.offset_ += base;
    return status;
  }

  constexpr Status needing(std::uint64_t bytes) const noexcept {
    Status status = *this;
    status.needed_bytes_ = bytes;
    return status;
  }

  // One line, e.g. "corrupt: bin weights do not add up to the table size (at byte 17, chunk 0)".
  NUMPACT_API std::string message() const;

 private:
  ErrorKind kind_ = ErrorKind::kNone;
  const char* what_ = "";
  std::uint64_t offset_ = kNoOffset;
  std::uint64_t chunk_ = kNoOffset;
  std::uint64_t needed_bytes_ = kNoOffset;
};

// The only exception type that the throwing functions throw.
class NUMPACT_API Error : public std::runtime_error {
 public:
  explicit Error(const Status& status);
  // `context` names e.g. a file or column and precedes the message.
  Error(const Status& status, const std::string& context);
  ~Error() override;

  ErrorKind kind() const noexcept { return status_.kind(); }
  std::uint64_t offset() const noexcept { return status_.offset(); }
  std::uint64_t chunk() const noexcept { return status_.chunk(); }
  const Status& status() const noexcept { return status_; }

 private:
  Status status_;
};

namespace detail {
// Throw Error from inside the library, so that headers also compile without exceptions.
[[noreturn]] NUMPACT_API void throw_error(const Status& status);
[[noreturn]] NUMPACT_API void throw_error(const Status& status, const std::string& context);
// For a Result without a value.
[[noreturn]] NUMPACT_API void throw_no_value(const Status& status);
}  // namespace detail

inline void throw_if_error(const Status& status) {
  if (!status.ok()) detail::throw_error(status);
}

// A value, or the Status that explains its absence.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}               // NOLINT(google-explicit-constructor)
  Result(const Status& status) noexcept : status_(status) {}  // NOLINT(google-explicit-constructor)

  bool ok() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }
  const Status& status() const noexcept { return status_; }

  // The value; throws Error if there is none.
  T& value() & {
    if (!ok()) detail::throw_no_value(status_);
    return *value_;
  }
  const T& value() const& {
    if (!ok()) detail::throw_no_value(status_);
    return *value_;
  }
  T&& value() && {
    if (!ok()) detail::throw_no_value(status_);
    return std::move(*value_);
  }
  // The value, unchecked: call ok() first.
  T& operator*() & noexcept { return *value_; }
  const T& operator*() const& noexcept { return *value_; }
  T&& operator*() && noexcept { return std::move(*value_); }
  T* operator->() noexcept { return &*value_; }
  const T* operator->() const noexcept { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace numpact

#endif
