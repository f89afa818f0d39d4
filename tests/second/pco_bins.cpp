// SPDX-License-Identifier: Apache-2.0
// docs/format/pco.md, "Bins" and "tANS".
#include <bit>

#include "second/pco_parts.hpp"

namespace numpact::second {
namespace {

unsigned bits_of_offset_bits(unsigned bits) {
  return static_cast<unsigned>(std::bit_width(bits));  // 8: 4, 16: 5, 32: 6, 64: 7
}

void check_weights(const Variable& variable) {
  if (variable.bins.empty()) return;
  std::uint64_t sum = 0;
  for (const Bin& bin : variable.bins) sum += bin.weight;
  refuse_if(sum != std::uint64_t{1} << variable.ans_size_log, "weights do not add up");
}

std::vector<AnsState> make_table(const Variable& variable) {
  const std::size_t size = std::size_t{1} << variable.ans_size_log;
  std::size_t stride = 3 * size / 5;
  if (stride % 2 == 0) ++stride;
  std::vector<AnsState> table(size);
  std::size_t k = 0;
  for (std::size_t bin = 0; bin < variable.bins.size(); ++bin) {
    for (std::uint64_t i = 0; i < variable.bins[bin].weight; ++i, ++k) {
      table[stride * k % size].bin = bin;
    }
  }
  std::vector<std::uint64_t> x(variable.bins.size());
  for (std::size_t bin = 0; bin < x.size(); ++bin) x[bin] = variable.bins[bin].weight;
  for (AnsState& state : table) {
    const std::uint64_t own = x[state.bin]++;
    const auto floor_log = static_cast<unsigned>(std::bit_width(own) - 1);
    state.code_bits = variable.ans_size_log - floor_log;
    state.base = (own << state.code_bits) - size;
  }
  return table;
}

}  // namespace

void read_bins(BitReader& reader, Variable& variable) {
  variable.ans_size_log = static_cast<unsigned>(reader.read(4));
  refuse_if(variable.ans_size_log > 14, "ans_size_log over 14");
  const std::uint64_t count = reader.read(15);
  refuse_if(count > std::uint64_t{1} << variable.ans_size_log, "more bins than states");
  refuse_if(count < 2 && variable.ans_size_log > 0, "states without two bins");
  for (std::uint64_t i = 0; i < count; ++i) {
    Bin bin;
    bin.weight = reader.read(variable.ans_size_log) + 1;
    bin.lower = reader.read(variable.bits);
    bin.offset_bits = static_cast<unsigned>(reader.read(bits_of_offset_bits(variable.bits)));
    refuse_if(bin.offset_bits > variable.bits, "offset_bits over the width");
    variable.bins.push_back(bin);
  }
  check_weights(variable);
  if (count >= 2) variable.table = make_table(variable);
}

}  // namespace numpact::second
