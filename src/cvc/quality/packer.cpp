// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/packer.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "numpact/cvc/reader.hpp"
#include "numpact/cvc/writer.hpp"

namespace numpact::cvc::quality {
namespace {

std::uint64_t digits_of(std::uint64_t number) { return std::to_string(number).size(); }

void check(const Status& status, const std::string& place) {
  if (!status.ok()) throw Failed(status.kind(), place, status.message());
}

class Packer final : public Decoded {
 public:
  Packer(Compression compression, std::uint64_t dimension, Rounding rounding) {
    config_.compression = compression;
    config_.rounding = rounding;
    config_.dimension = dimension;
    pack(nullptr);
    empty_header_ = reader_->info().header_bytes;
  }

  void begin(const Rows& chunk) override {
    config_.chunk_rows = chunk.count;
    pack(&chunk);
    rows_ += chunk.count;
    ++chunks_;
    const std::uint64_t header = reader_->info().header_bytes;
    // Adds the header bytes that describe the chunk.
    chunk_headers_ += header - empty_header_ - (digits_of(chunk.count) - 1);
    records_ += file_.size() - header;
  }

  void read(const RowRange& rows, std::span<float> out) override {
    const MutableRows to(Dtype::kFloat32, out.data(), rows.count, *config_.dimension);
    const Target target{to, 0};
    check(reader_->read({&rows, 1}, {&target, 1}).status(), place());
  }

  std::uint64_t finish() override {
    const std::uint64_t commas = chunks_ == 0 ? 0 : chunks_ - 1;
    return empty_header_ + chunk_headers_ + commas + (digits_of(rows_) - 1) + records_;
  }

 private:
  std::string place() const { return std::string(name_of(config_.compression)); }

  void require(const Status& status) const {
    if (status.kind() == ErrorKind::kInvalidArgument || status.kind() == ErrorKind::kTypeMismatch) {
      throw Unfit(status.message());
    }
    check(status, place());
  }

  void pack(const Rows* chunk) {
    reader_.reset();
    Result<Writer> writer = Writer::create(file_, config_);
    require(writer.status());
    if (chunk != nullptr) require(writer->append(*chunk));
    require(writer->finish().status());
    Result<Reader> reader = Reader::create(file_);
    check(reader.status(), place());
    reader_ = std::move(*reader);
  }

  WriteConfig config_;
  std::vector<std::byte> file_;
  std::optional<Reader> reader_;
  std::uint64_t empty_header_ = 0;
  std::uint64_t chunk_headers_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t chunks_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<Decoded> pack_in_memory(Compression compression, std::uint64_t dimension,
                                        Rounding rounding) {
  return std::make_unique<Packer>(compression, dimension, rounding);
}

}  // namespace numpact::cvc::quality
