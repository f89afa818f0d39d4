// SPDX-License-Identifier: Apache-2.0
#include "numpact/error.hpp"

#ifdef NUMPACT_NO_EXCEPTIONS
#include <cstdlib>
#else
#include <system_error>
#endif

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "signature/file_format.hpp"

namespace numpact {

const char* to_string(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::kNone:
      return "ok";
    case ErrorKind::kInvalidArgument:
      return "invalid argument";
    case ErrorKind::kTypeMismatch:
      return "type mismatch";
    case ErrorKind::kOutputTooSmall:
      return "output too small";
    case ErrorKind::kCorrupt:
      return "corrupt";
    case ErrorKind::kTruncated:
      return "truncated";
    case ErrorKind::kUnsupportedVersion:
      return "unsupported version";
    case ErrorKind::kChecksum:
      return "checksum mismatch";
    case ErrorKind::kLimitExceeded:
      return "limit exceeded";
    case ErrorKind::kOutOfMemory:
      return "out of memory";
    case ErrorKind::kIo:
      return "input/output error";
    case ErrorKind::kTimedOut:
      return "timed out";
    case ErrorKind::kCancelled:
      return "cancelled";
    case ErrorKind::kUnavailable:
      return "unavailable";
    case ErrorKind::kDevice:
      return "device error";
  }
  return "unknown error";
}

Status Status::at_chunk(std::uint64_t chunk) const noexcept {
  Status status = *this;
  status.chunk_ = chunk;
  return status;
}

Status Status::shifted(std::uint64_t base) const noexcept {
  Status status = *this;
  if (offset_ != kNoOffset) status.offset_ += base;
  return status;
}

Status Status::needing(std::uint64_t bytes) const noexcept {
  Status status = *this;
  status.needed_bytes_ = bytes;
  return status;
}

Status Status::after_numbers(std::uint64_t count) const noexcept {
  Status status = *this;
  status.good_numbers_ = count;
  return status;
}

Status Status::because_of(int system_error) const noexcept {
  Status status = *this;
  status.system_error_ = system_error;
  return status;
}

std::string Status::message() const {
  if (std::string_view(what_).starts_with(internal::signature::kOtherFormat)) return what_;
  std::string text = to_string(kind_);
  if (*what_ != '\0') text.append(": ").append(what_);
  const bool has_chunk = chunk_ != kNoOffset;
  if (offset_ != kNoOffset) {
    text.append(" (at byte ").append(std::to_string(offset_));
    if (has_chunk) text.append(", chunk ").append(std::to_string(chunk_));
    text.append(")");
  } else if (has_chunk) {
    text.append(" (chunk ").append(std::to_string(chunk_)).append(")");
  }
  if (needed_bytes_ != kNoOffset) {
    text.append(" (").append(std::to_string(needed_bytes_)).append(" bytes suffice)");
  }
  return text;
}

#ifndef NUMPACT_NO_EXCEPTIONS

namespace {

std::string text_of(const Status& status, std::string_view context) {
  std::string text(context);
  if (!text.empty()) text.append(": ");
  text.append(status.message());
  if (status.system_error() == 0) return text;
  return text + ": " + std::generic_category().message(status.system_error());
}

}  // namespace

Error::Error(const Status& status, std::string_view context)
    : std::runtime_error(text_of(status, context)), status_(status) {}
Error::~Error() = default;

#endif

namespace detail {

#ifdef NUMPACT_NO_EXCEPTIONS

void throw_error(const Status&, std::string_view) { std::abort(); }

#else

void throw_error(const Status& status, std::string_view context) {
  if (!status.ok()) throw Error(status, context);
  throw Error(Status(ErrorKind::kInvalidArgument, "the result holds neither a value nor an error"));
}

#endif

Status guard(Status (*call)(void* f), void* f) noexcept {
  return guarded([&] { return call(f); });
}

}  // namespace detail

}  // namespace numpact
