// SPDX-License-Identifier: Apache-2.0
#include "pco/verifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "failure.hpp"
#include "formats/table.hpp"
#include "numpact/trailer.hpp"

namespace numpact::cli {
namespace {

constexpr std::size_t kMaxWaitingBytes = std::size_t{8} << 20;

}  // namespace

// Feeds the pending blocks to the decoder.
class Verifier::Source final : public ByteSource {
 public:
  explicit Source(Verifier& verifier) : verifier_(verifier) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    if (used_ == block_.size()) {
      std::unique_lock lock(verifier_.mutex_);
      verifier_.changed_.wait(lock, [&] { return !verifier_.blocks_.empty() || verifier_.ended_; });
      used_ = 0;
      block_.clear();
      if (!verifier_.blocks_.empty()) {
        block_ = std::move(verifier_.blocks_.front());
        verifier_.blocks_.pop_front();
        verifier_.waiting_bytes_ -= block_.size();
        verifier_.changed_.notify_all();
      }
    }
    const std::size_t got = std::min(out.size(), block_.size() - used_);
    if (got > 0) std::memcpy(out.data(), block_.data() + used_, got);
    used_ += got;
    return got;
  }

 private:
  Verifier& verifier_;
  std::vector<std::byte> block_;
  std::size_t used_ = 0;
};

Verifier::Verifier(NumberType type) : type_(type), thread_([this] { decode(); }) {}

Verifier::~Verifier() { stop(); }

void Verifier::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Verifier::expect(const NumberView& numbers) {
  expected_ = checksum_of(bytes_of(numbers), expected_);
  expected_count_ += numbers.count;
}

void Verifier::feed(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_bytes_ < kMaxWaitingBytes || stopped_; });
  if (stopped_) return;
  blocks_.emplace_back(bytes.begin(), bytes.end());
  waiting_bytes_ += bytes.size();
  changed_.notify_all();
}

void Verifier::decode() {
  try {
    Source source(*this);
    StreamReader reader(source);
    // Not zero-filled, so that small files do not pay for memory that they do not use.
    const auto numbers = std::make_unique_for_overwrite<std::uint64_t[]>(
        kBlockNumbers * size_of(type_) / sizeof(std::uint64_t));
    std::size_t count = kBlockNumbers;
    while (status_.ok() && count > 0) {
      status_ = reader.read(MutableNumberView(type_, numbers.get(), kBlockNumbers)).into(count);
      if (!status_.ok()) break;
      decoded_ = checksum_of(bytes_of(NumberView(type_, numbers.get(), count)), decoded_);
      decoded_count_ += count;
    }
    TrailerState state = TrailerState::kNone;
    if (status_.ok()) status_ = reader.check_trailer().into(state);
    if (state == TrailerState::kDamaged || state == TrailerState::kUnrecognised) {
      status_ = Status(ErrorKind::kCorrupt, "the trailer is damaged");
    }
  } catch (const std::bad_alloc&) {
    status_ = Status(ErrorKind::kOutOfMemory, "verifying needs more memory");
  }
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  blocks_.clear();
  changed_.notify_all();
}

void Verifier::finish(const std::string& place) {
  stop();
  if (status_.kind() == ErrorKind::kOutOfMemory) check(status_, place);
  if (!status_.ok()) {
    fail(place, "what was written does not decode: " + message_of(status_));
  }
  if (decoded_count_ != expected_count_ || decoded_ != expected_) {
    fail(place, "what was written decodes to other numbers ({} of {})", decoded_count_,
         expected_count_);
  }
}

}  // namespace numpact::cli
