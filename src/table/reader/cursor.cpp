// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "api/range_read.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "table/reader/failure.hpp"
#include "table/reader/table_data.hpp"

namespace numpact::table {

using internal::ColumnPart;
using internal::fail;
using internal::OpenColumn;

namespace {

// Numbers decoded at once in a chunk with restart points, where more would only take memory: eight
// of the intervals that tables are written with. Other chunks are decoded from their start, so what
// is needed of them is decoded at once.
constexpr std::uint64_t kWindowNumbers = std::uint64_t{1} << 17;
// Numbers of such a chunk from which on they are decoded without a window: four intervals, of which
// one at most is decoded in vain.
constexpr std::uint64_t kMinDirectNumbers = std::uint64_t{1} << 16;

// Rows without a match that are read between others, rather than to start anew behind them: as many
// as lie between the restart points that tables are written with.
constexpr std::uint64_t kMaxGapRows = std::uint64_t{1} << 14;
// The same of chunks that are kept, where a start takes no longer than decoding a few batches.
constexpr std::uint64_t kMaxKeptGapRows = std::uint64_t{1} << 11;

// Numbers up to which one thread decodes, though several are allowed: starting tasks takes longer.
constexpr std::size_t kMaxAloneNumbers = std::size_t{1} << 16;

// Rows of a window of one thread, which has the numbers of some columns in its cache.
constexpr std::uint64_t kMaxAloneRows = std::uint64_t{1} << 17;

// What is read after some rows, or numbers, of a column: the row behind the last one that may be,
// so that chunks are fetched together, and behind the last one that will be.
struct Ahead {
  std::uint64_t may = 0;
  std::uint64_t will = 0;
};

// What a cursor keeps of a column.
struct Window {
  const ColumnPart* part = nullptr;
  std::vector<std::byte> numbers;
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  internal::ColumnFile::Fetched fetched;
  std::unique_ptr<KeptChunk> kept;  // of a file in memory
};

// Values of a column in a batch.
struct Values {
  std::vector<std::uint64_t> numbers;  // of any type, aligned
  std::vector<std::uint8_t> valid;
  bool is_read = false;     // in this batch
  bool is_whole = false;    // all rows of the window; else those of State::runs
  bool is_compact = false;  // only the rows that match
  bool has_nulls = false;
};

std::uint64_t end_of(const IndexedChunk& chunk) { return chunk.first + chunk.count; }

// Moves the values of rows, by their positions, to the front.
template <class T>
void keep(T* values, std::span<const std::uint32_t> rows) {
  std::size_t at = 0;
  for (const std::uint32_t row : rows) values[at++] = values[row];
}

void keep_numbers(void* numbers, std::size_t size, std::span<const std::uint32_t> rows) {
  switch (size) {
    case 1:
      return keep(static_cast<std::uint8_t*>(numbers), rows);
    case 2:
      return keep(static_cast<std::uint16_t*>(numbers), rows);
    case 4:
      return keep(static_cast<std::uint32_t*>(numbers), rows);
    default:
      return keep(static_cast<std::uint64_t*>(numbers), rows);
  }
}

bool has_rows(std::span<const std::uint8_t> kept) {
  return !kept.empty() && std::memchr(kept.data(), 1, kept.size()) != nullptr;
}

// The positions of the rows that are kept.
void list_rows(std::span<const std::uint8_t> kept, std::vector<std::uint32_t>& rows) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  // One more, which the loop writes to. More than needed would be set to zero each time.
  rows.resize(std::accumulate(kept.begin(), kept.end(), std::size_t{1}));
  std::size_t count = 0;
  for (std::size_t i = 0; i < kept.size(); i += kWord) {
    const std::size_t n = std::min(kWord, kept.size() - i);
    std::uint64_t word = 0;
    std::memcpy(&word, kept.data() + i, n);
    if (word == 0) continue;
    for (std::size_t k = 0; k < n; ++k) {
      rows[count] = static_cast<std::uint32_t>(i + k);
      count += kept[i + k];
    }
  }
  rows.resize(count);
}

template <class T>
bool are_below(const NumberView& numbers, std::uint64_t count) {
  T max = 0;
  for (std::size_t i = 0; i < numbers.count; ++i) {
    T number;
    std::memcpy(&number, static_cast<const std::byte*>(numbers.data) + i * sizeof(T), sizeof(T));
    max = std::max(max, number);
  }
  return numbers.count == 0 || max < count;
}

// Whether numbers are places among as many texts.
bool are_places(const NumberView& numbers, std::uint64_t count) {
  if (count >> (8 * size_of(numbers.type)) != 0) return true;
  return size_of(numbers.type) == 1   ? are_below<std::uint8_t>(numbers, count)
         : size_of(numbers.type) == 2 ? are_below<std::uint16_t>(numbers, count)
                                      : are_below<std::uint32_t>(numbers, count);
}

// `valid` is empty if no row is null. `scratch` is for filters that null rows satisfy.
void narrow(const NumberFilter& filter, const NumberView& numbers,
            std::span<const std::uint8_t> valid, std::span<std::uint8_t> kept,
            std::vector<std::uint8_t>& scratch) {
  const bool keeps_nulls = filter.matches_null() && !valid.empty();
  if (keeps_nulls) scratch.assign(kept.begin(), kept.end());
  filter.narrow(numbers, kept);
  for (std::size_t i = 0; i < valid.size(); ++i) kept[i] &= valid[i];
  if (!keeps_nulls) return;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i] |= static_cast<std::uint8_t>(scratch[i] & (1 - valid[i]));
  }
}

}  // namespace

struct Cursor::State {
  explicit State(std::shared_ptr<const Scan::Plan> of)
      : plan(std::move(of)), table(*plan->table), config(table.config) {
    config.progress = nullptr;
    config.file_end = nullptr;
  }

  std::shared_ptr<const Scan::Plan> plan;
  const Reader::Table& table;
  DecodeConfig config;
  DecodeContext context;
  std::unordered_map<std::size_t, Window> windows;  // by column
  std::unordered_map<std::size_t, Values> values;
  std::vector<std::uint8_t> kept;
  std::vector<RowRange> runs;  // that hold all rows that match, without large gaps
  // The rows that match, by their positions in the window and among the rows of `runs`; empty: all.
  std::vector<std::uint32_t> rows_kept;
  std::vector<std::uint32_t> rows_of_runs;
  // Of match(): the rows of an alternative, those of the alternatives before it, and of narrow().
  std::vector<std::uint8_t> alternative;
  std::vector<std::uint8_t> found;
  std::vector<std::uint8_t> scratch;
  RowRange batch_rows;     // the window
  std::uint64_t row = 0;   // the next one
  std::uint64_t stop = 0;  // of start()
  std::size_t range = 0;

  Status read(std::size_t column, std::uint64_t first, const MutableNumberView& out,
              std::uint8_t* valid, const Ahead& ahead, Failure* failure);
  Status read_values(std::size_t column, std::span<const RowRange> rows, std::uint64_t ahead,
                     Failure* failure);
  Status next(Batch& batch, Failure* failure);
  bool next_window(RowRange& rows);
  Status match(const RowRange& rows, std::uint64_t ahead, Failure* failure);
  void find_runs();
  Status give(Batch& batch, std::uint64_t ahead, Failure* failure);

 private:
  // Whether only the calling thread decodes.
  bool is_alone() const { return config.threads == 1 && config.executor == nullptr; }
  Status test_rows(const Scan::Plan::Test& test, const RowRange& rows, std::uint64_t ahead,
                   std::span<std::uint8_t> left, Failure* failure);
  Status read_numbers(Window& window, std::uint64_t number, MutableNumberView out,
                      const Ahead& ahead);
  Status read_direct(Window& window, std::uint64_t number, const MutableNumberView& out,
                     std::size_t chunk, std::uint64_t ahead);
};

// Decodes numbers that are in memory, or fetched with the chunks up to that of the number before
// `ahead`. All lie in fetched chunks, or in `chunk`.
Status Cursor::State::read_direct(Window& window, std::uint64_t number,
                                  const MutableNumberView& out, std::size_t chunk,
                                  std::uint64_t ahead) {
  const internal::ColumnFile& file = window.part->file;
  if (const FileReader* const reader = file.reader()) {
    return reader->read(number, out, config, &context);
  }
  internal::ColumnFile::Fetched& fetched = window.fetched;
  if (!fetched.has(chunk)) {
    NUMPACT_TRY(file.fetch(chunk, file.index().chunk_of(ahead - 1) + 1, fetched));
  }
  return fetched.placed(fetched.reader->read(number - fetched.first, out, config, &context));
}

// Numbers from `number` on.
Status Cursor::State::read_numbers(Window& window, std::uint64_t number, MutableNumberView out,
                                   const Ahead& ahead) {
  const internal::ColumnFile& file = window.part->file;
  if (file.reader() != nullptr && (is_alone() || out.count <= kMaxAloneNumbers)) {
    if (window.kept == nullptr) window.kept = std::make_unique<KeptChunk>();
    return read_kept(file.memory(), *file.reader(), number, out, ahead.will, config, *window.kept);
  }
  const ChunkIndex& index = file.index();
  const std::size_t size = size_of(out.type);
  while (out.count > 0) {
    const std::uint64_t end = number + out.count;
    std::size_t count = 0;
    if (window.first <= number && number < window.end) {
      count = static_cast<std::size_t>(std::min(end, window.end) - number);
      std::memcpy(out.data, window.numbers.data() + (number - window.first) * size, count * size);
    } else {
      const std::size_t chunk = index.chunk_of(number);
      std::uint64_t direct_end = std::min(end, end_of(index.chunk(chunk)));
      if (direct_end < end && file.reader() != nullptr) {
        // With all whole chunks that follow, which threads share.
        const std::size_t last = index.chunk_of(end - 1);
        direct_end = end_of(index.chunk(last)) == end ? end : index.chunk(last).first;
      }
      const std::uint64_t chunk_end = end_of(index.chunk(chunk));
      if (direct_end < chunk_end) {
        const bool has_restarts = file.has_restarts(chunk);
        const std::uint64_t wanted = std::max(end, has_restarts ? ahead.will : ahead.may);
        std::uint64_t window_end = std::min(chunk_end, wanted);
        if (has_restarts) window_end = std::min(window_end, number + kWindowNumbers);
        const bool is_large = has_restarts && direct_end - number >= kMinDirectNumbers;
        const std::uint64_t bytes = (window_end - number) * size;
        if (window_end > direct_end && !is_large && bytes <= config.limits.max_memory) {
          window.end = 0;
          if (window.numbers.size() < bytes) window.numbers.resize(internal::to_size(bytes));
          const MutableNumberView view(out.type, window.numbers.data(),
                                       static_cast<std::size_t>(window_end - number));
          NUMPACT_TRY(read_direct(window, number, view, chunk, ahead.may));
          window.first = number;
          window.end = window_end;
          continue;
        }
      }
      count = static_cast<std::size_t>(direct_end - number);
      NUMPACT_TRY(read_direct(window, number, MutableNumberView(out.type, out.data, count), chunk,
                              ahead.may));
    }
    number += count;
    out = MutableNumberView(out.type, static_cast<std::byte*>(out.data) + count * size,
                            out.count - count);
  }
  return {};
}

Status Cursor::State::read(std::size_t column, std::uint64_t first, const MutableNumberView& out,
                           std::uint8_t* valid, const Ahead& ahead, Failure* failure) {
  const OpenColumn* open = nullptr;
  NUMPACT_TRY(table.load(column, open, failure));
  const Column& described = *table.entries[column].numbers;
  if (out.type != described.type) {
    const Status status(ErrorKind::kTypeMismatch, "the column holds numbers of another type");
    return fail(failure, status, table.place_of(described.first_file()), described.name);
  }
  if (first > described.rows() || out.count > described.rows() - first) {
    const Status status(ErrorKind::kInvalidArgument, "the column has fewer rows");
    return fail(failure, status, table.place_of(described.first_file()), described.name);
  }
  const std::uint64_t end = first + out.count;
  const Ahead last{std::clamp(ahead.may, end, described.rows()),
                   std::clamp(ahead.will, end, described.rows())};
  const std::size_t size = size_of(out.type);
  Window& window = windows[column];
  for (std::size_t i = open->part_of(first); first < end; ++i) {
    const ColumnPart* const part = open->parts[i].get();
    const std::uint64_t part_end = part->first_row + part->rows;
    const auto rows = static_cast<std::size_t>(std::min(end, part_end) - first);
    const std::uint64_t at_row = first - part->first_row;
    const std::uint64_t number = part->nulls.numbers_before(at_row);
    const auto count = static_cast<std::size_t>(part->nulls.numbers_before(at_row + rows) - number);
    if (window.part != part) {
      window = Window();
      window.part = part;
    }
    // The numbers come behind the place of the nulls, and are then spread.
    auto* const at = static_cast<std::byte*>(out.data) + (out.count - (end - first)) * size;
    const MutableNumberView numbers(out.type, at + (rows - count) * size, count);
    const auto numbers_to = [&](std::uint64_t end_row) {
      return part->nulls.numbers_before(std::min(end_row, part_end) - part->first_row);
    };
    const Ahead next{numbers_to(last.may), numbers_to(last.will)};
    if (const Status status = read_numbers(window, number, numbers, next); !status.ok()) {
      return fail(failure, status, part->place, described.name);
    }
    if (open->texts != nullptr &&
        !are_places({out.type, numbers.data, count}, open->texts->size())) {
      const Status status(ErrorKind::kCorrupt, "a number is no place of a text");
      return fail(failure, status, part->place, described.name);
    }
    part->nulls.spread(at_row, rows, size, at, valid);
    if (valid != nullptr) valid += rows;
    first += rows;
  }
  return {};
}

// Reads rows that lie in the window, unless it was read for a test. Those up to `ahead` will be
// read next, if the last ones end with the window.
Status Cursor::State::read_values(std::size_t column, std::span<const RowRange> rows,
                                  std::uint64_t ahead, Failure* failure) {
  Values& made = values[column];
  if (made.is_read) return {};
  const Column& described = *table.entries[column].numbers;
  const std::size_t size = size_of(described.type);
  std::uint64_t count = 0;
  for (const RowRange& run : rows) count += run.end - run.first;
  made.has_nulls = described.null_count > 0;
  made.is_compact = false;
  made.is_whole = count == batch_rows.end - batch_rows.first;
  // Only larger: memory that is added is set to zero.
  const std::size_t words = (internal::to_size(count) * size + 7) / 8;
  if (made.numbers.size() < words) made.numbers.resize(words);
  if (made.has_nulls && made.valid.size() < count) made.valid.resize(internal::to_size(count));
  std::size_t at = 0;
  for (const RowRange& run : rows) {
    const std::size_t n = internal::to_size(run.end - run.first);
    const MutableNumberView out(described.type,
                                reinterpret_cast<std::byte*>(made.numbers.data()) + at * size, n);
    NUMPACT_TRY(read(column, run.first, out, made.has_nulls ? made.valid.data() + at : nullptr,
                     {ahead, run.end == batch_rows.end ? ahead : run.end}, failure));
    at += n;
  }
  made.is_read = true;
  return {};
}

bool Cursor::State::next_window(RowRange& rows) {
  for (; range < plan->ranges.size(); ++range) {
    const RowRange& may_match = plan->ranges[range];
    rows.first = std::max(row, may_match.first);
    rows.end = std::min(stop, may_match.end);
    if (rows.first >= stop) return false;
    if (rows.first >= rows.end) continue;
    std::uint64_t step = plan->query.window_rows;
    if (is_alone() && !plan->has_others && step % kMaxAloneRows == 0) step = kMaxAloneRows;
    rows.end = std::min(rows.end - rows.first, step - rows.first % step) + rows.first;
    row = rows.end;
    return true;
  }
  return false;
}

// Sets left[i] to 0 for the rows that do not satisfy a test.
Status Cursor::State::test_rows(const Scan::Plan::Test& test, const RowRange& rows,
                                std::uint64_t ahead, std::span<std::uint8_t> left,
                                Failure* failure) {
  using TestKind = Scan::Plan::Test::Kind;
  if (test.kind == TestKind::kOther) {
    const Status status = plan->query.others->narrow(test.number, test.column, rows.first, left);
    if (status.ok()) return status;
    const ColumnEntry& entry = table.entries[test.column];
    return fail(failure, status, table.place_of(entry.other->first_file()), entry.name());
  }
  const auto numbers_of = [&](std::size_t column) {
    return NumberView(table.entries[column].numbers->type, values[column].numbers.data(),
                      left.size());
  };
  const auto valid_of = [&](std::size_t column) {
    const Values& read = values[column];
    return read.has_nulls ? std::span<const std::uint8_t>(read.valid).first(left.size())
                          : std::span<const std::uint8_t>();
  };
  NUMPACT_TRY(read_values(test.column, {&rows, 1}, ahead, failure));
  if (test.kind == TestKind::kNumbers) {
    narrow(test.filter, numbers_of(test.column), valid_of(test.column), left, scratch);
    return {};
  }
  NUMPACT_TRY(read_values(test.other, {&rows, 1}, ahead, failure));
  test.pair.narrow(numbers_of(test.column), numbers_of(test.other), left);
  for (const std::size_t column : {test.column, test.other}) {
    const std::span<const std::uint8_t> valid = valid_of(column);
    for (std::size_t i = 0; i < valid.size(); ++i) left[i] &= valid[i];
  }
  return {};
}

// Sets `kept`: of no rows if none matches.
Status Cursor::State::match(const RowRange& rows, std::uint64_t ahead, Failure* failure) {
  kept.assign(internal::to_size(rows.end - rows.first), 1);
  for (const Scan::Plan::Clause& clause : plan->clauses) {
    if (clause.size() == 1) {
      for (const Scan::Plan::Test& test : clause[0]) {
        NUMPACT_TRY(test_rows(test, rows, ahead, kept, failure));
      }
    } else {
      found.assign(kept.size(), 0);
      for (const Scan::Plan::Tests& tests : clause) {
        // Rows that another alternative has found need no test.
        alternative.resize(kept.size());
        for (std::size_t i = 0; i < kept.size(); ++i) {
          alternative[i] = static_cast<std::uint8_t>(kept[i] & (1 - found[i]));
        }
        for (const Scan::Plan::Test& test : tests) {
          if (!has_rows(alternative)) break;
          NUMPACT_TRY(test_rows(test, rows, ahead, alternative, failure));
        }
        for (std::size_t i = 0; i < kept.size(); ++i) found[i] |= alternative[i];
      }
      std::swap(kept, found);
    }
    if (!has_rows(kept)) {
      kept.clear();
      return {};
    }
  }
  return {};
}

Status Cursor::State::next(Batch& batch, Failure* failure) {
  batch = {};
  for (RowRange rows; next_window(rows);) {
    const std::uint64_t ahead = std::min(stop, plan->ranges[range].end);
    batch_rows = rows;
    for (auto& [column, read] : values) read.is_read = false;
    NUMPACT_TRY(match(rows, ahead, failure));
    if (kept.empty()) continue;
    batch.first_row = rows.first;
    batch.window_rows = rows.end - rows.first;
    batch.rows = batch.window_rows;
    rows_kept.clear();
    if (std::memchr(kept.data(), 0, kept.size()) != nullptr) {
      list_rows(kept, rows_kept);
      batch.rows = rows_kept.size();
      batch.kept = kept;
    }
    return give(batch, ahead, failure);
  }
  return {};
}

// Finds the rows that columns without tests are read for.
void Cursor::State::find_runs() {
  runs.clear();
  if (rows_kept.empty()) runs.push_back(batch_rows);
  rows_of_runs.resize(rows_kept.size());
  const std::uint64_t max_gap = is_alone() ? kMaxKeptGapRows : kMaxGapRows;
  std::uint64_t before = 0;  // rows of the window that are in no run, before the last one
  for (std::size_t i = 0; i < rows_kept.size(); ++i) {
    const std::uint64_t row_kept = batch_rows.first + rows_kept[i];
    if (runs.empty() || row_kept - runs.back().end > max_gap) {
      before += row_kept - (runs.empty() ? batch_rows.first : runs.back().end);
      runs.push_back({row_kept, row_kept});
    }
    runs.back().end = row_kept + 1;
    rows_of_runs[i] = static_cast<std::uint32_t>(rows_kept[i] - before);
  }
}

Status Cursor::State::give(Batch& batch, std::uint64_t ahead, Failure* failure) {
  find_runs();
  batch.columns.resize(plan->query.columns.size());
  for (std::size_t i = 0; i < batch.columns.size(); ++i) {
    const std::size_t column = plan->query.columns[i];
    if (table.entries[column].numbers == nullptr) continue;
    NUMPACT_TRY(read_values(column, runs, ahead, failure));
    Values& read = values[column];
    const NumberType type = table.entries[column].numbers->type;
    const std::vector<std::uint32_t>& kept_rows = read.is_whole ? rows_kept : rows_of_runs;
    // Rows without a gap are at the front already.
    if (!kept_rows.empty() && kept_rows.back() >= batch.rows && !read.is_compact) {
      keep_numbers(read.numbers.data(), size_of(type), kept_rows);
      if (read.has_nulls) keep(read.valid.data(), kept_rows);
      read.is_compact = true;
    }
    const auto rows = static_cast<std::size_t>(batch.rows);
    batch.columns[i].numbers = NumberView(type, read.numbers.data(), rows);
    if (read.has_nulls) batch.columns[i].valid = std::span(read.valid).first(rows);
  }
  return {};
}

Cursor::Cursor() = default;
Cursor::~Cursor() = default;
Cursor::Cursor(Cursor&& other) noexcept = default;
Cursor& Cursor::operator=(Cursor&& other) noexcept = default;

Result<Cursor> Cursor::create(const Scan& scan) noexcept {
  Cursor cursor;
  const Status status = internal::guarded([&] {
    cursor.state_ = std::make_unique<State>(scan.plan_);
    return Status();
  });
  if (!status.ok()) return status;
  return cursor;
}

void Cursor::decode_with(unsigned threads, Executor* executor, ProgressCallback progress) noexcept {
  state_->config.threads = threads;
  state_->config.executor = executor;
  state_->config.progress = std::move(progress);
}

void Cursor::start(const RowRange& range) noexcept {
  const std::vector<RowRange>& ranges = state_->plan->ranges;
  state_->row = range.first;
  state_->stop = range.end;
  state_->range = static_cast<std::size_t>(
      std::partition_point(ranges.begin(), ranges.end(),
                           [&](const RowRange& one) { return one.end <= range.first; }) -
      ranges.begin());
}

Status Cursor::next(Batch& batch, Failure* failure) noexcept {
  return internal::guarded([&] { return state_->next(batch, failure); });
}

Status Cursor::read(std::size_t column, std::uint64_t first, const MutableNumberView& out,
                    std::span<std::uint8_t> valid, std::uint64_t ahead, Failure* failure) noexcept {
  return internal::guarded([&] {
    if (!valid.empty() && valid.size() != out.count) {
      return Status(ErrorKind::kInvalidArgument, "there are not as many bytes for nulls as rows");
    }
    return state_->read(column, first, out, valid.empty() ? nullptr : valid.data(), {ahead, ahead},
                        failure);
  });
}

void pack_validity(std::span<const std::uint8_t> valid, std::span<std::uint8_t> bits) noexcept {
  const auto pack = [&](std::size_t first, std::size_t count) {
    unsigned packed = 0;
    for (std::size_t i = 0; i < count; ++i) packed |= (valid[first + i] != 0 ? 1U : 0U) << i;
    return static_cast<std::uint8_t>(packed);
  };
  const std::size_t whole = valid.size() / 8;
  for (std::size_t i = 0; i < whole; ++i) bits[i] = pack(i * 8, 8);
  std::fill(bits.begin() + static_cast<std::ptrdiff_t>(whole), bits.end(), std::uint8_t{0});
  if (valid.size() % 8 > 0) bits[whole] = pack(whole * 8, valid.size() % 8);
}

}  // namespace numpact::table
