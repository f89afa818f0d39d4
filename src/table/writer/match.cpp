// SPDX-License-Identifier: Apache-2.0
#include "table/writer/match.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/try.hpp"
#include "table/part_names.hpp"
#include "table/writer/widening.hpp"

namespace numpact::internal {

using table::Column;
using table::ColumnEntry;
using table::ColumnPlan;
using table::Manifest;
using table::Other;
using table::SchemaChange;
using table::WritePlan;

namespace {

// Columns whose rows are all null, as Arrow prints their types: nulls, and categories without any.
bool is_untyped(const Other& other) {
  return other.type == "null" || other.type.starts_with("dictionary<values=null, ");
}
bool is_untyped(const ColumnEntry& entry) {
  return entry.other != nullptr && is_untyped(*entry.other);
}

bool is_texts(const ColumnEntry& entry) {
  return entry.numbers != nullptr && entry.numbers->kind == table::Kind::kText;
}

// Whether the rows of a column are texts that those of one can be: of any type of Arrow, also as
// categories, as its name says.
bool may_be_texts_of(const Column& column, const ColumnEntry& entry) {
  const bool is_bytes = table::is_bytes(column.text.at(0).type);
  if (is_texts(entry)) return table::is_bytes(entry.numbers->text.at(0).type) == is_bytes;
  if (entry.other == nullptr) return false;
  constexpr std::string_view kDictionary = "dictionary<values=";
  std::string_view type = entry.other->type;
  if (type.starts_with(kDictionary)) {
    type.remove_prefix(kDictionary.size());
    type = type.substr(0, type.find(','));
  }
  if (type.starts_with("large_")) type.remove_prefix(std::string_view("large_").size());
  const std::string_view name = is_bytes ? "binary" : "string";
  return type == name || type == std::string(name) + "_view";
}

std::string text_of_type(const ColumnEntry& entry) {
  if (entry.other != nullptr) return entry.other->type;
  if (is_texts(entry)) return type_text(entry.numbers->text.at(0));
  return text_of(value_type_of(*entry.numbers), entry.numbers->timezone);
}

std::vector<std::string> names_of(const std::vector<ColumnEntry>& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const ColumnEntry& entry : entries) names.push_back(entry.name());
  return names;
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 10;  // of many names
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i) {
    list += (i > 0 ? ", '" : "'") + names[i] + "'";
  }
  return '[' + list + (names.size() > kShown ? ", ...]" : "]");
}

// Columns by their names.
using Places = std::multimap<std::string_view, std::size_t>;

bool is_repeated(const Places& places, Places::const_iterator first) {
  const auto next = std::next(first);
  return next != places.end() && next->first == first->first;
}

class Matching {
 public:
  Matching(WritePlan& plan, const Manifest& rows, SchemaChange allowed, std::string* why)
      : plan_(plan),
        before_(entries_of(plan.before)),
        given_(entries_of(rows)),
        extends_(allowed == SchemaChange::kExtend),
        why_(why) {}

  Status run(std::uint32_t tag) {
    NUMPACT_TRY(find_sources());
    Manifest& after = plan_.after;
    after.columns.clear();
    after.others.clear();
    for (std::size_t i = 0; i < before_.size(); ++i) {
      ColumnPlan& planned = plan_.columns[i];
      NUMPACT_TRY(planned.source ? match(before_[i], given_[*planned.source], planned)
                                 : add_absent(before_[i]));
    }
    add_new_columns(tag);
    return {};
  }

 private:
  Status refuse(const std::string& text, ErrorKind kind = ErrorKind::kTypeMismatch) const {
    if (why_ != nullptr) *why_ = text;
    return Status(kind, "the columns of the rows are not those of the table");
  }
  Status refuse_types(const ColumnEntry& old, const ColumnEntry& given,
                      const std::string& needed) const {
    return refuse("column '" + old.name() + "': values of type " + text_of_type(given) +
                  ", the folder has " + text_of_type(old) + needed);
  }

  // Sets the sources of columns, and lists the new ones.
  Status find_sources() {
    const std::vector<std::string> names = names_of(before_);
    const std::vector<std::string> others = names_of(given_);
    if (names == others) return {};
    Places places;
    for (std::size_t i = 0; i < others.size(); ++i) places.emplace(others[i], i);
    std::vector<std::string> missing;
    std::vector<std::string> repeated;
    std::set<std::size_t> found;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto at = places.find(names[i]);
      plan_.columns[i].source.reset();
      if (at == places.end()) {
        missing.push_back(names[i]);
      } else if (is_repeated(places, at) || !found.insert(at->second).second) {
        repeated.push_back(names[i]);
      } else {
        plan_.columns[i].source = at->second;
      }
    }
    if (!repeated.empty()) {
      return refuse("columns of the same name must be in the order of the folder: " +
                    list_of(names) + ", not " + list_of(others));
    }
    std::vector<std::string> extra;
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (found.contains(i)) continue;
      extra.push_back(others[i]);
      new_.push_back(i);
    }
    if (extends_ || (missing.empty() && extra.empty())) return {};
    std::string text;
    if (!missing.empty()) {
      text = "columns are missing: " + list_of(missing) + " (schema 'extend' makes them null)";
    }
    if (!extra.empty()) {
      text += (text.empty() ? "" : "; ") + ("the folder does not have the columns " +
                                            list_of(extra) + " (schema 'extend' adds them)");
    }
    return refuse(text);
  }

  Status match(const ColumnEntry& old, const ColumnEntry& given, ColumnPlan& planned) {
    if (is_untyped(old) && !is_untyped(given)) {
      if (!extends_) return refuse_types(old, given, " (schema 'extend' changes its type)");
      add(given, planned);
      return {};
    }
    if (is_texts(old) && !is_untyped(given)) {
      if (!may_be_texts_of(*old.numbers, given)) return refuse_types(old, given, "");
      keep(old);
      return {};
    }
    if (old.other != nullptr) {
      if (given.other == nullptr) return refuse_types(old, given, "");
      NUMPACT_TRY(match_vectors(*old.other, *given.other));
      keep(old);
      return {};
    }
    if (given.other == nullptr) return widen(*old.numbers, *given.numbers, planned);
    if (!is_untyped(given)) {
      const bool is_long =
          old.numbers->kind == table::Kind::kDecimal && given.other->type.starts_with("decimal");
      return refuse_types(old, given,
                          is_long ? ": decimals of over 18 digits are not stored as numbers" : "");
    }
    keep(old);
    return {};
  }

  // A column has one compression, which says what all of its rows have lost.
  Status match_vectors(const Other& old, const Other& given) {
    if (given.vectors == table::Vectors::kExact || given.vectors == old.vectors) return {};
    return refuse("column '" + old.name + "': its vectors are " +
                      std::string(to_string(old.vectors)) + ", not " +
                      std::string(to_string(given.vectors)),
                  ErrorKind::kInvalidArgument);
  }

  Status widen(const Column& old, const Column& given, ColumnPlan& planned) {
    const ValueType was = value_type_of(old);
    const ValueType is = value_type_of(given);
    std::optional<ValueType> common;
    if (old.timezone == given.timezone) common = common_type(was, is);
    const ColumnEntry entries[] = {{&old, nullptr}, {&given, nullptr}};
    if (!common) {
      return refuse_types(entries[0], entries[1],
                          extends_ ? ": no type holds the values of both exactly" : "");
    }
    const bool is_wider = *common != was;
    if (!extends_ && (is_wider || *common != is)) {
      return refuse_types(entries[0], entries[1],
                          is_wider ? " (schema 'extend' writes the column anew as " +
                                         text_of(*common, old.timezone) + ")"
                                   : " (schema 'extend' converts the rows)");
    }
    keep(entries[0]);
    Column& made = plan_.after.columns.back();
    made.type = common->type;
    made.kind = common->kind;
    made.unit = common->unit;
    made.decimal = common->decimal;
    if (*common != is) planned.given_type = is;
    if (!is_wider) return {};
    planned.copied_type = was;
    planned.kept = 0;
    planned.numbers = old.all_parts();
    return {};
  }

  Status add_absent(const ColumnEntry& old) {
    if (old.numbers != nullptr && !old.numbers->nullable) {
      return refuse("column '" + old.name() + "' is missing, and its field is not nullable",
                    ErrorKind::kInvalidArgument);
    }
    keep(old);
    return {};
  }

  // Adds a column of the table to those of `after`.
  void keep(const ColumnEntry& entry) {
    const std::size_t position = plan_.after.columns.size() + plan_.after.others.size();
    if (entry.numbers != nullptr) {
      plan_.after.columns.push_back(*entry.numbers);
    } else {
      plan_.after.others.emplace_back(*entry.other).position = position;
    }
  }

  // A column of the new rows, whose old rows are null.
  void add(const ColumnEntry& entry, ColumnPlan& planned) {
    const std::uint64_t rows = plan_.before.joined_rows().value_or(0);
    keep(entry);
    const bool is_other = entry.other != nullptr;
    if (is_other) {
      Other& made = plan_.after.others.back();
      made.parts.clear();
      made.rows = rows;
    } else {
      Column& made = plan_.after.columns.back();
      made.file = made.null_file = "";
      made.parts.clear();
      made.count = made.nulls_dropped = 0;
      for (table::TextFile& texts : made.text) texts = texts.without_file();
      made.null_count = rows;
      made.nullable = made.nullable || rows > 0;
    }
    planned.kept = 0;
    planned.others.clear();
    planned.null_rows = rows;
    name_files(planned.file.substr(0, planned.file.rfind('.')), is_other, planned);
  }

  // If the process dies, the next writer knows files by the names of columns, of which the old
  // manifest does not have the new ones. So their first files are called as that of the first
  // column, with numbers of their own.
  void add_new_columns(std::uint32_t tag) {
    const std::vector<std::string> stems = stems_of(plan_.before);
    std::uint64_t number = next_part_number(plan_.before);
    std::set<std::string_view> names;
    for (const std::size_t place : new_) {
      ColumnPlan& planned = plan_.columns.emplace_back();
      planned.source = place;
      const std::string stem = stems.empty() ? "column" : stems[0];
      planned.file = part_name(stem, ++number, tag) + ".new";
      add(given_[place], planned);
      names.insert(given_[place].name());
    }
    std::erase_if(plan_.after.skipped,
                  [&](const table::Skipped& skipped) { return names.contains(skipped.name); });
  }

  WritePlan& plan_;
  std::vector<ColumnEntry> before_;
  std::vector<ColumnEntry> given_;
  std::vector<std::size_t> new_;  // columns of the rows that the table does not have
  bool extends_;
  std::string* why_;
};

}  // namespace

std::vector<ColumnEntry> entries_of(const Manifest& manifest) {
  std::vector<ColumnEntry> entries(manifest.columns.size() + manifest.others.size());
  for (const Other& other : manifest.others) {
    entries[static_cast<std::size_t>(other.position)].other = &other;
  }
  auto column = manifest.columns.begin();
  for (ColumnEntry& entry : entries) {
    if (entry.other == nullptr) entry.numbers = &*column++;
  }
  return entries;
}

void name_files(const std::string& name, bool is_other, ColumnPlan& plan) {
  plan.file = name + (is_other ? ".arrow" : ".pco");
  plan.null_file = is_other ? "" : table::null_file_name(plan.file);
}

Status match_rows(const Manifest& rows, SchemaChange allowed, std::uint32_t tag, WritePlan& plan,
                  std::string* why) {
  std::uint64_t first_free = 0;
  for (const Other& other : rows.others) {
    if (other.position < first_free || other.position >= rows.columns.size() + rows.others.size()) {
      return Status(ErrorKind::kInvalidArgument, "an other column cannot be at its position");
    }
    first_free = other.position + 1;
  }
  return Matching(plan, rows, allowed, why).run(tag);
}

}  // namespace numpact::internal
