// SPDX-License-Identifier: Apache-2.0
// numpact bench
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "bench_measure.hpp"
#include "commands.hpp"
#include "formats.hpp"
#include "output_file.hpp"
#include "source.hpp"
#include "table.hpp"
#include "text_table.hpp"

namespace numpact::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kTableWidth = 140;
constexpr std::size_t kNameColumn = 0;
constexpr std::size_t kModeColumn = 3;
constexpr std::size_t kDeltaColumn = 4;

struct Row {
  std::string file;
  std::string column;   // empty where the file has no names
  std::string heading;  // above the columns of a file that is not the only one
  NumberType type = NumberType::kU8;
  std::uint64_t count = 0;
  std::uint64_t raw_bytes = 0;
  PcoTiming pco;
  Timing zstd;
};

std::string stem_of(const std::string& file) { return std::filesystem::path(file).stem().string(); }

double ratio_of(std::uint64_t raw_bytes, const Timing& timing) {
  return timing.bytes == 0 ? 0 : static_cast<double>(raw_bytes) / static_cast<double>(timing.bytes);
}

double megabytes_a_second(std::uint64_t raw_bytes, double seconds) {
  return seconds <= 0 ? 0 : static_cast<double>(raw_bytes) / 1e6 / seconds;
}

// Sums of all rows, with the geometric mean of the ratios.
struct Total {
  std::uint64_t count = 0;
  std::uint64_t raw_bytes = 0;
  Timing pco;
  Timing zstd;
  double pco_ratio = 0;
  double zstd_ratio = 0;
};

void add_timing(Timing& sum, const Timing& timing) {
  sum.bytes += timing.bytes;
  sum.compress_seconds += timing.compress_seconds;
  sum.decompress_seconds += timing.decompress_seconds;
}

Total total_of(const std::vector<Row>& rows) {
  Total total;
  double pco_log = 0;
  double zstd_log = 0;
  std::size_t with_ratio = 0;
  for (const Row& row : rows) {
    total.count += row.count;
    total.raw_bytes += row.raw_bytes;
    add_timing(total.pco, row.pco.timing);
    add_timing(total.zstd, row.zstd);
    if (row.raw_bytes == 0) continue;
    pco_log += std::log(ratio_of(row.raw_bytes, row.pco.timing));
    zstd_log += std::log(ratio_of(row.raw_bytes, row.zstd));
    ++with_ratio;
  }
  if (with_ratio > 0) {
    total.pco_ratio = std::exp(pco_log / static_cast<double>(with_ratio));
    total.zstd_ratio = std::exp(zstd_log / static_cast<double>(with_ratio));
  }
  return total;
}

void append_timing(std::vector<std::string>& cells, std::uint64_t raw_bytes, const Timing& timing,
                   double ratio) {
  cells.push_back(std::to_string(timing.bytes));
  cells.push_back(ratio > 0 ? fmt::format("{:.2f}", ratio) : "-");
  cells.push_back(fmt::format("{:.0f}", megabytes_a_second(raw_bytes, timing.compress_seconds)));
  cells.push_back(fmt::format("{:.0f}", megabytes_a_second(raw_bytes, timing.decompress_seconds)));
}

std::string table_text(const std::vector<Row>& rows, unsigned level, int rounds) {
  using Align = TextTable::Align;
  TextTable table;
  table.add_column("column", Align::kLeft);
  table.add_column("type", Align::kLeft);
  table.add_column("numbers", Align::kRight);
  table.add_column("mode", Align::kLeft);
  table.add_column("delta", Align::kLeft);
  table.add_column("bytes", Align::kRight);
  for (const char* codec : {"numpact", "zstd -3"}) {
    table.add_column(codec, Align::kRight);
    for (const char* title : {"ratio", "comp", "dec"}) table.add_column(title, Align::kRight);
  }
  table.add_rule();
  std::string heading;
  for (const Row& row : rows) {
    if (row.heading != heading && !row.heading.empty()) table.add_heading(row.heading);
    heading = row.heading;
    const std::string name = row.column.empty() ? stem_of(row.file) : row.column;
    std::vector<std::string> cells = {heading.empty() ? name : "  " + name,
                                      std::string(name_of(row.type)),
                                      std::to_string(row.count),
                                      row.pco.mode,
                                      row.pco.delta,
                                      std::to_string(row.raw_bytes)};
    if (!row.pco.timing.exact) cells[kModeColumn] = "!! NOT EXACT !!";
    append_timing(cells, row.raw_bytes, row.pco.timing, ratio_of(row.raw_bytes, row.pco.timing));
    append_timing(cells, row.raw_bytes, row.zstd, ratio_of(row.raw_bytes, row.zstd));
    table.add_row(std::move(cells));
  }
  table.add_rule();
  const Total total = total_of(rows);
  std::vector<std::string> cells = {
      fmt::format("total of {}", rows.size()), "", std::to_string(total.count), "", "",
      std::to_string(total.raw_bytes)};
  append_timing(cells, total.raw_bytes, total.pco, total.pco_ratio);
  append_timing(cells, total.raw_bytes, total.zstd, total.zstd_ratio);
  table.add_row(std::move(cells));
  table.fit(kModeColumn, 16, kTableWidth);
  table.fit(kDeltaColumn, 14, kTableWidth);
  table.fit(kNameColumn, 14, kTableWidth);
  table.fit(kModeColumn, 10, kTableWidth);
  table.fit(kDeltaColumn, 8, kTableWidth);
  return table.text() +
         fmt::format(
             "\nlevel {}; comp and dec in MB/s: millions of bytes of raw numbers a second, best "
             "of {} round{}\nratio of the total: geometric mean; its speeds: all bytes by all "
             "time\n",
             level, rounds, rounds == 1 ? "" : "s");
}

Json timing_json(std::uint64_t raw_bytes, const Timing& timing, double ratio) {
  return Json{{"bytes", timing.bytes},
              {"ratio", ratio},
              {"compress_mb_s", megabytes_a_second(raw_bytes, timing.compress_seconds)},
              {"decompress_mb_s", megabytes_a_second(raw_bytes, timing.decompress_seconds)}};
}

std::string json_text(const std::vector<Row>& rows, unsigned level, int rounds) {
  Json json;
  json["level"] = level;
  json["rounds"] = rounds;
  json["columns"] = Json::array();
  for (const Row& row : rows) {
    Json entry;
    entry["file"] = row.file;
    entry["column"] = row.column;
    entry["type"] = name_of(row.type);
    entry["count"] = row.count;
    entry["raw_bytes"] = row.raw_bytes;
    entry["mode"] = row.pco.mode;
    entry["delta"] = row.pco.delta;
    entry["exact"] = row.pco.timing.exact;
    entry["numpact"] =
        timing_json(row.raw_bytes, row.pco.timing, ratio_of(row.raw_bytes, row.pco.timing));
    entry["zstd_3"] = timing_json(row.raw_bytes, row.zstd, ratio_of(row.raw_bytes, row.zstd));
    json["columns"].push_back(entry);
  }
  const Total total = total_of(rows);
  json["total"] = Json{{"count", total.count},
                       {"raw_bytes", total.raw_bytes},
                       {"numpact", timing_json(total.raw_bytes, total.pco, total.pco_ratio)},
                       {"zstd_3", timing_json(total.raw_bytes, total.zstd, total.zstd_ratio)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

class Runner {
 public:
  explicit Runner(const BenchOptions& options)
      : options_(options),
        source_(parse_source_words(options.source)),
        config_(parse_encode_words(options.encode)),
        bench_(config_, options.rounds) {
    source_.flatten = true;  // nothing is kept, so no shape is lost
  }

  ExitCode run() {
    for (const std::string& file : options_.inputs) measure_file(file);
    if (rows_.empty()) throw Failure(ExitCode::kFailure, "", "no column to measure");
    OutputFile out("-", false, Content::kText);
    out.put(options_.json ? json_text(rows_, config_.level, options_.rounds)
                          : table_text(rows_, config_.level, options_.rounds));
    out.commit();
    return code_;
  }

 private:
  void measure_file(const std::string& file) {
    const std::unique_ptr<TableInput> table = open_table(file, options_.source.from, source_);
    if (table->has_names() && source_.column) {
      return measure_column(*table, find_column(*table, file, *source_.column), file);
    }
    for (std::size_t i = 0; i < table->columns().size(); ++i) {
      if (table->columns()[i].unfit.empty()) measure_column(*table, i, file);
    }
  }

  // A column that cannot be read is named, and the others are measured.
  void measure_column(TableInput& table, std::size_t index, const std::string& file) {
    Row row;
    const std::string place =
        table.has_names() ? column_place(file, table.columns()[index].name) : file;
    std::vector<std::uint64_t> numbers;
    Column column;
    try {
      const bool plain = table.columns()[index].logical.kind == LogicalKind::kNumber;
      const auto input =
          open_column(table, index, file, plain ? source_.dtype : std::nullopt, column);
      row.count = read_all(*input, column.type, numbers);
    } catch (const Failure& failure) {
      say(failure.what());
      code_ = failure.code();
      return;
    }
    row.file = file;
    row.column = column.name;
    row.type = column.type;
    row.raw_bytes = row.count * size_of(column.type);
    if (options_.inputs.size() > 1 && table.has_names()) row.heading = stem_of(file);
    require_config_fits(column.type, config_, place);
    const NumberView view(column.type, numbers.data(), row.count);
    row.pco = bench_.measure_pco(view);
    row.zstd = bench_.measure_zstd(view);
    if (!row.pco.timing.exact) {
      say(place + ": THE ROUND TRIP FAILED");
      code_ = ExitCode::kFailure;
    }
    rows_.push_back(std::move(row));
  }

  const BenchOptions& options_;
  InputOptions source_;
  EncodeConfig config_;
  Bench bench_;
  std::vector<Row> rows_;
  ExitCode code_ = ExitCode::kDone;
};

}  // namespace

ExitCode run_bench(const BenchOptions& options) { return Runner(options).run(); }

}  // namespace numpact::cli
