// SPDX-License-Identifier: Apache-2.0
// Times a column through numpact and through zstd.
#ifndef NUMPACT_CLI_BENCH_MEASURE_HPP
#define NUMPACT_CLI_BENCH_MEASURE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {

struct Timing {
  std::uint64_t bytes = 0;  // compressed
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
  Bench(const EncodeConfig& config, int rounds);
  ~Bench();

  PcoTiming measure_pco(const NumberView& numbers);
  // zstd, level 3, on the bytes of the numbers.
  Timing measure_zstd(const NumberView& numbers);

 private:
  struct Zstd;

  EncodeConfig config_;
  int rounds_;
  EncodeContext encode_context_;
  DecodeContext decode_context_;
  std::unique_ptr<Zstd> zstd_;
  std::vector<std::byte> packed_;
  std::vector<std::uint64_t> unpacked_;
};

}  // namespace numpact::cli

#endif
