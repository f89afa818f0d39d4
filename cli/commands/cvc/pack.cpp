// SPDX-License-Identifier: Apache-2.0
// numpact cvc pack
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/common_options.hpp"
#include "commands/cvc/commands.hpp"
#include "commands/cvc/pack.hpp"
#include "cvc/args.hpp"
#include "cvc/cvc_output.hpp"
#include "cvc/loss.hpp"
#include "cvc/narrow.hpp"
#include "cvc/vectors.hpp"
#include "formats/formats.hpp"
#include "io/files.hpp"
#include "numpact/cvc/collection.hpp"
#include "numpact/executor.hpp"
#include "pco/pco_file.hpp"
#include "report/progress_bar.hpp"
#include "report/text_table.hpp"
#include "text/nearest.hpp"

namespace numpact::cli {
namespace {

using cvc::Dtype;

constexpr const char* kAppendFooter = R"(
The folder is made by the first rows. Compressions are those of its last file, unless they are
given. Chunks of CVC files, and of other such folders, are copied as they are.

Examples:
  numpact cvc append documents embeddings.npy
  numpact cvc append documents more.cvc
  numpact cvc append documents more.parquet --compression text=int8_dim
)";

constexpr const char* kPackFooter = R"(
Examples:
  numpact cvc pack embeddings.npy                        float16, makes embeddings.npy.cvc
  numpact cvc pack sift.fvecs --compression int8 -o sift.cvc
  numpact cvc pack docs.parquet --compression text=int8 -o docs.cvc
  numpact cvc pack model.safetensors --column wte.weight -o wte.cvc
  generate | numpact cvc pack - --dtype f32 --dimension 768 -o out.cvc
)";

// Maximum memory for chunks that wait for compression, except that one chunk may exceed it. Bounds
// the number of threads.
constexpr std::uint64_t kMaxPendingBytes = std::uint64_t{1} << 30;

bool is_float(Dtype dtype) {
  return dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 || dtype == Dtype::kFloat64;
}

std::optional<cvc::Version> parse_version(const std::string& arg) {
  if (arg.empty()) return std::nullopt;
  if (arg == "0.1") return cvc::Version::kV01;
  if (arg == "1.0" || arg == "1") return cvc::Version::kV10;
  if (arg == "2.0" || arg == "2") return cvc::Version::kV20;
  fail_choice("--version", arg, {"0.1", "1.0", "2.0"});
}

bool is_exact(std::optional<cvc::Compression> compression) {
  return compression == cvc::Compression::kNone || compression == cvc::Compression::kPco;
}

bool is_blank(const std::string& name) {
  return name.find_first_not_of(" \t\n\v\f\r") == std::string::npos;
}

// Bytes of metadata that are copied from another file: readers parse the header before all else.
constexpr std::size_t kMaxKeptMetadata = std::size_t{1} << 20;

class Packer {
 public:
  explicit Packer(const PackOptions& options)
      : options_(options),
        choice_(parse_compressions(options.compression)),
        version_(parse_version(options.version)),
        output_name_(!options.output.empty() ? options.output
                     : options.input == "-"  ? "-"
                                             : options.input + ".cvc") {
    config_.paged = options.paged;
    config_.metadata = options.metadata;
    config_.allow_nonfinite = options.allow_nonfinite;
    config_.rounding = parse_rounding(options.rounding);
    if (!options.chunk_rows.empty()) {
      config_.chunk_rows = parse_count("--chunk-rows", options.chunk_rows);
    }
  }

  void run() {
    refuse_same_file(options_.input, output_name_);
    open_input();
    take_metadata();
    CvcOutput output(output_name_, options_.overwrite);
    config_.sync = output.sync();
    const cvc::WriteReport report = write(output);
    const std::vector<std::string> losses = losses_of(output);
    output.commit();
    print_summary(output.name(), output.is_stdout(), report);
    for (const std::string& line : losses) print_message(line);
  }

  // Adds the rows to a folder.
  void append() {
    version_ = cvc::Version::kV20;
    open_input();
    if (!input_->json_metadata().empty()) note("its metadata is left out");
    if (!input_->has_names()) config_.columns[0].name.clear();
    config_.lock = options_.overwrite.lock_config(options_.folder);
    table::Failure failure;
    Result<cvc::CollectionWriter> collection =
        cvc::CollectionWriter::open(options_.folder, config_, &failure);
    check_collection(collection.status(), failure);
    // The collection has the columns in an order of its own.
    std::vector<std::size_t> order;
    for (const cvc::ColumnSpec& spec : collection->columns()) {
      std::size_t at = 0;
      while (input_->has_names() && column_name(columns()[at]) != spec.name) ++at;
      order.push_back(at);
    }
    write_rows(collection->file(), order, options_.folder);
    cvc::WriteReport report;
    check_collection(collection->commit(&failure).into(report), failure);
    print_summary(options_.folder, false, report);
  }

 private:
  void open_input() {
    source_ = options_.source;
    if (!options_.dimension.empty())
      source_.dimension = parse_count("--dimension", options_.dimension);
    input_ = open_vectors(options_.input, source_);
    for (const std::string& text : input_->notes()) note(text);
    choose_layout();
    choose_threads();
  }

  // Keeps the metadata of the input, which unpack writes again.
  void take_metadata() {
    const std::string_view metadata = input_->json_metadata();
    if (metadata.empty()) return;
    if (!config_.metadata.empty()) return note("its metadata is left out for --metadata");
    if (metadata.size() > kMaxKeptMetadata) {
      return note(fmt::format("its metadata is left out: {} bytes, of which {} are kept at most",
                              metadata.size(), kMaxKeptMetadata));
    }
    config_.metadata = metadata;
  }

  void note(const std::string& text) const {
    if (!options_.common.quiet) print_message("{}: {}", input_->name(), text);
  }

  const std::vector<Column>& columns() const { return input_->columns(); }

  std::string column_name(const Column& column) const {
    return input_->has_names() ? column.name : "vectors";
  }

  // Integers are stored uncompressed unless they are named.
  std::optional<cvc::Compression> compression_for(const Column& column) const {
    for (const auto& [name, compression] : choice_.named) {
      if (name == column_name(column)) return compression;
    }
    return is_float(dtype_of(column)) || columns().size() == 1 ? choice_.others : std::nullopt;
  }

  std::vector<std::string> column_names() const {
    std::vector<std::string> names;
    for (const Column& column : columns()) names.push_back(column_name(column));
    return names;
  }

  void check_names() const {
    for (const auto& [name, compression] : choice_.named) {
      const auto is_it = [&, &requested = name](const Column& column) {
        return column_name(column) == requested;
      };
      if (std::none_of(columns().begin(), columns().end(), is_it)) {
        fail_choice("--compression", name, column_names());
      }
    }
  }

  cvc::WriteConfig config_for(cvc::Version version) const {
    cvc::WriteConfig config = config_;
    config.version = version;
    if (version != cvc::Version::kV20) {
      config.dimension = columns()[0].dimension;
      config.compression = compression_for(columns()[0]).value_or(cvc::Compression::kFp16);
      return config;
    }
    for (const Column& column : columns()) {
      const Dtype read = dtype_of(column);
      const Dtype dtype = read == Dtype::kFloat64 ? Dtype::kFloat32 : read;
      config.columns.push_back(
          {column_name(column), column.dimension, dtype, compression_for(column), column.is_list});
    }
    return config;
  }

  // Columns of a file need unique names.
  void check_column_names() const {
    std::set<std::string> names;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      const std::string name = column_name(columns()[i]);
      if (is_blank(name)) {
        fail(input_->name(),
             "the name of column {} of {} is blank: columns need names "
             "(--column chooses)",
             i, columns().size());
      }
      if (!names.insert(name).second) {
        fail(input_->name(), "two columns are named '{}' (--column chooses)", name);
      }
    }
  }

  static bool is_possible(const cvc::WriteConfig& config) {
    std::vector<std::byte> nothing;
    return cvc::Writer::create(nothing, config).ok();
  }

  // Chooses the version: one array if that can hold what is requested, else columns.
  void choose_layout() {
    check_names();
    const bool is_single = columns().size() == 1;
    if (version_ && *version_ != cvc::Version::kV20 && !is_single) {
      fail_usage("--version", "{} has one array, not {} columns (--column chooses)",
                 options_.version, columns().size());
    }
    cvc::Version version = cvc::Version::kV20;
    if (is_single) {
      const std::optional<cvc::Compression> requested = compression_for(columns()[0]);
      const bool is_kept = !is_float(dtype_of(columns()[0])) && (!requested || is_exact(requested));
      const bool fits = is_possible(config_for(cvc::Version::kV10)) ||
                        !is_possible(config_for(cvc::Version::kV20));
      if ((!is_kept || options_.paged) && fits) version = cvc::Version::kV10;
    }
    config_ = config_for(version_.value_or(version));
    if (config_.version != cvc::Version::kV20) return;
    check_column_names();
    for (const Column& column : columns()) {
      const std::optional<cvc::Compression> requested = compression_for(column);
      narrowers_.emplace_back(column_place(input_->name(), column_name(column)),
                              is_exact(requested) ? requested : std::nullopt);
      if (dtype_of(column) != Dtype::kFloat64) continue;
      note(fmt::format("column '{}' {} float32, version 2.0 has no float64", column_name(column),
                       is_exact(requested) ? "is stored as" : "is rounded to"));
    }
  }

  void choose_threads() {
    config_.threads = options_.threads;
    if (options_.threads != 0) return;
    const std::uint64_t bytes = std::max<std::uint64_t>(1, row_bytes(columns()));
    const std::uint64_t chunks = kMaxPendingBytes / bytes / config_.chunk_rows;
    const ThreadExecutor all(0);
    config_.threads = static_cast<unsigned>(
        std::clamp<std::uint64_t>(chunks, 1, std::max(1U, all.concurrency())));
  }

  cvc::WriteReport write(const CvcOutput& output) {
    Result<cvc::Writer> writer = cvc::Writer::create(output.path(), config_);
    check_written(writer.status(), output.name(), "");
    std::vector<std::size_t> order(columns().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    write_rows(*writer, order, output.name());
    cvc::WriteReport report;
    const Status finished = writer->finish().into(report);
    check_written(finished, output.name(), writer->error_place());
    return report;
  }

  // `order`: the columns of the input in the order of the file.
  void write_rows(cvc::Writer& writer, const std::vector<std::size_t>& order,
                  const std::string& name) {
    std::optional<std::uint64_t> numbers;
    std::uint64_t row_numbers = 0;
    for (const Column& column : columns()) row_numbers += column.dimension;
    if (input_->rows()) numbers = *input_->rows() * row_numbers;
    ProgressBar progress(input_->name(), numbers, options_.common.shows_progress());
    std::vector<cvc::Rows> rows(columns().size());
    for (;;) {
      const std::span<const cvc::Rows> block = input_->next();
      if (block.empty()) break;
      for (std::size_t i = 0; i < block.size(); ++i) {
        const std::size_t c = order[i];
        const bool is_narrowed =
            config_.version == cvc::Version::kV20 && block[c].dtype == Dtype::kFloat64;
        rows[i] = is_narrowed ? narrowers_[c].narrow(block[c]) : block[c];
      }
      check_written(writer.append(rows), name, writer.error_place());
      progress.add(block[0].count * row_numbers, block[0].count * row_bytes(columns()));
    }
  }

  // `value`: the part of the input that the error is about, if any.
  void check_written(const Status& status, const std::string& output,
                     const std::string& value) const {
    if (status.ok()) return;
    const std::string place = value.empty() ? output : fmt::format("{}: {}", input_->name(), value);
    throw Failure(exit_code_of(status.kind()), place, with_pack_option_names(status.message()));
  }

  // Losses are reported even with --quiet.
  void print_summary(const std::string& output, bool is_stdout,
                     const cvc::WriteReport& report) const {
    print_losses(output, report);
    for (std::size_t c = 0; c < narrowers_.size(); ++c) {
      const std::string place = column_place(output, column_name(columns()[c]));
      const auto say = [&](std::uint64_t count, std::string_view what) {
        if (count > 0) print_message("{}: {} numbers became {}", place, count, what);
      };
      say(narrowers_[c].overflows(), "infinite in float32");
      say(narrowers_[c].underflows(), "0 in float32");
    }
    if (options_.common.quiet || is_stdout) return;
    const std::string what =
        columns().size() == 1
            ? fmt::format("{} {} {}", columns()[0].dimension, name_of(input_->elements()[0]),
                          columns()[0].dimension == 1 ? "number" : "numbers")
            : fmt::format("{} columns", columns().size());
    print_message("{}: {} rows of {} in {} chunks, {}", output, grouped(report.rows), what,
                  grouped(report.chunks),
                  size_text(report.rows * input_->input_row_bytes(), report.bytes));
  }

  // The compression that the file is written with.
  cvc::Compression stored_compression(std::size_t c) const {
    if (config_.version != cvc::Version::kV20) return config_.compression;
    const auto usual =
        is_float(dtype_of(columns()[c])) ? cvc::Compression::kFp16 : cvc::Compression::kNone;
    return config_.columns[c].compression.value_or(usual);
  }

  // Whether the input can be read again.
  bool is_repeatable() const { return is_regular_file(options_.input); }

  // A line for each column that is rounded: from which type to what, and the largest error. Reads
  // the input again, unless it is a stream: then the error is left out.
  std::vector<std::string> losses_of(const CvcOutput& output) const {
    std::vector<std::string> lines;
    if (options_.common.quiet || output.is_stdout()) return lines;
    std::vector<Loss> found;
    for (std::size_t c = 0; c < columns().size(); ++c) {
      const cvc::Compression compression = stored_compression(c);
      if (is_exact(compression) || compression == cvc::Compression::kLossless) continue;
      if (found.empty() && is_repeatable()) found = measure(output);
      const std::string place = columns().size() == 1
                                    ? output.name()
                                    : column_place(output.name(), column_name(columns()[c]));
      std::string line =
          fmt::format("{}: {} -> {}", place, name_of(input_->elements()[c]), name_of(compression));
      if (!found.empty()) line += found[c].text();
      lines.push_back(std::move(line));
    }
    return lines;
  }

  std::vector<Loss> measure(const CvcOutput& output) const {
    const std::unique_ptr<VectorInput> again = open_vectors(options_.input, source_);
    std::uint64_t row_numbers = 0;
    for (const Column& column : columns()) row_numbers += column.dimension;
    std::optional<std::uint64_t> numbers;
    if (again->rows()) numbers = *again->rows() * row_numbers;
    ProgressBar progress(input_->name() + ": errors", numbers, options_.common.shows_progress());
    return losses(*again, output.path(), progress);
  }

  const PackOptions& options_;
  CompressionChoice choice_;
  std::optional<cvc::Version> version_;
  std::string output_name_;
  VectorOptions source_;
  cvc::WriteConfig config_;
  std::unique_ptr<VectorInput> input_;
  std::vector<Narrower> narrowers_;
};

void add_input_option(CLI::App& command, PackOptions& options) {
  add_argument(command, "FILE", options.input, "Vectors; - is standard input");
}

// Those that `append` has, too.
void add_row_options(CLI::App& command, PackOptions& options) {
  add_value(
      command, "--compression", "WHAT", options.compression,
      "For float columns, or NAME=WHAT for one (several with commas): " + compression_names());
  add_value(command, "--chunk-rows", "N", options.chunk_rows, "Rows in a chunk (100000)");
  add_value(command, "--metadata", "JSON", options.metadata, "Metadata of the file");
  command.add_flag(
      "--allow-nonfinite", options.allow_nonfinite,
      "Quantized: accept NaN and infinities; their chunk (int8_row, rot1 to rot4: row; int8_dim, "
      "int4: dimension of the chunk) reads as NaN, and lost numbers are counted");
  add_value(command, "--rounding", "HOW", options.rounding,
            "int8_row, int8_dim, int4: nearest rounds each value; search keeps inner products "
            "closer and takes longer; auto (the default) is search for int4");
  add_list(command, "--column", "NAME", options.source.columns,
           "A column or tensor, by name or index; may be given again");
  add_value(command, "--from", "FORMAT", options.source.from,
            input_format_names(Purpose::kVectors) + "; default: detected");
  add_value(command, "--dtype", "TYPE", options.source.dtype,
            "Of raw numbers: f32, f16, bf16, i8, ...");
  add_value(command, "--dimension", "N", options.dimension, "Numbers in a row of raw input");
  add_thread_option(command, options.threads, "compress chunks");
  add_common_options(command, options.common);
}

}  // namespace

std::string with_pack_option_names(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"allow_nonfinite", "--allow-nonfinite"}, {"chunk_rows", "--chunk-rows"}};
  for (const auto& [ours, theirs] : kNames) {
    const std::size_t at = text.find(ours);
    if (at != std::string::npos) text.replace(at, ours.size(), theirs);
  }
  return text;
}

void check_collection(const Status& status, const table::Failure& failure) {
  if (status.ok()) return;
  const bool is_waiting = status.kind() == ErrorKind::kTimedOut;
  throw Failure(exit_code_of(status.kind()), failure.file,
                with_pack_option_names(is_waiting ? message_of(status) : failure.text));
}

void print_losses(const std::string& output, const cvc::WriteReport& report) {
  if (report.overflows > 0) {
    print_message("{}: {} numbers became infinite", output, report.overflows);
  }
  if (report.underflows > 0) {
    print_message(
        "{}: {} numbers became 0 or the least of their range: they are too "
        "small for the compression",
        output, report.underflows);
  }
  if (report.lost > 0) {
    print_message(
        "{}: {} finite numbers are lost: they read as NaN, as they share a range "
        "with what is not finite",
        output, report.lost);
  }
}

Command add_cvc_pack(CLI::App& group) {
  const auto options = std::make_shared<PackOptions>();
  CLI::App* command = group.add_subcommand("pack", "Pack vectors into a CVC file");
  add_input_option(*command, *options);
  add_value(*command, "-o,--output", "PATH", options->output,
            "The .cvc file, - for standard output");
  add_row_options(*command, *options);
  add_value(*command, "--version", "V", options->version,
            "0.1 or 1.0 (one array), 2.0 (columns); else the one that fits");
  command->add_flag("--paged", options->paged, "Chunks start on pages of 4096 bytes (1.0)");
  add_overwrite_options(*command, options->overwrite, options->common);
  command->footer(kPackFooter);
  return {command, [options] {
            Packer(*options).run();
            return ExitCode::kDone;
          }};
}

Command add_cvc_append(CLI::App& group) {
  const auto options = std::make_shared<PackOptions>();
  CLI::App* command =
      group.add_subcommand("append", "Add vectors to a folder that grows, read as one file");
  add_argument(*command, "FOLDER", options->folder, "The folder; the first rows make it");
  add_input_option(*command, *options);
  add_row_options(*command, *options);
  add_lock_option(*command, options->overwrite, options->common);
  command->footer(kAppendFooter);
  return {command, [options] {
            if (is_cvc(options->input)) {
              append_cvc(*options);
            } else {
              Packer(*options).append();
            }
            return ExitCode::kDone;
          }};
}

}  // namespace numpact::cli
