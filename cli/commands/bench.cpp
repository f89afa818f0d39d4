// SPDX-License-Identifier: Apache-2.0
// numpact bench
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "commands/bench_measure.hpp"
#include "commands/commands.hpp"
#include "commands/common_options.hpp"
#include "commands/source.hpp"
#include "commands/usage_error.hpp"
#include "formats/formats.hpp"
#include "formats/table.hpp"
#include "platform/paths.hpp"
#include "report/json_text.hpp"
#include "report/print.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kBenchFooter = R"(
Examples:
  numpact bench prices.npy                               size and speed, compared with zstd and LZ4
  numpact bench trips.parquet --column fare --level 12   compared with level 8
  numpact bench trips.parquet prices.npy --rounds 9 --json
)";

struct BenchOptions {
  std::vector<std::string> inputs;
  int rounds = 5;
  unsigned threads = 1;
  bool json = false;
  SourceArgs source;
  EncodeArgs encode;
};

constexpr std::size_t kTableWidth = 140;
constexpr std::size_t kNameColumn = 0;
constexpr std::size_t kModeColumn = 3;
constexpr std::size_t kDeltaColumn = 4;

struct Row {
  std::string file;
  std::string column;   // empty if the file has no column names
  std::string heading;  // printed above the columns if there are several files
  NumberType type = NumberType::kU8;
  std::uint64_t count = 0;
  std::uint64_t raw_bytes = 0;
  PcoTiming pco;
  Timing compared;            // numpact at the level to compare with, if there is one
  std::vector<Timing> peers;  // in the order of Bench::peers
};

// Names of the peers, in the order of Bench::peers.
struct Peer {
  std::string title;
  std::string key;
  bool compresses = true;
};

// From this level on encoding takes many times as long.
constexpr unsigned kFirstSlowLevel = 10;

// The level that the requested one is compared with: the next faster of 8 and 4.
std::optional<unsigned> compared_level(unsigned level) {
  constexpr unsigned kFastLevel = 4;
  if (level > kDefaultLevel) return kDefaultLevel;
  if (level > kFastLevel) return kFastLevel;
  return std::nullopt;
}

double ratio_of(std::uint64_t raw_bytes, const Timing& timing) {
  return timing.bytes == 0 ? 0 : static_cast<double>(raw_bytes) / static_cast<double>(timing.bytes);
}

double megabytes_a_second(std::uint64_t raw_bytes, double seconds) {
  return seconds <= 0 ? 0 : static_cast<double>(raw_bytes) / 1e6 / seconds;
}

// Sums over all rows, with the geometric means of the ratios.
struct Total {
  std::uint64_t count = 0;
  std::uint64_t raw_bytes = 0;
  std::vector<Timing> timings;  // numpact, then the peers
  std::vector<double> ratios;
  Timing compared;
  double compared_ratio = 0;
};

// The timing of numpact (codec 0) or of a peer.
const Timing& timing_of(const Row& row, std::size_t codec) {
  return codec == 0 ? row.pco.timing : row.peers[codec - 1];
}

void add_timing(Timing& sum, const Timing& timing) {
  sum.bytes += timing.bytes;
  sum.compress_seconds += timing.compress_seconds;
  sum.decompress_seconds += timing.decompress_seconds;
}

// `timing`: which timing of a row.
template <class TimingOf>
double mean_ratio(const std::vector<Row>& rows, TimingOf&& timing) {
  double log = 0;
  std::size_t with_ratio = 0;
  for (const Row& row : rows) {
    const double ratio = ratio_of(row.raw_bytes, timing(row));
    if (ratio <= 0) continue;
    log += std::log(ratio);
    ++with_ratio;
  }
  return with_ratio == 0 ? 0 : std::exp(log / static_cast<double>(with_ratio));
}

Total total_of(const std::vector<Row>& rows, std::size_t peers) {
  Total total;
  for (const Row& row : rows) {
    total.count += row.count;
    total.raw_bytes += row.raw_bytes;
    add_timing(total.compared, row.compared);
  }
  total.compared_ratio = mean_ratio(rows, [](const Row& row) { return row.compared; });
  for (std::size_t codec = 0; codec <= peers; ++codec) {
    Timing sum;
    for (const Row& row : rows) add_timing(sum, timing_of(row, codec));
    total.timings.push_back(sum);
    total.ratios.push_back(mean_ratio(rows, [&](const Row& row) { return timing_of(row, codec); }));
  }
  return total;
}

std::string rate_text(std::uint64_t raw_bytes, double seconds) {
  return seconds > 0 ? fmt::format("{:.0f}", megabytes_a_second(raw_bytes, seconds)) : "-";
}

void append_timing(std::vector<std::string>& cells, std::uint64_t raw_bytes, const Timing& timing,
                   double ratio, bool compresses) {
  if (compresses) {
    cells.push_back(ratio > 0 ? fmt::format("{:.2f}", ratio) : "-");
    cells.push_back(rate_text(raw_bytes, timing.compress_seconds));
  }
  cells.push_back(rate_text(raw_bytes, timing.decompress_seconds));
}

void add_columns(TextTable& table, const std::vector<Peer>& peers) {
  using Align = TextTable::Align;
  for (std::size_t codec = 0; codec <= peers.size(); ++codec) {
    table.add_column(codec == 0 ? "numpact" : peers[codec - 1].title, Align::kRight);
    if (codec > 0 && !peers[codec - 1].compresses) continue;
    table.add_column("comp", Align::kRight);
    table.add_column("dec", Align::kRight);
  }
}

// For levels that take much longer: their cost on these columns.
std::string warning_of(unsigned level, const Total& total) {
  const Timing& own = total.timings[0];
  if (level < kFirstSlowLevel || own.bytes == 0 || total.compared.bytes == 0) return "";
  const double saved =
      1 - static_cast<double>(own.bytes) / static_cast<double>(total.compared.bytes);
  return fmt::format(
      "level {} takes {:.1f} times as long to compress as level {} here, for {:.2f} % {} bytes\n",
      level, own.compress_seconds / total.compared.compress_seconds, *compared_level(level),
      100 * std::fabs(saved), saved < 0 ? "more" : "fewer");
}

std::string table_text(const std::vector<Row>& rows, const std::vector<Peer>& peers, unsigned level,
                       int rounds) {
  TextTable table({"column", "type", ">numbers", "mode", "delta", ">bytes"});
  add_columns(table, peers);
  table.add_rule();
  std::string heading;
  for (const Row& row : rows) {
    if (row.heading != heading && !row.heading.empty()) table.add_heading(row.heading);
    heading = row.heading;
    const std::string name = row.column.empty() ? platform::stem_part(row.file) : row.column;
    std::vector<std::string> cells = {heading.empty() ? name : "  " + name,
                                      std::string(name_of(row.type)),
                                      grouped(row.count),
                                      row.pco.mode,
                                      row.pco.delta,
                                      grouped(row.raw_bytes)};
    if (!row.pco.timing.exact) cells[kModeColumn] = "!! NOT EXACT !!";
    for (std::size_t codec = 0; codec <= peers.size(); ++codec) {
      const Timing& timing = timing_of(row, codec);
      append_timing(cells, row.raw_bytes, timing, ratio_of(row.raw_bytes, timing),
                    codec == 0 || peers[codec - 1].compresses);
    }
    table.add_row(std::move(cells));
  }
  table.add_rule();
  const Total total = total_of(rows, peers.size());
  std::vector<std::string> cells = {fmt::format("total of {}", rows.size()),
                                    "",
                                    grouped(total.count),
                                    "",
                                    "",
                                    grouped(total.raw_bytes)};
  for (std::size_t codec = 0; codec <= peers.size(); ++codec) {
    append_timing(cells, total.raw_bytes, total.timings[codec], total.ratios[codec],
                  codec == 0 || peers[codec - 1].compresses);
  }
  table.add_row(std::move(cells));
  if (const std::optional<unsigned> compared = compared_level(level)) {
    cells = {fmt::format("at level {}", *compared), "", "", "", "", ""};
    append_timing(cells, total.raw_bytes, total.compared, total.compared_ratio, true);
    table.add_row(std::move(cells));
  }
  table.fit(kModeColumn, 16, kTableWidth);
  table.fit(kDeltaColumn, 14, kTableWidth);
  table.fit(kNameColumn, 14, kTableWidth);
  table.fit(kModeColumn, 10, kTableWidth);
  table.fit(kDeltaColumn, 8, kTableWidth);
  return table.text() +
         fmt::format(
             "\nlevel {}; under the names raw / compressed bytes; comp, dec and memcpy in MB/s: "
             "millions of bytes of raw\nnumbers a second, best of {} round{}; total: geometric "
             "means of the ratios, all bytes by all time\n",
             level, rounds, rounds == 1 ? "" : "s") +
         warning_of(level, total);
}

Json timing_json(std::uint64_t raw_bytes, const Timing& timing, double ratio, bool compresses) {
  Json json = Json::object();
  if (compresses) {
    json["bytes"] = timing.bytes;
    json["ratio"] = ratio;
    json["compress_mb_s"] = megabytes_a_second(raw_bytes, timing.compress_seconds);
  }
  json["decompress_mb_s"] = megabytes_a_second(raw_bytes, timing.decompress_seconds);
  return json;
}

std::string json_text(const std::vector<Row>& rows, const std::vector<Peer>& peers, unsigned level,
                      int rounds) {
  Json json;
  json["level"] = level;
  json["rounds"] = rounds;
  json["columns"] = Json::array();
  const auto add = [&](Json& entry, std::size_t codec, std::uint64_t raw_bytes,
                       const Timing& timing, double ratio) {
    entry[codec == 0 ? "numpact" : peers[codec - 1].key] =
        timing_json(raw_bytes, timing, ratio, codec == 0 || peers[codec - 1].compresses);
  };
  const std::optional<unsigned> compared = compared_level(level);
  const std::string compared_key = compared ? fmt::format("numpact_level_{}", *compared) : "";
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
    for (std::size_t codec = 0; codec <= peers.size(); ++codec) {
      const Timing& timing = timing_of(row, codec);
      add(entry, codec, row.raw_bytes, timing, ratio_of(row.raw_bytes, timing));
    }
    if (compared) {
      entry[compared_key] =
          timing_json(row.raw_bytes, row.compared, ratio_of(row.raw_bytes, row.compared), true);
    }
    json["columns"].push_back(entry);
  }
  const Total total = total_of(rows, peers.size());
  Json sum{{"count", total.count}, {"raw_bytes", total.raw_bytes}};
  for (std::size_t codec = 0; codec <= peers.size(); ++codec) {
    add(sum, codec, total.raw_bytes, total.timings[codec], total.ratios[codec]);
  }
  if (compared) {
    sum[compared_key] = timing_json(total.raw_bytes, total.compared, total.compared_ratio, true);
  }
  json["total"] = sum;
  return dump(json);
}

class BenchRunner {
 public:
  explicit BenchRunner(const BenchOptions& options)
      : options_(options),
        source_(parse_source_args(options.source, NullPolicy::kDrop)),
        config_(parse_encode_args(options.encode)),
        bench_(config_, options.rounds, options.threads) {
    source_.flatten = true;  // nothing is stored, so no shape is lost
    for (const auto& peer : bench_.peers()) {
      peers_.push_back({peer->title(), peer->key(), peer->compresses()});
    }
  }

  ExitCode run() {
    for (const std::string& file : options_.inputs) measure_file(file);
    if (rows_.empty()) fail("", "no column to measure");
    print_report(options_.json ? json_text(rows_, peers_, config_.level, options_.rounds)
                               : table_text(rows_, peers_, config_.level, options_.rounds));
    return code_;
  }

 private:
  void measure_file(const std::string& file) {
    const std::unique_ptr<TableInput> table = open_table(file, options_.source.from, source_);
    const std::vector<std::string> names = names_of(table->columns());
    dtypes_ = table->has_names() ? requested_dtypes(names, file, source_)
                                 : std::vector<std::optional<NumberType>>{source_.dtype};
    if (table->has_names() && source_.column) {
      return measure_column(*table, find_column(*table, file, *source_.column), file);
    }
    std::set<std::size_t> skipped;
    for (const std::string& name : source_.skip) skipped.insert(find_name(names, file, name));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string& unfit = table->columns()[i].unfit;
      if (skipped.contains(i)) continue;
      if (unfit.empty()) {
        measure_column(*table, i, file);
      } else {
        print_message("{}: column '{}' is left out: {}", file, names[i], unfit);
      }
    }
  }

  // A column that cannot be read is reported; the others are measured.
  void measure_column(TableInput& table, std::size_t index, const std::string& file) {
    Row row;
    const std::string place =
        table.has_names() ? column_place(file, table.columns()[index].name) : file;
    std::vector<std::uint64_t> numbers;
    Column column;
    try {
      const bool plain = table.columns()[index].logical.kind == LogicalKind::kNumber;
      const auto input =
          open_column(table, index, file, plain ? dtypes_[index] : std::nullopt, column);
      row.count = read_all(*input, column.type, numbers);
      if (input->null_count() > 0)
        print_message("{}: {} nulls left out", place, grouped(input->null_count()));
    } catch (const Failure& failure) {
      print_message(failure.what());
      code_ = failure.code();
      return;
    }
    row.file = file;
    row.column = column.name;
    row.type = column.type;
    row.raw_bytes = row.count * size_of(column.type);
    if (options_.inputs.size() > 1 && table.has_names()) row.heading = platform::stem_part(file);
    require_config_fits(column.type, config_, place);
    const NumberView view(column.type, numbers.data(), row.count);
    row.pco = bench_.measure_pco(view);
    bool is_exact = row.pco.timing.exact;
    if (const std::optional<unsigned> compared = compared_level(config_.level)) {
      row.compared = bench_.measure_pco(view, *compared).timing;
      is_exact = is_exact && row.compared.exact;
    }
    for (const auto& peer : bench_.peers()) {
      row.peers.push_back(bench_.measure_peer(*peer, view));
    }
    if (!is_exact) {
      print_message(place + ": THE ROUND TRIP FAILED");
      code_ = ExitCode::kFailure;
    }
    rows_.push_back(std::move(row));
  }

  const BenchOptions& options_;
  InputOptions source_;
  EncodeConfig config_;
  Bench bench_;
  std::vector<Peer> peers_;
  std::vector<std::optional<NumberType>> dtypes_;  // one per column of a file
  std::vector<Row> rows_;
  ExitCode code_ = ExitCode::kDone;
};

void add_options(CLI::App& command, BenchOptions& options) {
  add_argument(command, "FILE", options.inputs, "Files of any input format");
  add_encode_options(command, options.encode);
  add_source_options(command, options.source);
  add_value(command, "--rounds", "N", options.rounds, "Number of rounds; the best one counts")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  add_thread_option(command, options.threads, "encode and decode");
  command.add_flag("--json", options.json, "Print JSON");
  command.footer(kBenchFooter);
}

}  // namespace

Command add_bench_command(CLI::App& app) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command =
      app.add_subcommand("bench", "Measure size and speed on columns, compared with zstd and lz4");
  add_options(*command, *options);
  return {command, [options] { return BenchRunner(*options).run(); }};
}

}  // namespace numpact::cli
