// SPDX-License-Identifier: Apache-2.0
// More numbers than 32 bits count, and more bytes than 5 GiB, through a writer and a reader that
// run side by side; then chunks of vectors of 4 GiB. For `./dev big`: it takes minutes.
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "numpact/cvc.hpp"
#include "numpact/stream.hpp"

namespace numpact {
namespace {

constexpr std::uint64_t kNumbers = (std::uint64_t{1} << 32) + 1234567;
constexpr std::size_t kBlock = std::size_t{1} << 18;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "big: %s\n", what);
  std::exit(1);
}

// Bytes on their way, few at a time.
class Pipe final : public ByteSink, public ByteSource {
 public:
  Status write(std::span<const std::byte> bytes) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ < (std::size_t{8} << 20); });
    blocks_.emplace_back(bytes.begin(), bytes.end());
    waiting_ += bytes.size();
    total_ += bytes.size();
    changed_.notify_all();
    return {};
  }
  Result<std::size_t> read(std::span<std::byte> out) override {
    if (used_ == block_.size()) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !blocks_.empty() || has_ended_; });
      used_ = 0;
      block_.clear();
      if (!blocks_.empty()) {
        block_ = std::move(blocks_.front());
        blocks_.pop_front();
        waiting_ -= block_.size();
        changed_.notify_all();
      }
    }
    const std::size_t got = std::min(out.size(), block_.size() - used_);
    std::copy_n(block_.begin() + static_cast<std::ptrdiff_t>(used_), got, out.begin());
    used_ += got;
    return got;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }
  std::uint64_t total() const { return total_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<std::byte>> blocks_;
  std::vector<std::byte> block_;
  std::size_t used_ = 0;
  std::size_t waiting_ = 0;
  std::uint64_t total_ = 0;
  bool has_ended_ = false;
};

// Numbers that hardly compress, the same each time.
class Source {
 public:
  void fill(std::span<std::uint16_t> out) {
    for (std::uint16_t& number : out) {
      state_ ^= state_ << 13;
      state_ ^= state_ >> 7;
      state_ ^= state_ << 17;
      number = static_cast<std::uint16_t>(state_ >> 24);
    }
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

struct Digest {
  std::uint64_t state = 1;
  std::uint64_t count = 0;
  void add(std::span<const std::uint16_t> numbers) {
    for (const std::uint16_t number : numbers) state = (state ^ number) * 0x9e3779b97f4a7c15;
    count += numbers.size();
  }
};

long max_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

void stream() {
  Pipe pipe;
  Digest written;
  std::thread writer([&] {
    EncodeConfig config;
    config.level = 0;
    StreamWriter stream(pipe, NumberType::kU16, config);
    Source source;
    std::vector<std::uint16_t> block(kBlock);
    while (written.count < kNumbers) {
      const std::uint64_t left = kNumbers - written.count;
      const auto some = std::span(block).first(std::min<std::uint64_t>(left, kBlock));
      source.fill(some);
      throw_if_error(stream.write(std::span<const std::uint16_t>(some)));
      written.add(some);
    }
    throw_if_error(stream.finish());
    pipe.end();
  });
  StreamReader reader(pipe);
  Digest read;
  std::vector<std::uint16_t> block(kBlock);
  for (std::size_t count = kBlock; count > 0;) {
    count = reader.read(block).value();
    read.add(std::span(block).first(count));
  }
  writer.join();
  require(read.count == kNumbers && written.count == kNumbers, "numbers are missing");
  require(read.state == written.state, "other numbers came back");
  require(pipe.total() > (std::uint64_t{5} << 30), "fewer bytes than 5 GiB");
  require(reader.bytes_consumed() == pipe.total(), "the reader counts other bytes");
  std::printf("streamed %llu numbers, %llu bytes, most memory %ld MiB\n",
              static_cast<unsigned long long>(read.count),
              static_cast<unsigned long long>(pipe.total()), max_memory());
  require(max_memory() < 200, "memory is not bounded");
}

// Zeros that take no memory: the system has one page of them.
template <class T>
std::span<const T> zeros(std::uint64_t count) {
  void* const memory = ::mmap(nullptr, count * sizeof(T), PROT_READ,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(memory != MAP_FAILED, "no address space");
  return {static_cast<const T*>(memory), count};
}

void vectors() {
  constexpr std::uint64_t kDimension = 1024;
  constexpr std::uint64_t kRows = (std::uint64_t{1} << 32) / 2 / kDimension;  // 4 GiB as fp16
  const std::span<const Float16> values = zeros<Float16>(kRows * kDimension);
  cvc::WriteConfig config;
  config.chunk_rows = kRows;
  std::vector<std::byte> out;
  cvc::Writer writer = cvc::Writer::create(out, config).value();
  const Status refused = writer.append(cvc::Rows(values, kDimension));
  Status last = refused;
  if (last.ok()) last = writer.finish().status();
  require(!last.ok(), "a chunk of 4 GiB was written");
  std::printf("writer: %s\n", last.message().c_str());
  require(last.kind() == ErrorKind::kInvalidArgument || last.kind() == ErrorKind::kLimitExceeded,
          "another error");
  require(out.empty(), "something was written");

  // A header that claims it.
  const std::string text =
      "{\"num_vectors\": " + std::to_string(kRows) +
      ", \"dimension\": " + std::to_string(kDimension) +
      ", \"compression\": \"fp16\", \"chunks\": [{\"rows\": " + std::to_string(kRows) +
      ", \"compression\": \"fp16\"}]}";
  std::vector<std::byte> file(12 + text.size() + 64);
  const std::array<unsigned char, 8> start = {'C', 'V', 'C', 'F', 1, 0, 0, 0};
  std::memcpy(file.data(), start.data(), start.size());
  for (unsigned i = 0; i < 4; ++i) file[8 + i] = static_cast<std::byte>(text.size() >> (8 * i));
  std::memcpy(file.data() + 12, text.data(), text.size());
  const Status read = cvc::Reader::create(std::span<const std::byte>(file)).status();
  require(!read.ok(), "a chunk of 4 GiB was opened");
  std::printf("reader: %s\n", read.message().c_str());
  require(read.kind() == ErrorKind::kCorrupt || read.kind() == ErrorKind::kTruncated,
          "another error");
  std::printf("most memory %ld MiB\n", max_memory());
}

}  // namespace
}  // namespace numpact

int main() {
  numpact::stream();
  numpact::vectors();
  return 0;
}
