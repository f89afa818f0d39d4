// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "table/reader/failure.hpp"
#include "table/reader/table_data.hpp"

namespace numpact::table {

using internal::ColumnPart;
using internal::fail;
using internal::OpenColumn;

namespace {

using Ranges = std::vector<RowRange>;

// Adds a range, joined to the last one if nothing is between them.
void add_range(Ranges& ranges, const RowRange& range) {
  if (range.first >= range.end) return;
  if (!ranges.empty() && ranges.back().end == range.first) {
    ranges.back().end = range.end;
  } else {
    ranges.push_back(range);
  }
}

Ranges intersection(const Ranges& a, const Ranges& b) {
  Ranges result;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    add_range(result, {std::max(a[i].first, b[j].first), std::min(a[i].end, b[j].end)});
    a[i].end < b[j].end ? ++i : ++j;
  }
  return result;
}

// The rows from that of the first number to that of the last of each chunk that may match.
Ranges rows_that_may_match(const OpenColumn& column, const NumberFilter& filter,
                           bool nan_may_match) {
  Ranges rows;
  for (const auto& part : column.parts) {
    const std::uint64_t base = part->first_row;
    const std::span<const ChunkSummary> chunks = part->file.summaries();
    if (chunks.empty() || filter.matches_null()) {
      const bool has_rows = !filter.matches_null() || !part->nulls.empty();
      if (has_rows) add_range(rows, {base, base + part->rows});
      continue;
    }
    for (const ChunkSummary& chunk : chunks) {
      if (!filter.may_match(chunk) && !(nan_may_match && chunk.nan_count > 0)) continue;
      const std::uint64_t last = chunk.place.first + chunk.place.count - 1;
      add_range(rows, {base + part->nulls.row_of(chunk.place.first),
                       base + part->nulls.row_of(last) + 1});
    }
  }
  return rows;
}

// Where a part can be cut, from a row of it on: where a chunk ends, or anywhere in a chunk with
// restart points.
std::uint64_t cut_from(const ColumnPart& part, std::uint64_t row) {
  const ChunkIndex& index = part.file.index();
  const std::uint64_t number = part.nulls.numbers_before(row);
  if (row == 0) return 0;
  if (number == 0 || number >= index.count()) return part.rows;
  const std::size_t chunk = index.chunk_of(number - 1);
  if (part.file.has_restarts(chunk)) return row;
  const IndexedChunk place = index.chunk(chunk);
  const std::uint64_t end = place.first + place.count;
  return end >= index.count() ? part.rows : part.nulls.row_of(end);
}

Ranges cut(const Ranges& ranges, const OpenColumn& column, std::uint64_t min_rows) {
  Ranges made;
  for (const RowRange& range : ranges) {
    for (std::uint64_t first = range.first; first < range.end;) {
      std::uint64_t end = range.end;
      if (end - first > min_rows) {
        const ColumnPart& part = *column.parts[column.part_of(first + min_rows)];
        end = part.first_row + cut_from(part, first + min_rows - part.first_row);
      }
      made.push_back({first, std::min(end, range.end)});
      first = made.back().end;
    }
  }
  return made;
}

// Makes a plan.
class Planner {
 public:
  Planner(Scan::Plan& plan, const Query& query, Failure* failure)
      : plan_(plan), table_(*plan.table), query_(query), failure_(failure) {}

  Status run() {
    for (const Condition& condition : query_.where) NUMPACT_TRY(use(condition.column));
    for (const std::size_t column : query_.columns) NUMPACT_TRY(use(column));
    NUMPACT_TRY(find_rows());
    NUMPACT_TRY(bind_all());
    RowRange rows{0, plan_.rows};
    if (query_.rows) {
      rows = *query_.rows;
      if (rows.end == RowRange::kToTheEnd) rows.end = std::max(rows.first, plan_.rows);
      if (rows.first > rows.end || rows.end > plan_.rows) {
        return refuse("the table has " + std::to_string(plan_.rows) + " rows, not those asked for");
      }
    }
    add_range(plan_.ranges, rows);
    for (const Scan::Plan::Bound& bound : plan_.conditions) {
      if (!bound.is_number) continue;
      const OpenColumn* column = nullptr;
      NUMPACT_TRY(table_.load(bound.column, column, failure_));
      plan_.ranges = intersection(plan_.ranges,
                                  rows_that_may_match(*column, bound.filter, query_.nan_may_match));
    }
    return open_columns();
  }

 private:
  Status refuse(std::string text) const {
    return fail(failure_, Status(ErrorKind::kInvalidArgument, "the query does not fit the table"),
                table_.path, "", std::move(text));
  }

  Status use(std::size_t column) {
    NUMPACT_TRY(table_.check_position(column, failure_));
    used_.push_back(column);
    return {};
  }

  // The rows of the columns, which must be joined row by row.
  Status find_rows() {
    std::sort(used_.begin(), used_.end());
    used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
    if (used_.size() == 1) {
      plan_.rows = table_.entries[used_[0]].rows();
      return {};
    }
    bool is_joined = used_.empty() && table_.manifest.joined_rows();
    plan_.rows = is_joined ? *table_.manifest.joined_rows() : 0;
    if (!used_.empty()) {
      plan_.rows = table_.entries[used_[0]].rows();
      is_joined = std::all_of(used_.begin(), used_.end(), [&](std::size_t i) {
        const ColumnEntry& entry = table_.entries[i];
        const bool lost_rows = entry.numbers != nullptr && entry.numbers->nulls_dropped > 0;
        return !lost_rows && entry.rows() == plan_.rows;
      });
    }
    if (is_joined) return {};
    return refuse(
        "nulls were left out when the table was written (nulls_dropped), so the rows of its "
        "columns do not belong together: read its columns one by one");
  }

  Status bind_all() {
    // A filter may have thousands of comparisons with a column.
    std::map<std::size_t, std::size_t> places;
    std::vector<std::vector<FilterComparison>> comparisons;
    for (const Condition& condition : query_.where) {
      const auto [place, is_new] = places.try_emplace(condition.column, comparisons.size());
      if (is_new) {
        plan_.conditions.push_back({condition.column, {}, false});
        comparisons.emplace_back();
      }
      comparisons[place->second].push_back(condition.comparison);
    }
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
      NUMPACT_TRY(bind(plan_.conditions[i], comparisons[i]));
    }
    return {};
  }

  Status bind(Scan::Plan::Bound& bound, std::span<const FilterComparison> comparisons) {
    const ColumnEntry& entry = table_.entries[bound.column];
    std::string message;
    Status status;
    if (entry.numbers != nullptr) {
      const Column& column = *entry.numbers;
      bound.is_number = true;
      const ColumnType type{column.type, column.kind, column.unit, column.timezone};
      status = NumberFilter::bind(comparisons, type, &message).into(bound.filter);
    } else if (query_.others != nullptr) {
      status = query_.others->bind(bound.column, *entry.other, comparisons, message);
    } else {
      const OpenColumn* none = nullptr;
      return table_.load(bound.column, none, failure_);
    }
    return status.ok() ? status : fail(failure_, status, "", "", message);
  }

  Status open_columns() {
    for (const std::size_t position : query_.columns) {
      if (table_.entries[position].numbers == nullptr) continue;
      const OpenColumn* column = nullptr;
      NUMPACT_TRY(table_.load(position, column, failure_));
      if (query_.min_part_rows > 0 && position == query_.columns[0]) {
        plan_.ranges = cut(plan_.ranges, *column, query_.min_part_rows);
      }
    }
    return {};
  }

  Scan::Plan& plan_;
  const Reader::Table& table_;
  const Query& query_;
  Failure* failure_;
  std::vector<std::size_t> used_;
};

}  // namespace

Result<Scan> Scan::create(const Reader& reader, const Query& query, Failure* failure) noexcept {
  return internal::guarded_value<Scan>([&](Scan& scan) -> Status {
    auto plan = std::make_shared<Plan>();
    plan->table = reader.table_;
    plan->query.columns = query.columns;
    plan->query.window_rows = std::max<std::uint64_t>(1, query.window_rows);
    plan->query.others = query.others;
    NUMPACT_TRY(Planner(*plan, query, failure).run());
    scan.plan_ = std::move(plan);
    return {};
  });
}

std::span<const RowRange> Scan::ranges() const noexcept { return plan_->ranges; }
std::uint64_t Scan::rows() const noexcept { return plan_->rows; }

}  // namespace numpact::table
