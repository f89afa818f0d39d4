// SPDX-License-Identifier: Apache-2.0
// numpact cvc quality
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "commands/common_options.hpp"
#include "commands/cvc/commands.hpp"
#include "cvc/args.hpp"
#include "cvc/quality/measurement.hpp"
#include "cvc/quality/original.hpp"
#include "cvc/quality/packed_file.hpp"
#include "cvc/quality/packer.hpp"
#include "cvc/quality/report.hpp"
#include "cvc/quality/search.hpp"
#include "cvc/quality/tables.hpp"
#include "cvc/vectors.hpp"
#include "formats/formats.hpp"
#include "io/files.hpp"
#include "io/output_file.hpp"
#include "numpact/executor.hpp"
#include "report/print.hpp"
#include "report/progress_bar.hpp"
#include "text/nearest.hpp"

namespace numpact::cli {
namespace {

using cvc::quality::Candidate;
using cvc::quality::kAllRows;
using cvc::quality::Measurement;
using cvc::quality::QualityReport;
using cvc::quality::Unfit;

constexpr const char* kQualityFooter = R"(
Examples:
  numpact cvc quality embeddings.npy                     every compression, packed in memory
  numpact cvc quality embeddings.npy --metric cosine
  numpact cvc quality docs.parquet --column text --compression fp16,int8
  numpact cvc quality embeddings.npy packed.cvc          a file as it is
)";

// Block size if nothing is packed here, so that the chunk size is free.
constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 26;

struct QualityOptions {
  std::string input;
  std::vector<std::string> packed;
  std::string compression;
  std::string chunk_rows;
  std::string sample;
  std::string queries;
  std::string k = "10";
  std::string metric = "l2";
  bool quantized_queries = false;
  std::string rounding = "auto";
  std::string dimension;
  bool json = false;
  unsigned threads = 0;
  VectorOptions source;
  CommonOptions common;
};

// None for an empty argument.
std::optional<std::size_t> parse_rows(const std::string& option, const std::string& arg) {
  if (arg.empty()) return std::nullopt;
  if (arg == "all") return kAllRows;
  return static_cast<std::size_t>(parse_count(option, arg));
}

std::vector<std::string> split_at_commas(const std::string& list) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    out.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

class Runner {
 public:
  explicit Runner(const QualityOptions& options) : options_(options), executor_(options.threads) {
    const std::optional<cvc::quality::Metric> metric = cvc::quality::metric_of_name(options.metric);
    if (!metric) fail_choice("--metric", options.metric, {"l2", "cosine", "dot"});
    search_.metric = *metric;
    rounding_ = parse_rounding(options.rounding);
    search_.k = static_cast<std::size_t>(parse_count("-k", options.k));
    search_.from = options.quantized_queries ? cvc::quality::Queries::kDecoded
                                             : cvc::quality::Queries::kOriginal;
    if (!options.chunk_rows.empty()) {
      chunk_rows_ = parse_count("--chunk-rows", options.chunk_rows);
    }
    search_.sample = parse_rows("--sample", options.sample);
    search_.queries = options.queries == "0" ? 0 : parse_rows("--queries", options.queries);
  }

  void run() {
    try {
      measure();
    } catch (const cvc::quality::Failed& failed) {
      const ExitCode code = failed.kind() == ErrorKind::kInvalidArgument
                                ? ExitCode::kFailure
                                : exit_code_of(failed.kind());
      throw Failure(code, failed.place(), with_option_names(failed.what()));
    }
  }

 private:
  void measure() {
    open();
    Measurement measurement(candidates(), original_->name(), original_->dtype(),
                            original_->dimension(),
                            cvc::quality::sample_rows(search_, original_->dimension()), executor_);
    measure_errors(measurement);
    const QualityReport report = report_of(measurement);
    print_report(options_.json ? quality_json(report) : quality_table(report));
  }

  void open() {
    VectorOptions source = options_.source;
    if (!options_.dimension.empty()) {
      source.dimension = parse_count("--dimension", options_.dimension);
    }
    original_ = open_original(options_.input, source);
    if (original_->rows() == 0) refuse_nothing();
  }

  [[noreturn]] void refuse_nothing() const { fail(original_->name(), "has no rows to measure"); }

  std::vector<Candidate> candidates() {
    std::vector<Candidate> found;
    if (!options_.compression.empty()) {
      for (const std::string& arg : split_at_commas(options_.compression)) {
        const cvc::Compression compression = parse_compression("--compression", arg);
        try {
          found.push_back(packer(compression));
        } catch (const Unfit& unfit) {
          fail_usage("--compression", "{}: {}", arg, unfit.what());
        }
      }
    } else if (options_.packed.empty()) {
      for (const cvc::Compression compression : cvc::kCompressions) {
        try {
          found.push_back(packer(compression));
        } catch (const Unfit&) {  // versions with columns only
        }
      }
    }
    packs_ = !found.empty();
    for (const std::string& path : options_.packed) found.push_back(reader(path));
    return found;
  }

  Candidate packer(cvc::Compression compression) const {
    Candidate candidate;
    candidate.name = candidate.compression = name_of(compression);
    candidate.decoded =
        cvc::quality::pack_in_memory(compression, original_->dimension(), rounding_);
    return candidate;
  }

  Candidate reader(const std::string& path) const {
    const std::vector<std::string>& columns = options_.source.columns;
    const std::optional<std::string> column =
        columns.empty() ? std::nullopt : std::optional(columns.front());
    PackedFile file = open_packed(path, column, original_->dimension());
    Candidate candidate;
    candidate.name = path;
    candidate.compression = std::move(file.compression);
    candidate.decoded = std::move(file.decoded);
    return candidate;
  }

  void measure_errors(Measurement& measurement) {
    const std::uint64_t row_bytes = original_->dimension() * cvc::size_of(original_->dtype());
    const std::uint64_t block =
        kBlockBytes / cvc::size_of(original_->dtype()) / original_->dimension();
    const std::uint64_t rows = packs_ ? chunk_rows_ : std::max<std::uint64_t>(1, block);
    std::optional<std::uint64_t> numbers;
    if (original_->rows()) numbers = *original_->rows() * original_->dimension();
    ProgressBar progress(original_->name() + ": errors", numbers, options_.common.shows_progress());
    for_chunks(*original_, rows, [&](const cvc::Rows& chunk) {
      measurement.add(chunk);
      progress.add(chunk.count * original_->dimension(), chunk.count * row_bytes);
    });
    if (measurement.rows() == 0) refuse_nothing();
    measurement.finish();
  }

  // Prints the columns that were left out.
  QualityReport report_of(const Measurement& measurement) {
    QualityReport report = cvc::quality::report_of(
        measurement, original_->name(), original_->type(), original_->dimension(), search_);
    if (!report.no_recall.empty()) print_message("{}: {}", original_->name(), report.no_recall);
    for (const cvc::quality::LeftOut& each : report.left_out) {
      const std::string text = fmt::format("{}: {}", each.name, with_option_names(each.why));
      if (!options_.compression.empty()) fail(original_->name(), text);
      print_message("{}: left out: {}", original_->name(), text);
    }
    search(measurement, report);
    return report;
  }

  void search(const Measurement& measurement, QualityReport& report) {
    const std::size_t searches = cvc::quality::count_searches(report);
    if (searches == 0) return;
    const std::uint64_t each = measurement.sample_rows() * original_->dimension();
    ProgressBar progress(original_->name() + ": search", searches * report.plan.queries * each,
                         options_.common.shows_progress());
    cvc::quality::add_recalls(measurement, report, executor_, [&](std::size_t queries) {
      progress.add(queries * each, queries * each * sizeof(float));
    });
  }

  const QualityOptions& options_;
  ThreadExecutor executor_;
  cvc::quality::SearchOptions search_;
  cvc::Rounding rounding_;
  std::uint64_t chunk_rows_ = cvc::WriteConfig().chunk_rows;
  bool packs_ = false;  // whether this program packs any candidate
  std::unique_ptr<Original> original_;
};

void add_search_options(CLI::App& command, QualityOptions& options) {
  add_value(command, "-k,--k", "N", options.k, "Number of neighbours to find")
      ->capture_default_str();
  add_value(command, "--metric", "NAME", options.metric, "l2, cosine or dot")
      ->capture_default_str();
  add_value(command, "--sample", "N", options.sample,
            "Random rows to search, or all (20000, fewer if they are long)");
  add_value(command, "--queries", "N", options.queries,
            "Rows of the sample to use as queries, or all (1000; all of up to 2000); "
            "0: no search");
  command.add_flag("--quantized-queries", options.quantized_queries,
                   "Use decoded rows as queries, not original ones");
}

void add_options(CLI::App& command, QualityOptions& options) {
  add_argument(command, "ORIGINAL", options.input, "Vectors; - is standard input");
  add_value(command, "PACKED", "", options.packed,
            "Existing CVC files of these vectors to measure too");
  add_value(command, "--compression", "WHAT", options.compression,
            "Only these, separated by commas: " + compression_names());
  add_value(command, "--chunk-rows", "N", options.chunk_rows, "Rows in a chunk (100000)");
  add_value(command, "--rounding", "HOW", options.rounding, "auto, search or nearest, as for pack");
  add_search_options(command, options);
  command.add_flag("--json", options.json, "Print JSON");
  add_value(command, "--column", "NAME", options.source.columns,
            "A column or tensor, by name or index")
      ->expected(1);
  add_value(command, "--from", "FORMAT", options.source.from,
            input_format_names(Purpose::kVectors) + "; default: detected");
  add_value(command, "--dtype", "TYPE", options.source.dtype,
            "Of raw numbers: f32, f16, bf16, i8, ...");
  add_value(command, "--dimension", "N", options.dimension, "Numbers in a row of raw input");
  add_thread_option(command, options.threads, "pack and search");
  add_common_options(command, options.common);
  command.footer(kQualityFooter);
}

}  // namespace

Command add_cvc_quality(CLI::App& group) {
  const auto options = std::make_shared<QualityOptions>();
  CLI::App* command =
      group.add_subcommand("quality", "Measure size and loss of each compression on your vectors");
  add_options(*command, *options);
  return {command, [options] {
            Runner(*options).run();
            return ExitCode::kDone;
          }};
}

}  // namespace numpact::cli
