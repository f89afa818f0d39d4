// SPDX-License-Identifier: Apache-2.0
// Compresses a column of prices and gets it back.
#include <cstddef>
#include <iostream>
#include <random>
#include <vector>

#include "numpact/pco.hpp"

int main() {
  std::mt19937 random(1);
  std::vector<double> prices;
  for (int i = 0, cents = 5000; i < 100'000; ++i) {
    cents += static_cast<int>(random() % 21) - 10;
    prices.push_back(cents / 100.0);
  }

  const std::vector<std::byte> file = numpact::compress(prices).value();
  const std::vector<double> again = numpact::decompress<double>(file).value();

  std::cout << prices.size() * sizeof(double) << " bytes became " << file.size() << '\n';
  return again == prices ? 0 : 1;
}
