// SPDX-License-Identifier: Apache-2.0
// Reads collections.
#include "cvc/collection/collection.hpp"

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "cvc/header/parse.hpp"
#include "json/indented.hpp"
#include "json/json.hpp"
#include "numpact/table.hpp"
#include "platform/temporary.hpp"
#include "table/reader/failure.hpp"

namespace numpact::cvc {

using numpact::internal::fail;
using numpact::internal::Folder;
namespace json = numpact::internal::json;

namespace internal {
namespace {

constexpr const char* kFormat = "numpact cvc collection";
constexpr std::uint64_t kVersion = 1;
// Bytes of an index: about 500,000 files, more than a process can map.
constexpr std::size_t kMaxIndexBytes = std::size_t{64} << 20;
// Bytes of a name in a folder, of common file systems.
constexpr std::size_t kMaxNameBytes = 255;
// Rows of all files.
constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 62;
// Times that a folder is opened, if others replace its files meanwhile. Each time an append has
// ended after the index was read.
constexpr int kMaxOpenings = 100;

constexpr std::string_view kStem = "rows-";
constexpr std::string_view kEnding = ".cvc";
constexpr std::size_t kTagDigits = 8;
constexpr std::size_t kMaxNumberDigits = 18;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// The number in the name of a data file; 0 for other names.
std::uint64_t number_in(std::string_view name) {
  if (!name.starts_with(kStem) || !name.ends_with(kEnding)) return 0;
  name.remove_prefix(kStem.size());
  name.remove_suffix(std::min(name.size(), kEnding.size()));
  const std::size_t dash = name.find('-');
  if (dash == 0 || dash > kMaxNumberDigits || name.size() != dash + 1 + kTagDigits) return 0;
  std::uint64_t number = 0;
  for (const char c : name.substr(0, dash)) {
    if (!is_digit(c)) return 0;
    number = 10 * number + static_cast<unsigned>(c - '0');
  }
  const std::string_view tag = name.substr(dash + 1);
  return std::all_of(tag.begin(), tag.end(), is_hex_digit) ? number : 0;
}

class IndexParser {
 public:
  IndexParser(std::string_view text, const DecodeLimits& limits, std::string* why)
      : text_(text), limits_(limits), why_(why) {}

  Status parse(CollectionIndex& index) {
    if (text_.size() > kMaxIndexBytes) return bad(ErrorKind::kLimitExceeded, "is too long");
    const std::optional<json::View> root = json::parse_strict(text_);
    if (!root || !root->is(json::Kind::kObject)) return bad("is not an object of JSON");
    const std::optional<json::View> format = root->find("format");
    if (!format || !format->says(kFormat)) return bad("is not the index of a collection");
    if (natural(*root, "version") != kVersion) {
      return bad(ErrorKind::kUnsupportedVersion, "has another version than 1");
    }
    const std::optional<json::View> files = root->find("files");
    if (!files || !files->is(json::Kind::kArray)) return bad("has no list `files`");
    const std::uint64_t count = files->count();
    if (count > limits_.max_memory / kFileMemory) {
      return bad(ErrorKind::kLimitExceeded, "lists more files than the limit max_memory allows");
    }
    index.reserve(static_cast<std::size_t>(count));
    std::uint64_t rows = 0;
    for (auto entry = files->first(); entry; entry = entry->next()) {
      CollectionFile& file = index.emplace_back();
      NUMPACT_TRY(parse_file(*entry, file));
      if (!names_.insert(file.name).second) return bad("lists '" + file.name + "' twice");
      if (file.rows > kMaxRows - rows) return bad("has more rows than can be counted");
      rows += file.rows;
    }
    return {};
  }

 private:
  // Bytes that a file takes in memory without its mapping: it is listed, and has a name and an
  // Info.
  static constexpr std::uint64_t kFileMemory = 1024;

  Status bad(ErrorKind kind, const std::string& text) {
    if (why_ != nullptr) *why_ = text;
    return Status(kind, "the index of the collection cannot be read");
  }
  Status bad(const std::string& text) { return bad(ErrorKind::kCorrupt, text); }

  static std::optional<std::uint64_t> natural(const json::View& object, std::string_view name) {
    const std::optional<json::View> value = object.find(name);
    return value ? value->natural() : std::nullopt;
  }

  Status parse_file(const json::View& entry, CollectionFile& file) {
    if (!entry.is(json::Kind::kObject)) return bad("has an entry of `files` that is no object");
    const std::optional<json::View> name = entry.find("file");
    if (!name || !name->is(json::Kind::kString)) return bad("has a file without a name");
    file.name = name->string();
    if (!table::is_file_name(file.name) || !json::is_utf8(file.name) ||
        file.name.size() > kMaxNameBytes || file.name == kCollectionName) {
      return bad("names a file that cannot be in the folder");
    }
    const auto rows = natural(entry, "rows");
    const auto bytes = natural(entry, "bytes");
    const auto crc = natural(entry, "crc32");
    if (!rows || !bytes || !crc || *crc > UINT32_MAX) {
      return bad("has no `rows`, `bytes` or `crc32` of '" + file.name + "'");
    }
    file.rows = *rows;
    file.bytes = *bytes;
    file.crc = static_cast<std::uint32_t>(*crc);
    return {};
  }

  std::string_view text_;
  const DecodeLimits& limits_;
  std::string* why_;
  std::set<std::string> names_;
};

// Opens all files of the index. `is_outdated`: it was replaced meanwhile, so that some are gone.
Status open_files(const std::string& path, const DecodeLimits& limits, CollectionIndex& index,
                  std::vector<Reader>& readers, bool& is_outdated, Failure* failure) {
  std::shared_ptr<Folder> folder;
  std::string why;
  readers.clear();
  Status status = Folder::open(path, folder, why, kCollectionName);
  if (!status.ok()) return fail(failure, status, path, "", why);
  status = read_index(*folder, path, limits, index, failure);
  for (const CollectionFile& file : index) {
    if (status.ok()) status = open_file(*folder, path, file, limits, false, readers, failure);
  }
  is_outdated = !status.ok() && !folder->is_current();
  return status;
}

}  // namespace

std::string collection_text(const CollectionIndex& index) {
  json::IndentedText text;
  text.open_object();
  text.name("format");
  text.string(kFormat);
  text.name("version");
  text.natural(kVersion);
  text.name("files");
  text.open_array();
  for (const CollectionFile& file : index) {
    text.open_object();
    text.name("file");
    text.string(file.name);
    text.name("rows");
    text.natural(file.rows);
    text.name("bytes");
    text.natural(file.bytes);
    text.name("crc32");
    text.natural(file.crc);
    text.close();
  }
  text.close();
  text.close();
  return text.take();
}

std::string file_name(std::uint64_t number, std::uint32_t tag) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string name = std::string(kStem) + std::to_string(number) + '-';
  for (int shift = 28; shift >= 0; shift -= 4) name += kDigits[tag >> shift & 15U];
  return name.append(kEnding);
}

std::uint64_t next_number(const CollectionIndex& index) {
  std::uint64_t next = 1;
  for (const CollectionFile& file : index) next = std::max(next, number_in(file.name) + 1);
  return next;
}

bool is_left_name(std::string_view name) {
  using numpact::internal::platform::hidden_prefix;
  if (number_in(name) > 0) return true;
  const bool is_hidden = name.starts_with(hidden_prefix("", kCollectionName)) ||
                         name.starts_with("." + std::string(kStem));
  return is_hidden && name.ends_with(".tmp");
}

Status read_index(Folder& folder, const std::string& path, const DecodeLimits& limits,
                  CollectionIndex& index, Failure* failure) {
  index.clear();
  std::string why;
  std::unique_ptr<RangeSource> source;
  Status status = folder.open(kCollectionName, why).into(source);
  if (status.ok()) {
    const std::span<const std::byte> bytes = *source->bytes();
    const auto* const text = reinterpret_cast<const char*>(bytes.data());
    status = parse_collection({text, bytes.size()}, limits, &why).into(index);
  }
  if (status.ok()) return status;
  return fail(failure, status, path + "/" + kCollectionName, "", why);
}

namespace {

// Opens a file of the size that the index says.
Status open_listed(Folder& folder, const std::string& name, const CollectionFile& file,
                   std::unique_ptr<RangeSource>& source, Failure* failure) {
  std::string why;
  const Status status = folder.open(file.name, why).into(source);
  if (!status.ok()) return fail(failure, status, name, "", why);
  const std::size_t bytes = source->bytes()->size();
  if (bytes == file.bytes) return {};
  return fail(
      failure, Status(ErrorKind::kCorrupt, "the file has another size than listed"), name, "",
      "has " + std::to_string(bytes) + " bytes, the index says " + std::to_string(file.bytes));
}

// Whether a file has the rows that the index says, and columns: those of `first` if that is given.
Status check_listed(const Info& info, const std::string& name, const CollectionFile& file,
                    const Info* first, Failure* failure) {
  if (info.rows != file.rows) {
    return fail(
        failure, Status(ErrorKind::kCorrupt, "the file has another count of rows"), name, "",
        "has " + std::to_string(info.rows) + " rows, the index says " + std::to_string(file.rows));
  }
  if (info.is_columnar && (first == nullptr || same_columns(*first, info))) return {};
  return fail(failure, Status(ErrorKind::kCorrupt, "the file has other columns"), name, "",
              "has other columns than the collection: " + columns_text(info));
}

}  // namespace

Status open_header(Folder& folder, const std::string& path, const CollectionFile& file, Info& info,
                   Failure* failure) {
  const std::string name = path + "/" + file.name;
  std::unique_ptr<RangeSource> source;
  NUMPACT_TRY(open_listed(folder, name, file, source, failure));
  const std::span<const std::byte> bytes = *source->bytes();
  const Status status = parse_header(bytes, bytes.size(), {}, info);
  if (!status.ok()) return fail(failure, status, name, "");
  return check_listed(info, name, file, nullptr, failure);
}

Status open_file(Folder& folder, const std::string& path, const CollectionFile& file,
                 const DecodeLimits& limits, bool checks_sum, std::vector<Reader>& readers,
                 Failure* failure) {
  const std::string name = path + "/" + file.name;
  std::unique_ptr<RangeSource> source;
  NUMPACT_TRY(open_listed(folder, name, file, source, failure));
  const std::span<const std::byte> bytes = *source->bytes();
  if (checks_sum && numpact::internal::crc32(bytes) != file.crc) {
    return fail(failure,
                Status(ErrorKind::kChecksum, "the file's checksum is not that of the index"), name,
                "");
  }
  Result<Reader> made = Reader::create(std::shared_ptr<RangeSource>(std::move(source)), limits);
  if (!made.ok()) return fail(failure, made.status(), name, "");
  const Info* const first = readers.empty() ? nullptr : &readers[0].info();
  NUMPACT_TRY(check_listed(made->info(), name, file, first, failure));
  readers.push_back(std::move(*made));
  return {};
}

}  // namespace internal

std::string columns_text(const Info& info) { return internal::text_of(info.columns); }

std::vector<ColumnSpec> columns_like(const Info& info) {
  std::vector<ColumnSpec> specs;
  for (const Column& column : info.columns) {
    const bool is_kept = column.compression != Compression::kLossless;
    specs.push_back(
        {column.name, column.dimension, info.is_columnar ? column.dtype : Dtype::kFloat32,
         is_kept ? column.compression : Compression::kPco, column.is_vector || !info.is_columnar});
  }
  return specs;
}

Result<CollectionIndex> parse_collection(std::string_view json, const DecodeLimits& limits,
                                         std::string* why) noexcept {
  return numpact::internal::guarded_value<CollectionIndex>([&](CollectionIndex& index) {
    return internal::IndexParser(json, limits, why).parse(index);
  });
}

Result<Reader> open_collection(const std::string& folder, const DecodeLimits& limits,
                               Failure* failure, CollectionIndex* index) noexcept {
  std::optional<Reader> joined;
  const Status status = numpact::internal::guarded([&]() -> Status {
    CollectionIndex found;
    std::vector<Reader> readers;
    Status opened;
    bool is_outdated = true;
    for (int i = 0; i < internal::kMaxOpenings && is_outdated; ++i) {
      opened = internal::open_files(folder, limits, found, readers, is_outdated, failure);
    }
    NUMPACT_TRY(opened);
    if (found.empty()) {
      return fail(failure, Status(ErrorKind::kInvalidArgument, "the collection has no files yet"),
                  folder, "");
    }
    std::vector<std::uint32_t> checksums;
    for (const CollectionFile& file : found) checksums.push_back(file.crc);
    Result<Reader> made = Reader::join(readers, checksums);
    if (!made.ok()) return fail(failure, made.status(), folder, "");
    joined = std::move(*made);
    if (index != nullptr) *index = std::move(found);
    return {};
  });
  if (!status.ok()) return status;
  return *std::move(joined);
}

}  // namespace numpact::cvc
