// SPDX-License-Identifier: Apache-2.0
// numpact cvc info
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "commands/cvc/commands.hpp"
#include "cvc/cvc_input.hpp"
#include "io/output_file.hpp"
#include "options.hpp"
#include "platform/compiler.hpp"
#include "report/json_text.hpp"
#include "report/print.hpp"
#include "report/text_table.hpp"
#include "text/printable.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kInfoFooter = R"(
Examples:
  numpact cvc info embeddings.npy.cvc                    columns, chunks, metadata
  numpact cvc info docs.cvc --json
)";

using Align = TextTable::Align;

// Number of first and last rows that are shown of a long table.
constexpr std::size_t kFirstShown = 12;
constexpr std::size_t kLastShown = 4;
constexpr std::size_t kMetadataWidth = 60;
// Maximum size of metadata that --json parses into values. Longer metadata is printed as a string,
// since values take many times the memory of their text.
constexpr std::size_t kMaxParsedBytes = std::size_t{1} << 20;

struct InfoOptions {
  std::string input;
  bool json = false;
};

std::string layout_of(const cvc::Info& info) {
  return info.is_columnar ? "columnar" : info.is_paged ? "paged" : "single";
}

std::uint64_t row_numbers(const cvc::Info& info) {
  std::uint64_t numbers = 0;
  for (const cvc::Column& column : info.columns) numbers += column.dimension;
  return numbers;
}

// Size of all values as float32; saturates at 64 bits.
std::uint64_t float_bytes(const cvc::Info& info) {
  std::uint64_t bytes = 0;
  if (internal::platform::multiply_overflows(info.rows, row_numbers(info), &bytes) ||
      internal::platform::multiply_overflows(bytes, std::uint64_t{4}, &bytes)) {
    return ~std::uint64_t{0};
  }
  return bytes;
}

// The compressions in use, as "int8" or "fp16+int8".
std::string compressions_of(const cvc::Info& info, std::size_t column) {
  std::vector<cvc::Compression> seen;
  for (std::size_t i = 0; i < info.chunks.size(); ++i) {
    const cvc::Compression one = info.slice(i, column).compression;
    if (std::find(seen.begin(), seen.end(), one) == seen.end()) seen.push_back(one);
  }
  if (seen.empty()) seen.push_back(info.columns[column].compression);
  std::string text;
  for (const cvc::Compression one : seen) {
    text += fmt::format("{}{}", text.empty() ? "" : "+", name_of(one));
  }
  return text;
}

std::string chunk_compression(const cvc::Info& info, std::size_t chunk) {
  std::string text;
  for (std::size_t c = 0; c < info.columns.size(); ++c) {
    text += fmt::format("{}{}", c == 0 ? "" : ",", name_of(info.slice(chunk, c).compression));
  }
  return text;
}

// Metadata as a JSON value. It becomes a string if it is not valid JSON or is too long.
Json metadata_json(std::string_view text) {
  if (text.size() > kMaxParsedBytes) return Json(std::string(text));
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json(std::string(text)) : json;
}

Json optional_json(std::optional<std::string_view> text) {
  return text ? metadata_json(*text) : Json();
}

Json slice_json(const cvc::Slice& slice) {
  Json json{{"compression", std::string(name_of(slice.compression))},
            {"offset", slice.offset},
            {"bytes", slice.size}};
  if (slice.compression == cvc::Compression::kInt8) {
    json["min"] = slice.min;  // null unless it is finite
    json["scale"] = slice.scale;
  }
  return json;
}

Json head_json(const CvcInput& input, const std::string& path) {
  const cvc::Info& info = input.info();
  Json json{{"file", path},
            {"version", fmt::format("{}.{}", info.major, info.minor)},
            {"layout", layout_of(info)},
            {"checksums", info.has_checksums()},
            {"rows", info.rows},
            {"file_bytes", input.file_bytes()},
            {"float32_bytes", float_bytes(info)},
            {"header_bytes", info.header_bytes}};
  json["columns"] = Json::array();
  for (std::size_t c = 0; c < info.columns.size(); ++c) {
    const cvc::Column& column = info.columns[c];
    Json entry;
    entry["name"] = info.is_columnar ? Json(column.name) : Json();
    entry["dimension"] = column.dimension;
    entry["dtype"] = info.is_columnar ? Json(std::string(name_of(column.dtype))) : Json();
    entry["compression"] = std::string(name_of(column.compression));
    json["columns"].push_back(std::move(entry));
  }
  return json;
}

Json chunk_json(const cvc::Info& info, std::size_t i) {
  const cvc::Chunk& chunk = info.chunks[i];
  Json entry{{"first_row", chunk.first_row},
             {"rows", chunk.rows},
             {"offset", chunk.offset},
             {"bytes", chunk.payload_bytes},
             {"metadata", optional_json(chunk.metadata)},
             {"columns", Json::array()}};
  for (std::size_t c = 0; c < info.columns.size(); ++c) {
    entry["columns"].push_back(slice_json(info.slice(i, c)));
  }
  return entry;
}

Json section_json(const cvc::Section& section) {
  return {{"first_row", section.rows.first},
          {"rows", section.rows.count},
          {"metadata", metadata_json(section.metadata)}};
}

// Formats like dump() for a value that is nested in another.
std::string indented(const Json& json, std::size_t spaces) {
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(spaces, ' ');
  }
  return printable_json(out);
}

template <class F>
void put_list(OutputFile& out, const char* name, std::size_t count, const F& json_of) {
  out.put(fmt::format(",\n  \"{}\": [", name));
  for (std::size_t i = 0; i < count; ++i) {
    out.put(fmt::format("{}\n    {}", i == 0 ? "" : ",", indented(json_of(i), 4)));
  }
  out.put(count == 0 ? "]" : "\n  ]");
}

// Prints chunk by chunk: a document of many chunks would take far more memory than the file.
void put_json(const CvcInput& input, const std::string& path) {
  const cvc::Info& info = input.info();
  OutputFile out("-", false, Content::kText);
  std::string head = dump(head_json(input, path));
  head.resize(head.rfind("\n}"));
  out.put(head);
  put_list(out, "chunks", info.chunks.size(), [&](std::size_t i) { return chunk_json(info, i); });
  put_list(out, "sections", info.sections.size(),
           [&](std::size_t i) { return section_json(info.sections[i]); });
  out.put(fmt::format(",\n  \"metadata\": {}\n}}\n", indented(optional_json(info.metadata), 2)));
  out.commit();
}

// Adds rows to a table. Leaves out the middle of a long table.
template <class F>
void add_some(TextTable& table, std::size_t count, const F& cells_of) {
  const bool is_long = count > kFirstShown + kLastShown + 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_long && i == kFirstShown) {
      table.add_heading(fmt::format("... {} more ...", count - kFirstShown - kLastShown));
      i = count - kLastShown;
    }
    table.add_row(cells_of(i));
  }
}

// A prefix of the text, longer than the part that is shown.
std::string prefix_of(std::string_view text) {
  return one_line(text.substr(0, 32 * kMetadataWidth));
}

std::string column_table(const cvc::Info& info) {
  TextTable table;
  table.add_column("column", Align::kLeft, 32);
  table.add_column("dimension", Align::kRight);
  table.add_column("dtype", Align::kLeft);
  table.add_column("compression", Align::kLeft);
  add_some(table, info.columns.size(), [&](std::size_t i) {
    const cvc::Column& column = info.columns[i];
    return std::vector<std::string>{one_line(column.name), std::to_string(column.dimension),
                                    std::string(name_of(column.dtype)), compressions_of(info, i)};
  });
  return table.text(2);
}

std::string chunks_text(const cvc::Info& info) {
  const bool has_metadata =
      std::any_of(info.chunks.begin(), info.chunks.end(),
                  [](const cvc::Chunk& chunk) { return chunk.metadata.has_value(); });
  TextTable table({">chunk", ">first row", ">rows", ">offset", ">bytes"});
  table.add_column("compression", Align::kLeft, 32);
  if (has_metadata) table.add_column("metadata", Align::kLeft, kMetadataWidth);
  add_some(table, info.chunks.size(), [&](std::size_t i) {
    const cvc::Chunk& chunk = info.chunks[i];
    std::vector<std::string> cells{
        std::to_string(i),     grouped(chunk.first_row),     grouped(chunk.rows),
        grouped(chunk.offset), grouped(chunk.payload_bytes), chunk_compression(info, i)};
    if (has_metadata) cells.push_back(prefix_of(chunk.metadata.value_or("")));
    return cells;
  });
  return table.text(2);
}

std::string sections_text(const cvc::Info& info) {
  TextTable table({">section", ">first row", ">rows"});
  table.add_column("metadata", Align::kLeft, kMetadataWidth);
  add_some(table, info.sections.size(), [&](std::size_t i) {
    const cvc::Section& section = info.sections[i];
    return std::vector<std::string>{std::to_string(i), grouped(section.rows.first),
                                    grouped(section.rows.count), prefix_of(section.metadata)};
  });
  return table.text(2);
}

std::string info_text(const CvcInput& input) {
  const cvc::Info& info = input.info();
  const double ratio =
      static_cast<double>(float_bytes(info)) / static_cast<double>(input.file_bytes());
  std::string text =
      fmt::format("{}: CVC {}.{}, {}, {}\n", one_line(input.name()), info.major, info.minor,
                  layout_of(info), info.has_checksums() ? "with checksums" : "no checksums");
  text += fmt::format("  rows         {}\n", grouped(info.rows));
  if (!info.is_columnar) {
    text += fmt::format("  dimension    {}\n", info.columns[0].dimension);
    text += fmt::format("  compression  {}\n", compressions_of(info, 0));
  }
  text += fmt::format("  bytes        {}, as float32 {} ({:.2f}x)\n", grouped(input.file_bytes()),
                      grouped(float_bytes(info)), ratio);
  if (info.metadata) {
    text +=
        fmt::format("  metadata     {}\n", shorten(prefix_of(*info.metadata), 4 * kMetadataWidth));
  }
  if (info.is_columnar) text += "\n" + column_table(info);
  if (!info.chunks.empty()) text += "\n" + chunks_text(info);
  if (!info.sections.empty()) text += "\n" + sections_text(info);
  return text;
}

void print_info(const InfoOptions& options) {
  const CvcInput input(options.input);
  if (options.json) return put_json(input, options.input);
  print_report(info_text(input));
}

}  // namespace

Command add_cvc_info(CLI::App& group) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* command = group.add_subcommand("info", "Show the structure of a CVC file");
  add_argument(*command, "FILE", options->input, "A CVC file, or -");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(kInfoFooter);
  return {command, [options] {
            print_info(*options);
            return ExitCode::kDone;
          }};
}

}  // namespace numpact::cli
