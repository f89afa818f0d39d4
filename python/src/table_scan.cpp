// SPDX-License-Identifier: Apache-2.0
// Rows of tables as buffers of Arrow: values, and bitmaps of the rows that are not null.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "buffers.hpp"
#include "contexts.hpp"
#include "errors.hpp"
#include "filter_tuples.hpp"
#include "own_process.hpp"
#include "table_reader.hpp"

namespace numpact::python {
namespace {

using table::Failure;
using table::RowRange;

// Comparisons with columns that Pco cannot hold, which Python has: bind(test, column, comparisons)
// and narrow(test, column, first, kept), where `kept` is an array of a byte a row, for this call
// only.
class PythonOthers final : public table::OtherColumns {
 public:
  explicit PythonOthers(nb::object others) : others_(std::move(others)) {}

  Status bind(std::size_t test, std::size_t column, const table::Other&,
              std::span<const table::FilterComparison> comparisons, std::string&) override {
    return call_python([&] {
      nb::list given;
      for (const auto& comparison : comparisons) given.append(comparison_tuple(comparison));
      others_.attr("bind")(test, column, given);
    });
  }
  Status narrow(std::size_t test, std::size_t column, std::uint64_t first,
                std::span<std::uint8_t> kept) override {
    return call_python([&] {
      const std::size_t shape[] = {kept.size()};
      const nb::ndarray<nb::numpy, std::uint8_t> view(kept.data(), 1, shape);
      others_.attr("narrow")(test, column, first, nb::cast(view, nb::rv_policy::reference));
    });
  }

 private:
  nb::object others_;
};

// Numbers up to which a call does not look for signals, which takes the GIL: some milliseconds.
constexpr std::uint64_t kMaxDeafNumbers = std::uint64_t{1} << 20;

// What a scan and its cursors share. Made and destroyed with the GIL.
struct Plan {
  explicit Plan(nb::object of)
      : owner(std::move(of)), reader(nb::cast<const TableReader&>(owner)) {}

  nb::object owner;
  const TableReader& reader;
  std::unique_ptr<PythonOthers> others;
  std::vector<std::size_t> columns;
  bool has_others = false;  // among the columns
  std::uint64_t window_rows = 1;
  std::optional<table::Scan> scan;

  const table::Column* numbers(std::size_t column) const {
    const auto columns_of_table = reader.reader().columns();
    return column < columns_of_table.size() ? columns_of_table[column].numbers : nullptr;
  }
};

// Values of a column in memory of Python.
class ArrowValues {
 public:
  // `as_bits`: of booleans, and of the rows that are not null; else a byte each.
  ArrowValues(const table::Column& column, std::size_t count, bool as_bits = true)
      : is_bool_(column.kind == table::Kind::kBool),
        as_bits_(as_bits),
        count_(count),
        values_(column.type, is_bool_ && as_bits ? (count + 7) / 8 : count) {
    if (is_bool_ && as_bits) bytes_.resize(count);
    if (column.null_count == 0) return;
    if (as_bits) {
      valid_.resize(count);
    } else {
      valid_array_.emplace(NumberType::kU8, count);
    }
  }

  MutableNumberView numbers() {
    if (!is_bool_ || !as_bits_) return values_.view();
    return MutableNumberView(NumberType::kU8, bytes_.data(), count_);
  }
  std::span<std::uint8_t> valid() {
    if (!valid_array_) return valid_;
    return {static_cast<std::uint8_t*>(valid_array_->view().data), count_};
  }

  // Sets the values from row `at` on.
  void put(std::size_t at, const table::BatchColumn& from) {
    const std::size_t size = size_of(from.numbers.type);
    if (from.numbers.count > 0) {
      std::memcpy(static_cast<std::byte*>(numbers().data) + at * size, from.numbers.data,
                  from.numbers.count * size);
    }
    const std::span<std::uint8_t> all = valid();
    if (all.empty()) return;
    std::uint8_t* const to = all.data() + at;
    if (from.valid.empty()) {
      std::fill_n(to, from.numbers.count, std::uint8_t{1});
    } else {
      std::copy(from.valid.begin(), from.valid.end(), to);
    }
  }
  // Leaves the first rows.
  void keep(std::size_t count) {
    count_ = count;
    if (!bytes_.empty()) bytes_.resize(count);
    if (!valid_.empty()) valid_.resize(count);
  }
  table::BatchColumn view(NumberType type) {
    return {NumberView(type, numbers().data, count_), valid()};
  }

  // Without the GIL: makes bitmaps. False: a boolean is neither 0 nor 1.
  bool pack() {
    if (!is_bool_) return true;
    const auto* const bytes = static_cast<const std::uint8_t*>(numbers().data);
    if (as_bits_) {
      const auto bits = static_cast<std::uint8_t*>(values_.view().data);
      table::pack_validity(bytes_, {bits, values_count()});
    }
    std::uint8_t all = 0;  // without a branch for each
    for (std::size_t i = 0; i < count_; ++i) all |= bytes[i];
    return all < 2;
  }
  nb::tuple release() {
    nb::object bitmap = nb::none();
    if (valid_array_) {
      bitmap = valid_array_->release(count_);
    } else if (!valid_.empty()) {
      NewArray made(NumberType::kU8, (count_ + 7) / 8);
      table::pack_validity(valid_,
                           {static_cast<std::uint8_t*>(made.view().data), made.view().count});
      bitmap = made.release(made.view().count);
    }
    return nb::make_tuple(values_.release(values_count()), bitmap);
  }

 private:
  std::size_t values_count() const { return is_bool_ && as_bits_ ? (count_ + 7) / 8 : count_; }

  bool is_bool_;
  bool as_bits_;
  std::size_t count_;
  NewArray values_;
  std::optional<NewArray> valid_array_;
  std::vector<std::uint8_t> bytes_;  // of booleans
  std::vector<std::uint8_t> valid_;
};

// A Cursor; calls of several threads take turns.
class TableCursor {
 public:
  TableCursor(std::shared_ptr<const Plan> plan, unsigned threads)
      : plan_(std::move(plan)), threads_(threads) {
    auto made = table::Cursor::create(*plan_->scan);
    raise_if_error(made.status());
    state_ = std::make_unique<State>(std::move(*made));
  }

  void start(std::uint64_t first, std::uint64_t end) {
    run(0, [&](Failure*) {
      state_->cursor.start({first, end});
      state_->is_waiting = false;
      return Status();
    });
  }
  // The next rows that match: the first row of the window, how many it has, a mask of them if they
  // are some of these and it is asked for, or there is no column or one that is not of numbers,
  // their count, and for each column its buffers, or None. None: the end. Without a mask they are
  // those of all windows of one thread that lie in a window of the scan.
  nb::object next(bool with_mask);
  nb::tuple read(std::size_t column, std::uint64_t first, std::uint64_t count, bool as_bits);
  nb::tuple take(std::size_t column, const ConstArray& rows);

 private:
  struct State {
    explicit State(table::Cursor made) : cursor(std::move(made)) {}
    // The next batch, unless it is there.
    Status find(Failure* failure);
    std::uint64_t end_row() const { return batch.first_row + batch.window_rows; }

    std::mutex mutex;
    table::Cursor cursor;
    table::Batch batch;
    bool is_waiting = false;  // the batch was not given yet
  };

  // `numbers`: how many are decoded; of many, Ctrl-C stops it.
  template <class Work>
  void run(std::uint64_t numbers, const Work& work) {
    PythonProgress signals;
    plan_->reader.run(
        [&](Failure* failure) {
          const std::lock_guard lock(state_->mutex);
          state_->cursor.decode_with(threads_ == 0 ? 1 : threads_,
                                     threads_ == 0 ? &shared_executor() : nullptr,
                                     numbers > kMaxDeafNumbers ? signals.function() : nullptr);
          return work(failure);
        },
        &signals);
  }
  nb::object joined(std::uint64_t end);
  const table::Column& checked(std::size_t column) const {
    const table::Column* const numbers = plan_->numbers(column);
    if (numbers == nullptr) throw nb::index_error("not a column of numbers");
    return *numbers;
  }
  [[noreturn]] void refuse_booleans(const table::Column& column) const {
    raise_error(ErrorKind::kCorrupt,
                plan_->reader.place_of(column) + ": its booleans are not all 0 or 1");
  }

  std::shared_ptr<const Plan> plan_;
  unsigned threads_;
  Owned<State> state_;
};

Status TableCursor::State::find(Failure* failure) {
  if (is_waiting) return {};
  const Status status = cursor.next(batch, failure);
  is_waiting = status.ok();
  return status;
}

nb::object TableCursor::next(bool with_mask) {
  run(0, [&](Failure* failure) { return state_->find(failure); });
  const table::Batch& batch = state_->batch;
  if (batch.window_rows == 0) return nb::none();
  with_mask = with_mask || plan_->has_others || plan_->columns.empty();
  const std::uint64_t step = plan_->window_rows;
  const std::uint64_t end = std::min((batch.first_row / step + 1) * step, plan_->scan->rows());
  if (!with_mask && state_->end_row() < end) return joined(end);
  state_->is_waiting = false;
  nb::object mask = nb::none();
  if (!batch.kept.empty() && with_mask) {
    NewArray made(NumberType::kU8, batch.kept.size());
    std::copy(batch.kept.begin(), batch.kept.end(), static_cast<std::uint8_t*>(made.view().data));
    mask = made.release(batch.kept.size());
  }
  nb::list columns;
  for (std::size_t i = 0; i < batch.columns.size(); ++i) {
    const table::BatchColumn& from = batch.columns[i];
    const table::Column* const column = plan_->numbers(plan_->columns[i]);
    if (column == nullptr) {
      columns.append(nb::none());
      continue;
    }
    ArrowValues values(*column, from.numbers.count);
    values.put(0, from);
    if (!values.pack()) refuse_booleans(*column);
    columns.append(values.release());
  }
  return nb::make_tuple(batch.first_row, batch.window_rows, mask, batch.rows, columns);
}

// The rows of the windows that end at row `end` or before it, which one thread decodes.
nb::object TableCursor::joined(std::uint64_t end) {
  const table::Batch& batch = state_->batch;
  const std::uint64_t first = batch.first_row;
  const auto most = static_cast<std::size_t>(end - first);
  std::vector<ArrowValues> made;
  for (const std::size_t column : plan_->columns) made.emplace_back(checked(column), most);
  std::size_t count = 0;
  std::uint64_t last = first;
  run(0, [&](Failure* failure) {
    // Other threads may have moved the cursor meanwhile.
    const auto fits = [&] {
      return batch.window_rows > 0 && batch.first_row >= last && state_->end_row() <= end;
    };
    while (fits()) {
      for (std::size_t i = 0; i < made.size(); ++i) made[i].put(count, batch.columns[i]);
      count += static_cast<std::size_t>(batch.rows);
      last = state_->end_row();
      state_->is_waiting = false;
      const Status status = state_->find(failure);
      if (!status.ok()) return status;
    }
    return Status();
  });
  nb::list columns;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const table::Column& column = checked(plan_->columns[i]);
    made[i].keep(count);
    if (count < most / 2) {  // few rows do not keep the memory of all
      ArrowValues fewer(column, count);
      fewer.put(0, made[i].view(column.type));
      made[i] = std::move(fewer);
    }
    if (!made[i].pack()) refuse_booleans(column);
    columns.append(made[i].release());
  }
  return nb::make_tuple(first, last - first, nb::none(), count, columns);
}

nb::tuple TableCursor::read(std::size_t column, std::uint64_t first, std::uint64_t count,
                            bool as_bits) {
  const table::Column& described = checked(column);
  if (first > described.rows() || count > described.rows() - first) {
    throw nb::index_error("the column has fewer rows");
  }
  ArrowValues values(described, static_cast<std::size_t>(count), as_bits);
  bool is_sound = false;
  run(count, [&](Failure* failure) {
    const Status status =
        state_->cursor.read(column, first, values.numbers(), values.valid(), 0, failure);
    if (status.ok()) is_sound = values.pack();
    return status;
  });
  if (!is_sound) refuse_booleans(described);
  return values.release();
}

// Rows by their numbers, which increase.
nb::tuple TableCursor::take(std::size_t column, const ConstArray& rows) {
  const table::Column& described = checked(column);
  const NumberView given = numbers_of(rows);
  if (given.type != NumberType::kU64) throw nb::type_error("rows are not uint64");
  const std::span picked(static_cast<const std::uint64_t*>(given.data), given.count);
  ArrowValues values(described, picked.size());
  bool is_sound = false;
  run(picked.size(), [&](Failure* failure) {
    const Status status =
        state_->cursor.take(column, picked, values.numbers(), values.valid(), failure);
    if (status.ok()) is_sound = values.pack();
    return status;
  });
  if (!is_sound) refuse_booleans(described);
  return values.release();
}

// A Scan. Immutable; threads may share it, each with a cursor of its own.
class TableScan {
 public:
  TableScan(nb::object reader, std::vector<std::size_t> columns, nb::handle where,
            std::optional<std::pair<std::uint64_t, std::uint64_t>> rows, std::uint64_t window_rows,
            std::uint64_t min_part_rows, nb::object others)
      : plan_(std::make_shared<Plan>(std::move(reader))) {
    table::Query query;
    query.columns = columns;
    for (const nb::handle condition : where) {
      query.where.push_back({nb::cast<std::size_t>(condition[0]), comparison_of(condition[1]),
                             nb::cast<std::size_t>(condition[2])});
    }
    if (rows) query.rows = RowRange{rows->first, rows->second};
    query.window_rows = window_rows;
    query.min_part_rows = min_part_rows;
    if (!others.is_none()) {
      plan_->others = std::make_unique<PythonOthers>(std::move(others));
      query.others = plan_->others.get();
    }
    plan_->columns = std::move(columns);
    plan_->window_rows = std::max<std::uint64_t>(window_rows, 1);
    plan_->has_others =
        std::any_of(plan_->columns.begin(), plan_->columns.end(),
                    [&](std::size_t column) { return plan_->numbers(column) == nullptr; });
    plan_->reader.run([&](Failure* failure) {
      return table::Scan::create(plan_->reader.reader(), query, failure).into(plan_->scan);
    });
  }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> made;
    for (const RowRange& range : plan_->scan->ranges()) made.emplace_back(range.first, range.end);
    return made;
  }
  std::uint64_t rows() const { return plan_->scan->rows(); }
  std::unique_ptr<TableCursor> cursor(unsigned threads) const {
    return std::make_unique<TableCursor>(plan_, threads);
  }

 private:
  std::shared_ptr<Plan> plan_;
};

}  // namespace

void bind_table_scan(nb::module_& m) {
  nb::class_<TableCursor>(m, "TableCursor")
      .def("start", &TableCursor::start, nb::arg("first"), nb::arg("end"))
      .def("next", &TableCursor::next, nb::arg("with_mask") = false)
      .def("read", &TableCursor::read, nb::arg("column"), nb::arg("first"), nb::arg("count"),
           nb::arg("as_bits") = true)
      .def("take", &TableCursor::take, nb::arg("column"), nb::arg("rows"));
  nb::class_<TableScan>(m, "TableScan")
      .def(nb::init<nb::object, std::vector<std::size_t>, nb::handle,
                    std::optional<std::pair<std::uint64_t, std::uint64_t>>, std::uint64_t,
                    std::uint64_t, nb::object>(),
           nb::arg("reader"), nb::arg("columns"), nb::arg("where"),
           nb::arg("rows").none() = nb::none(), nb::arg("window_rows") = table::kOtherBatchRows,
           nb::arg("min_part_rows") = 0, nb::arg("others").none() = nb::none())
      .def_prop_ro("ranges", &TableScan::ranges)
      .def_prop_ro("rows", &TableScan::rows)
      .def("cursor", &TableScan::cursor, nb::arg("threads") = 1);
}

}  // namespace numpact::python
