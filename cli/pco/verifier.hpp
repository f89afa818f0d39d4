// SPDX-License-Identifier: Apache-2.0
// Verifies while a file is written that it decodes to the original numbers.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "numpact/stream.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {

// Decodes the written bytes on its own thread.
class Verifier {
 public:
  explicit Verifier(NumberType type);
  ~Verifier();
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  // Adds numbers that go into the encoder.
  void expect(const NumberView& numbers);
  // Adds bytes that come out of the encoder. Blocks while too many bytes are pending.
  void feed(std::span<const std::byte> bytes);
  // To be called after the last byte. Throws Failure if the file does not decode to the expected
  // numbers.
  void finish(const std::string& place);

 private:
  class Source;
  void decode();
  void stop();

  NumberType type_;
  std::uint32_t expected_ = 0;  // checksum of the numbers
  std::uint64_t expected_count_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<std::byte>> blocks_;
  std::size_t waiting_bytes_ = 0;
  bool ended_ = false;    // no more blocks will come
  bool stopped_ = false;  // the decoder takes no more blocks

  Status status_;
  std::uint32_t decoded_ = 0;
  std::uint64_t decoded_count_ = 0;
  std::thread thread_;
};

}  // namespace numpact::cli
