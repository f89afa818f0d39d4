// SPDX-License-Identifier: Apache-2.0
// The blocks of a file of another column: the ends of the messages of Arrow IPC, without Arrow
// itself, or of the header and the chunks of CVC.
#include <cstring>

#include "arrow/ipc_sizes.hpp"
#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/load.hpp"
#include "base/try.hpp"
#include "numpact/table.hpp"

namespace numpact::table {
namespace {

using internal::load_le;
using internal::arrow::Flat;
using internal::arrow::kIpcContinuation;
using internal::arrow::kIpcMagic;

// The magic at the beginning is padded to 8 bytes.
constexpr std::size_t kArrowFrontBytes = 8;
// At the end: the length of the footer, and the magic.
constexpr std::size_t kArrowTailBytes = 4 + kIpcMagic.size();
// Slots of a Message of the flatbuffers schema (Message.fbs), and its types of headers.
constexpr unsigned kHeaderTypeSlot = 1;
constexpr unsigned kBodyLengthSlot = 3;
constexpr std::uint8_t kSchemaMessage = 1;
constexpr std::uint8_t kDictionaryMessage = 2;
constexpr std::uint8_t kBatchMessage = 3;

constexpr char kCvcMagic[] = {'C', 'V', 'C', 'F'};
constexpr std::uint16_t kCvcMajor = 2;
// Magic, version and the length of the header; the length and the checksum of a record.
constexpr std::size_t kCvcFrontBytes = 12;
constexpr std::size_t kRecordFrontBytes = 8;

Status no_arrow_file() {
  return Status(ErrorKind::kCorrupt, "is not a complete file of Arrow IPC");
}

Status bad_message(std::size_t at) {
  return Status(ErrorKind::kCorrupt, "a message of Arrow is damaged", at);
}

// The end of the messages: where the footer begins.
Result<std::size_t> end_of_messages(std::span<const std::byte> file) {
  if (file.size() < kArrowFrontBytes + kArrowTailBytes) return no_arrow_file();
  const std::byte* const tail = file.data() + file.size() - kArrowTailBytes;
  if (std::memcmp(file.data(), kIpcMagic.data(), kIpcMagic.size()) != 0 ||
      std::memcmp(tail + 4, kIpcMagic.data(), kIpcMagic.size()) != 0) {
    return no_arrow_file();
  }
  const std::size_t most = file.size() - kArrowFrontBytes - kArrowTailBytes;
  const std::uint32_t footer = load_le<std::uint32_t>(tail);
  if (footer == 0 || footer > most) return no_arrow_file();
  return kArrowFrontBytes + most - footer;
}

// Walks over the messages; `batches` more must come.
Status walk_messages(std::span<const std::byte> file, std::size_t end, std::uint64_t batches,
                     std::vector<std::uint64_t>& ends) {
  std::size_t at = kArrowFrontBytes;
  std::uint64_t found = 0;
  while (end - at >= 4) {
    const std::size_t begin = at;
    std::uint32_t length = load_le<std::uint32_t>(&file[at]);
    at += 4;
    if (length == kIpcContinuation) {
      if (end - at < 4) return bad_message(begin);
      length = load_le<std::uint32_t>(&file[at]);
      at += 4;
    }
    if (length == 0) {
      at = begin;
      break;
    }
    if (length > end - at) return bad_message(begin);
    const Flat message(file.subspan(at, length));
    const auto root = message.target(0);
    const auto type = message.value<std::uint8_t>(message.field(root, kHeaderTypeSlot));
    const auto body_at = message.field(root, kBodyLengthSlot);
    const std::int64_t body = message.value<std::int64_t>(body_at).value_or(body_at ? -1 : 0);
    at += length;
    if (body < 0 || static_cast<std::uint64_t>(body) > end - at) return bad_message(begin);
    at += static_cast<std::size_t>(body);
    if (type == kBatchMessage) {
      if (++found > batches) break;
      if (found == 1) ends.push_back(begin);
      ends.push_back(at);
    } else if (type != kSchemaMessage && type != kDictionaryMessage) {
      return bad_message(begin);
    }
  }
  if (found != batches) {
    return Status(ErrorKind::kCorrupt, "has another count of batches than its rows need");
  }
  if (batches == 0) ends.push_back(at);
  ends.push_back(file.size());
  return {};
}

// Appends the ends of the header and of the records of CVC (docs/format/cvc.md), without its JSON.
Status walk_records(std::span<const std::byte> file, std::vector<std::uint64_t>& ends) {
  const auto damaged = [](std::size_t at) {
    return Status(ErrorKind::kCorrupt, "is not a complete file of vectors", at);
  };
  if (file.size() < kCvcFrontBytes) return damaged(0);
  std::size_t at = kCvcFrontBytes;
  const std::size_t header = load_le<std::uint32_t>(&file[kCvcFrontBytes - 4]);
  if (load_le<std::uint16_t>(&file[sizeof kCvcMagic]) != kCvcMajor || header > file.size() - at) {
    return damaged(0);
  }
  at += header;
  ends.push_back(at);
  while (at < file.size()) {
    const std::size_t left = file.size() - at;
    if (left < kRecordFrontBytes) return damaged(at);
    const std::size_t payload = load_le<std::uint32_t>(&file[at]);
    if (payload > left - kRecordFrontBytes) return damaged(at);
    at += kRecordFrontBytes + payload;
    ends.push_back(at);
  }
  return ends.size() > 1 ? Status() : damaged(at);
}

}  // namespace

bool is_vector_file(std::span<const std::byte> file) noexcept {
  return file.size() >= sizeof kCvcMagic &&
         std::memcmp(file.data(), kCvcMagic, sizeof kCvcMagic) == 0;
}

Result<Part> checked_part(std::string_view name, std::span<const std::byte> file,
                          std::uint64_t rows) noexcept {
  return internal::guarded_value<Part>([&](Part& part) -> Status {
    part.file = name;
    part.rows = rows;
    part.bytes = file.size();
    if (is_vector_file(file)) {
      NUMPACT_TRY(walk_records(file, part.ends));
    } else {
      std::size_t end = 0;
      NUMPACT_TRY(end_of_messages(file).into(end));
      const std::uint64_t batches = rows / kOtherBatchRows + (rows % kOtherBatchRows != 0 ? 1 : 0);
      NUMPACT_TRY(walk_messages(file, end, batches, part.ends));
    }
    part.crc32.reserve(part.ends.size());
    std::uint64_t begin = 0;
    for (const std::uint64_t block_end : part.ends) {
      const auto size = static_cast<std::size_t>(block_end - begin);
      part.crc32.push_back(internal::crc32(file.subspan(static_cast<std::size_t>(begin), size)));
      begin = block_end;
    }
    return {};
  });
}

}  // namespace numpact::table
