// SPDX-License-Identifier: Apache-2.0
#include "cvc/header/frame.hpp"

#include <algorithm>

#include "base/check_bytes.hpp"
#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "signature/file_format.hpp"

namespace numpact::cvc::internal {
namespace {

// Enough bytes to distinguish versions, unless blanks precede the header's first brace.
constexpr std::uint64_t kMinPrefixBytes = 16;

// The first bytes of a file of known or unknown length.
class Prefix {
 public:
  Prefix(std::span<const std::byte> bytes, std::uint64_t file_bytes)
      : bytes_(bytes), file_bytes_(file_bytes) {}

  std::uint64_t number(std::size_t at, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      value |= std::to_integer<std::uint64_t>(bytes_[at + i]) << (8 * i);
    }
    return value;
  }

  bool has(std::uint64_t n) const { return bytes_.size() >= n; }
  bool fits(std::uint64_t end) const { return end <= file_bytes_; }

  enum class Answer { kNo, kYes, kUnclear };
  // Whether the `size` bytes at `at` start with a brace after optional blanks.
  Answer has_object(std::size_t at, std::uint64_t size) const {
    const std::size_t end = to_size(std::min<std::uint64_t>(at + size, bytes_.size()));
    for (std::size_t i = at; i < end; ++i) {
      const auto c = static_cast<char>(bytes_[i]);
      if (c == '{') return Answer::kYes;
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return Answer::kNo;
    }
    return end == at + size ? Answer::kNo : Answer::kUnclear;
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t file_bytes_;
};

Status check_magic(std::span<const std::byte> bytes) {
  namespace signature = numpact::internal::signature;
  for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 4); ++i) {
    if (static_cast<char>(bytes[i]) != kMagic[i]) {
      return Status(ErrorKind::kCorrupt,
                    signature::refusal(bytes, signature::Expected::kCvc,
                                       "no CVC file: the magic number is wrong"),
                    0);
    }
  }
  return {};
}

}  // namespace

Status find_header(std::span<const std::byte> bytes, std::uint64_t file_bytes, Frame& frame,
                   std::uint64_t& needed) {
  NUMPACT_TRY(check_bytes(bytes));
  const Prefix prefix(bytes, file_bytes);
  const Status magic = check_magic(bytes);
  if (!magic.ok()) return magic;
  needed = kMinPrefixBytes;
  if (!prefix.has(kMinPrefixBytes)) {
    if (file_bytes >= kMinPrefixBytes) return {};
    return Status(ErrorKind::kTruncated, "the file ends before its header", bytes.size());
  }
  const auto major = static_cast<unsigned>(prefix.number(4, 2));
  const auto minor = static_cast<unsigned>(prefix.number(6, 2));
  const std::uint64_t length = prefix.number(8, 4);
  const std::uint64_t old_length = prefix.number(4, 4);
  const bool may_have_version = major >= 1 && major <= 10 && minor <= 100;
  const Prefix::Answer has_object = prefix.has_object(12, length);
  const Prefix::Answer has_old_object = prefix.has_object(8, old_length);
  using enum Prefix::Answer;
  if (may_have_version && has_object == kYes && prefix.fits(12 + length)) {
    if (major > 2) {
      return Status(ErrorKind::kUnsupportedVersion, "the file's version is above 2", 4);
    }
    frame = {major, minor, 12, length};
  } else if (has_old_object == kYes && prefix.fits(8 + old_length)) {
    frame = {0, 1, 8, old_length};
  } else if ((may_have_version && has_object == kUnclear && prefix.fits(12 + length)) ||
             (has_old_object == kUnclear && prefix.fits(8 + old_length))) {
    needed = 2 * std::uint64_t{bytes.size()};
    return {};
  } else if (has_object == kYes && !may_have_version && prefix.fits(12 + length)) {
    return Status(ErrorKind::kUnsupportedVersion, "the file's version is unknown", 4);
  } else if (may_have_version ? !prefix.fits(12 + length) : !prefix.fits(8 + old_length)) {
    return Status(ErrorKind::kTruncated, "the header's length passes the end of the file",
                  may_have_version ? 8 : 4);
  } else {
    return Status(ErrorKind::kCorrupt, "header: no JSON object", may_have_version ? 12 : 8);
  }
  needed = frame.end();
  return {};
}

}  // namespace numpact::cvc::internal
