// SPDX-License-Identifier: Apache-2.0
// How many bytes the batches of an Arrow IPC file take once they are decoded, from their messages.
// These are FlatBuffers (format/Message.fbs and File.fbs of Arrow), to which Arrow's libraries give
// no access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/load.hpp"

namespace numpact::internal::arrow {

inline constexpr std::string_view kIpcMagic = "ARROW1";
// Before the length of a message, since version 0.15 of Arrow.
inline constexpr std::uint32_t kIpcContinuation = 0xffffffff;

// Bytes of a FlatBuffer, which is untrusted. Values outside of them are none.
class Flat {
 public:
  explicit Flat(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  std::optional<T> value(std::optional<std::uint64_t> at) const {
    if (!at || *at > bytes_.size() || bytes_.size() - *at < sizeof(T)) return std::nullopt;
    return load_le<T>(bytes_.data() + *at);
  }
  // What an offset at a position refers to.
  std::optional<std::uint64_t> target(std::optional<std::uint64_t> at) const {
    const auto offset = value<std::uint32_t>(at);
    return offset ? std::optional(*at + *offset) : std::nullopt;
  }
  // The position of a field of a table; none if the table has no such field.
  std::optional<std::uint64_t> field(std::optional<std::uint64_t> table, unsigned id) const {
    const auto back = value<std::int32_t>(table);
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
    const auto count = value<std::uint32_t>(vector);
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

// Reads the messages of an untrusted file, but of their buffers no more than the first 8 bytes of
// each: with compression they hold the length of the buffer that Arrow allocates. Uncompressed
// buffers count, too. Sums that exceed 64 bits are their maximum. None: they cannot be read.
class IpcSizes {
 public:
  // Fills the span from a position on; false if the file has fewer bytes. May throw.
  using Read = std::function<bool(std::uint64_t, std::span<std::byte>)>;

  static std::optional<IpcSizes> of(Read read, std::uint64_t file_bytes) {
    constexpr std::uint64_t kTailBytes = 4 + kIpcMagic.size();  // the length of the footer before
    IpcSizes made(std::move(read), file_bytes);
    if (file_bytes < kTailBytes) return std::nullopt;
    const std::uint64_t end = file_bytes - kTailBytes;
    const auto tail = made.bytes(end, kTailBytes);
    const auto length = tail ? Flat(*tail).value<std::int32_t>(0) : std::nullopt;
    if (!length || *length <= 0 || static_cast<std::uint64_t>(*length) > end) return std::nullopt;
    const auto footer_bytes = static_cast<std::uint64_t>(*length);
    const auto footer = made.bytes(end - footer_bytes, footer_bytes);
    const bool is_read = footer && made.list(Flat(*footer), kDictionaries, made.dictionaries_) &&
                         made.list(Flat(*footer), kRecordBatches, made.batches_);
    return is_read ? std::optional(std::move(made)) : std::nullopt;
  }

  bool has_dictionaries() const { return !dictionaries_.empty(); }
  // Of all dictionaries together. Read by the first call.
  std::optional<std::uint64_t> dictionaries() {
    if (all_dictionaries_) return all_dictionaries_;
    std::uint64_t sum = 0;
    for (const Block& block : dictionaries_) {
      const auto bytes = block_bytes(block);
      if (!bytes) return std::nullopt;
      sum = sum_of(sum, *bytes);
    }
    return all_dictionaries_ = sum;
  }
  // Of the values of a batch, without dictionaries.
  std::optional<std::uint64_t> batch(std::size_t index) const {
    return index < batches_.size() ? block_bytes(batches_[index]) : std::nullopt;
  }

 private:
  struct Block {
    std::uint64_t offset;
    std::uint64_t metadata_bytes;
  };
  // Of fields, by their order in the schemas.
  enum FooterField : unsigned { kDictionaries = 2, kRecordBatches = 3 };
  enum MessageField : unsigned { kHeaderType = 1, kHeader = 2 };
  enum DictionaryField : unsigned { kData = 1 };
  enum BatchField : unsigned { kBuffers = 2, kCompression = 3 };

  IpcSizes(Read read, std::uint64_t file_bytes) : read_(std::move(read)), file_bytes_(file_bytes) {}

  static std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
    return a + b < a ? std::numeric_limits<std::uint64_t>::max() : a + b;
  }

  // Allocates no more than the file has.
  std::optional<std::vector<std::byte>> bytes(std::uint64_t offset, std::uint64_t count) const {
    if (offset > file_bytes_ || count > file_bytes_ - offset) return std::nullopt;
    std::vector<std::byte> content(static_cast<std::size_t>(count));
    return read_(offset, content) ? std::optional(std::move(content)) : std::nullopt;
  }

  static bool list(const Flat& footer, unsigned id, std::vector<Block>& blocks) {
    constexpr std::uint64_t kBlockBytes = 24;
    const auto found =
        footer.elements(footer.target(footer.field(footer.target(0), id)), kBlockBytes);
    for (std::uint32_t i = 0; i < found.count; ++i) {
      const std::uint64_t at = found.first + i * kBlockBytes;
      const auto offset = footer.value<std::int64_t>(at);
      const auto metadata = footer.value<std::int32_t>(at + 8);
      if (!offset || !metadata || *offset < 0 || *metadata < 0) return false;
      blocks.push_back(
          {static_cast<std::uint64_t>(*offset), static_cast<std::uint64_t>(*metadata)});
    }
    return true;
  }

  std::optional<std::uint64_t> block_bytes(const Block& block) const {
    constexpr std::uint8_t kDictionaryHeader = 2;
    // Before version 1.0 of Arrow, metadata of a message stated the compression.
    constexpr std::string_view kOldCompression = "ARROW:experimental_compression";
    const auto content = bytes(block.offset, block.metadata_bytes);
    if (!content) return std::nullopt;
    const bool has_mark = Flat(*content).value<std::uint32_t>(0) == kIpcContinuation;
    const std::size_t prefix = has_mark ? 8 : 4;
    if (content->size() < prefix) return std::nullopt;
    const Flat message{std::span<const std::byte>(*content).subspan(prefix)};
    const auto root = message.target(0);
    auto batch = message.target(message.field(root, kHeader));
    if (message.value<std::uint8_t>(message.field(root, kHeaderType)) == kDictionaryHeader) {
      batch = message.target(message.field(batch, kData));
    }
    const bool is_compressed =
        message.field(batch, kCompression).has_value() || message.contains(kOldCompression);
    return buffer_bytes(message, message.target(message.field(batch, kBuffers)),
                        sum_of(block.offset, block.metadata_bytes), is_compressed);
  }

  std::optional<std::uint64_t> buffer_bytes(const Flat& message,
                                            std::optional<std::uint64_t> vector, std::uint64_t body,
                                            bool is_compressed) const {
    constexpr std::uint64_t kBufferBytes = 16;
    constexpr std::uint64_t kPrefixBytes = 8;  // before a compressed buffer: its length without
    const auto buffers = message.elements(vector, kBufferBytes);
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < buffers.count; ++i) {
      const std::uint64_t at = buffers.first + i * kBufferBytes;
      const auto offset = message.value<std::uint64_t>(at);
      const auto stored = message.value<std::uint64_t>(at + 8);
      if (!offset || !stored) return std::nullopt;
      std::uint64_t decoded = *stored;
      if (is_compressed && *stored >= kPrefixBytes) {
        const auto length = bytes(sum_of(body, *offset), kPrefixBytes);
        if (!length) return std::nullopt;
        const auto stated = load_le<std::int64_t>(length->data());
        // -1: the buffer follows as it is. Arrow refuses other negative lengths.
        decoded = stated < 0 ? *stored - kPrefixBytes : static_cast<std::uint64_t>(stated);
      }
      sum = sum_of(sum, decoded);
    }
    return sum;
  }

  Read read_;
  std::uint64_t file_bytes_;
  std::vector<Block> dictionaries_;
  std::optional<std::uint64_t> all_dictionaries_;
  std::vector<Block> batches_;
};

}  // namespace numpact::internal::arrow
