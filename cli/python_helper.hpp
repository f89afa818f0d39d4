// SPDX-License-Identifier: Apache-2.0
// The other side of numpact._tables: a Python process that reads and writes tables with pyarrow,
// for the command in the Python package, which links no Arrow.
//
// NUMPACT_PYTHON, set by the package's command, names the interpreter. It is started isolated from
// the working folder (-I), takes the folders of modules from NUMPACT_PYTHON_PATH (see
// python/numpact/_command.py), and calls main() of numpact._tables.__main__ with
//   read|write FORMAT [FILE]
// which answers on its standard output what comes in on its standard input. Both ways go messages:
//   kind     1 byte: J for JSON, D for bytes, E for a JSON error (from the helper only)
//   length   8 bytes, little-endian
//   content
// Columns are described as {"name", "type": "i64", "kind": "timestamp", "unit": "us", "timezone",
// "list_size": 0, "nullable", "metadata"}, with the words of logical_type.hpp and metadata as in a
// manifest. "type" is null where the values are no numbers: "source_type" says what they are, and
// "unfit" why they are left out. Values of a "list_size" that is not 0 are lists of so many numbers
// of that type, which come and go one list after the other. An error is {"code": "failure" or
// "corrupt", "message"}.
//
// Reading. Without FILE the table's bytes come first, as D messages up to an empty one. Then each
// request has one answer:
//   {"verb": "open", "lists"}                          {"columns": [...], "metadata"}
//   {"verb": "column", "column": 3,                    {"reader": 0, "rows": 1000 or null,
//    "nulls": "error", "keep" or "drop"}                "unit": of the column}
//   {"verb": "next", "reader": 0}                      {"rows": 5, at the end 0}, a D message of
//                                                      the numbers, and one of a byte a row that is
//                                                      0 for a null, or empty if no row is null
// Writing. Whatever becomes of the table's bytes is this side's:
//   {"verb": "create", "columns": [...], "metadata"}   D messages up to an empty one
//   {"verb": "rows", "count": 5}, for each column a D  the same
//   message of numbers and one of nulls, as above
//   {"verb": "finish"}                                 the same
#ifndef NUMPACT_CLI_PYTHON_HELPER_HPP
#define NUMPACT_CLI_PYTHON_HELPER_HPP

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "child_process.hpp"
#include "table.hpp"

namespace numpact::cli {

// All of it throws Failure that names `place`. For one thread.
class PythonHelper {
 public:
  using Json = nlohmann::ordered_json;

  // `words`: the arguments. `needs` is what cannot be done without it, as "Parquet".
  PythonHelper(const std::vector<std::string>& words, std::string_view needs,
               const std::string& place);

  void send(const Json& request, const std::string& place);
  void send(std::span<const std::byte> bytes, const std::string& place);

  Json receive(const std::string& place);
  // Of at most `limit` bytes.
  std::vector<std::byte> receive_bytes(std::uint64_t limit, const std::string& place);

  Json ask(const Json& request, const std::string& place) {
    send(request, place);
    return receive(place);
  }

  // Lets it come to its end, which must be a good one.
  void finish(const std::string& place);

 private:
  void send(char kind, std::span<const std::byte> content, const std::string& place);
  std::uint64_t receive_head(char kind, std::uint64_t limit, const std::string& place);
  void receive_content(std::span<std::byte> room, const std::string& place);
  [[noreturn]] void gone(const std::string& place);

  ChildProcess process_;
};

Metadata metadata_in(const PythonHelper::Json& json, const std::string& place);
PythonHelper::Json column_to_json(const Column& column);
// Fails if what the helper says makes no sense.
Column column_from_json(const PythonHelper::Json& json, const std::string& place);
[[noreturn]] void fail_protocol(const std::string& place);

}  // namespace numpact::cli

#endif
