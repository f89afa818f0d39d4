// SPDX-License-Identifier: Apache-2.0
#include "numpact/error.hpp"

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

std::string Status::message() const {
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

Error::Error(const Status& status) : std::runtime_error(status.message()), status_(status) {}
Error::Error(const Status& status, const std::string& context)
    : std::runtime_error(context + ": " + status.message()), status_(status) {}
Error::~Error() = default;

namespace detail {

void throw_error(const Status& status) { throw Error(status); }

void throw_error(const Status& status, const std::string& context) { throw Error(status, context); }

void throw_no_value(const Status& status) {
  if (!status.ok()) throw Error(status);
  throw Error(Status(ErrorKind::kInvalidArgument, "the result holds neither a value nor an error"));
}

}  // namespace detail

}  // namespace numpact
