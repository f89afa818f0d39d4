// SPDX-License-Identifier: Apache-2.0
// Plans what an append does to each column.
#include <algorithm>
#include <utility>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "numpact/table_writer.hpp"
#include "table/part_names.hpp"
#include "table/writer/match.hpp"

namespace numpact::table {
namespace {

// Files have one dictionary each, which a reader would have to join. The text of an extension type
// does not say whether it has one.
bool is_written_whole(const Other& other) {
  if (std::any_of(other.parts.begin(), other.parts.end(),
                  [](const Part& part) { return part.has_vectors(); })) {
    return false;
  }
  return other.type.find("dictionary") != std::string::npos ||
         other.type.find("extension") != std::string::npos;
}

// How many parts stay, if the last small ones are copied.
template <class Parts, class RowsOf>
std::size_t kept_of(const Parts& parts, RowsOf&& rows_of) {
  std::size_t kept = parts.size();
  while (kept > 0 && rows_of(parts[kept - 1]) < kMinPartRows) --kept;
  return kept;
}

// If all parts are joined: one alone stays.
template <class Parts>
std::size_t kept_alone(const Parts& parts) {
  return parts.size() > 1 ? 0 : parts.size();
}

ColumnPlan plan_of(const Column& column, bool joins_all) {
  ColumnPlan plan;
  std::vector<NumberPart> parts = column.all_parts();
  plan.kept = joins_all ? kept_alone(parts)
                        : kept_of(parts, [](const NumberPart& part) { return part.rows(); });
  plan.numbers.assign(parts.begin() + static_cast<std::ptrdiff_t>(plan.kept), parts.end());
  return plan;
}

ColumnPlan plan_of(const Other& other, bool joins_all) {
  ColumnPlan plan;
  if (joins_all) {
    plan.kept = kept_alone(other.parts);
  } else if (!is_written_whole(other)) {
    plan.kept = kept_of(other.parts, [](const Part& part) { return part.rows; });
  }
  plan.others.assign(other.parts.begin() + static_cast<std::ptrdiff_t>(plan.kept),
                     other.parts.end());
  return plan;
}

}  // namespace

std::uint64_t ColumnPlan::copied_rows() const noexcept {
  std::uint64_t rows = 0;
  for (const NumberPart& part : numbers) rows += part.rows();
  for (const Part& part : others) rows += part.rows;
  return rows;
}

OtherSource::~OtherSource() = default;

namespace {

Result<WritePlan> plan_parts(const Manifest& before, std::span<const std::string> names,
                             std::uint32_t tag, bool joins_all, std::string* why) noexcept {
  return internal::guarded_value<WritePlan>([&](WritePlan& plan) -> Status {
    for (const Column& column : before.columns) {
      if (column.nulls_dropped == 0) continue;
      if (why != nullptr) {
        *why = "column '" + column.name + "' lost its nulls, so its rows do not match others";
      }
      return Status(ErrorKind::kInvalidArgument, "nulls of a column were left out");
    }
    plan.kind = joins_all ? WritePlan::Kind::kCompact : WritePlan::Kind::kAppend;
    plan.before = before;
    plan.after = before;
    plan.leftovers = left_files(before, names);
    const std::uint64_t number = internal::next_part_number(before);
    const std::vector<std::string> stems = internal::stems_of(before);
    const std::vector<ColumnEntry> entries = internal::entries_of(before);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const bool is_other = entries[i].other != nullptr;
      ColumnPlan& made =
          plan.columns.emplace_back(is_other ? plan_of(*entries[i].other, joins_all)
                                             : plan_of(*entries[i].numbers, joins_all));
      made.source = i;
      internal::name_files(internal::part_name(stems[i], number, tag), is_other, made);
    }
    return {};
  });
}

}  // namespace

Result<WritePlan> plan_append(const Manifest& before, std::span<const std::string> names,
                              std::uint32_t tag, std::string* why) noexcept {
  return plan_parts(before, names, tag, false, why);
}

Result<WritePlan> plan_append(const Manifest& before, const Manifest& rows, SchemaChange allowed,
                              std::span<const std::string> names, std::uint32_t tag,
                              std::string* why) noexcept {
  WritePlan plan;
  Status status = plan_append(before, names, tag, why).into(plan);
  if (status.ok()) {
    status = internal::guarded([&] { return internal::match_rows(rows, allowed, tag, plan, why); });
  }
  if (!status.ok()) return status;
  return plan;
}

Result<WritePlan> plan_compaction(const Manifest& before, std::span<const std::string> names,
                                  std::uint32_t tag, std::string* why) noexcept {
  return plan_parts(before, names, tag, true, why);
}

}  // namespace numpact::table
