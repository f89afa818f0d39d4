// SPDX-License-Identifier: Apache-2.0
// Inputs of the command line tool, made by structure: manifests, folders of tables on disk,
// headers of safetensors, and text that grows while it is read. An input of bytes alone seldom
// comes past the first brace.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/internal.hpp"
#include "common/draw.hpp"
#include "common/target.hpp"
#include "failure.hpp"
#include "formats/formats.hpp"
#include "formats/safetensors_header.hpp"
#include "json/json.hpp"
#include "numpact/pco.hpp"
#include "numpact/table_writer.hpp"
#include "pco/folder_rows.hpp"
#include "pco/manifest.hpp"
#include "pco/pco_file.hpp"
#include "pco/table_folder.hpp"

namespace numpact::fuzz {
namespace {

using json::Kind;

// Adds one of these where all is to be right, and sometimes another value.
class Writer {
 public:
  explicit Writer(Draw& draw) : draw_(draw), damages_(draw.flag()) {}

  std::string text(std::string_view right) {
    return hurt() ? value(0) : '"' + std::string(right) + '"';
  }
  std::string number(std::uint64_t right) { return hurt() ? value(0) : std::to_string(right); }
  std::string member(std::string_view name, const std::string& content) {
    if (hurt()) return "";
    return (hurt() ? "\"\\u0061\":null," : "") + ('"' + std::string(name) + "\":") + content + ',';
  }
  std::string object(std::string members) {
    if (!members.empty() && !hurt()) members.pop_back();
    return '{' + members + '}';
  }
  std::string list(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += item + ',';
    if (!text.empty() && !hurt()) text.pop_back();
    return '[' + text + ']';
  }

 private:
  bool hurt() { return damages_ && draw_.one_in(24); }

  std::string value(unsigned depth) {
    constexpr std::string_view kScalars[] = {"0",
                                             "-1",
                                             "1e3",
                                             "18446744073709551615",
                                             "18446744073709551616",
                                             "null",
                                             "true",
                                             "\"\"",
                                             "\"\\ud800\"",
                                             "\"\\ud83d\\ude00\\n\"",
                                             "NaN",
                                             "01",
                                             "1.",
                                             "\"\x01\"",
                                             "\"\xff\"",
                                             ""};
    if (depth > 3 || !draw_.one_in(3)) return std::string(draw_.pick(kScalars));
    const bool is_deep = draw_.one_in(4);
    const std::size_t levels = is_deep ? draw_.below(80) : 1;
    return std::string(levels, '[') + value(depth + 1) + std::string(levels, ']');
  }

  Draw& draw_;
  bool damages_;
};

constexpr std::string_view kFiles[] = {"a.pco",    "b.pco",         "c%20.pco", "a.nulls.pco",
                                       "../a.pco", "manifest.json", "x/y",      "link.pco",
                                       "pipe.pco", "none.pco"};

std::string manifest_of(Draw& draw) {
  Writer write(draw);
  constexpr std::string_view kTypes[] = {"i64", "f64", "u8", "i32", "u64", "f16", "q"};
  constexpr std::string_view kKinds[] = {"number", "bool", "date32", "timestamp", "time32", "x"};
  constexpr std::string_view kUnits[] = {"s", "ms", "us", "ns", "h"};
  constexpr std::string_view kNames[] = {"a", "", "a b", "\\u001b[31m", "\\u202e", "\\ud800"};
  std::vector<std::string> columns;
  for (std::uint64_t n = draw.below(4); n > 0; --n) {
    std::string column = write.member("name", write.text(draw.pick(kNames)));
    column += write.member("file", write.text(draw.pick(kFiles)));
    column +=
        write.member("logical_type", write.text(draw.one_in(3) ? draw.pick(kKinds) : kKinds[0]));
    if (draw.one_in(3)) column += write.member("unit", write.text(draw.pick(kUnits)));
    column += write.member("number_type", write.text(draw.pick(kTypes)));
    column += write.member("count", write.number(draw.below(300)));
    if (draw.one_in(3)) {
      const std::string nulls = write.member("file", write.text(draw.pick(kFiles))) +
                                write.member("count", write.number(draw.below(9)));
      column += write.member("nulls", write.object(nulls));
    }
    if (draw.one_in(4)) {
      const std::string pair = write.list({write.text("key"), write.text("value")});
      const std::string hex = write.object(write.member("hex", write.text("00fg")));
      column += write.member("metadata", write.list({pair, write.list({hex, hex})}));
    }
    columns.push_back(write.object(column));
  }
  std::string all = write.member("format", write.text("numpact-table"));
  all += write.member("version", write.number(1 + draw.below(2)));
  all += write.member("columns", write.list(columns));
  const std::string skipped = write.member("name", write.text("s")) +
                              write.member("type", write.text("t")) +
                              write.member("reason", write.text("r"));
  all += write.member("skipped", write.list({write.object(skipped)}));
  return write.object(all);
}

void visit(const json::View& value) {
  NUMPACT_REQUIRE(!value.text().empty());
  (void)value.unsigned_integer();
  if (value.is(Kind::kString)) NUMPACT_REQUIRE(value.says(value.string()));
  std::size_t count = 0;
  for (auto item = value.first(); item; item = item->next()) {
    visit(*item);
    ++count;
  }
  if (value.is(Kind::kArray)) NUMPACT_REQUIRE(count == value.count());
}

// All that a JSON library takes is taken, but for depth; more only as halves of surrogate pairs.
void check_view(std::string_view text) {
  const auto view = json::parse_strict(text);
  const bool is_shallow =
      std::count(text.begin(), text.end(), '[') + std::count(text.begin(), text.end(), '{') <=
      static_cast<std::ptrdiff_t>(json::kMaxStrictDepth);
  const bool has_surrogates = text.find("\\ud") != std::string_view::npos;
  const bool is_json = nlohmann::json::accept(text);
  if (is_json && is_shallow) NUMPACT_REQUIRE(view);
  if (view && !has_surrogates) NUMPACT_REQUIRE(is_json);
  if (view) visit(*view);
}

void read_manifest(Draw& draw) {
  const std::string text = manifest_of(draw);
  check_view(text);
  const Result<table::Manifest> manifest = table::parse_manifest(text);
  if (!manifest.ok()) return;
  const std::string again = table::manifest_text(manifest.value()).value();
  NUMPACT_REQUIRE(table::manifest_text(table::parse_manifest(again).value()).value() == again);
}

void write_file(const std::string& path, const void* bytes, std::size_t size) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  NUMPACT_REQUIRE(file >= 0 && ::write(file, bytes, size) == static_cast<ssize_t>(size));
  ::close(file);
}

// A folder that goes with the process.
struct TemporaryFolder {
  TemporaryFolder() {
    char name[] = "/tmp/numpact-fuzz-XXXXXX";
    NUMPACT_REQUIRE(::mkdtemp(name) != nullptr);
    path = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::string path;
};

void fill(Draw& draw, const std::string& folder) {
  const std::string manifest = manifest_of(draw);
  write_file(folder + "/manifest.json", manifest.data(), manifest.size());
  for (const char* const name : {"a.pco", "b.pco", "c%20.pco", "a.nulls.pco"}) {
    if (draw.one_in(5)) continue;
    std::vector<std::int64_t> numbers(draw.below(300));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i) % 7;
    std::vector<std::byte> file = compress(numbers).value();
    if (draw.one_in(4)) file.resize(file.size() / 2);
    write_file(folder + "/" + name, file.data(), file.size());
  }
  constexpr const char* kTargets[] = {"a.pco", "../a.pco", "/etc/hostname", "link.pco", "pipe.pco"};
  NUMPACT_REQUIRE(::symlink(draw.pick(kTargets), (folder + "/link.pco").c_str()) == 0);
  if (draw.flag()) NUMPACT_REQUIRE(::mkfifo((folder + "/pipe.pco").c_str(), 0600) == 0);
}

void read_folder(Draw& draw) {
  static const TemporaryFolder place;
  const std::string path = place.path + "/table";
  std::filesystem::remove_all(path);
  std::filesystem::create_directory(path);
  fill(draw, path);
  // There is a link, which is not part of a table.
  NUMPACT_REQUIRE(!table::TableWriter::create(path, table::Manifest(), true).ok());
  const cli::TableFolder folder(path);
  // The rows that are read are those of the time when the folder was opened.
  if (draw.flag()) std::filesystem::remove_all(path);
  DecodeConfig config;
  config.limits.max_output_bytes = std::uint64_t{1} << 18;
  const auto limits = std::make_shared<cli::ValueLimits>(config.limits);
  for (std::size_t column = 0; column < folder.manifest().columns.size(); ++column) {
    try {
      cli::RowQuery query;
      query.columns = {column};
      cli::FolderRows rows(folder, query, config, limits);
      while (rows.next()[0].rows > 0) {
      }
    } catch (const cli::Failure& failure) {
      NUMPACT_REQUIRE(failure.what()[0] != '\0');
    }
  }
  // Whatever the manifest names, only regular files of the folder are opened.
  for (const std::string_view name : kFiles) {
    try {
      (void)folder.file(std::string(name));
      NUMPACT_REQUIRE(name.find('/') == std::string_view::npos && name != "pipe.pco");
    } catch (const cli::Failure& failure) {
      NUMPACT_REQUIRE(failure.what()[0] != '\0');
    }
  }
}

void read_tensors(Draw& draw) {
  Writer write(draw);
  constexpr std::string_view kTypes[] = {"F32", "BF16", "I8", "F64", "X"};
  std::string all;
  std::uint64_t end = 0;
  for (std::uint64_t n = draw.below(4); n > 0; --n) {
    const std::uint64_t rows = draw.below(5);
    const std::uint64_t begin = end;
    end += rows * 4 * (draw.one_in(8) ? 2 : 1);
    const std::string tensor =
        write.member("dtype", write.text(draw.pick(kTypes))) +
        write.member("shape", write.list({write.number(rows), write.number(draw.between(1, 2))})) +
        write.member("data_offsets", write.list({write.number(begin), write.number(end)}));
    all += write.member(draw.flag() ? "a" : "b" + std::to_string(n), write.object(tensor));
  }
  const std::string header = write.object(all);
  check_view(header);
  testing::Bytes file(8);
  for (unsigned i = 0; i < 8; ++i) file[i] = static_cast<std::byte>(header.size() >> 8 * i & 0xff);
  for (const char c : header) file.push_back(static_cast<std::byte>(c));
  file.resize(file.size() + draw.below(80));
  std::set<std::string> names;
  const cli::Tensors found = cli::read_tensors(file, "tensors");
  for (const cli::Tensor& tensor : found.tensors) {
    NUMPACT_REQUIRE(names.insert(tensor.name).second);
    NUMPACT_REQUIRE(tensor.offset <= file.size() && tensor.bytes <= file.size() - tensor.offset);
  }
}

std::string records(Draw& draw, std::uint64_t columns) {
  constexpr std::string_view kFields[] = {"1", "-2.5",     "\"q\"", "\"a\nb\"",
                                          "",  "\"\"\"\"", "x",     "1e9"};
  constexpr std::string_view kEnds[] = {"\n", "\r\n", "\r", ""};
  std::string text;
  for (std::uint64_t rows = draw.below(6); rows > 0; --rows) {
    for (std::uint64_t c = 0; c < columns; ++c) {
      if (c > 0) text += ',';
      text += draw.one_in(3) ? draw.pick(kFields) : kFields[0];
    }
    text += draw.one_in(4) ? draw.pick(kEnds) : kEnds[0];
  }
  return text;
}

// Columns of a file that others write on are of one length.
void read_growing_text(Draw& draw) {
  const std::uint64_t columns = draw.between(1, 3);
  std::string text = "a";
  for (std::uint64_t c = 1; c < columns; ++c) text += ",a" + std::to_string(c);
  text += '\n' + records(draw, columns);
  const std::size_t cut = draw.flag() ? text.size() : 1 + draw.below(text.size());
  static const int descriptor = ::memfd_create("input", MFD_CLOEXEC);
  NUMPACT_REQUIRE(descriptor >= 0 && ::ftruncate(descriptor, 0) == 0);
  NUMPACT_REQUIRE(::pwrite(descriptor, text.data(), cut, 0) == static_cast<ssize_t>(cut));
  auto input = std::make_unique<cli::Input>("/proc/self/fd/" + std::to_string(descriptor));
  text += records(draw, columns);
  NUMPACT_REQUIRE(::pwrite(descriptor, text.data(), text.size(), 0) ==
                  static_cast<ssize_t>(text.size()));
  cli::InputOptions options;
  options.nulls = cli::NullPolicy::kKeep;
  options.csv.has_header = draw.flag();
  options.csv.delimiter = ',';
  const auto table = cli::open_table(std::move(input), "csv", options);
  std::optional<std::uint64_t> expected;
  for (std::size_t i = 0; i < table->columns().size(); ++i) {
    if (!table->columns()[i].unfit.empty()) continue;
    cli::Column column;
    const auto numbers = cli::open_column(*table, i, "text", std::nullopt, column);
    std::uint64_t rows = 0;
    for (NumberView block = numbers->next(); block.count > 0; block = numbers->next()) {
      rows += block.count;
    }
    rows += numbers->null_count();
    NUMPACT_REQUIRE(expected.value_or(rows) == rows);
    expected = rows;
  }
}

void run_cli_folder(ByteSpan input) {
  Draw draw(input);
  constexpr void (*kReaders[])(Draw&) = {read_manifest, read_folder, read_tensors,
                                         read_growing_text};
  try {
    draw.pick(kReaders)(draw);
  } catch (const cli::Failure& failure) {
    NUMPACT_REQUIRE(failure.what()[0] != '\0');
  } catch (const Error& error) {
    NUMPACT_REQUIRE(error.kind() != ErrorKind::kOutOfMemory);
  }
}

NUMPACT_FUZZ_TARGET(cli_folder, run_cli_folder)

}  // namespace
}  // namespace numpact::fuzz
