// SPDX-License-Identifier: Apache-2.0
#include "table/part_names.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "platform/temporary.hpp"

namespace numpact::internal {
namespace {

constexpr std::size_t kTagDigits = 8;
constexpr std::size_t kMaxNumberDigits = 19;  // of what is parsed
constexpr std::string_view kMark = ".p";
constexpr std::string_view kEndings[] = {".nulls.pco", ".pco", ".values", ".arrow",
                                         table::kVectorEnding};

// A manifest that was not completed.
bool is_hidden_manifest(std::string_view name) {
  return name.starts_with(platform::hidden_prefix("", table::kManifestName)) &&
         name.ends_with(".tmp");
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

struct PartName {
  std::string_view stem;  // empty: it is not the name of a part
  std::uint64_t number = 0;
};

PartName parse_part_name(std::string_view name) {
  for (const std::string_view ending : kEndings) {
    if (!name.ends_with(ending)) continue;
    name.remove_suffix(ending.size());
    const std::size_t mark = name.find('.');  // stems have none
    if (mark == std::string_view::npos || !name.substr(mark).starts_with(kMark)) return {};
    const std::string_view rest = name.substr(mark + kMark.size());
    const std::size_t dash = rest.find('-');
    if (dash == 0 || dash > kMaxNumberDigits || rest.size() != dash + 1 + kTagDigits) return {};
    const std::string_view number = rest.substr(0, dash);
    const std::string_view tag = rest.substr(dash + 1);
    if (!std::all_of(number.begin(), number.end(), is_digit)) return {};
    if (!std::all_of(tag.begin(), tag.end(), is_hex_digit)) return {};
    PartName found{name.substr(0, mark)};
    for (const char c : number) found.number = 10 * found.number + static_cast<unsigned>(c - '0');
    return found;
  }
  return {};
}

}  // namespace

std::vector<std::string> stems_of(const table::Manifest& manifest) {
  table::FileNames names;
  std::vector<std::string> stems;
  auto other = manifest.others.begin();
  auto column = manifest.columns.begin();
  for (std::size_t i = 0; i < manifest.columns.size() + manifest.others.size(); ++i) {
    const bool is_other = other != manifest.others.end() && other->position == i;
    stems.push_back(names.add(is_other ? (other++)->name : (column++)->name, ""));
  }
  return stems;
}

std::string part_name(const std::string& stem, std::uint64_t number, std::uint32_t tag) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string name = stem + std::string(kMark) + std::to_string(number) + '-';
  for (int shift = 28; shift >= 0; shift -= 4) name += kDigits[tag >> shift & 15U];
  return name;
}

bool is_part_name(const std::string& name) { return !parse_part_name(name).stem.empty(); }

std::uint64_t next_part_number(const table::Manifest& manifest) {
  std::uint64_t next = 1;
  for (const std::string& file : files_of(manifest)) {
    next = std::max(next, parse_part_name(file).number + 1);
  }
  return next;
}

std::vector<std::string> files_of(const table::Manifest& manifest) {
  std::vector<std::string> files;
  for (const table::Column& column : manifest.columns) {
    for (const table::NumberPart& part : column.all_parts()) {
      files.push_back(part.file);
      if (part.null_count > 0) files.push_back(part.null_file);
    }
    for (const table::TextFile& texts : column.text) files.push_back(texts.file);
  }
  for (const table::Other& other : manifest.others) {
    for (const table::Part& part : other.parts) files.push_back(part.file);
  }
  return files;
}

}  // namespace numpact::internal

namespace numpact::table {

std::vector<std::string> left_files(const Manifest& manifest, std::span<const std::string> names) {
  const std::vector<std::string> files = internal::files_of(manifest);
  const std::vector<std::string> all_stems = internal::stems_of(manifest);
  const std::set<std::string_view> named(files.begin(), files.end());
  const std::set<std::string_view> stems(all_stems.begin(), all_stems.end());
  const std::set<std::string_view> obsolete(manifest.obsolete.begin(), manifest.obsolete.end());
  std::vector<std::string> left;
  for (const std::string& name : names) {
    if (name == kManifestName || named.contains(name)) continue;
    if (obsolete.contains(name) || internal::is_hidden_manifest(name) ||
        stems.contains(internal::parse_part_name(name).stem)) {
      left.push_back(name);
    }
  }
  return left;
}

}  // namespace numpact::table
