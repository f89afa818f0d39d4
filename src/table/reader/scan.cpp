// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "table/reader/failure.hpp"
#include "table/reader/sorted_chunk.hpp"
#include "table/reader/table_data.hpp"

namespace numpact::table {

using internal::ColumnPart;
using internal::fail;
using internal::OpenColumn;

namespace {

using Ranges = std::vector<RowRange>;

// Positions in a window have 32 bits.
constexpr std::uint64_t kMaxWindowRows = std::uint64_t{1} << 31;

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

Ranges in_either(const Ranges& a, const Ranges& b) {
  Ranges all;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all),
             [](const RowRange& x, const RowRange& y) { return x.first < y.first; });
  Ranges result;
  for (const RowRange& range : all) {
    if (!result.empty() && range.first < result.back().end) {
      result.back().end = std::max(result.back().end, range.end);
    } else {
      add_range(result, range);
    }
  }
  return result;
}

// The rows from that of the first number to that of the last that may match, of each chunk; all of
// a part if its null rows match.
Ranges rows_that_may_match(const OpenColumn& column, const NumberFilter& filter, bool nan_may_match,
                           const DecodeConfig& config) {
  Ranges rows;
  for (const auto& part : column.parts) {
    const std::uint64_t base = part->first_row;
    const std::span<const ChunkSummary> chunks = part->file.summaries();
    const bool nulls_match = filter.matches_null() && !part->nulls.empty();
    if (nulls_match || (chunks.empty() && filter.matches_numbers())) {
      add_range(rows, {base, base + part->rows});
      continue;
    }
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const ChunkSummary& chunk = chunks[i];
      if (!filter.may_match(chunk) && !(nan_may_match && chunk.nan_count > 0)) continue;
      const RowRange numbers = internal::numbers_that_may_match(part->file, i, filter, config);
      if (numbers.first >= numbers.end) continue;
      add_range(rows, {base + part->nulls.row_of(numbers.first),
                       base + part->nulls.row_of(numbers.end - 1) + 1});
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
  using Test = Scan::Plan::Test;

 public:
  Planner(Scan::Plan& plan, const Query& query, Failure* failure)
      : plan_(plan), table_(*plan.table), query_(query), failure_(failure) {}

  Status run() {
    for (const Condition& condition : query_.where) {
      NUMPACT_TRY(use(condition.column));
      if (condition.comparison.other) NUMPACT_TRY(use(condition.other));
    }
    for (const std::size_t column : query_.columns) NUMPACT_TRY(use(column));
    plan_.has_others = std::any_of(used_.begin(), used_.end(), [this](std::size_t column) {
      return table_.entries[column].numbers == nullptr;
    });
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
    for (const Scan::Plan::Clause& clause : plan_.clauses) {
      Ranges any;
      for (const Scan::Plan::Tests& tests : clause) {
        Ranges all = plan_.ranges;
        for (const Scan::Plan::Test& test : tests) NUMPACT_TRY(narrow(test, all));
        any = in_either(any, all);
      }
      plan_.ranges = std::move(any);
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

  // Leaves the rows that may satisfy a test.
  Status narrow(const Scan::Plan::Test& test, Ranges& rows) const {
    if (test.kind == Test::Kind::kOther) return {};
    const OpenColumn* column = nullptr;
    NUMPACT_TRY(table_.load(test.column, column, failure_));
    if (test.kind == Test::Kind::kPair) return table_.load(test.other, column, failure_);
    rows = intersection(
        rows, rows_that_may_match(*column, test.filter, query_.nan_may_match, table_.config));
    return {};
  }

  // The comparisons with each column, in the order of their first ones.
  class ByColumn {
   public:
    void add(const Condition& condition) {
      if (condition.comparison.other) {
        pairs.push_back(&condition);
        return;
      }
      const auto [place, is_new] = places_.try_emplace(condition.column, columns.size());
      if (is_new) columns.push_back({condition.column, {}});
      columns[place->second].second.push_back(condition.comparison);
    }

    std::vector<std::pair<std::size_t, std::vector<FilterComparison>>> columns;
    std::vector<const Condition*> pairs;

   private:
    std::map<std::size_t, std::size_t> places_;  // a filter may have thousands of comparisons
  };

  // Clauses with one column become one test of it: their values are intersected and united.
  Status bind_all() {
    ByColumn all;
    std::vector<std::span<const Condition>> mixed;
    const std::span<const Condition> where = query_.where;
    for (std::size_t first = 0, end = 0; first < where.size(); first = end) {
      const Condition& begin = where[first];
      bool is_one = !begin.comparison.other;
      for (end = first + 1; end < where.size(); ++end) {
        if (where[end].comparison.join == FilterJoin::kClause) break;
        is_one = is_one && where[end].column == begin.column && !where[end].comparison.other;
      }
      const auto clause = where.subspan(first, end - first);
      const bool is_pair = clause.size() == 1 && begin.comparison.other;
      if (!is_one && !is_pair) {
        mixed.push_back(clause);
        continue;
      }
      for (const Condition& condition : clause) all.add(condition);
    }
    Scan::Plan::Tests joined;
    NUMPACT_TRY(bind(all, joined));
    for (Test& test : joined) plan_.clauses.push_back({{std::move(test)}});
    for (const auto& clause : mixed) NUMPACT_TRY(bind_mixed(clause, plan_.clauses.emplace_back()));
    // Of other columns, only rows are read that still match.
    std::stable_sort(plan_.clauses.begin(), plan_.clauses.end(),
                     [](const auto& a, const auto& b) { return has_other(a) < has_other(b); });
    return {};
  }

  static bool has_other(const Scan::Plan::Clause& clause) {
    return std::any_of(clause.begin(), clause.end(), [](const Scan::Plan::Tests& tests) {
      return std::any_of(tests.begin(), tests.end(),
                         [](const Test& test) { return test.kind == Test::Kind::kOther; });
    });
  }

  Status bind_mixed(std::span<const Condition> clause, Scan::Plan::Clause& bound) {
    for (std::size_t first = 0, end = 0; first < clause.size(); first = end) {
      ByColumn alternative;
      for (end = first; end < clause.size(); ++end) {
        if (end > first && clause[end].comparison.join != FilterJoin::kWith) break;
        alternative.add(clause[end]);
      }
      // Each comparison must hold, whatever it was joined to.
      for (auto& [column, comparisons] : alternative.columns) {
        for (FilterComparison& one : comparisons) one.join = FilterJoin::kClause;
      }
      Scan::Plan::Tests& tests = bound.emplace_back();
      NUMPACT_TRY(bind(alternative, tests));
      std::stable_sort(tests.begin(), tests.end(), [](const Test& a, const Test& b) {
        return (a.kind == Test::Kind::kOther) < (b.kind == Test::Kind::kOther);
      });
    }
    return {};
  }

  Status bind(const ByColumn& by_column, Scan::Plan::Tests& tests) {
    for (const auto& [column, comparisons] : by_column.columns) {
      NUMPACT_TRY(bind_column(column, comparisons, tests.emplace_back()));
    }
    for (const Condition* condition : by_column.pairs) {
      NUMPACT_TRY(bind_pair(*condition, tests.emplace_back()));
    }
    return {};
  }

  static ColumnType type_of(const Column& column) {
    return {column.type, column.kind, column.unit, column.timezone, column.decimal};
  }

  Status bind_column(std::size_t column, std::span<const FilterComparison> comparisons,
                     Test& test) {
    const ColumnEntry& entry = table_.entries[column];
    test.column = column;
    std::string message;
    Status status;
    if (entry.numbers != nullptr) {
      test.kind = Test::Kind::kNumbers;
      const OpenColumn* open = nullptr;
      const bool is_text = entry.numbers->kind == Kind::kText;
      if (is_text) NUMPACT_TRY(table_.load(column, open, failure_));
      status = is_text ? NumberFilter::bind_texts(comparisons, entry.numbers->type,
                                                  is_bytes(entry.numbers->text.at(0).type),
                                                  *open->texts, &message)
                             .into(test.filter)
                       : NumberFilter::bind(comparisons, type_of(*entry.numbers), &message)
                             .into(test.filter);
    } else if (query_.others != nullptr) {
      test.number = other_tests_++;
      status = query_.others->bind(test.number, column, *entry.other, comparisons, message);
    } else {
      const OpenColumn* none = nullptr;
      return table_.load(column, none, failure_);
    }
    return status.ok() ? status : fail(failure_, status, "", "", message);
  }

  Status bind_pair(const Condition& condition, Test& test) {
    test.kind = Test::Kind::kPair;
    test.column = condition.column;
    test.other = condition.other;
    for (const std::size_t position : {test.column, test.other}) {
      const ColumnEntry& entry = table_.entries[position];
      const bool is_text = entry.numbers != nullptr && entry.numbers->kind == Kind::kText;
      if (entry.numbers != nullptr && !is_text) continue;
      const std::string type(is_text ? to_string(entry.numbers->text.at(0).type)
                                     : std::string_view(entry.other->type));
      const Status status(ErrorKind::kTypeMismatch, "two columns of the filter are not comparable");
      return fail(failure_, status, "", "",
                  "column '" + entry.name() + "' is of type " + type +
                      ": only columns of numbers, dates, times and booleans are compared with each "
                      "other");
    }
    std::string message;
    const Status status =
        PairFilter::bind(condition.comparison, type_of(*table_.entries[test.column].numbers),
                         type_of(*table_.entries[test.other].numbers), &message)
            .into(test.pair);
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
  std::size_t other_tests_ = 0;
};

}  // namespace

Result<Scan> Scan::create(const Reader& reader, const Query& query, Failure* failure) noexcept {
  return internal::guarded_value<Scan>([&](Scan& scan) -> Status {
    auto plan = std::make_shared<Plan>();
    plan->table = reader.table_;
    plan->query.columns = query.columns;
    plan->query.window_rows = std::clamp<std::uint64_t>(query.window_rows, 1, kMaxWindowRows);
    plan->query.others = query.others;
    NUMPACT_TRY(Planner(*plan, query, failure).run());
    scan.plan_ = std::move(plan);
    return {};
  });
}

std::span<const RowRange> Scan::ranges() const noexcept { return plan_->ranges; }
std::uint64_t Scan::rows() const noexcept { return plan_->rows; }

}  // namespace numpact::table
