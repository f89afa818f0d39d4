// SPDX-License-Identifier: Apache-2.0
// Tables in memory, sound or damaged, read by scans and by ranges of rows: from memory, by ranges
// of bytes, and by reads that return less than they are asked for. Sound ones give the rows of a
// model.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/draw.hpp"
#include "common/target.hpp"
#include "tables/memory_table.hpp"

namespace numpact::fuzz {
namespace {

using testing::MemoryFiles;
using testing::ModelColumn;

constexpr NumberType kTypes[] = {NumberType::kI64, NumberType::kU8, NumberType::kI16,
                                 NumberType::kU32};

struct Model {
  std::vector<ModelColumn> columns;
  std::uint64_t rows = 0;

  Model(Draw& draw, MemoryFiles& files) {
    rows = draw.below(600);
    Sequence values(draw.bits(1));
    EncodeConfig config;
    config.level = 4;
    config.paging = PagingSpec::equal_pages_up_to(draw.between(1, 300));
    if (draw.flag()) config.trailer = TrailerSpec::index();
    for (std::uint64_t n = draw.between(1, 3); n > 0; --n) {
      ModelColumn& column = columns.emplace_back();
      column.described.name = "c" + std::to_string(columns.size());
      column.described.type = draw.pick(kTypes);
      const std::uint64_t nulls = draw.below(4);  // of 8 runs of rows
      const std::uint64_t run = draw.between(1, 90);
      const std::uint64_t width = draw.between(1, 120);
      const std::uint64_t slope = draw.below(2);
      for (std::uint64_t row = 0; row < rows; ++row) {
        const std::uint64_t bits = values.below(width) + slope * row / 4;
        const bool is_null = row / run * 5 % 8 < nulls;
        column.rows.push_back(is_null ? std::nullopt : std::optional(bits & 0x7f));
      }
      testing::write_column(files.files, column, config);
    }
    testing::write_manifest(files.files, columns);
  }

  bool matches(std::uint64_t row, std::size_t column, std::string_view op,
               std::int64_t value) const {
    const auto& bits = columns[column].rows[row];
    if (op == "is null") return !bits;
    if (op == "is not null") return bits.has_value();
    if (!bits) return false;
    const auto found = static_cast<std::int64_t>(*bits);  // below 128: of any type
    if (op == "=") return found == value;
    if (op == "!=") return found != value;
    if (op == "<") return found < value;
    return found >= value;
  }
};

// Changes bytes of a file, takes some away, or puts another file in its place.
void damage(Draw& draw, MemoryFiles& files) {
  for (std::uint64_t n = draw.between(1, 3); n > 0; --n) {
    auto file = files.files.begin();
    std::advance(file, draw.below(files.files.size()));
    Bytes& bytes = file->second;
    const std::size_t at = draw.below(bytes.size() + 1);
    switch (draw.below(5)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes = files.files.begin()->second;
        break;
      case 2: {
        const ByteSpan more = draw.take(draw.below(40));
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
        break;
      }
      case 3:  // a digit of the manifest, often
        if (at < bytes.size()) bytes[at] = static_cast<std::byte>('0' + draw.below(10));
        break;
      default:
        if (at < bytes.size()) bytes[at] ^= static_cast<std::byte>(1u << draw.below(8));
    }
  }
}

struct Filter {
  std::size_t column = 0;
  std::string op;
  std::int64_t value = 0;

  std::string text(const Model& model) const {
    std::string made = model.columns[column].described.name + " " + op;
    return op.starts_with("is") ? made : made + " " + std::to_string(value);
  }
};

// Reads as the draws say; with a model everything must be as it says.
class Reading {
 public:
  Reading(const std::shared_ptr<MemoryFiles>& files, const Model* model, const Filter& filter,
          const std::string& text)
      : files_(files), model_(model), filter_(filter), text_(text) {}

  void run(std::uint64_t first, std::uint64_t count, std::uint64_t window) {
    DecodeConfig config;
    config.limits.max_memory = std::uint64_t{1} << 24;
    config.limits.max_output_bytes = std::uint64_t{1} << 20;
    table::Reader reader;
    if (!check(table::Reader::open(files_, config, &failure_).into(reader))) return;
    table::Query query;
    query.window_rows = window;
    for (std::size_t i = 0; i < reader.columns().size(); ++i) query.columns.push_back(i);
    if (!check(reader.conditions(text_, &failure_).into(query.where))) return;
    table::Scan scan;
    if (!check(table::Scan::create(reader, query, &failure_).into(scan))) return;
    auto cursor = table::Cursor::create(scan);
    if (!check(cursor.status())) return;
    read_rows(reader, *cursor, first, count);
    read_batches(scan, *cursor);
  }

 private:
  bool check(const Status& status) {
    if (status.ok()) return true;
    NUMPACT_REQUIRE(model_ == nullptr);
    NUMPACT_REQUIRE(status.kind() != ErrorKind::kOutOfMemory);
    NUMPACT_REQUIRE(!failure_.message().empty());
    return false;
  }

  void read_rows(const table::Reader& reader, table::Cursor& cursor, std::uint64_t first,
                 std::uint64_t count) {
    for (std::size_t c = 0; c < reader.columns().size(); ++c) {
      const table::Column& column = *reader.columns()[c].numbers;
      const std::uint64_t begin = std::min(first, column.rows());
      const auto rows = static_cast<std::size_t>(std::min(count, column.rows() - begin));
      Bytes numbers(rows * size_of(column.type));
      std::vector<std::uint8_t> valid(rows);
      const MutableNumberView out(column.type, numbers.data(), rows);
      if (!check(cursor.read(c, begin, out, valid, 0, &failure_)) || model_ == nullptr) continue;
      for (std::size_t i = 0; i < rows; ++i) {
        const auto& expected = model_->columns[c].rows[begin + i];
        NUMPACT_REQUIRE((valid[i] != 0) == expected.has_value());
        const std::size_t size = size_of(column.type);
        NUMPACT_REQUIRE(testing::load(numbers.data() + i * size, size) == expected.value_or(0));
      }
    }
  }

  void read_batches(const table::Scan& scan, table::Cursor& cursor) {
    cursor.start(scan.all());
    std::uint64_t seen = 0;  // rows before it are compared
    for (table::Batch batch;;) {
      if (!check(cursor.next(batch, &failure_))) return;
      NUMPACT_REQUIRE(batch.rows <= batch.window_rows);
      if (model_ != nullptr) compare(batch, seen);
      if (batch.window_rows == 0) return;
      seen = batch.first_row + batch.window_rows;
    }
  }

  void compare(const table::Batch& batch, std::uint64_t seen) const {
    const std::uint64_t first = batch.window_rows == 0 ? model_->rows : batch.first_row;
    NUMPACT_REQUIRE(first >= seen);
    for (std::uint64_t row = seen; row < first; ++row) NUMPACT_REQUIRE(!matches(row));
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < batch.window_rows; ++i) {
      const bool is_kept = batch.kept.empty() || batch.kept[i] != 0;
      NUMPACT_REQUIRE(is_kept == matches(first + i));
      if (!is_kept) continue;
      for (std::size_t c = 0; c < batch.columns.size(); ++c) {
        const table::BatchColumn& column = batch.columns[c];
        const auto& expected = model_->columns[c].rows[first + i];
        NUMPACT_REQUIRE((column.valid.empty() || column.valid[at] != 0) == expected.has_value());
        const std::size_t size = size_of(column.numbers.type);
        const auto* const numbers = static_cast<const std::byte*>(column.numbers.data);
        NUMPACT_REQUIRE(testing::load(numbers + at * size, size) == expected.value_or(0));
      }
      ++at;
    }
    NUMPACT_REQUIRE(at == batch.rows);
  }
  bool matches(std::uint64_t row) const {
    return model_->matches(row, filter_.column, filter_.op, filter_.value);
  }

  const std::shared_ptr<MemoryFiles>& files_;
  const Model* model_;
  const Filter& filter_;
  const std::string& text_;
  table::Failure failure_;
};

void run_table_reader(ByteSpan input) {
  Draw draw(input);
  const auto files = std::make_shared<MemoryFiles>();
  const Model model(draw, *files);
  constexpr std::string_view kOps[] = {"=", "!=", "<", ">=", "is null", "is not null"};
  Filter filter;
  filter.column = draw.below(model.columns.size());
  filter.op = draw.pick(kOps);
  filter.value = static_cast<std::int64_t>(draw.below(140)) - 5;
  const std::uint64_t first = draw.below(600);
  const std::uint64_t count = draw.below(300);
  const std::uint64_t window = draw.between(1, 200);
  const bool is_damaged = draw.flag();
  if (is_damaged) damage(draw, *files);
  std::string text = filter.text(model);
  if (is_damaged && draw.one_in(4)) {
    const ByteSpan other = draw.take(60);
    text.assign(reinterpret_cast<const char*>(other.data()), other.size());
  }
  for (const auto as :
       {MemoryFiles::As::kMemory, MemoryFiles::As::kRanges, MemoryFiles::As::kShortReads}) {
    files->as = as;
    Reading(files, is_damaged ? nullptr : &model, filter, text).run(first, count, window);
  }
}

NUMPACT_FUZZ_TARGET(table_reader, run_table_reader)

}  // namespace
}  // namespace numpact::fuzz
