// SPDX-License-Identifier: Apache-2.0
#include "pco/folder_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <utility>

#include "failure.hpp"

namespace numpact::cli {
namespace {

// Bytes of the numbers of a block, over all columns that are read. Blocks are not smaller than the
// batches of other columns. Blocks of 2^20 rows take twice the memory and more time: their numbers
// leave the caches before they are written.
constexpr std::uint64_t kBlockBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxBlockRows = std::uint64_t{1} << 17;
static_assert(kMaxBlockRows * sizeof(std::uint64_t) <= ValueLimits::kMinDecodeBytes);

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

// Calls a function that throws from one of the library's, which may not.
template <class F>
Status guarded_call(std::exception_ptr& thrown, const F& call) {
  try {
    call();
    return {};
  } catch (...) {
    thrown = std::current_exception();
    return Status(ErrorKind::kIo, "a column of the table cannot be read");
  }
}

}  // namespace

// The comparisons with columns that Pco cannot hold.
class FolderRows::TextConditions final : public table::OtherColumns {
 public:
  explicit TextConditions(FolderRows& rows) : rows_(rows) {}

  Status bind(std::size_t test, std::size_t column, const table::Other&,
              std::span<const table::FilterComparison> comparisons, std::string&) override {
    return guarded_call(thrown_, [&] {
      const OtherKind kind = rows_.others_->kind(*rows_.others_index_[column]);
      tests_.emplace(test, TextCondition(comparisons, kind));
    });
  }
  Status narrow(std::size_t test, std::size_t column, std::uint64_t first,
                std::span<std::uint8_t> kept) override {
    return guarded_call(thrown_, [&] {
      const std::size_t file = *rows_.others_index_[column];
      tests_.at(test).narrow(rows_.others_->read(file, first, kept.size(), DecodeUse::kSome), kept);
    });
  }
  const std::exception_ptr& thrown() const { return thrown_; }

 private:
  FolderRows& rows_;
  std::map<std::size_t, TextCondition> tests_;
  std::exception_ptr thrown_;
};

void leave_out_unshown(const TableFolder& folder, bool as_text, const ValueLimitsRef& limits,
                       const LeaveOut& leave_out, std::vector<std::size_t>& columns) {
  const auto is_other = [&](std::size_t at) { return folder.columns()[at].other != nullptr; };
  std::vector<OtherFiles> files;
  for (const std::size_t at : columns) {
    if (is_other(at)) files.push_back(folder.other(*folder.columns()[at].other));
  }
  std::unique_ptr<OtherReader> others;
  if (!files.empty() && as_text && has_arrow()) others = open_others(files, limits);
  std::size_t file = 0;
  std::erase_if(columns, [&](std::size_t at) {
    const ManifestEntry& entry = folder.columns()[at];
    if (entry.numbers != nullptr) {
      if (entry.numbers->kind != LogicalKind::kText) return false;
      const table::TextFile& text = entry.numbers->text[0];
      if (as_text && !table::is_bytes(text.type)) return false;
      leave_out(entry.name(), type_text(text), false);
      return true;
    }
    const std::size_t own = file++;
    if (others != nullptr && others->kind(own) != OtherKind::kOpaque) return false;
    leave_out(entry.name(), entry.other->type, as_text && others == nullptr);
    return true;
  });
}

FolderRows::FolderRows(const TableFolder& folder, const RowQuery& query, const DecodeConfig& config,
                       ValueLimitsRef limits)
    : folder_(folder),
      query_(query),
      limits_(std::move(limits)),
      entries_(folder.columns()),
      conditions_(std::make_unique<TextConditions>(*this)) {
  // A filter may have thousands of comparisons with a column.
  std::map<std::string_view, std::size_t> known;
  std::vector<table::Condition> conditions;
  std::vector<std::size_t> used = query_.columns;
  bool needs_others = query_.wants_text;
  const auto find = [&](const std::string& name) {
    const auto [place, is_new] = known.try_emplace(name);
    if (is_new) {
      place->second = folder.find(name);
      used.push_back(place->second);
      needs_others = needs_others || entries_[place->second].other != nullptr;
    }
    return place->second;
  };
  for (const table::FilterComparison& comparison : query_.where) {
    const std::size_t column = find(comparison.column);
    conditions.push_back({column, comparison, comparison.other ? find(*comparison.other) : 0});
  }
  list_columns(used);
  std::vector<OtherFiles> files;
  for (const std::size_t at : used) {
    if (entries_[at].other == nullptr || others_index_[at]) continue;
    others_index_[at] = files.size();
    files.push_back(folder.other(*entries_[at].other));
  }
  for (std::size_t i = 0; i < plan_.columns.size(); ++i) {
    if (!plan_.columns[i].other) continue;
    const std::size_t file = *others_index_[query_.columns[i]];
    plan_.others.push_back(files[file]);
    other_at_.push_back(file);
  }
  if (needs_others && !files.empty()) others_ = open_others(files, limits_);
  open_scan(config, std::move(conditions), used.size());
}

FolderRows::~FolderRows() = default;

// The columns of the result, all of as many rows.
void FolderRows::list_columns(const std::vector<std::size_t>& used) {
  others_index_.resize(entries_.size());
  for (const std::size_t at : used) {
    const ManifestEntry& entry = entries_[at];
    const bool lost_rows = entry.numbers != nullptr && entry.numbers->nulls_dropped > 0;
    if (entry.rows() == entries_[used[0]].rows() && (!lost_rows || used.size() == 1)) continue;
    fail(folder_.path_of(""),
         "columns differ in length or rows where nulls were left out (choose one)");
  }
  plan_.metadata = folder_.manifest().metadata;
  std::size_t others = 0;
  for (const std::size_t at : query_.columns) {
    Column& column = plan_.columns.emplace_back();
    if (entries_[at].numbers != nullptr) {
      column = column_of(*entries_[at].numbers);
    } else {
      column.name = entries_[at].name();
      column.other = others++;
    }
  }
  const std::uint64_t rows = used.empty() ? 0 : entries_[used[0]].rows();
  if (!query_.range) query_.range = {0, rows};
  if (query_.range->first > rows || query_.range->count > rows - query_.range->first) {
    fail(folder_.path_of(""), "holds {} rows, not those of --range", rows);
  }
  if (query_.where.empty()) plan_.count = query_.range->count;
}

void FolderRows::open_scan(DecodeConfig config, std::vector<table::Condition> conditions,
                           std::size_t used_count) {
  // Of the numbers of a block, only those of some rows may be output, which the caller counts.
  std::uint64_t& max_output = config.limits.max_output_bytes;
  max_output = std::max(max_output, ValueLimits::kMinDecodeBytes);
  table::Query query;
  query.columns = query_.columns;
  query.rows = {query_.range->first, query_.range->first + query_.range->count};
  query.others = conditions_.get();
  query.where = std::move(conditions);
  // With limits no more than a batch of the other columns is decoded at a time.
  const bool has_others =
      std::any_of(others_index_.begin(), others_index_.end(), [](const auto& at) { return !!at; });
  const std::uint64_t max_rows = limits_->is_set() && has_others ? kOtherBatchRows : kMaxBlockRows;
  const std::uint64_t columns = std::max<std::size_t>(1, used_count);
  query.window_rows = std::clamp(kBlockBytes / (8 * columns), kOtherBatchRows, max_rows);
  table::Failure failure;
  table::Reader reader;
  check_table(table::Reader::open(folder_.manifest(), folder_.reader().files(), config, &failure)
                  .into(reader),
              failure);
  table::Scan scan;
  const Status status = table::Scan::create(reader, query, &failure).into(scan);
  const bool is_usage =
      status.kind() == ErrorKind::kInvalidArgument || status.kind() == ErrorKind::kTypeMismatch;
  if (is_usage && failure.file.empty()) fail_usage(kWhereOption, failure.text);
  check_table(status, failure);
  for (const std::size_t at : query_.columns) {
    auto& texts = coded_.emplace_back();
    const ManifestColumn* const numbers = entries_[at].numbers;
    if (numbers == nullptr || numbers->kind != LogicalKind::kText) continue;
    check_table(reader.texts(at, &failure).into(texts), failure);
    if (numbers->text[0].index_type) plan_.columns[coded_.size() - 1].categories = texts;
  }
  Result<table::Cursor> cursor = table::Cursor::create(scan);
  check(cursor.status(), folder_.path_of(""));
  cursor_ = std::move(*cursor);
  cursor_->start(scan.all());
}

void FolderRows::check_table(const Status& status, const table::Failure& failure) const {
  if (status.ok()) return;
  if (conditions_->thrown() != nullptr) std::rethrow_exception(conditions_->thrown());
  fail_table(status, failure, folder_.path_of(failure.file));
}

std::vector<ColumnBlock> FolderRows::next() {
  std::swap(current_, last_);
  table::Batch batch;
  table::Failure failure;
  check_table(cursor_->next(batch, &failure), failure);
  std::vector<ColumnBlock> views(plan_.columns.size());
  if (batch.window_rows == 0) return views;
  current_.kept.assign(batch.kept.begin(), batch.kept.end());
  current_.values.resize(views.size());
  for (std::size_t c = 0; c < views.size(); ++c) {
    views[c] = plan_.columns[c].other ? take_texts(c, current_, batch)
               : coded_[c] != nullptr ? take_coded(c, current_.values[c], batch.columns[c])
                                      : take_numbers(current_.values[c], batch.columns[c]);
  }
  return views;
}

ColumnBlock FolderRows::take_numbers(Values& values, const table::BatchColumn& column) const {
  const std::span<const std::byte> from = bytes_of(column.numbers);
  values.numbers.resize((from.size() + 7) / 8);
  if (!from.empty()) std::memcpy(values.numbers.data(), from.data(), from.size());
  values.valid.assign(column.valid.begin(), column.valid.end());
  return {NumberView(column.numbers.type, values.numbers.data(), column.numbers.count),
          values.valid};
}

// The texts that the numbers of a column stand for.
ColumnBlock FolderRows::take_coded(std::size_t column, Values& values,
                                   const table::BatchColumn& from) const {
  const table::TextValues& texts = *coded_[column];
  const auto is_null = [&](std::size_t i) { return !from.valid.empty() && from.valid[i] == 0; };
  const auto text_at = [&](std::size_t i) {
    const auto* const bytes = static_cast<const std::byte*>(from.numbers.data);
    std::uint32_t code = 0;
    std::memcpy(&code, bytes + i * size_of(from.numbers.type), size_of(from.numbers.type));
    return texts[code];
  };
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < from.numbers.count; ++i) {
    if (!is_null(i)) bytes += text_at(i).size();
  }
  const std::string place =
      column_place(folder_.path_of(entry(column).numbers->text[0].file), entry(column).name());
  limits_->check_memory(bytes, DecodeUse::kAll, place);
  limits_->add_output(bytes, place);
  TextBlock& block = values.texts = {};
  block.bytes.reserve(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < from.numbers.count; ++i) {
    if (!is_null(i)) block.bytes += text_at(i);
    block.add_row(block.bytes.size(), is_null(i));
  }
  ColumnBlock view;
  view.rows = from.numbers.count;
  view.texts = &block;
  return view;
}

ColumnBlock FolderRows::take_texts(std::size_t column, Block& block, const table::Batch& batch) {
  ColumnBlock view;
  view.rows = batch.rows;
  view.first_row = batch.first_row;
  view.kept = block.kept;
  if (!query_.wants_text) return view;
  Values& values = block.values[column];
  values.texts =
      others_->read(*others_index_[query_.columns[column]], batch.first_row, batch.window_rows,
                    block.kept.empty() ? DecodeUse::kAll : DecodeUse::kSome);
  if (!block.kept.empty()) values.texts = kept_texts(values.texts, block.kept);
  limits_->add_output(values.texts.bytes.size(),
                      place_of(plan_.others[*plan_.columns[column].other].front()));
  view.texts = &values.texts;
  return view;
}

}  // namespace numpact::cli
