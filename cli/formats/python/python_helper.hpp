// SPDX-License-Identifier: Apache-2.0
// Reads and writes tables through a Python process with pyarrow (numpact._tables). The command in
// the Python package uses it, since it does not link Arrow.
//
// NUMPACT_PYTHON, set by the package's command, names the interpreter. It is started isolated from
// the working folder (-I), gets the module folders from NUMPACT_PYTHON_PATH (see
// python/numpact/_command.py), and calls main() of numpact._tables.__main__ with
//   read|write FORMAT [FILE]
// The helper reads requests from its standard input and answers on its standard output. Messages
// have the same form in both directions:
//   kind     1 byte: J for JSON, D for bytes, E for a JSON error (from the helper only)
//   length   8 bytes, little-endian
//   content
// Columns are described as {"name", "type": "i64", "kind": "timestamp", "unit": "us", "timezone",
// "list_size": 0, "nullable", "metadata"}, with the names of logical_type.hpp and metadata as in a
// manifest. If the values are not numbers, "type" is null, "source_type" describes them, and
// "unfit" says why they are left out. If "list_size" is not 0, values are lists of that many
// numbers of that type, which are transferred one list after another. An error is {"code":
// "failure", "corrupt" or "limit", "message", "file": the inherited file that it is about, or
// null}.
//
// Reading. Without FILE, this side first sends the bytes of the table as D messages, up to an empty
// one. Then each request has one answer:
//   {"verb": "open", "lists"}                          {"columns": [...], "metadata"}
//   {"verb": "column", "column": 3,                    {"reader": 0, "rows": 1000 or null,
//    "nulls": "error", "keep" or "drop"}                "unit": of the column}
//   {"verb": "next", "reader": 0}                      {"rows": 5, at the end 0}, a D message of
//                                                      the numbers, and one with a byte per row
//                                                      (0: null), empty if no row is null
//   {"verb": "texts", "column": 3}                     {"reader": 0}, whose "next" gives the rows,
//                                                      and D messages of the texts, their ends
//                                                      (8 bytes each) and nulls
// Writing. The helper returns the bytes of the table, and this side writes them to the file:
//   {"verb": "create", "columns": [...], "metadata"}   D messages up to an empty one
//   {"verb": "rows", "count": 5}, for each column a D  the same
//   message of numbers and one of nulls, as above
//   {"verb": "finish"}                                 the same
// A column may be one in files of Arrow (formats/others.hpp): {"other": 0}, an entry of "others" of
// "create", which are lists of files as those of "open" below. Then "rows" also has "first", the
// first row in these columns, and "limits", and is followed by a D message with a byte per row from
// there on (0: left out), which is empty if "count" rows are taken; such columns send nothing, and
// the answer ends with {"bytes": of their rows, which count as output}. "limits" are {"max_output":
// bytes that may still be written, "max_memory"}, null: no limit.
//
// Of a column of the kind "text", which has "text_type", three D messages are sent instead: of the
// texts, of their offsets (8 bytes, one more than rows), and of nulls.
//
// Files of columns that Pco cannot hold. While a table is read:
//   {"verb": "keep", "column": 3}                      D messages of the file up to an empty one,
//                                                      then {"rows", "type": as Arrow prints it}
// With the only argument `others`, where a descriptor is one that the helper has inherited:
//   {"verb": "ready"}                                  {}
//   {"verb": "open", "descriptor", "name", "rows",     {"kind": "text", "decimal" or "opaque"};
//    "part": "bytes", "ends", "crc32", or null}        the files have the numbers 0, 1, ...
//   {"verb": "read", "file": 0, "first", "rows",       {"blocks": 2}, and for each block D messages
//    "all": all are output, "limits"}                  of the texts, the ends of each (8 bytes),
//                                                      and of nulls, as above
//   {"verb": "check", "file": 0, "limits"}             {}
//   {"verb": "join"}: the last open file after all     as "keep"
//   others but the first, which has the type
//   {"verb": "text", "name"}, then for each block      D messages up to an empty one for each
//   {"rows": 5} and D messages of the texts, the       block, and as "keep" for {"rows": 0}
//   offsets (8 bytes, one more than rows), nulls
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/python/child_process.hpp"
#include "formats/table.hpp"
#include "formats/value_limits.hpp"
#include "report/json_text.hpp"

namespace numpact::cli {

// All functions throw a Failure that names `place`. Not thread-safe.
class PythonHelper {
 public:
  // `args`: the arguments. `needs`: the format that needs the helper, as "Parquet", for messages.
  // The helper inherits `files`, with the numbers that descriptor_of() returns.
  PythonHelper(const std::vector<std::string>& args, std::string_view needs,
               const std::string& place, std::span<const OtherFile> files = {});
  static int descriptor_of(std::size_t file) {
    return ChildProcess::kFirstDescriptor + static_cast<int>(file);
  }

  void send(const Json& request, const std::string& place);
  void send(std::span<const std::byte> bytes, const std::string& place);

  Json receive(const std::string& place);
  // Receives a message of at most `limit` bytes.
  std::vector<std::byte> receive_bytes(std::uint64_t limit, const std::string& place);

  // Receives messages of bytes up to an empty one, and writes them to the file.
  void receive_into(ByteSink& file, const std::string& place);

  Json ask(const Json& request, const std::string& place) {
    send(request, place);
    return receive(place);
  }

  // Waits for the helper to exit, which must succeed.
  void finish(const std::string& place);

 private:
  void send(char kind, std::span<const std::byte> content, const std::string& place);
  std::uint64_t receive_head(char kind, std::uint64_t limit, const std::string& place);
  void receive_content(std::span<std::byte> out, const std::string& place);
  [[noreturn]] void fail_exited(const std::string& place);

  std::vector<std::string> places_;  // of the files
  ChildProcess process_;
};

Json limits_json(const ValueLimits& limits);
// Fails unless the member is a count.
std::uint64_t count_in(const Json& json, const char* key, const std::string& place);
std::string text_in(const Json& json, const char* key, const std::string& place);
// Receives the bytes of a file for one other column, and what the helper says of it.
OtherColumn receive_other(PythonHelper& helper, ByteSink& file, const std::string& place);
// Metadata as a list of pairs, and the member "metadata".
Json metadata_to_json(const Metadata& metadata);
// The files of all columns, and one of them with the number that it has among them.
std::vector<OtherFile> all_files(const std::vector<OtherFiles>& columns);
Json file_to_json(const OtherFile& file, std::size_t number);
Metadata metadata_in(const Json& json, const std::string& place);
Json column_to_json(const Column& column);
// Fails if the helper's description is invalid.
Column column_from_json(const Json& json, const std::string& place);
[[noreturn]] void fail_protocol(const std::string& place);

}  // namespace numpact::cli
