// SPDX-License-Identifier: Apache-2.0
// The names of the files of a table.
#include "numpact/table.hpp"

namespace numpact::table {
namespace {

// Bytes of a column's name in the name of a file, so that all stay below the 255 of file systems.
constexpr std::size_t kMaxStemBytes = 120;

bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '-';
}

std::string stem_of(std::string_view column) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string stem;
  for (const char c : column) {
    if (stem.size() >= kMaxStemBytes) break;
    if (is_plain(c)) {
      stem += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      stem += '%';
      stem += kDigits[byte >> 4];
      stem += kDigits[byte & 15];
    }
  }
  if (stem.size() > kMaxStemBytes) stem.resize(kMaxStemBytes);
  return stem.empty() ? "column" : stem;
}

}  // namespace

bool is_file_name(std::string_view name) noexcept {
  constexpr std::string_view kForbidden("/\\:\0", 4);
  return !name.empty() && name != "." && name.find("..") == std::string_view::npos &&
         name.find_first_of(kForbidden) == std::string_view::npos;
}

std::string FileNames::add(std::string_view column, std::string_view ending) {
  std::string name = stem_of(column);
  std::string folded = name;
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  // No stem has a '~', so numbered names collide with no other.
  const std::uint64_t copy = ++taken_[folded];
  if (copy > 1) name += '~' + std::to_string(copy);
  return name.append(ending);
}

std::string null_file_name(std::string_view column_file) {
  constexpr std::string_view kEnding = ".pco";
  if (column_file.ends_with(kEnding)) column_file.remove_suffix(kEnding.size());
  return std::string(column_file) + ".nulls.pco";
}

std::string text_file_name(std::string_view column_file) {
  return std::string(column_file.substr(0, column_file.rfind('.'))) + ".values";
}

}  // namespace numpact::table
