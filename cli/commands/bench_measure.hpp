// SPDX-License-Identifier: Apache-2.0
// Times a column through numpact and through general-purpose compressors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "commands/byte_codecs.hpp"
#include "numpact/config.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {

struct Timing {
  std::uint64_t bytes = 0;  // compressed size; 0 for a codec that only copies
  double compress_seconds = 0;
  double decompress_seconds = 0;
  bool exact = false;  // decoding returned the same bits
};

struct PcoTiming {
  Timing timing;
  std::string mode;
  std::string delta;
};

// Reuses contexts and buffers across columns. Each time is the best of `rounds` rounds after one
// warm-up round.
class Bench {
 public:
  // `threads`: number of threads for numpact; 0 means one for each processor.
  Bench(const EncodeConfig& config, int rounds, unsigned threads);

  const std::vector<std::unique_ptr<ByteCodec>>& peers() const { return peers_; }

  PcoTiming measure_pco(const NumberView& numbers) { return measure_pco(numbers, config_); }
  // Encodes at another level.
  PcoTiming measure_pco(const NumberView& numbers, unsigned level);
  // Runs a peer codec on the bytes of the numbers. Returns all zeros if the input is too large for
  // it.
  Timing measure_peer(ByteCodec& peer, const NumberView& numbers);

 private:
  PcoTiming measure_pco(const NumberView& numbers, const EncodeConfig& config);

  EncodeConfig config_;
  DecodeConfig decode_config_;
  int rounds_;
  EncodeContext encode_context_;
  DecodeContext decode_context_;
  std::vector<std::unique_ptr<ByteCodec>> peers_ = byte_codecs();
  std::vector<std::byte> packed_;
  std::vector<std::uint64_t> unpacked_;
};

}  // namespace numpact::cli
