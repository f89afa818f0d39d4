// SPDX-License-Identifier: Apache-2.0
// Errors: Status and Result, which Result::value() and throw_if_error() turn into exceptions.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
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
// allocates. Functions that return a Status or Result do not throw.
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
  // Functions that decode in order: correct numbers at the start of the output despite the error.
  constexpr std::uint64_t good_numbers() const noexcept { return good_numbers_; }
  // kIo: errno of the failed system call; 0 if unknown.
  constexpr int system_error() const noexcept { return system_error_; }

  // The same error with one property replaced; shifted() adds `base` to its offset.
  NUMPACT_API Status at_chunk(std::uint64_t chunk) const noexcept;
  NUMPACT_API Status shifted(std::uint64_t base) const noexcept;
  NUMPACT_API Status needing(std::uint64_t bytes) const noexcept;
  NUMPACT_API Status after_numbers(std::uint64_t count) const noexcept;
  NUMPACT_API Status because_of(int system_error) const noexcept;

  // One line, e.g. "corrupt: bin weights do not add up to the table size (at byte 17, chunk 0)".
  NUMPACT_API std::string message() const;

 private:
  ErrorKind kind_ = ErrorKind::kNone;
  int system_error_ = 0;
  const char* what_ = "";
  std::uint64_t offset_ = kNoOffset;
  std::uint64_t chunk_ = kNoOffset;
  std::uint64_t needed_bytes_ = kNoOffset;
  std::uint64_t good_numbers_ = 0;
};

// Thrown only by Result::value() and throw_if_error().
class NUMPACT_API Error : public std::runtime_error {
 public:
  // `context`, if not empty, names e.g. a file or column and precedes the message. The text of
  // system_error() follows it.
  explicit Error(const Status& status, std::string_view context = {});
  ~Error() override;

  ErrorKind kind() const noexcept { return status_.kind(); }
  std::uint64_t offset() const noexcept { return status_.offset(); }
  std::uint64_t chunk() const noexcept { return status_.chunk(); }
  const Status& status() const noexcept { return status_; }

 private:
  Status status_;
};

namespace detail {
// Inside the library, so that headers also compile without exceptions.
[[noreturn]] NUMPACT_API void throw_error(const Status& status, std::string_view context);
NUMPACT_API Status guard(Status (*call)(void* f), void* f) noexcept;
// Calls f, which returns a Status; exceptions become errors.
template <class F>
Status guard(F&& f) noexcept {
  return guard([](void* own) { return (*static_cast<std::remove_reference_t<F>*>(own))(); }, &f);
}
}  // namespace detail

// Throws Error for an error.
inline void throw_if_error(const Status& status, std::string_view context = {}) {
  if (!status.ok()) detail::throw_error(status, context);
}

// A value, or the Status that explains its absence.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}               // NOLINT(google-explicit-constructor)
  Result(const Status& status) noexcept : status_(status) {}  // NOLINT(google-explicit-constructor)

  bool ok() const noexcept { return value_.has_value(); }
  // Not of a bool: a test of it would be taken for a test of the value.
  explicit operator bool() const noexcept requires(!std::is_same_v<T, bool>) { return ok(); }
  const Status& status() const noexcept { return status_; }

  // The value; throws Error, with `context` as there, if there is none.
  T& value(std::string_view context = {}) & { return require(context), *value_; }
  const T& value(std::string_view context = {}) const& { return require(context), *value_; }
  T value(std::string_view context = {}) && { return require(context), std::move(*value_); }
  // Moves the value, if there is one, to `out`, which is otherwise unchanged. Returns status().
  template <class U>
  Status into(U& out) && {
    if (ok()) out = std::move(*value_);
    return status_;
  }
  // The value, unchecked: call ok() first.
  T& operator*() & noexcept { return *value_; }
  const T& operator*() const& noexcept { return *value_; }
  T&& operator*() && noexcept { return std::move(*value_); }
  T* operator->() noexcept { return &*value_; }
  const T* operator->() const noexcept { return &*value_; }

 private:
  void require(std::string_view context) const {
    if (!ok()) detail::throw_error(status_, context);
  }

  std::optional<T> value_;
  Status status_;
};

}  // namespace numpact
