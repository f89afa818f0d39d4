// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/chunk_encoder.hpp"

#include <algorithm>
#include <cstring>

#include "base/crc.hpp"
#include "base/internal.hpp"
#include "base/load.hpp"
#include "base/try.hpp"

namespace numpact::cvc::internal {
namespace {

void put_head(std::byte (&head)[8], std::uint64_t payload_bytes, std::uint32_t crc) {
  store_le(head, static_cast<std::uint32_t>(payload_bytes));
  store_le(head + 4, crc);
}

// Collects the payload in the buffer, behind space for the record's head, and writes the buffer to
// the output whenever it is full. The checksum is computed over the buffer before each write.
class RecordSink final : public BlockSink {
 public:
  RecordSink(Output& output, std::uint64_t offset, std::size_t head, std::span<std::byte> buffer)
      : output_(output),
        offset_(offset),
        head_(head),
        buffer_(buffer),
        used_(head),
        crc_from_(head) {}

  Status put(std::span<const std::byte> bytes) override {
    if (bytes.size() > buffer_.size() - used_) NUMPACT_TRY(flush());
    if (bytes.size() > buffer_.size() - used_) {
      crc_ = crc32(bytes, crc_);
      NUMPACT_TRY(output_.write_at(offset_ + written_, bytes));
      written_ += bytes.size();
      return {};
    }
    if (!bytes.empty()) std::memcpy(buffer_.data() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
    return {};
  }

  // Writes the rest and the head; in a single write if the buffer holds the whole record.
  Status finish(std::uint64_t payload_bytes) {
    update_crc();
    std::byte head[8];
    put_head(head, payload_bytes, crc_);
    if (written_ > 0) NUMPACT_TRY(output_.write_at(offset_, {head, head_}));
    if (written_ == 0) std::memcpy(buffer_.data(), head, head_);
    return output_.write_at(offset_ + written_, buffer_.first(used_));
  }

 private:
  void update_crc() { crc_ = crc32(buffer_.subspan(crc_from_, used_ - crc_from_), crc_); }
  Status flush() {
    update_crc();
    NUMPACT_TRY(output_.write_at(offset_ + written_, buffer_.first(used_)));
    written_ += used_;
    used_ = 0;
    crc_from_ = 0;
    return {};
  }

  Output& output_;
  std::uint64_t offset_;
  std::size_t head_;
  std::span<std::byte> buffer_;
  std::size_t used_;
  std::size_t crc_from_;
  std::uint64_t written_ = 0;  // bytes of the record that are in the output
  std::uint32_t crc_ = 0;
};

}  // namespace

Status plan_chunk(const EncodeRules& rules, ChunkJob& job) {
  if (job.is_planned) return {};
  job.plans.clear();
  job.payload_bytes = 0;
  for (std::size_t i = 0; i < job.sources.size(); ++i) {
    Slice& slice = job.slices[i];
    Plan plan;
    const Status planned = codec_of(slice.compression).plan(job.sources[i], rules, plan);
    if (!planned.ok()) {
      job.column = i;
      job.refused = std::move(plan.refused);
      return planned;
    }
    slice.min = plan.min;
    slice.scale = plan.scale;
    slice.offset = job.payload_bytes;
    slice.size = plan.bytes;
    if (plan.bytes > UINT32_MAX - job.payload_bytes) {
      return Status(ErrorKind::kInvalidArgument,
                    "a chunk would pass 2^32 - 1 bytes: make chunk_rows less");
    }
    job.payload_bytes += plan.bytes;
    job.plans.push_back(std::move(plan));
  }
  job.is_planned = true;
  return {};
}

Status encode_chunk(std::size_t head, std::uint64_t offset, std::span<std::byte> buffer,
                    Output& output, ChunkJob& job) {
  RecordSink sink(output, offset, head, buffer);
  for (std::size_t i = 0; i < job.sources.size(); ++i) {
    const Codec& codec = codec_of(job.slices[i].compression);
    const Status encoded = codec.encode(job.sources[i], job.plans[i], sink);
    if (!encoded.ok()) {
      job.column = i;
      job.refused = std::move(sink.refused);
      return encoded;
    }
  }
  job.overflows = sink.overflows;
  job.underflows = sink.underflows;
  job.lost = sink.lost;
  return sink.finish(job.payload_bytes);
}

Status write_record(std::size_t head, std::uint64_t offset, std::span<const std::byte> payload,
                    Output& output) {
  std::byte bytes[8];
  put_head(bytes, payload.size(), crc32(payload, 0));
  NUMPACT_TRY(output.write_at(offset, {bytes, head}));
  return output.write_at(offset + head, payload);
}

}  // namespace numpact::cvc::internal
