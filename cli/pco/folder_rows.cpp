// SPDX-License-Identifier: Apache-2.0
#include "pco/folder_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "failure.hpp"

namespace numpact::cli {
namespace {

// Bytes of the numbers of a block, over all columns that are read. Blocks are not smaller than the
// batches of other columns, nor larger than the largest chunks of usual files: a chunk is decoded
// from its beginning for each block that lies in it.
constexpr std::uint64_t kBlockBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxBlockRows = std::uint64_t{1} << 20;
static_assert(kMaxBlockRows * sizeof(std::uint64_t) <= ValueLimits::kMinDecodeBytes);

std::uint64_t end_of(const NumberRange& range) { return range.first + range.count; }

// Adds a range, joined to the last one if nothing is between them.
void add_range(std::vector<NumberRange>& ranges, const NumberRange& range) {
  if (range.count == 0) return;
  if (!ranges.empty() && end_of(ranges.back()) == range.first) {
    ranges.back().count += range.count;
  } else {
    ranges.push_back(range);
  }
}

std::vector<NumberRange> intersection(const std::vector<NumberRange>& a,
                                      const std::vector<NumberRange>& b) {
  std::vector<NumberRange> result;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t first = std::max(a[i].first, b[j].first);
    const std::uint64_t end = std::min(end_of(a[i]), end_of(b[j]));
    if (first < end) add_range(result, {first, end - first});
    end_of(a[i]) < end_of(b[j]) ? ++i : ++j;
  }
  return result;
}

TextBlock kept_texts(const TextBlock& block, std::span<const std::uint8_t> kept) {
  TextBlock result;
  for (std::size_t row = 0; row < block.rows(); ++row) {
    if (kept[row] == 0) continue;
    result.bytes += block.text(row);
    result.ends.push_back(result.bytes.size());
    if (!block.valid.empty()) result.valid.push_back(block.valid[row]);
  }
  return result;
}

}  // namespace

FolderColumn::FolderColumn(const TableFolder& folder, const ManifestColumn& column,
                           const DecodeConfig& config)
    : folder_(folder),
      column_(column),
      config_(config),
      place_(column_place(folder.path_of(column.file), column.column.name)),
      bytes_(folder.file(column.file)) {
  // The user's limits apply to the rows; the walk over the rest of the file has its own.
  DecodeConfig walk = config_;
  walk.limits = walk_limits(config_.limits, bytes_.bytes().size());
  ChunkIndex index;
  check_walk(ChunkIndex::build(bytes_.bytes(), walk, &context_).into(index), walk.limits, place_);
  const NumberType type = index.type().value_or(column_.column.type);
  if (type != column_.column.type || index.count() != column_.count) {
    throw Failure(
        ExitCode::kCorrupt, place_,
        fmt::format("corrupt: holds {} {} numbers, the manifest says {} {}", index.count(),
                    name_of(type), column_.count, name_of(column_.column.type)));
  }
  Result<FileReader> reader = FileReader::create(bytes_.bytes(), index);
  check(reader.status(), place_);
  reader_ = *reader;
  if (column_.null_count > 0) runs_ = open_runs();
}

std::unique_ptr<RunReader> FolderColumn::open_runs() const {
  const FileRef file = folder_.file(column_.null_file);
  DecodeConfig config = config_;
  config.threads = 1;
  return std::make_unique<RunReader>(file, column_place(file->name(), column_.column.name), config,
                                     column_);
}

void FolderColumn::read_numbers(std::uint64_t first, std::uint64_t count,
                                std::vector<std::uint64_t>& out) {
  const auto n = static_cast<std::size_t>(count);
  out.resize((n * size_of(column_.column.type) + 7) / 8);
  if (n == 0) return;
  check(reader_->read(first, MutableNumberView(column_.column.type, out.data(), n), config_,
                      &context_),
        place_);
}

ColumnBlock FolderColumn::read(std::uint64_t first, std::uint64_t rows) {
  const NumberType type = column_.column.type;
  const auto n = static_cast<std::size_t>(rows);
  if (runs_ == nullptr) {
    read_numbers(first, rows, numbers_);
    return {NumberView(type, numbers_.data(), n), {}};
  }
  number_ += runs_->count_numbers(first - row_);
  valid_.assign(n, 0);
  std::uint64_t count = 0;
  for (std::size_t row = 0; row < n;) {
    const RunReader::Run run = runs_->next(n - row);
    if (run.rows == 0) throw Failure(ExitCode::kCorrupt, place_, "corrupt: there are fewer nulls");
    if (!run.is_null) {
      std::fill_n(valid_.begin() + static_cast<std::ptrdiff_t>(row),
                  static_cast<std::size_t>(run.rows), 1);
      count += run.rows;
    }
    row += static_cast<std::size_t>(run.rows);
  }
  if (count > column_.count - number_) {
    throw Failure(ExitCode::kCorrupt, place_, "corrupt: there are fewer numbers than rows");
  }
  read_numbers(number_, count, numbers_);
  row_ = first + rows;
  number_ += count;
  const std::size_t size = size_of(type);
  spread_.assign((n * size + 7) / 8, 0);
  const auto* from = reinterpret_cast<const std::byte*>(numbers_.data());
  auto* const out = reinterpret_cast<std::byte*>(spread_.data());
  for (std::size_t row = 0; row < n; ++row) {
    if (valid_[row] == 0) continue;
    std::memcpy(out + row * size, from, size);
    from += size;
  }
  return {NumberView(type, spread_.data(), n), valid_};
}

std::vector<NumberRange> FolderColumn::rows_that_may_match(const NumberCondition& condition) const {
  std::vector<NumberRange> all = {{0, column_.rows()}};
  const table::NumberFilter& filter = condition.filter();
  if (filter.matches_null()) return column_.null_count > 0 ? all : std::vector<NumberRange>();
  std::optional<Trailer> trailer;
  if (config_.trailer == TrailerPolicy::kIgnore) return all;
  const bool is_good = Trailer::read(bytes_.bytes()).into(trailer).ok() && trailer.has_value();
  if (!is_good || trailer->count() != column_.count || trailer->type() != column_.column.type) {
    return all;
  }
  std::vector<NumberRange> numbers;
  for (const ChunkSummary& chunk : trailer->chunks()) {
    if (filter.may_match(chunk)) add_range(numbers, {chunk.place.first, chunk.place.count});
  }
  return column_.null_count > 0 ? rows_of_numbers(numbers) : numbers;
}

// The rows from that of the first number to that of the last, for each range.
std::vector<NumberRange> FolderColumn::rows_of_numbers(
    const std::vector<NumberRange>& numbers) const {
  const std::unique_ptr<RunReader> runs = open_runs();
  std::vector<NumberRange> rows;
  std::uint64_t row = 0;     // rows before the run
  std::uint64_t number = 0;  // numbers before it
  RunReader::Run run{0, true};
  // The row of a number, which is not before that of an earlier call.
  const auto row_of = [&](std::uint64_t requested) {
    while (run.is_null || requested >= number + run.rows) {
      row += run.rows;
      if (!run.is_null) number += run.rows;
      run = runs->next(column_.rows());
      if (run.rows == 0) {
        throw Failure(ExitCode::kCorrupt, place_, "corrupt: there are other nulls");
      }
    }
    return row + (requested - number);
  };
  for (const NumberRange& range : numbers) {
    const std::uint64_t first = row_of(range.first);
    add_range(rows, {first, row_of(end_of(range) - 1) + 1 - first});
  }
  return rows;
}

FolderRows::FolderRows(const TableFolder& folder, const RowQuery& query, const DecodeConfig& config,
                       ValueLimitsRef limits)
    : folder_(folder),
      query_(query),
      config_(config),
      limits_(std::move(limits)),
      entries_(entries_of(folder.manifest())) {
  // Of the numbers of a block, only those of some rows may be output, which the caller counts.
  std::uint64_t& max_output = config_.limits.max_output_bytes;
  max_output = std::max(max_output, ValueLimits::kMinDecodeBytes);
  bool needs_others = query_.wants_text;
  std::vector<std::string> names;
  for (const ManifestEntry& entry : entries_) names.push_back(entry.name());
  columns_.resize(entries_.size());
  others_index_.resize(entries_.size());
  std::vector<std::size_t> used = query_.columns;
  for (const table::FilterComparison& comparison : query_.where) {
    // A filter may have thousands of comparisons with a column.
    const auto [known, is_new] = compared_.try_emplace(comparison.column);
    if (is_new) {
      known->second.column = find_name(names, folder.path_of(""), comparison.column);
      used.push_back(known->second.column);
    }
    known->second.comparisons.push_back(comparison);
    if (!is_new) continue;
    needs_others = needs_others || entries_[used.back()].other != nullptr;
  }
  std::vector<OtherFile> files;
  for (const std::size_t at : used) {
    const ManifestEntry& entry = entries_[at];
    if (entry.column != nullptr && columns_[at] == nullptr) {
      columns_[at] = std::make_unique<FolderColumn>(folder, *entry.column, config_);
    } else if (entry.other != nullptr && !others_index_[at]) {
      others_index_[at] = files.size();
      files.push_back(folder.other(*entry.other));
    }
    const bool lost_rows = entry.column != nullptr && entry.column->nulls_dropped > 0;
    if (entry.rows() == entries_[used[0]].rows() && (!lost_rows || used.size() == 1)) continue;
    throw Failure(ExitCode::kFailure, folder.path_of(""),
                  "columns differ in length or rows where nulls were left out (choose one)");
  }
  plan_.metadata = folder.manifest().metadata;
  for (const std::size_t at : query_.columns) {
    if (entries_[at].column != nullptr) {
      plan_.columns.push_back(entries_[at].column->column);
      continue;
    }
    Column column;
    column.name = entries_[at].name();
    column.other = plan_.others.size();
    plan_.others.push_back(files[*others_index_[at]]);
    other_at_.push_back(*others_index_[at]);
    plan_.columns.push_back(column);
  }
  if (needs_others && !files.empty()) others_ = open_others(files, limits_);
  add_conditions();
  choose_ranges(used.empty() ? 0 : entries_[used[0]].rows());
  // With limits no more than a batch of the other columns is decoded at a time.
  const bool is_limited = limits_->is_set() && !files.empty();
  block_rows_ = std::clamp(kBlockBytes / (8 * std::max<std::uint64_t>(1, used.size())),
                           kOtherBatchRows, is_limited ? kOtherBatchRows : kMaxBlockRows);
}

void FolderRows::add_conditions() {
  for (const auto& [name, compared] : compared_) {
    const ManifestEntry& entry = entries_[compared.column];
    if (entry.column != nullptr) {
      conditions_.push_back(
          {compared.column, NumberCondition(compared.comparisons, entry.column->column)});
    } else {
      const OtherKind kind = others_->kind(*others_index_[compared.column]);
      conditions_.push_back({compared.column, TextCondition(compared.comparisons, kind)});
    }
  }
}

void FolderRows::choose_ranges(std::uint64_t rows) {
  NumberRange all{0, rows};
  if (query_.range) {
    all = *query_.range;
    if (all.first > rows || all.count > rows - all.first) {
      throw Failure(ExitCode::kFailure, folder_.path_of(""),
                    fmt::format("holds {} rows, not those of --range", rows));
    }
  }
  add_range(ranges_, all);
  for (const Condition& condition : conditions_) {
    const auto* const test = std::get_if<NumberCondition>(&condition.test);
    if (test == nullptr) continue;
    ranges_ = intersection(ranges_, columns_[condition.column]->rows_that_may_match(*test));
  }
  if (query_.where.empty()) plan_.count = all.count;
}

// The next rows to look at; false at the end.
bool FolderRows::take_range(NumberRange& range) {
  if (range_ == ranges_.size()) return false;
  const NumberRange& whole = ranges_[range_];
  range.first = whole.first + done_;
  // Up to a multiple of the block, so that most blocks begin with a batch of other columns.
  const std::uint64_t in_block = range.first % block_rows_;
  range.count = std::min(whole.count - done_, block_rows_ - in_block);
  done_ += range.count;
  if (done_ == whole.count) {
    ++range_;
    done_ = 0;
  }
  return true;
}

std::vector<ColumnBlock> FolderRows::next() {
  std::swap(current_, last_);
  NumberRange range;
  while (take_range(range)) {
    Block& block = current_;
    block.kept.assign(static_cast<std::size_t>(range.count), 1);
    block.values.resize(plan_.columns.size());
    // A column is read once for a block: its reader only moves forward.
    std::vector<std::optional<ColumnBlock>> read(entries_.size());
    for (const Condition& condition : conditions_) {
      const std::size_t at = condition.column;
      if (const auto* const test = std::get_if<NumberCondition>(&condition.test)) {
        if (!read[at]) read[at] = columns_[at]->read(range.first, range.count);
        test->narrow(*read[at], block.kept);
      } else {
        std::get<TextCondition>(condition.test)
            .narrow(others_->read(*others_index_[at], range.first, range.count, DecodeUse::kSome),
                    block.kept);
      }
    }
    const auto count = static_cast<std::uint64_t>(
        std::count(block.kept.begin(), block.kept.end(), std::uint8_t{1}));
    if (count == 0) continue;
    if (count == range.count) block.kept.clear();
    std::vector<ColumnBlock> views;
    for (std::size_t c = 0; c < plan_.columns.size(); ++c) {
      const std::size_t at = query_.columns[c];
      if (columns_[at] != nullptr && !read[at]) {
        read[at] = columns_[at]->read(range.first, range.count);
      }
      views.push_back(take(c, range, count, read[at] ? &*read[at] : nullptr));
    }
    return views;
  }
  return std::vector<ColumnBlock>(plan_.columns.size());
}

ColumnBlock FolderRows::take(std::size_t column, const NumberRange& range, std::uint64_t count,
                             const ColumnBlock* read) {
  Values& values = current_.values[column];
  const std::vector<std::uint8_t>& kept = current_.kept;
  ColumnBlock view;
  view.rows = count;
  if (read == nullptr) {
    view.first_row = range.first;
    view.kept = kept;
    if (query_.wants_text) {
      values.texts = others_->read(*others_index_[query_.columns[column]], range.first, range.count,
                                   kept.empty() ? DecodeUse::kAll : DecodeUse::kSome);
      if (!kept.empty()) values.texts = kept_texts(values.texts, kept);
      limits_->add_output(values.texts.bytes.size(),
                          place_of(plan_.others[*plan_.columns[column].other]));
      view.texts = &values.texts;
    }
    return view;
  }
  const NumberType type = read->numbers.type;
  const std::size_t size = size_of(type);
  const auto n = static_cast<std::size_t>(count);
  values.numbers.resize((n * size + 7) / 8);
  values.valid.resize(read->valid.empty() ? 0 : n);
  const std::span<const std::byte> from = bytes_of(read->numbers);
  auto* out = reinterpret_cast<std::byte*>(values.numbers.data());
  std::size_t at = 0;
  for (std::size_t row = 0; row < read->numbers.count; ++row) {
    if (!kept.empty() && kept[row] == 0) continue;
    std::memcpy(out + at * size, from.data() + row * size, size);
    if (!values.valid.empty()) values.valid[at] = read->valid[row];
    ++at;
  }
  view.numbers = NumberView(type, values.numbers.data(), n);
  view.valid = values.valid;
  return view;
}

}  // namespace numpact::cli
