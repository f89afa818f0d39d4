// SPDX-License-Identifier: Apache-2.0
// Files of the texts of a column.
#include <algorithm>
#include <vector>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "json/json.hpp"
#include "numpact/table.hpp"

namespace numpact::table {
namespace {

// The first bytes of a file: a name, and the version of the format.
constexpr std::string_view kMagic = "NPTX\x01";
constexpr unsigned kBitsPerByte = 7;
constexpr std::uint8_t kMoreFollow = 0x80;

// Reads numbers of 7 bits a byte, the low ones first; the last byte is less than 0x80.
class Lengths {
 public:
  explicit Lengths(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool next(std::uint64_t& number) {
    number = 0;
    for (unsigned shift = 0; shift < 63 && !bytes_.empty(); shift += kBitsPerByte) {
      const auto byte = static_cast<std::uint8_t>(bytes_[0]);
      bytes_ = bytes_.subspan(1);
      number |= static_cast<std::uint64_t>(byte & (kMoreFollow - 1U)) << shift;
      if (byte < kMoreFollow) return true;
    }
    return false;
  }
  std::span<const std::byte> rest() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

void add_number(std::uint64_t number, std::string& out) {
  for (; number >= kMoreFollow; number >>= kBitsPerByte) {
    out += static_cast<char>(number | kMoreFollow);
  }
  out += static_cast<char>(number);
}

Status bad(const char* what) { return Status(ErrorKind::kCorrupt, what); }

// Sorted, since a table of hashes takes long if somebody chose the texts for that.
bool differ(const TextValues& texts) {
  std::vector<std::string_view> sorted;
  sorted.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) sorted.push_back(texts[i]);
  if (!std::is_sorted(sorted.begin(), sorted.end())) std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

}  // namespace

Result<TextValues> TextValues::parse(std::span<const std::byte> file, std::uint64_t count,
                                     bool is_bytes) noexcept {
  return internal::guarded_value<TextValues>([&](TextValues& made) -> Status {
    const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
    if (!all.starts_with(kMagic)) return bad("it is no file of texts that this version reads");
    Lengths lengths(file.subspan(kMagic.size()));
    std::uint64_t found = 0;
    if (!lengths.next(found) || found != count) {
      return bad("the file of texts has another count of texts than the manifest says");
    }
    // Each text has a length of a byte at least.
    if (count > lengths.rest().size()) return bad("the file of texts ends early");
    NUMPACT_TRY(internal::ensure_memory(count * (sizeof(std::uint64_t) + sizeof(std::string_view)) +
                                        file.size()));
    made.offsets_.reserve(static_cast<std::size_t>(count) + 1);
    std::uint64_t end = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t length = 0;
      if (!lengths.next(length) || length > file.size() - end) {
        return bad("the file of texts ends early");
      }
      end += length;
      made.offsets_.push_back(end);
    }
    if (end != lengths.rest().size()) return bad("the texts have another size than their file");
    made.bytes_ = all.substr(all.size() - lengths.rest().size());
    for (std::size_t i = 0; i < made.size() && !is_bytes; ++i) {
      if (!internal::json::is_utf8(made[i])) return bad("a text is not UTF-8");
    }
    return differ(made) ? Status() : bad("a text is there twice");
  });
}

std::string TextValues::file() const {
  std::string made(kMagic);
  add_number(size(), made);
  for (std::size_t i = 0; i < size(); ++i) add_number(offsets_[i + 1] - offsets_[i], made);
  return made.append(bytes_);
}

}  // namespace numpact::table
