// SPDX-License-Identifier: Apache-2.0
// numpact cvc verify
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <vector>

#include "commands/common_options.hpp"
#include "commands/cvc/commands.hpp"
#include "cvc/cvc_input.hpp"
#include "report/json_text.hpp"
#include "report/print.hpp"
#include "report/progress_bar.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kVerifyCvcFooter = R"(
Examples:
  numpact cvc verify docs.cvc                            checksums, all numbers
  numpact cvc verify docs.cvc embeddings.npy.cvc --json
)";

struct VerifyCvcOptions {
  std::vector<std::string> inputs;
  bool json = false;
  unsigned threads = 0;
  LimitArgs limits;
  CommonOptions common;
};

class Checker {
 public:
  explicit Checker(const VerifyCvcOptions& options) : options_(options) {
    config_.limits = parse_limit_args(options.limits).limits;
    config_.threads = options.threads;
  }

  ExitCode run() {
    for (const std::string& path : options_.inputs) {
      try {
        check_file(path);
      } catch (const Failure& failure) {
        note_failure(path, failure);
      }
    }
    if (options_.json) text_ = dump(all_);
    print_report(text_);
    return worst_;
  }

 private:
  // Keeps the most severe code: corruption first, then a limit.
  void worsen(ExitCode code) {
    const bool is_final = worst_ == ExitCode::kCorrupt || code == ExitCode::kDone;
    if (!is_final && (worst_ != ExitCode::kLimit || code == ExitCode::kCorrupt)) worst_ = code;
  }

  void note_failure(const std::string& path, const Failure& failure) {
    worsen(failure.code());
    if (options_.json) {
      all_.push_back({{"file", path}, {"ok", false}, {"error", failure.what()}});
    } else {
      print_message(failure.what());
    }
  }

  void check_file(const std::string& path) {
    const CvcInput input(path, config_.limits);
    std::uint64_t row_numbers = 0;
    for (const auto& column : input.info().columns) row_numbers += column.dimension;
    ProgressBar progress(input.name(), input.info().rows * row_numbers,
                         options_.common.shows_progress());
    Progress before;
    config_.progress = [&](const Progress& now) {
      progress.add(now.numbers - before.numbers, now.bytes - before.bytes);
      before = now;
      return true;
    };
    cvc::VerifyReport report;
    check(input.reader().verify(config_).into(report), input.name());
    if (!report.bad.empty()) worsen(ExitCode::kCorrupt);
    if (options_.json) {
      all_.push_back(json_of(path, input, report));
    } else {
      print_result(input, report);
    }
  }

  static Json json_of(const std::string& path, const CvcInput& input,
                      const cvc::VerifyReport& report) {
    Json json{{"file", path},
              {"ok", report.bad.empty()},
              {"version", fmt::format("{}.{}", input.info().major, input.info().minor)},
              {"checksums", input.info().has_checksums()},
              {"rows", input.info().rows},
              {"chunks", report.chunks},
              {"bad", Json::array()}};
    for (const cvc::CorruptRows& bad : report.bad) {
      json["bad"].push_back({{"chunk", bad.chunk},
                             {"first_row", bad.rows.first},
                             {"rows", bad.rows.count},
                             {"offset", input.info().chunks[bad.chunk].offset},
                             {"error", message_of(bad.status)}});
    }
    return json;
  }

  void print_result(const CvcInput& input, const cvc::VerifyReport& report) {
    for (const cvc::CorruptRows& bad : report.bad) {
      const std::string rows =
          bad.rows.count == 0
              ? "no rows"
              : fmt::format("rows {} to {}", bad.rows.first, bad.rows.first + bad.rows.count - 1);
      print_message("{}: chunk {}: {}; {}, record at byte {}", input.file_of(bad.chunk), bad.chunk,
                    message_of(bad.status), rows, input.info().chunks[bad.chunk].offset);
    }
    if (!report.bad.empty()) {
      print_message("{}: corrupt: {} of {} chunks are damaged", input.name(), report.bad.size(),
                    report.chunks);
    } else if (!options_.common.quiet) {
      text_ += fmt::format("{}: OK, {} rows, {} chunks{}\n", one_line(input.name()),
                           grouped(input.info().rows), grouped(report.chunks),
                           input.info().has_checksums() ? "" : " (no checksums: version 0.1)");
    }
  }

  const VerifyCvcOptions& options_;
  cvc::ReadConfig config_;
  ExitCode worst_ = ExitCode::kDone;
  Json all_ = Json::array();
  std::string text_;
};

}  // namespace

Command add_cvc_verify(CLI::App& group) {
  const auto options = std::make_shared<VerifyCvcOptions>();
  CLI::App* command = group.add_subcommand("verify", "Check and decode every chunk");
  add_argument(*command, "FILE", options->inputs, "CVC files");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(kVerifyCvcFooter);
  add_thread_option(*command, options->threads, "decode");
  add_limit_options(*command, options->limits);
  add_common_options(*command, options->common);
  return {command, [options] { return Checker(*options).run(); }};
}

}  // namespace numpact::cli
