// SPDX-License-Identifier: Apache-2.0
#include "formats/npy_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <set>

#include "failure.hpp"

namespace numpact::cli {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMaxHeaderBytes = std::size_t{1} << 20;
// numpy pads the header so that the first dimension can grow to this many digits.
constexpr std::size_t kGrowthDigits = 21;
// Maximum number of dimensions, as in numpy. A crafted header could claim half a million.
constexpr std::size_t kMaxDimensions = 64;

// Parses the header's dictionary of Python literals, in any order. Python 2 writes long integers as
// 3L, and may write u before strings.
class Parser {
 public:
  Parser(std::string_view text, const std::string& place) : rest_(text), place_(place) {}

  NpyHeader parse() {
    NpyHeader header;
    std::set<std::string, std::less<>> seen;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        header.descr = descr();
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
      } else if (key == "shape") {
        header.shape = tuple();
      } else {
        bad();
      }
      seen.insert(key);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (seen.size() != 3 || !rest_.empty()) bad();
    return header;
  }

 private:
  [[noreturn]] void bad() const { fail_corrupt(place_, "corrupt: the NPY header is malformed"); }

  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\f\r"), rest_.size()));
  }

  bool accept(char c) {
    skip_space();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) bad();
  }

  std::string string() {
    if (!accept('u')) accept('U');
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) bad();
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) bad();
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::string descr() {
    skip_space();
    if (!rest_.empty() && rest_[0] == '[') {
      fail(place_, "arrays of structures cannot be compressed");
    }
    return string();
  }

  bool boolean() {
    skip_space();
    for (const std::string_view literal : {"True", "False"}) {
      if (rest_.starts_with(literal)) {
        rest_.remove_prefix(literal.size());
        return literal == "True";
      }
    }
    bad();
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> numbers;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc() || numbers.size() == kMaxDimensions) bad();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (rest_.starts_with('L') || rest_.starts_with('l')) rest_.remove_prefix(1);
      numbers.push_back(number);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  std::string_view rest_;
  const std::string& place_;
};

std::string_view numpy_kind(NumberType type) {
  switch (kind_of(type)) {
    case NumberKind::kUnsigned:
      return "u";
    case NumberKind::kSigned:
      return "i";
    case NumberKind::kFloat:
      break;
  }
  return "f";
}

}  // namespace

NpyHeader read_npy_header(Input& input) {
  std::byte front[12];
  const auto truncated = [&] {
    return Failure(ExitCode::kCorrupt, input.name(), "truncated: the NPY header is not whole");
  };
  if (input.read_full(std::span(front).first(8)) < 8) throw truncated();
  if (std::memcmp(front, kNpyMagic.data(), kNpyMagic.size()) != 0) {
    fail_corrupt(input.name(), "corrupt: not an NPY file");
  }
  const auto version = std::to_integer<unsigned>(front[6]);
  if (version < 1 || version > 3) {
    fail_corrupt(input.name(), "unsupported version: NPY {}", version);
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (input.read_full(std::span(front).subspan(8, length_bytes)) < length_bytes) throw truncated();
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::to_integer<std::size_t>(front[8 + i]) << (8 * i);
  }
  if (length > kMaxHeaderBytes) fail_corrupt(input.name(), "corrupt: the NPY header is too long");
  std::string text(length, ' ');
  if (input.read_full(std::as_writable_bytes(std::span(text))) < length) throw truncated();
  return Parser(text, input.name()).parse();
}

std::string npy_header(NumberType type, std::span<const std::uint64_t> shape) {
  const std::string_view order = size_of(type) == 1                           ? "|"
                                 : std::endian::native == std::endian::little ? "<"
                                                                              : ">";
  const std::string lengths =
      shape.size() == 1 ? fmt::format("{},", shape[0]) : fmt::format("{}", fmt::join(shape, ", "));
  std::string text = fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                 order, numpy_kind(type), size_of(type), lengths);
  text.append(kGrowthDigits - std::to_string(shape[0]).size(), ' ');
  constexpr std::size_t kFrontBytes = 10;
  const std::size_t whole =
      (kFrontBytes + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.append(whole - kFrontBytes - text.size() - 1, ' ');
  text += '\n';
  std::string header(kNpyMagic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace numpact::cli
