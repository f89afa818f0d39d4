// SPDX-License-Identifier: Apache-2.0
// numpact cpu
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "commands/commands.hpp"
#include "numpact/cpu.hpp"
#include "report/json_text.hpp"
#include "report/print.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kCpuFooter = R"(
Examples:
  numpact cpu                                            * marks the instruction set in use
  numpact cpu --json
)";

constexpr const char* kTargetVariable = "NUMPACT_TARGET";

struct CpuOptions {
  bool json = false;
};

// Empty if the variable is not set.
std::string requested_target() {
  const char* const value = std::getenv(kTargetVariable);
  return value != nullptr ? value : "";
}

// Warns if the environment requests a target that cannot be used.
void warn_of_request(const std::vector<CpuTarget>& targets) {
  const std::string requested = requested_target();
  if (requested.empty() || requested == "auto" || requested == active_cpu_target()) return;
  const bool is_known = std::any_of(targets.begin(), targets.end(), [&](const CpuTarget& target) {
    return target.name == requested;
  });
  print_message("NUMPACT_TARGET is '{}', {}; {} is used", one_line(requested),
                is_known ? "which this processor lacks" : "which is none of these",
                active_cpu_target());
}

std::string cpu_table(const std::vector<CpuTarget>& targets) {
  TextTable table({"instruction set", "supported", "in use"});
  for (const CpuTarget& target : targets) {
    table.add_row(
        {std::string(target.name), target.supported ? "yes" : "no", target.active ? "*" : ""});
  }
  return table.text();
}

std::string cpu_json(const std::vector<CpuTarget>& targets) {
  Json json;
  json["active"] = active_cpu_target();
  const std::string requested = requested_target();
  json["requested"] = requested.empty() ? Json() : Json(requested);
  json["targets"] = Json::array();
  for (const CpuTarget& target : targets) {
    json["targets"].push_back(
        {{"name", target.name}, {"supported", target.supported}, {"active", target.active}});
  }
  return dump(json);
}

void add_options(CLI::App& command, CpuOptions& options) {
  command.add_flag("--json", options.json, "Print JSON");
  command.footer(kCpuFooter);
}

}  // namespace

void use_requested_target() {
  const std::string requested = requested_target();
  if (!requested.empty()) static_cast<void>(force_cpu_target(requested));
}

Command add_cpu_command(CLI::App& app) {
  const auto options = std::make_shared<CpuOptions>();
  CLI::App* command = app.add_subcommand("cpu", "List the available and the active SIMD targets");
  add_options(*command, *options);
  return {command, [options] {
            const std::vector<CpuTarget> targets = cpu_targets();
            print_report(options->json ? cpu_json(targets) : cpu_table(targets));
            warn_of_request(targets);
            return ExitCode::kDone;
          }};
}

}  // namespace numpact::cli
