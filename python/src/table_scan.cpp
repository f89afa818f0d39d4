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

  // Without the GIL: makes bitmaps. False: a boolean is neither 0 nor 1.
  bool pack() {
    if (!is_bool_) return true;
    const auto* const bytes = static_cast<const std::uint8_t*>(numbers().data);
    if (as_bits_) {
      const auto bits = static_cast<std::uint8_t*>(values_.view().data);
      table::pack_validity(bytes_, {bits, values_.view().count});
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
    return nb::make_tuple(values_.release(values_.view().count), bitmap);
  }

 private:
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
      return Status();
    });
  }
  nb::object next(bool with_mask);
  nb::tuple read(std::size_t column, std::uint64_t first, std::uint64_t count, bool as_bits);
  nb::tuple take(std::size_t column, const ConstArray& rows);

 private:
  struct State {
    explicit State(table::Cursor made) : cursor(std::move(made)) {}
    std::mutex mutex;
    table::Cursor cursor;
    table::Batch batch;
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

// The next rows that match: the first row of the window, how many it has, a mask of them if they
// are some of these and it is asked for, or there is no column or one that is not of numbers, their
// count, and for each column its buffers, or None. None: the end.
nb::object TableCursor::next(bool with_mask) {
  run(0, [&](Failure* failure) { return state_->cursor.next(state_->batch, failure); });
  const table::Batch& batch = state_->batch;
  if (batch.window_rows == 0) return nb::none();
  nb::object mask = nb::none();
  with_mask = with_mask || plan_->has_others || plan_->columns.empty();
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
    const MutableNumberView out = values.numbers();
    const std::size_t bytes = out.count * size_of(out.type);
    if (bytes > 0) std::memcpy(out.data, from.numbers.data, bytes);
    if (from.valid.size() == values.valid().size()) {
      std::copy(from.valid.begin(), from.valid.end(), values.valid().begin());
    } else {
      std::fill(values.valid().begin(), values.valid().end(), std::uint8_t{1});
    }
    if (!values.pack()) refuse_booleans(*column);
    columns.append(values.release());
  }
  return nb::make_tuple(batch.first_row, batch.window_rows, mask, batch.rows, columns);
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
