// SPDX-License-Identifier: Apache-2.0
#include "commands/cvc/commands.hpp"

#include <CLI/CLI.hpp>

namespace numpact::cli {
namespace {

constexpr const char* kCommandsFooter = R"(
Examples:
  numpact cvc pack embeddings.npy                        makes embeddings.npy.cvc
  numpact cvc pack docs.parquet --compression text=int8 -o docs.cvc
  numpact cvc unpack docs.cvc --column text -o text.npy
  numpact cvc info docs.cvc
  numpact cvc quality embeddings.npy
)";

}  // namespace

std::vector<Command> add_cvc_commands(CLI::App& app) {
  CLI::App* group = app.add_subcommand("cvc", "Vector files (embeddings): pack, inspect, slice");
  group->require_subcommand(1);
  group->footer(kCommandsFooter);
  return {add_cvc_pack(*group),   add_cvc_append(*group),  add_cvc_unpack(*group),
          add_cvc_info(*group),   add_cvc_verify(*group),  add_cvc_slice(*group),
          add_cvc_concat(*group), add_cvc_upgrade(*group), add_cvc_quality(*group)};
}

}  // namespace numpact::cli
