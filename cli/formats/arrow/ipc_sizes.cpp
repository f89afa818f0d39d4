// SPDX-License-Identifier: Apache-2.0
// Arrow's messages are FlatBuffers (format/Message.fbs and File.fbs of Arrow). Its C++ library does
// not give access to them.
#include "formats/arrow/ipc_sizes.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "formats/arrow/arrow_columns.hpp"
#include "formats/value_limits.hpp"

namespace numpact::cli {
namespace {

// Bytes of a FlatBuffer. Values outside of them are none.
class Flat {
 public:
  explicit Flat(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  std::optional<T> value(std::uint64_t at) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof(T)) return std::nullopt;
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      found |= std::to_integer<std::uint64_t>(bytes_[static_cast<std::size_t>(at) + i]) << (8 * i);
    }
    return static_cast<T>(found);
  }

  // What an offset at a position refers to.
  std::optional<std::uint64_t> target(std::optional<std::uint64_t> at) const {
    if (!at) return std::nullopt;
    const auto offset = value<std::uint32_t>(*at);
    return offset ? std::optional(*at + *offset) : std::nullopt;
  }

  // The position of a field of a table; none if the table has no such field.
  std::optional<std::uint64_t> field(std::optional<std::uint64_t> table, unsigned id) const {
    if (!table) return std::nullopt;
    const auto back = value<std::int32_t>(*table);
    if (!back) return std::nullopt;
    const std::uint64_t fields = *table - static_cast<std::uint64_t>(std::int64_t{*back});
    const auto bytes = value<std::uint16_t>(fields);
    const std::uint64_t place = 4 + 2 * std::uint64_t{id};
    if (!bytes || place + 2 > *bytes) return std::nullopt;
    const auto offset = value<std::uint16_t>(fields + place);
    return offset && *offset != 0 ? std::optional(*table + *offset) : std::nullopt;
  }

  // The positions of the elements of a vector of structures; empty where it exceeds the bytes.
  struct Elements {
    std::uint64_t first = 0;
    std::uint32_t count = 0;
  };
  Elements elements(std::optional<std::uint64_t> vector, std::uint64_t element_bytes) const {
    const auto count = vector ? value<std::uint32_t>(*vector) : std::nullopt;
    if (!count || *count > bytes_.size() / element_bytes) return {};
    return {*vector + 4, *count};
  }

  bool contains(std::string_view text) const {
    const auto* const begin = reinterpret_cast<const char*>(bytes_.data());
    return std::string_view(begin, bytes_.size()).find(text) != std::string_view::npos;
  }

 private:
  std::span<const std::byte> bytes_;
};

// Of fields, by their order in the schemas.
enum FooterField : unsigned { kDictionaries = 2, kRecordBatches = 3 };
enum MessageField : unsigned { kHeaderType = 1, kHeader = 2 };
enum DictionaryField : unsigned { kData = 1 };
enum BatchField : unsigned { kBuffers = 2, kCompression = 3 };
constexpr std::uint8_t kDictionaryHeader = 2;

constexpr std::string_view kMagic = "ARROW1";
constexpr std::uint64_t kTailBytes = 4 + kMagic.size();  // the length of the footer, and the magic
constexpr std::uint64_t kBlockBytes = 24;
constexpr std::uint64_t kBufferBytes = 16;
constexpr std::uint64_t kPrefixBytes = 8;  // before each compressed buffer: its length without
constexpr std::uint32_t kContinuation = 0xffffffff;
// Before version 1.0 of Arrow, metadata of a message stated the compression.
constexpr std::string_view kOldCompression = "ARROW:experimental_compression";

}  // namespace

IpcSizes::IpcSizes(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string place)
    : file_(std::move(file)),
      place_(std::move(place)),
      file_bytes_(static_cast<std::uint64_t>(take_arrow(file_->GetSize(), place_))) {
  if (file_bytes_ < kTailBytes) refuse();
  const std::uint64_t end = file_bytes_ - kTailBytes;
  const std::vector<std::byte> tail = read(end, kTailBytes);
  const auto bytes = Flat(tail).value<std::int32_t>(0);
  if (!bytes || *bytes <= 0 || static_cast<std::uint64_t>(*bytes) > end) refuse();
  const auto footer_bytes = static_cast<std::uint64_t>(*bytes);
  const std::vector<std::byte> content = read(end - footer_bytes, footer_bytes);
  const Flat footer{content};
  const auto blocks = [&](unsigned id) {
    const auto found =
        footer.elements(footer.target(footer.field(footer.target(0), id)), kBlockBytes);
    std::vector<Block> places;
    for (std::uint32_t i = 0; i < found.count; ++i) {
      const std::uint64_t at = found.first + i * kBlockBytes;
      const auto offset = footer.value<std::int64_t>(at);
      const auto metadata = footer.value<std::int32_t>(at + 8);
      if (!offset || !metadata || *offset < 0 || *metadata < 0) refuse();
      places.push_back(
          {static_cast<std::uint64_t>(*offset), static_cast<std::uint64_t>(*metadata)});
    }
    return places;
  };
  dictionaries_ = blocks(kDictionaries);
  batches_ = blocks(kRecordBatches);
}

void IpcSizes::refuse() const {
  throw Failure(ExitCode::kCorrupt, place_, "corrupt: its messages cannot be read");
}

// Allocates no more than the file has.
std::vector<std::byte> IpcSizes::read(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset > file_bytes_ || bytes > file_bytes_ - offset) refuse();
  std::vector<std::byte> content(static_cast<std::size_t>(bytes));
  const auto got = take_arrow(file_->ReadAt(static_cast<std::int64_t>(offset),
                                            static_cast<std::int64_t>(bytes), content.data()),
                              place_);
  if (static_cast<std::uint64_t>(got) != bytes) refuse();
  return content;
}

std::uint64_t IpcSizes::block_bytes(const Block& block) const {
  const std::vector<std::byte> content = read(block.offset, block.metadata_bytes);
  // The length of the FlatBuffer is before it, and since version 1.0 a mark before that.
  const bool has_mark = Flat(content).value<std::uint32_t>(0) == kContinuation;
  const std::size_t prefix = has_mark ? 8 : 4;
  if (content.size() < prefix) refuse();
  const Flat message{std::span<const std::byte>(content).subspan(prefix)};
  const auto root = message.target(0);
  const auto type = message.field(root, kHeaderType);
  auto batch = message.target(message.field(root, kHeader));
  if (type && message.value<std::uint8_t>(*type) == kDictionaryHeader) {
    batch = message.target(message.field(batch, kData));
  }
  const bool is_compressed =
      message.field(batch, kCompression).has_value() || message.contains(kOldCompression);
  const std::uint64_t body = saturated_sum(block.offset, block.metadata_bytes);
  const auto buffers =
      message.elements(message.target(message.field(batch, kBuffers)), kBufferBytes);
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < buffers.count; ++i) {
    const std::uint64_t at = buffers.first + i * kBufferBytes;
    const auto offset = message.value<std::uint64_t>(at);
    const auto bytes = message.value<std::uint64_t>(at + 8);
    if (!offset || !bytes) refuse();
    std::uint64_t decoded = *bytes;
    if (is_compressed && *bytes >= kPrefixBytes) {
      const std::vector<std::byte> length = read(saturated_sum(body, *offset), kPrefixBytes);
      const auto stated = Flat(length).value<std::int64_t>(0);
      // -1: the buffer follows as it is. Arrow refuses other negative lengths.
      decoded = *stated < 0 ? *bytes - kPrefixBytes : static_cast<std::uint64_t>(*stated);
    }
    sum = saturated_sum(sum, decoded);
  }
  return sum;
}

std::uint64_t IpcSizes::dictionaries() const {
  std::uint64_t sum = 0;
  for (const Block& block : dictionaries_) sum = saturated_sum(sum, block_bytes(block));
  return sum;
}

std::uint64_t IpcSizes::batch(std::size_t index) const {
  if (index >= batches_.size()) refuse();
  return block_bytes(batches_[index]);
}

}  // namespace numpact::cli
