// SPDX-License-Identifier: Apache-2.0
// numpact cvc unpack
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "commands/common_options.hpp"
#include "commands/cvc/commands.hpp"
#include "commands/usage_error.hpp"
#include "cvc/cvc_input.hpp"
#include "cvc/vectors.hpp"
#include "formats/formats.hpp"
#include "io/output_file.hpp"
#include "json/json.hpp"
#include "platform/compiler.hpp"
#include "report/progress_bar.hpp"
#include "text/nearest.hpp"

namespace numpact::cli {
namespace {

using cvc::Dtype;
using cvc::OnCorruption;

constexpr const char* kUnpackFooter = R"(
Examples:
  numpact cvc unpack embeddings.npy.cvc -o embeddings.npy
  numpact cvc unpack docs.cvc -o docs.parquet            all columns
  numpact cvc unpack docs.cvc --column text --rows 1000:10 --dtype float16 -o some.npy
  numpact cvc unpack docs.cvc --section lang=de -o german.safetensors
  numpact cvc unpack hurt.cvc --on-corruption drop -o rest.npy
)";

// Chunks are read together up to this many bytes of numbers. Larger batches allow more threads and
// take more memory.
constexpr std::uint64_t kBatchBytes = std::uint64_t{1} << 24;

struct UnpackOptions {
  std::string input;
  std::string output;
  std::string to;
  std::string dtype;
  std::string on_corruption = "raise";
  double fill = 0;
  Overwrite overwrite;
  unsigned threads = 0;
  PartArgs part;
  LimitArgs limits;
  CommonOptions common;
};

OnCorruption parse_on_corruption(const std::string& arg) {
  if (arg == "raise") return OnCorruption::kRaise;
  if (arg == "fill") return OnCorruption::kFill;
  if (arg == "drop") return OnCorruption::kDrop;
  fail_choice("--on-corruption", arg, {"raise", "fill", "drop"});
}

std::optional<Dtype> parse_float(const std::string& arg) {
  if (arg.empty()) return std::nullopt;
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBFloat16}) {
    if (name_of(dtype) == arg) return dtype;
  }
  fail_choice("--dtype", arg, {"float32", "float16", "bfloat16"});
}

// The members of an object of JSON of which all are texts, as other formats have them; else none.
Metadata texts_of(std::string_view metadata) {
  namespace json = internal::json;
  const std::optional<json::View> object = json::parse_strict(metadata);
  if (!object || !object->is(json::Kind::kObject)) return {};
  Metadata texts;
  for (auto key = object->first(); key; key = key->next()) {
    const std::string name = key->string();
    key = key->next();
    if (!key->is(json::Kind::kString)) return {};
    texts.emplace_back(name, key->string());
  }
  return texts;
}

class Unpacker {
 public:
  explicit Unpacker(const UnpackOptions& options)
      : options_(options), dtype_(parse_float(options.dtype)) {
    limits_ = parse_limit_args(options.limits).limits;
    config_.limits = limits_;
    config_.threads = options.threads;
    config_.verify = true;
    config_.on_corruption = parse_on_corruption(options.on_corruption);
    config_.fill = options.fill;
  }

  void run() {
    if (options_.output.empty())
      fail_usage("-o", "is needed: the output file, or - for standard output");
    refuse_same_file(options_.input, options_.output);
    const CvcInput input(options_.input, limits_);
    const std::vector<cvc::RowRange> ranges = selected_rows(input, options_.part);
    columns_ = selected_columns(input, options_.part);
    make_plan(input, ranges);
    check_limit(input);
    OutputFile file(options_.output, options_.overwrite, Content::kBinary);
    const std::unique_ptr<TableOutput> output = make_vectors(file, options_.to, plan_);
    std::uint64_t numbers = 0;
    for (const Column& column : plan_.columns) numbers += column.dimension;
    ProgressBar progress(input.name(), count_rows(ranges) * numbers,
                         options_.common.shows_progress());
    for (const cvc::RowRange& range : ranges) copy(input, range, *output, progress);
    output->finish();
    file.commit();
  }

 private:
  // Whether rounding to float16 changes no value.
  static bool is_exact_half(const CvcInput& input, std::size_t index) {
    const cvc::Info& info = input.info();
    if (info.columns[index].dtype != Dtype::kFloat16) return false;
    for (std::size_t chunk = 0; chunk < info.chunks.size(); ++chunk) {
      const cvc::Compression how = info.slice(chunk, index).compression;
      if (how != cvc::Compression::kFp16 && how != cvc::Compression::kNone &&
          how != cvc::Compression::kPco) {
        return false;
      }
    }
    return true;
  }

  // Integers that are stored uncompressed and exact halves keep their type; all other columns
  // become float32.
  Dtype usual_type(const CvcInput& input, std::size_t index, std::uint64_t first_row) const {
    const cvc::Column& column = input.info().columns[index];
    const bool is_float = column.dtype == Dtype::kFloat32 || column.dtype == Dtype::kFloat16;
    if (is_float)
      return dtype_.value_or(is_exact_half(input, index) ? column.dtype : Dtype::kFloat32);
    if (input.info().rows == 0) {
      const bool is_kept = column.compression == cvc::Compression::kNone ||
                           column.compression == cvc::Compression::kPco;
      return is_kept ? column.dtype : dtype_.value_or(Dtype::kFloat32);
    }
    std::vector<std::byte> scratch(column.dimension * size_of(column.dtype));
    const cvc::Target target{{column.dtype, scratch.data(), 1, column.dimension}, index};
    const Status kept = input.reader().gather({&first_row, 1}, {&target, 1});
    return kept.kind() == ErrorKind::kTypeMismatch ? dtype_.value_or(Dtype::kFloat32)
                                                   : column.dtype;
  }

  void make_plan(const CvcInput& input, std::span<const cvc::RowRange> ranges) {
    const cvc::Info& info = input.info();
    const std::uint64_t rows = count_rows(ranges);
    for (const std::size_t index : columns_) {
      const cvc::Column& column = info.columns[index];
      const std::uint64_t row = rows == 0 ? 0 : ranges[0].first;
      Column& planned = plan_.columns.emplace_back();
      planned.name = column.name.empty() ? "vectors" : column.name;
      planned.is_list = is_list(info, index);
      planned.dimension = column.dimension;
      set_dtype(planned, usual_type(input, index, row));
    }
    plan_.purpose = Purpose::kVectors;
    plan_.metadata = texts_of(info.metadata.value_or(""));
    selected_rows_ = rows;
    if (config_.on_corruption != OnCorruption::kDrop) plan_.count = rows;
  }

  // The library enforces the limit for each read only.
  void check_limit(const CvcInput& input) const {
    std::uint64_t bytes = 0;
    for (const Column& column : plan_.columns) {
      std::uint64_t size = 0;
      if (internal::platform::multiply_overflows(selected_rows_, column.dimension, &size) ||
          internal::platform::multiply_overflows(size, size_of(column.type), &size) ||
          internal::platform::add_overflows(bytes, size, &bytes) ||
          bytes > limits_.max_output_bytes) {
        throw Failure(ExitCode::kLimit, input.name(), "limit exceeded: more than --max-output");
      }
    }
  }

  // Reads whole chunks, so that each is checked and decoded once.
  void copy(const CvcInput& input, const cvc::RowRange& range, TableOutput& output,
            ProgressBar& progress) {
    const cvc::Info& info = input.info();
    const std::uint64_t end = range.first + range.count;
    const auto end_of = [&](std::size_t chunk) {
      return std::min(end, info.chunks[chunk].first_row + info.chunks[chunk].rows);
    };
    std::uint64_t row = range.first;
    while (row < end) {
      std::size_t chunk = input.reader().chunk_of(row);
      std::uint64_t stop = end_of(chunk);
      for (++chunk; stop < end && (end_of(chunk) - row) * row_bytes(plan_.columns) < kBatchBytes;
           ++chunk) {
        stop = end_of(chunk);
      }
      copy_rows(input, {row, stop - row}, output, progress);
      row = stop;
    }
  }

  void copy_rows(const CvcInput& input, const cvc::RowRange& rows, TableOutput& output,
                 ProgressBar& progress) {
    buffers_.resize(columns_.size());
    std::vector<cvc::Target> targets;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Column& column = plan_.columns[c];
      buffers_[c].resize(
          static_cast<std::size_t>(rows.count * column.dimension * size_of(column.type)));
      targets.push_back(
          {{dtype_of(column), buffers_[c].data(), rows.count, column.dimension}, columns_[c]});
    }
    cvc::ReadReport report;
    check(input.reader().read({&rows, 1}, targets, config_).into(report), input.name());
    for (const cvc::CorruptRows& bad : report.corrupt) print_damage(input, bad);
    std::vector<ColumnBlock> blocks;
    std::uint64_t numbers = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Column& column = plan_.columns[c];
      const auto count = static_cast<std::size_t>(report.rows * column.dimension);
      blocks.push_back({{column.type, buffers_[c].data(), count}, {}, report.rows});
      numbers += rows.count * column.dimension;
    }
    if (report.rows > 0) output.write(blocks);
    progress.add(numbers, rows.count * row_bytes(plan_.columns));
  }

  // Losses are reported even with --quiet.
  void print_damage(const CvcInput& input, const cvc::CorruptRows& bad) const {
    const std::string what = config_.on_corruption == OnCorruption::kFill
                                 ? fmt::format("filled with {}", options_.fill)
                                 : "left out";
    print_message("{}: chunk {} is damaged: rows {} to {} are {}", input.name(), bad.chunk,
                  bad.rows.first, bad.rows.first + bad.rows.count - 1, what);
  }

  const UnpackOptions& options_;
  std::optional<Dtype> dtype_;
  DecodeLimits limits_;
  cvc::ReadConfig config_;
  std::vector<std::size_t> columns_;
  OutputPlan plan_;
  std::uint64_t selected_rows_ = 0;
  std::vector<std::vector<std::byte>> buffers_;
};

void add_options(CLI::App& command, UnpackOptions& options) {
  add_argument(command, "FILE", options.input, "A CVC file, or -");
  add_value(command, "-o,--output", "PATH", options.output, "Output file, - for standard output");
  add_overwrite_options(command, options.overwrite, options.common);
  add_value(command, "--to", "FORMAT", options.to,
            output_format_names(Purpose::kVectors) + "; default: by the extension of PATH");
  add_value(command, "--dtype", "TYPE", options.dtype,
            "float32, float16 or bfloat16; default: float32, but float16 and integers that are "
            "stored exactly keep their type");
  add_part_options(command, options.part);
  add_value(command, "--on-corruption", "WHAT", options.on_corruption,
            "Chunks with a wrong checksum: raise (stop), fill or drop their rows")
      ->capture_default_str();
  add_value(command, "--fill", "VALUE", options.fill, "The value for --on-corruption fill")
      ->check(real_number())
      ->capture_default_str();
  add_thread_option(command, options.threads, "decode");
  add_limit_options(command, options.limits);
  add_common_options(command, options.common);
  command.footer(kUnpackFooter);
}

}  // namespace

Command add_cvc_unpack(CLI::App& group) {
  const auto options = std::make_shared<UnpackOptions>();
  CLI::App* command = group.add_subcommand("unpack", "Unpack a CVC file to vectors");
  add_options(*command, *options);
  return {command, [options] {
            Unpacker(*options).run();
            return ExitCode::kDone;
          }};
}

}  // namespace numpact::cli
