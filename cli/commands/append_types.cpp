// SPDX-License-Identifier: Apache-2.0
#include "commands/append_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "failure.hpp"
#include "io/files.hpp"
#include "pco/manifest.hpp"
#include "pco/table_folder.hpp"

namespace numpact::cli {
namespace {

// Names of types as Arrow prints them.
constexpr std::string_view kDictionary = "dictionary<values=";
constexpr std::string_view kIndices = ", indices=";

// Forms of text and of bytes, whose values are the same.
constexpr std::string_view kForms[][3] = {{"string", "large_string", "string_view"},
                                          {"binary", "large_binary", "binary_view"}};

std::string without_indices(const std::string& type) {
  if (!type.starts_with(kDictionary)) return type;
  const std::size_t begin = type.rfind(kIndices);
  if (begin == std::string::npos) return type;
  return type.substr(0, begin) + type.substr(std::min(type.find(',', begin + 1), type.size()));
}

// A type without the names of the items of lists: Arrow calls them "item", Parquet "element".
std::string without_item_names(std::string_view type) {
  constexpr std::string_view kList = "list<";
  constexpr std::string_view kEndOfName = ": ";
  std::string made;
  for (;;) {
    const std::size_t begin = type.find(kList);
    const std::size_t end = begin == type.npos ? type.npos : type.find(kEndOfName, begin);
    if (end == type.npos) return made += type;
    made += type.substr(0, begin + kList.size());
    type.remove_prefix(end + kEndOfName.size());
  }
}

// A type without what does not matter when rows are appended: the form of text, the indices of a
// dictionary, and the names of items.
std::string values_of_type(const std::string& type) {
  const std::string whole = without_item_names(without_indices(type));
  const std::string_view front = whole.starts_with(kDictionary) ? kDictionary : "";
  const std::string_view values = std::string_view(whole).substr(front.size());
  const std::string_view name = values.substr(0, front.empty() ? values.npos : values.find(','));
  for (const auto& forms : kForms) {
    if (std::find(std::begin(forms), std::end(forms), name) == std::end(forms)) continue;
    return fmt::format("{}{}{}", front, forms[0], values.substr(name.size()));
  }
  return whole;
}

// Whether a file of Arrow can take any text.
bool is_text_type(const std::string& type) {
  const std::string values = values_of_type(type);
  return values == "string" || values == fmt::format("{}string, ordered=0>", kDictionary);
}

// Digits of decimals before and behind the point.
struct Digits {
  int whole = 0;
  int scale = 0;
};

std::optional<Digits> decimal_digits(const std::string& type) {
  int bits = 0;
  int precision = 0;
  int scale = 0;
  if (std::sscanf(type.c_str(), "decimal%d(%d, %d)", &bits, &precision, &scale) != 3) return {};
  return Digits{precision - scale, scale};
}

StatedType stated_type(const ManifestEntry& entry) {
  StatedType stated;
  if (entry.other != nullptr) {
    stated.name = entry.other->type;
    stated.kind = is_text_type(stated.name) ? StatedType::Kind::kText : StatedType::Kind::kNulls;
    return stated;
  }
  const Column column = column_of(*entry.numbers);
  if (column.logical.kind == LogicalKind::kText) {
    stated.name = type_text(column.text[0]);
    const bool is_text = !is_bytes(column.text[0].type);
    stated.kind = is_text ? StatedType::Kind::kText : StatedType::Kind::kNulls;
    return stated;
  }
  stated.logical = column.logical;
  stated.type = column.type;
  stated.name = describe(stated.logical, stated.type);
  return stated;
}

class NullRows final : public NumberInput {
 public:
  NullRows(NumberType type, std::uint64_t rows) : type_(type), rows_(rows) {
    if (rows > 0) runs_.add_nulls(rows);
  }
  NumberView next() override { return {type_, nullptr, 0}; }
  std::optional<std::uint64_t> count() const override { return rows_; }
  std::uint64_t null_count() const override { return rows_; }
  NullRuns* null_runs() override { return &runs_; }

 private:
  NumberType type_;
  std::uint64_t rows_;
  NullRuns runs_;
};

}  // namespace

std::vector<std::pair<std::string, StatedType>> stated_types(const std::string& folder,
                                                             const Overwrite& overwrite,
                                                             WriteOptions& options) {
  std::vector<std::pair<std::string, StatedType>> stated;
  if (!is_folder(folder)) return stated;
  // Windows replaces no folder of which a file is open.
  const platform::FolderTurn turn = wait_for_turn(folder, overwrite);
  if (!is_regular_file(folder + "/" + kManifestName)) return stated;
  const TableFolder table(folder);
  // An append has one setting for all columns: that of the first.
  if (const auto& columns = table.manifest().columns; !columns.empty()) {
    keep_restart_points(table.file(columns.front().all_parts().back().file), options);
  }
  for (const ManifestEntry& entry : table.columns()) {
    stated.emplace_back(entry.name(), stated_type(entry));
  }
  // A column of text that the folder was made without is none of numbers in the next file.
  for (const SkippedColumn& column : table.manifest().skipped) {
    if (column.type != kCsvTextType || column.reason == kSkipped) continue;
    StatedType text;
    text.kind = StatedType::Kind::kText;
    text.name = kCsvTextType;
    stated.emplace_back(column.name, text);
  }
  return stated;
}

bool have_same_values(const std::string& type, const std::string& other) {
  return values_of_type(type) == values_of_type(other);
}

bool has_enums_of(const Metadata& given, const Metadata& stored) {
  return std::all_of(stored.begin(), stored.end(), [&](const auto& declared) {
    return !declared.first.starts_with("_PL_ENUM_VALUES") ||
           std::find(given.begin(), given.end(), declared) != given.end();
  });
}

bool holds_values_of(const std::string& type, const std::string& other) {
  const std::optional<Digits> to = decimal_digits(type);
  const std::optional<Digits> from = decimal_digits(other);
  if (to && from) return to->whole >= from->whole && to->scale >= from->scale;
  return values_of_type(other) ==
         fmt::format("{}{}, ordered=0>", kDictionary, values_of_type(type));
}

bool is_untyped(const Column& column) {
  return column.source_type == "null" ||
         column.source_type.starts_with(fmt::format("{}null{}", kDictionary, kIndices));
}

bool has_decimals_in_arrow(const table::Manifest& folder, const Column& column) {
  const auto& others = folder.others;
  return column.logical.kind == LogicalKind::kDecimal &&
         std::any_of(others.begin(), others.end(), [&](const ManifestOther& other) {
           return other.name == column.name && decimal_digits(other.type);
         });
}

void refuse_decimals(const Column& column, const std::string& place) {
  if (column.logical.kind != LogicalKind::kDecimal) return;
  fail(place, "a .pco file has no {}, the folder of a table has (-o FOLDER)",
       describe(column.logical, column.type));
}

std::unique_ptr<NumberInput> null_rows_of(NumberType type, std::uint64_t rows) {
  return std::make_unique<NullRows>(type, rows);
}

}  // namespace numpact::cli
