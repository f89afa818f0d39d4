// SPDX-License-Identifier: Apache-2.0
// Names of folders by values, and the index of a dataset.
#include "numpact/table_dataset.hpp"

#include <algorithm>
#include <map>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "json/indented.hpp"
#include "json/json.hpp"
#include "numpact/trailer.hpp"
#include "pco/trailer/layout.hpp"

namespace numpact::table {
namespace {

constexpr std::string_view kPart = "part-";
// Bytes of a name in common file systems.
constexpr std::size_t kMaxNameBytes = 255;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_hex(std::string& text, unsigned char byte, std::string_view digits) {
  text += digits[byte >> 4];
  text += digits[byte & 15];
}

// As in a URL: bytes but letters, digits and "_.-~" are %XX.
std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    const char lower = static_cast<char>(c | 0x20);
    const bool is_mark = std::string_view("_.-~").find(c) != std::string_view::npos;
    if (is_digit(c) || (lower >= 'a' && lower <= 'z') || is_mark) {
      made += c;
    } else {
      made += '%';
      append_hex(made, static_cast<unsigned char>(c), "0123456789ABCDEF");
    }
  }
  return made;
}

std::string in_base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string made;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    for (std::size_t i = at; i < at + 3; ++i) {
      three = three << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      made += at + i > bytes.size() ? '=' : kDigits[three >> (18 - 6 * i) & 63];
    }
  }
  return made;
}

// Appends an item to the items of a list.
void append_item(std::string& items, std::string_view item) {
  if (!items.empty()) items += ", ";
  items += item;
}

// The members "ranges" and "files" of an entry.
class EntryFiles {
 public:
  explicit EntryFiles(const ReadTail& read) : read_(read) {}

  void add(const Column& column) {
    std::uint64_t least = ~std::uint64_t{0};  // greater than the greatest without numbers
    std::uint64_t greatest = 0;
    std::uint64_t nan_count = 0;
    bool is_known = column.kind != Kind::kText;  // numbers are places, whose order says little
    for (const NumberPart& part : column.all_parts()) {
      const FileTail file = read_(part.file, false);
      TrailerTail found;
      const bool is_read =
          Trailer::read_tail(file.tail, file.bytes - file.tail.size()).into(found).ok();
      if (is_read && found.trailer) {
        std::string end = ", \"end\": \"";
        for (const std::byte byte : file.tail.last(internal::trailer::kFooterBytes)) {
          append_hex(end, static_cast<unsigned char>(byte), "0123456789abcdef");
        }
        add(part.file, file.bytes, end + '"');
        for (const ChunkSummary& chunk : found.trailer->chunks()) {
          nan_count += chunk.nan_count;
          if (!chunk.has_range()) continue;
          least = std::min(least, chunk.min_latent);
          greatest = std::max(greatest, chunk.max_latent);
        }
      } else {
        is_known = false;
        add(part.file);
      }
      if (part.null_count > 0) add(part.null_file);
    }
    for (const TextFile& texts : column.text) add(texts.file);
    append_item(ranges_, is_known ? "[" + std::to_string(least) + ", " + std::to_string(greatest) +
                                        ", " + std::to_string(nan_count) + "]"
                                  : "null");
  }
  void add(const Part& part) {
    part.has_checksums() ? add(part.file, part.bytes, "") : add(part.file);
  }
  std::string members() const {
    return "\"ranges\": [" + ranges_ + "], \"files\": {" + files_ + '}';
  }

 private:
  void add(const std::string& name, std::uint64_t bytes, const std::string& sum) {
    append_item(files_, "");
    internal::json::append_string(files_, name);
    files_ += ": {\"bytes\": " + std::to_string(bytes) + sum + '}';
  }
  // With the checksum of the whole file.
  void add(const std::string& name) {
    const FileTail file = read_(name, true);
    add(name, file.bytes, ", \"crc32\": " + std::to_string(checksum_of(file.tail)));
  }

  const ReadTail& read_;
  std::string ranges_;
  std::string files_;
};

}  // namespace

bool is_partition(std::string_view name) noexcept {
  const std::size_t equals = name.find('=');
  if (equals != std::string_view::npos && equals > 0 && name[0] != '.') return true;
  return name.size() > kPart.size() && name.starts_with(kPart) &&
         std::all_of(name.begin() + kPart.size(), name.end(), is_digit);
}

Result<std::string> partition_name(std::string_view column, const std::optional<std::string>& value,
                                   bool is_whole, std::string* why) noexcept {
  return internal::guarded_value<std::string>([&](std::string& out) -> Status {
    const auto bad = [&](const std::string& sentence) {
      if (why != nullptr) *why = sentence;
      return Status(ErrorKind::kInvalidArgument, "no folder can be named by a value");
    };
    const std::string place = "column '" + std::string(column) + "': ";
    if (column.empty()) return bad("a column without a name names no folder");
    if (value && (value->empty() || *value == kNullPartition)) {
      return bad(place + "'" + *value + "' names no folder, since readers take it for a null");
    }
    if (is_whole && value && value->size() - (value->front() == '-') > kMaxPartitionDigits) {
      return bad(place + *value + " names no folder, since readers take more than " +
                 std::to_string(kMaxPartitionDigits) + " digits for text");
    }
    out = escaped(column);
    if (out.front() == '.') out.replace(0, 1, "%2E");
    out += '=' + (value ? escaped(*value) : std::string(kNullPartition));
    if (out.size() <= kMaxNameBytes) return {};
    return bad(place + "the name of a folder would have " + std::to_string(out.size()) +
               " bytes, more than " + std::to_string(kMaxNameBytes));
  });
}

Result<std::string> dataset_entry(std::string_view path, std::string_view manifest,
                                  std::span<const std::uint64_t> coded, const ReadTail& read) {
  if (!internal::json::is_utf8(path)) {
    return Status(ErrorKind::kInvalidArgument, "the path of a table is not UTF-8");
  }
  Manifest parsed;
  NUMPACT_TRY(parse_manifest(manifest).into(parsed));
  EntryFiles files(read);
  for (const Column& column : parsed.columns) files.add(column);
  for (const Other& other : parsed.others) {
    for (const Part& part : other.parts) files.add(part);
  }
  std::string made = "\"path\": ";
  internal::json::append_string(made, path);
  made += ", \"manifest\": ";
  internal::json::append_string(made, manifest);
  made += ", " + files.members();
  std::string items;
  for (const std::uint64_t at : coded) append_item(items, std::to_string(at));
  if (!items.empty()) made += ", \"coded\": [" + items + ']';
  return made;
}

Result<std::string> dataset_index_text(
    std::span<const std::pair<std::string, std::string>> tables) noexcept {
  return internal::guarded_value<std::string>([&](std::string& out) -> Status {
    std::map<std::string_view, std::size_t> known;
    std::string schemas;
    std::string lines;
    for (const auto& [schema, entry] : tables) {
      const auto [place, is_new] = known.try_emplace(schema, known.size());
      if (is_new) append_item(schemas, '"' + in_base64(schema) + '"');
      // A line for each table: the file can be read, and compared line by line.
      if (!lines.empty()) lines += ",\n";
      lines += "{\"schema\": " + std::to_string(place->second) + ", " + entry + '}';
    }
    out = "{\"format\": \"numpact-dataset\", \"version\": 1, \"schemas\": [" + schemas +
          "], \"folders\": [\n" + lines + "\n]}\n";
    if (out.size() <= kMaxDatasetIndexBytes) return {};
    return Status(ErrorKind::kLimitExceeded, "the index of a dataset would be too long");
  });
}

}  // namespace numpact::table
