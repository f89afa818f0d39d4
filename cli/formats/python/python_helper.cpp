// SPDX-License-Identifier: Apache-2.0
#include "formats/python/python_helper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>

#include "failure.hpp"
#include "formats/others.hpp"
#include "platform/environment.hpp"
#include "platform/paths.hpp"
#include "text/utf8.hpp"

namespace numpact::cli {
namespace {

constexpr char kJson = 'J';
constexpr char kBytes = 'D';
constexpr char kError = 'E';
constexpr std::size_t kHeadBytes = 9;
// Large enough for schemas of very many columns.
constexpr std::uint64_t kMaxJsonBytes = std::uint64_t{1} << 30;
// Maximum size of a block of the returned bytes of a file. Bounds what a broken helper can
// allocate.
constexpr std::uint64_t kMaxOutputBlockBytes = std::uint64_t{1} << 24;

// Nothing is imported from the working folder: the path of an isolated interpreter (-I) contains
// neither that folder nor folders from the environment. The module folders of the package's command
// are passed explicitly. The user's site folder is processed as at a usual start, since import
// hooks there may be needed. Exceptions are printed on one line that no terminal obeys.
constexpr const char* kStart =
    "import json, os, site, sys\n"
    "sys.excepthook = lambda kind, value, _: sys.stderr.write(\n"
    "    'numpact: ' + ascii(f'{kind.__name__}: {value}')[1:-1] + '\\n')\n"
    "given = json.loads(os.environ.pop('NUMPACT_PYTHON_PATH', '{}'))\n"
    "if given.get('user'): site.addsitedir(given['user'])\n"
    "path = given.get('path', [])\n"
    "sys.path[:] = path + [entry for entry in sys.path if entry not in path]\n"
    "from numpact._tables.__main__ import main\n"
    "main()\n";

// Finds an interpreter that is named without a folder.
std::string find_program(const std::string& name, const std::string& place) {
  std::string path = platform::find_program(name);
  if (!path.empty()) return path;
  throw Failure(ExitCode::kFailure, place,
                fmt::format("NUMPACT_PYTHON names '{}', which PATH does not lead to", name));
}

std::string interpreter(std::string_view needs, const std::string& place) {
  const std::string python = platform::environment_value("NUMPACT_PYTHON");
  if (python.empty()) {
    throw Failure(
        ExitCode::kFailure, place,
        fmt::format("{} needs pyarrow: NUMPACT_PYTHON does not name a Python that has it", needs));
  }
  if (platform::is_full_path(python)) return python;
  if (platform::name_start(python) == 0) return find_program(python, place);
  throw Failure(
      ExitCode::kFailure, place,
      fmt::format("NUMPACT_PYTHON names '{}', which is not a full path: nothing is started "
                  "from the working folder",
                  python));
}

std::vector<std::string> command_line(const std::vector<std::string>& args, std::string_view needs,
                                      const std::string& place) {
  std::vector<std::string> command{interpreter(needs, place), "-I", "-c", kStart};
  command.insert(command.end(), args.begin(), args.end());
  return command;
}

std::span<const std::byte> bytes_of_text(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// `places`: of the files that the helper has inherited, one of which an error may name.
[[noreturn]] void fail_as_reported(const std::string& text, const std::string& place,
                                   std::span<const std::string> places) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("code") || !json.contains("message") ||
      !json["message"].is_string()) {
    fail_protocol(place);
  }
  const ExitCode code = json["code"] == "corrupt" ? ExitCode::kCorrupt
                        : json["code"] == "limit" ? ExitCode::kLimit
                                                  : ExitCode::kFailure;
  std::size_t file = places.size();
  if (const auto found = json.find("file"); found != json.end() && found->is_number_unsigned()) {
    file = found->get<std::size_t>();
  }
  throw Failure(code, file < places.size() ? places[file] : place,
                json["message"].get<std::string>());
}

std::vector<int> descriptors_of(std::span<const OtherFile> files) {
  std::vector<int> descriptors;
  for (const OtherFile& file : files) descriptors.push_back(file.file->descriptor());
  return descriptors;
}

std::vector<std::string> places_of(std::span<const OtherFile> files) {
  std::vector<std::string> places;
  for (const OtherFile& file : files) places.push_back(place_of(file));
  return places;
}

}  // namespace

void fail_protocol(const std::string& place) {
  throw Failure(ExitCode::kFailure, place,
                "the Python helper does not fit this program (is it of the same version?)");
}

PythonHelper::PythonHelper(const std::vector<std::string>& args, std::string_view needs,
                           const std::string& place, std::span<const OtherFile> files)
    : places_(places_of(files)),
      process_(command_line(args, needs, place), place, descriptors_of(files)) {}

void PythonHelper::fail_exited(const std::string& place) {
  // The reason may be waiting in the pipe, since this side was writing.
  const int status = process_.finish();
  throw Failure(ExitCode::kFailure, place,
                fmt::format("the Python helper has ended early (status {})", status));
}

void PythonHelper::send(char kind, std::span<const std::byte> content, const std::string& place) {
  std::array<std::byte, kHeadBytes> head{};
  head[0] = static_cast<std::byte>(kind);
  for (std::size_t i = 1; i < kHeadBytes; ++i) {
    head[i] = static_cast<std::byte>(std::uint64_t{content.size()} >> (8 * (i - 1)));
  }
  if (process_.write(head) && process_.write(content)) return;
  receive_head(kError, 0,
               place);  // throws the error the helper sent before it exited, or that it exited
}

void PythonHelper::send(const Json& request, const std::string& place) {
  // Names come from files: bytes that are not UTF-8 are replaced.
  const std::string text = request.dump(-1, ' ', false, Json::error_handler_t::replace);
  send(kJson, bytes_of_text(text), place);
}

void PythonHelper::send(std::span<const std::byte> bytes, const std::string& place) {
  send(kBytes, bytes, place);
}

std::uint64_t PythonHelper::receive_head(char kind, std::uint64_t limit, const std::string& place) {
  std::array<std::byte, kHeadBytes> head{};
  if (!process_.read(head)) fail_exited(place);
  std::uint64_t length = 0;
  for (std::size_t i = 1; i < kHeadBytes; ++i) {
    length |= std::to_integer<std::uint64_t>(head[i]) << (8 * (i - 1));
  }
  const char got = static_cast<char>(head[0]);
  if (got == kError && length <= kMaxJsonBytes) {
    std::string text(static_cast<std::size_t>(length), '\0');
    receive_content(std::as_writable_bytes(std::span(text)), place);
    fail_as_reported(text, place, places_);
  }
  if (got != kind || length > limit) fail_protocol(place);
  return length;
}

void PythonHelper::receive_content(std::span<std::byte> out, const std::string& place) {
  if (!process_.read(out)) fail_exited(place);
}

Json PythonHelper::receive(const std::string& place) {
  std::string text(static_cast<std::size_t>(receive_head(kJson, kMaxJsonBytes, place)), '\0');
  receive_content(std::as_writable_bytes(std::span(text)), place);
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) fail_protocol(place);
  return json;
}

std::vector<std::byte> PythonHelper::receive_bytes(std::uint64_t limit, const std::string& place) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(receive_head(kBytes, limit, place)));
  receive_content(bytes, place);
  return bytes;
}

void PythonHelper::receive_into(ByteSink& file, const std::string& place) {
  for (;;) {
    const std::vector<std::byte> bytes = receive_bytes(kMaxOutputBlockBytes, place);
    if (bytes.empty()) return;
    check(file.write(bytes), place);
  }
}

void PythonHelper::finish(const std::string& place) {
  const int status = process_.finish();
  if (status == 0) return;
  throw Failure(ExitCode::kFailure, place,
                fmt::format("the Python helper has failed (status {})", status));
}

namespace {

// Text, or {"hex": "00ff"} for bytes that are not UTF-8.
Json text_to_json(const std::string& text) {
  if (!first_not_utf8(text)) return text;
  std::string hex;
  for (const char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return Json{{"hex", hex}};
}

std::string text_from_json(const Json& json, const std::string& place) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_object()) fail_protocol(place);
  const std::string hex = text_in(json, "hex", place);
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    std::uint8_t byte = 0;
    const std::from_chars_result read = std::from_chars(&hex[i], &hex[i] + 2, byte, 16);
    if (read.ec != std::errc() || read.ptr != &hex[i] + 2) fail_protocol(place);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace

Json column_to_json(const Column& column) {
  return {{"name", column.name},
          {"type", std::string(name_of(column.type))},
          {"kind", std::string(to_string(column.logical.kind))},
          {"unit", std::string(to_string(column.logical.unit))},
          {"timezone", column.logical.timezone},
          {"precision", column.logical.decimal.precision},
          {"scale", column.logical.decimal.scale},
          {"bits", column.logical.decimal.bits},
          {"text_type", std::string(to_string(column.text_type))},
          {"list_size", column.is_list ? column.dimension : 0},
          {"nullable", column.nullable},
          {"metadata", metadata_to_json(column.metadata)}};
}

Json limits_json(const ValueLimits& limits) {
  const auto json = [](const std::optional<std::uint64_t>& limit) {
    return limit ? Json(*limit) : Json(nullptr);
  };
  return {{"max_output", json(limits.left())}, {"max_memory", json(limits.max_memory())}};
}

std::uint64_t count_in(const Json& json, const char* key, const std::string& place) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned()) fail_protocol(place);
  return found->get<std::uint64_t>();
}

std::string text_in(const Json& json, const char* key, const std::string& place) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) fail_protocol(place);
  return found->get<std::string>();
}

OtherColumn receive_other(PythonHelper& helper, ByteSink& file, const std::string& place) {
  helper.receive_into(file, place);
  const Json answer = helper.receive(place);
  return {text_in(answer, "type", place), count_in(answer, "rows", place)};
}

Json metadata_to_json(const Metadata& metadata) {
  Json list = Json::array();
  for (const auto& [key, value] : metadata)
    list.push_back(Json::array({text_to_json(key), text_to_json(value)}));
  return list;
}

std::vector<OtherFile> all_files(const std::vector<OtherFiles>& columns) {
  std::vector<OtherFile> files;
  for (const OtherFiles& column : columns) files.insert(files.end(), column.begin(), column.end());
  return files;
}

Json file_to_json(const OtherFile& file, std::size_t number) {
  const table::Part& part = file.part;
  Json sums;
  if (part.has_checksums()) {
    sums = {{"bytes", part.bytes}, {"ends", part.ends}, {"crc32", part.crc32}};
  }
  return {{"descriptor", PythonHelper::descriptor_of(number)},
          {"name", file.name},
          {"rows", file.rows},
          {"part", sums}};
}

Metadata metadata_in(const Json& json, const std::string& place) {
  const auto found = json.find("metadata");
  if (found == json.end() || !found->is_array()) fail_protocol(place);
  Metadata metadata;
  for (const Json& pair : *found) {
    if (!pair.is_array() || pair.size() != 2) fail_protocol(place);
    metadata.emplace_back(text_from_json(pair[0], place), text_from_json(pair[1], place));
  }
  return metadata;
}

Column column_from_json(const Json& json, const std::string& place) {
  const auto text = [&](const char* key) { return text_in(json, key, place); };
  if (!json.is_object()) fail_protocol(place);
  Column column;
  column.name = text("name");
  column.source_type = text("source_type");
  const auto type = json.find("type");
  if (type == json.end()) fail_protocol(place);
  if (type->is_null()) {
    column.unfit = text("unfit");
    return column;
  }
  const auto nullable = json.find("nullable");
  if (nullable == json.end() || !nullable->is_boolean()) fail_protocol(place);
  column.nullable = nullable->get<bool>();
  column.metadata = metadata_in(json, place);
  const std::optional<NumberType> number = number_type_of_name(text("type"));
  const std::optional<LogicalKind> kind = table::kind_of_name(text("kind"));
  const std::optional<TimeUnit> unit = table::unit_of_name(text("unit"));
  if (!number || !kind || !unit || table::stored_type(*kind).value_or(*number) != *number) {
    fail_protocol(place);
  }
  const auto list_size = json.find("list_size");
  if (list_size == json.end() || !list_size->is_number_unsigned()) fail_protocol(place);
  column.is_list = list_size->get<std::uint64_t>() != 0;
  if (column.is_list) column.dimension = list_size->get<std::uint64_t>();
  column.type = *number;
  column.logical = {*kind, *unit, text("timezone")};
  if (*kind == LogicalKind::kDecimal) {
    column.logical.decimal = {static_cast<std::uint8_t>(count_in(json, "precision", place)),
                              static_cast<std::uint8_t>(count_in(json, "scale", place)),
                              static_cast<std::uint16_t>(count_in(json, "bits", place))};
    if (!table::is_valid(column.logical.decimal)) fail_protocol(place);
  }
  return column;
}

}  // namespace numpact::cli
