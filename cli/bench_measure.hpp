// SPDX-License-Identifier: Apache-2.0
// Times a column through numpact and through general compressors.
#ifndef NUMPACT_CLI_BENCH_MEASURE_HPP
#define NUMPACT_CLI_BENCH_MEASURE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "byte_codecs.hpp"
#include "numpact/config.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {

struct Timing {
  std::uint64_t bytes = 0;  // compressed; 0 where nothing is compressed
  double compress_seconds = 0;
  double decompress_seconds = 0;
  bool exact = false;  // decoding gave the same bits
};

struct PcoTiming {
  Timing timing;
  std::string mode;
  std::string delta;
};

// Keeps contexts and memory from column to column. Every time is the best of `rounds` after one
// round that does not count.
class Bench {
 public:
  // threads: of numpact's; 0: one for each processor.
  Bench(const EncodeConfig& config, int rounds, unsigned threads);

  const std::vector<std::unique_ptr<ByteCodec>>& peers() const { return peers_; }

  PcoTiming measure_pco(const NumberView& numbers);
  // A peer on the bytes of the numbers. All zero where they are too many for it.
  Timing measure_peer(ByteCodec& peer, const NumberView& numbers);

 private:
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

#endif
