// SPDX-License-Identifier: Apache-2.0
#include "csv/csv_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "csv/text_column.hpp"
#include "io/give_back.hpp"
#include "text/literals.hpp"

namespace numpact::cli {
namespace {

// Slots and runs that a column buffers before they go to the spool: 4 KiB of each per column, 24 MB
// for 3,000 columns.
constexpr std::size_t kPendingSlots = 512;

}  // namespace

// Reads a column back from the spool.
class CsvNumbers final : public NumberInput {
 public:
  CsvNumbers(const CsvColumn& column, bool keeps_nulls)
      : column_(column), keeps_nulls_(keeps_nulls) {}

  NumberView next() override {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(kBlockNumbers, column_.count_ - done_));
    const NumberType type = column_.stored_type();
    if (keeps_nulls_) read_runs(count);
    slots_.resize(count);
    numbers_.resize(count);
    if (count > 0) {
      column_.spool_.read(*column_.slots_, done_ * sizeof(std::uint64_t),
                          std::as_writable_bytes(std::span(slots_)));
    }
    convert(reinterpret_cast<std::byte*>(numbers_.data()));
    done_ += count;
    return {type, numbers_.data(), count};
  }

  std::optional<std::uint64_t> count() const override { return column_.count_; }
  std::uint64_t null_count() const override { return column_.nulls_.count; }
  NullRuns* null_runs() override { return keeps_nulls_ ? &null_runs_ : nullptr; }

 private:
  void convert(std::byte* out) const {
    switch (column_.family_) {
      case CsvColumn::Family::kBool:
        for (std::size_t i = 0; i < slots_.size(); ++i) out[i] = static_cast<std::byte>(slots_[i]);
        break;
      case CsvColumn::Family::kDate:
      case CsvColumn::Family::kTime:
        column_.time_values().convert(slots_, done_, out);
        break;
      default:
        column_.number_values().convert(slots_, done_, out);
    }
  }

  // Reads the runs that cover the numbers of this block; with the last block, all remaining runs.
  void read_runs(std::size_t count) {
    if (!column_.runs_) return;
    const std::uint64_t end = column_.spool_.size(*column_.runs_) / sizeof(std::uint64_t);
    while (next_run_ < end &&
           (numbers_in_runs_ < done_ + count || count == 0 || done_ + count == column_.count_)) {
      std::uint64_t run = 0;
      column_.spool_.read(*column_.runs_, next_run_ * sizeof(run),
                          std::as_writable_bytes(std::span(&run, 1)));
      if (next_run_ % 2 == 0) {
        null_runs_.add_numbers(run);
        numbers_in_runs_ += run;
      } else {
        null_runs_.add_nulls(run);
      }
      ++next_run_;
    }
  }

  const CsvColumn& column_;
  bool keeps_nulls_;
  NullRuns null_runs_;
  std::uint64_t next_run_ = 0;
  std::uint64_t numbers_in_runs_ = 0;
  std::uint64_t done_ = 0;
  std::vector<std::uint64_t> slots_;
  std::vector<std::uint64_t> numbers_;
};

CsvColumn::CsvColumn(const CsvDialect& dialect, Spool& spool, std::optional<NumberType> requested,
                     const StatedType* stated)
    : dialect_(dialect),
      spool_(spool),
      stated_(stated),
      family_(stated != nullptr ? family_of(*stated) : Family::kNone),
      is_text_(family_ == Family::kText),
      requested_(stated != nullptr ? stated->type : requested) {}

NumberValues& CsvColumn::number_values() const {
  if (number_values_ == nullptr) {
    number_values_ =
        std::make_unique<NumberValues>(dialect_.decimal, requested_, stated_ != nullptr);
  }
  return *number_values_;
}

TimeValues& CsvColumn::time_values() const {
  if (time_values_ == nullptr) {
    const bool is_stated =
        stated_ != nullptr && (family_ == Family::kDate || family_ == Family::kTime);
    time_values_ =
        std::make_unique<TimeValues>(is_stated ? std::optional(stated_->logical) : std::nullopt);
  }
  return *time_values_;
}

CsvColumn::Problems& CsvColumn::problems() {
  if (problems_ == nullptr) problems_ = std::make_unique<Problems>();
  return *problems_;
}

CsvColumn::Family CsvColumn::family_of(const StatedType& stated) {
  if (stated.kind == StatedType::Kind::kText) return Family::kText;
  if (stated.kind == StatedType::Kind::kNulls) return Family::kUnread;
  switch (stated.logical.kind) {
    case LogicalKind::kNumber:
      return Family::kNumber;
    case LogicalKind::kBool:
      return Family::kBool;
    case LogicalKind::kDate32:
    case LogicalKind::kDate64:
    case LogicalKind::kTimestamp:
      return Family::kDate;
    case LogicalKind::kTime32:
    case LogicalKind::kTime64:
      return Family::kTime;
    case LogicalKind::kText:
      return Family::kText;
    case LogicalKind::kDuration:
    case LogicalKind::kDecimal:
      break;
  }
  return Family::kUnread;
}

CsvColumn::Family CsvColumn::family_of(LiteralKind kind) {
  switch (kind) {
    case LiteralKind::kInteger:
    case LiteralKind::kFloat:
      return Family::kNumber;
    case LiteralKind::kBool:
      return Family::kBool;
    case LiteralKind::kDate:
    case LiteralKind::kTimestamp:
      return Family::kDate;
    case LiteralKind::kTime:
      return Family::kTime;
    default:
      return Family::kText;
  }
}

void CsvColumn::add(const CsvField& field) {
  if (family_ == Family::kText) return;
  if (is_null_field(field, dialect_)) return add_null(field);
  const Literal literal = parse_literal(field.text, dialect_.decimal);
  const Family family = family_of(literal.kind);
  if (stated_ && family_ != family) return problems().misfit.add(field.line, field.text);
  if (family == Family::kText || (family_ != Family::kNone && family_ != family)) {
    return become_text(field);
  }
  family_ = family;
  null_runs_.add_numbers(1);
  switch (family) {
    case Family::kBool:
      return add_slot(literal.boolean ? 1 : 0);
    case Family::kNumber:
      return add_slot(number_values().add(literal, field.line));
    default:
      return add_slot(time_values().add(literal, field.line));
  }
}

PartRules CsvColumn::part_rules() const {
  PartRules rules;
  rules.dialect = &dialect_;
  rules.requested = requested_;
  rules.replays_all = stated_ && family_of(*stated_) != Family::kNumber;
  return rules;
}

struct CsvColumn::Place {
  const ColumnPart& part;
  const RecordBlock& block;
  std::size_t column;
  std::uint64_t first_line;

  CsvField field(std::size_t row) const {
    return {block.text(row, column), block.is_quoted(row, column), line(row)};
  }
  std::uint64_t line(std::size_t row) const { return first_line + block.line(row, column); }
  std::optional<NumberRun::Seen> seen(std::uint32_t row) const {
    if (row == ColumnPart::kNone) return std::nullopt;
    return NumberRun::Seen{line(row), without_blanks(block.text(row, column))};
  }
};

void CsvColumn::add_part(ColumnPart& part, const RecordBlock& block, std::size_t column,
                         std::uint64_t first_line) {
  const Place place{part, block, column, first_line};
  for (const ColumnPart::Run& run : part.runs()) {
    if (family_ == Family::kText) return;
    const auto slots = std::span(part.slots()).subspan(run.first_slot, run.slot_n);
    if (run.kind != ColumnPart::Kind::kReplay && add_run(run, slots, place)) {
      add_nulls(run, place);
      add_slots(slots);
      continue;
    }
    for (std::uint32_t i = 0; i < run.row_n; ++i) add(place.field(run.first_row + i));
  }
}

// Returns false, and adds nothing, if the fields must be added one by one.
bool CsvColumn::add_run(const ColumnPart::Run& run, std::span<std::uint64_t> slots,
                        const Place& place) {
  using Kind = ColumnPart::Kind;
  if (run.kind == Kind::kNulls) return true;
  const Family family = run.kind == Kind::kNumbers ? Family::kNumber
                        : run.kind == Kind::kBools ? Family::kBool
                        : run.are_times            ? Family::kTime
                                                   : Family::kDate;
  if (family_ != family && (stated_ || family_ != Family::kNone)) return false;
  if (run.kind == Kind::kNumbers && !add_number_run(run, slots, place)) return false;
  if (run.kind == Kind::kTimes && !add_time_run(run, slots, place)) return false;
  family_ = family;
  return true;
}

bool CsvColumn::add_number_run(const ColumnPart::Run& run, std::span<std::uint64_t> slots,
                               const Place& place) {
  NumberRun numbers;
  numbers.first_float = place.seen(run.first_float_row);
  numbers.first_float_slot = numbers.first_float ? run.first_float_slot : slots.size();
  numbers.negative_integer = place.seen(run.negative_row);
  numbers.beyond_i64 = place.seen(run.beyond_row);
  numbers.inexact_in_f64 = place.seen(run.inexact_row);
  return number_values().add_run(numbers, slots);
}

bool CsvColumn::add_time_run(const ColumnPart::Run& run, std::span<std::uint64_t> slots,
                             const Place& place) {
  const auto literal = [&](std::uint32_t row) {
    return parse_literal(place.block.text(row, place.column), dialect_.decimal);
  };
  TimeRun times;
  times.unit = run.unit;
  times.first = literal(run.first_value_row);
  times.first_line = place.line(run.first_value_row);
  times.offset_count = run.offset_n;
  if (run.offset_n > 0) {
    times.first_offset = literal(run.first_offset_row);
    times.first_offset_line = place.line(run.first_offset_row);
  }
  times.earliest = literal(run.earliest_row);
  times.earliest_line = place.line(run.earliest_row);
  times.latest = literal(run.latest_row);
  times.latest_line = place.line(run.latest_row);
  return time_values().add_run(times, slots);
}

// Adds the null runs of a run of fields.
void CsvColumn::add_nulls(const ColumnPart::Run& run, const Place& place) {
  const auto nulls = std::span(place.part.nulls()).subspan(run.first_null, run.null_n);
  std::uint32_t row = run.first_row;
  for (const std::uint32_t null : nulls) {
    null_runs_.add_numbers(null - row);
    null_runs_.add_nulls(1);
    row = null + 1;
  }
  null_runs_.add_numbers(run.first_row + run.row_n - row);
  if (nulls.empty()) return;
  const CsvField first = place.field(nulls.front());
  nulls_.add(nulls.size(), first.line, first.text);
}

void CsvColumn::add_slots(std::span<const std::uint64_t> slots) {
  count_ += slots.size();
  if (pending_.size() + slots.size() < kPendingSlots) {
    pending_.insert(pending_.end(), slots.begin(), slots.end());
    return;
  }
  flush_slots();
  append(slots_, std::as_bytes(slots));
  flush_runs();
}

void CsvColumn::add_null(const CsvField& field) {
  nulls_.add(field.line, field.text);
  null_runs_.add_nulls(1);
}

void CsvColumn::become_text(const CsvField& field) {
  std::string_view& why_text = problems().why_text;
  switch (family_) {
    case Family::kBool:
      why_text = "is not a boolean like those before";
      break;
    case Family::kDate:
      why_text = "is not a date like those before";
      break;
    case Family::kTime:
      why_text = "is not a time like those before";
      break;
    default:
      why_text = "is not a number";
  }
  family_ = Family::kText;
  is_text_.store(true, std::memory_order_relaxed);
  problems_->text.add(field.line, field.text);
  if (slots_) spool_.clear(*slots_);
  if (runs_) spool_.clear(*runs_);
  give_back(pending_);
  null_runs_ = NullRuns();
}

void CsvColumn::add_slot(std::uint64_t slot) {
  pending_.push_back(slot);
  ++count_;
  if (pending_.size() == kPendingSlots) {
    flush_slots();
    flush_runs();
  }
}

void CsvColumn::append(std::optional<Spool::Stream>& stream, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (!stream) stream = spool_.add_stream();
  spool_.append(*stream, bytes);
}

void CsvColumn::flush_slots() {
  append(slots_, std::as_bytes(std::span(pending_)));
  pending_.clear();
}

void CsvColumn::flush_runs() {
  const std::vector<std::uint64_t> runs = null_runs_.take();
  append(runs_, std::as_bytes(std::span(runs)));
}

void CsvColumn::finish() {
  if (family_ == Family::kText) return;
  null_runs_.finish();
  flush_slots();
  flush_runs();
  give_back(pending_);
}

NumberType CsvColumn::stored_type() const {
  switch (family_) {
    case Family::kBool:
      return NumberType::kU8;
    case Family::kDate:
    case Family::kTime:
      return *table::stored_type(time_values().logical_type().kind);
    case Family::kUnread:
      return stated_->type;
    default:
      return number_values().type();
  }
}

Column CsvColumn::describe(const std::string& name) const {
  Column column;
  column.name = name;
  if (family_ == Family::kUnread || (stated_ && family_ == Family::kText)) {
    column.source_type = stated_->name;
    if (stated_->kind != StatedType::Kind::kNumbers) {
      column.unfit = family_ == Family::kText ? "text" : "values of type " + stated_->name;
      return column;
    }
    column.type = stated_->type;
    column.logical = stated_->logical;
    return column;
  }
  if (family_ == Family::kText) {
    column.source_type = "text";
    column.unfit = fmt::format("text, {} {}", problems_->text.place(), problems_->why_text);
    return column;
  }
  column.type = stored_type();
  if (family_ == Family::kBool) column.logical.kind = LogicalKind::kBool;
  if (family_ == Family::kDate || family_ == Family::kTime) {
    column.logical = time_values().logical_type();
  }
  column.source_type = numpact::cli::describe(column.logical, column.type);
  return column;
}

std::optional<std::string> CsvColumn::problem() const {
  if (problems_ != nullptr && problems_->misfit) {
    return fmt::format("{} is not of type {}", problems_->misfit.place(), stated_->name);
  }
  return values_problem();
}

std::optional<std::string> CsvColumn::values_problem() const {
  switch (family_) {
    case Family::kNumber:
      return number_values().problem();
    case Family::kDate:
    case Family::kTime:
      return time_values().problem();
    default:
      return std::nullopt;
  }
}

std::vector<std::string> CsvColumn::notes() const {
  switch (family_) {
    case Family::kNumber:
      return number_values().notes();
    case Family::kDate:
    case Family::kTime:
      return time_values().notes();
    default:
      return {};
  }
}

std::unique_ptr<NumberInput> CsvColumn::open(bool keeps_nulls) const {
  return std::make_unique<CsvNumbers>(*this, keeps_nulls);
}

}  // namespace numpact::cli
