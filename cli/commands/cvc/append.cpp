// SPDX-License-Identifier: Apache-2.0
// numpact cvc append, of CVC files: their chunks are copied.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "commands/cvc/pack.hpp"
#include "cvc/args.hpp"
#include "cvc/cvc_input.hpp"
#include "failure.hpp"
#include "io/files.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

constexpr char kSignature[] = {'C', 'V', 'C', 'F'};

void refuse_options(const PackOptions& options) {
  const std::pair<bool, const char*> given[] = {
      {!options.compression.empty(), "--compression"},
      {options.rounding != "auto", "--rounding"},
      {options.allow_nonfinite, "--allow-nonfinite"},
      {!options.source.columns.empty(), "--column"},
      {!options.source.from.empty(), "--from"},
      {!options.source.dtype.empty(), "--dtype"},
      {!options.dimension.empty(), "--dimension"},
  };
  for (const auto& [is_given, name] : given) {
    if (is_given) {
      fail_usage(name,
                 "is not for CVC files, whose chunks are copied as they are: "
                 "'numpact cvc unpack {}' writes their values to another file",
                 options.input);
    }
  }
}

}  // namespace

bool is_cvc(const std::string& path) {
  if (is_folder(path)) return true;
  if (!is_regular_file(path)) return false;
  Input input(path);
  const std::span<const std::byte> start = input.peek(sizeof kSignature);
  return start.size() == sizeof kSignature &&
         std::memcmp(start.data(), kSignature, sizeof kSignature) == 0;
}

void append_cvc(const PackOptions& options) {
  refuse_options(options);
  const CvcInput input(options.input);
  input.refuse_output(options.folder);
  cvc::WriteConfig config;
  config.metadata = options.metadata;
  if (!options.chunk_rows.empty()) {
    config.chunk_rows = parse_count("--chunk-rows", options.chunk_rows);
  }
  config.threads = options.threads;
  config.lock = options.overwrite.lock_config(options.folder);
  table::Failure failure;
  Result<cvc::CollectionWriter> collection =
      cvc::CollectionWriter::open_for(options.folder, input.reader(), config, &failure);
  check_collection(collection.status(), failure);
  const Status copied = collection->append(input.reader(), &failure);
  if (!copied.ok()) throw Failure(exit_code_of(copied.kind()), input.name(), failure.text);
  cvc::WriteReport report;
  check_collection(collection->commit(&failure).into(report), failure);
  print_losses(options.folder, report);
  if (options.common.quiet) return;
  print_message("{}: {} rows in {} chunks, {} bytes", options.folder, grouped(report.rows),
                grouped(report.chunks), grouped(report.bytes));
}

}  // namespace numpact::cli
