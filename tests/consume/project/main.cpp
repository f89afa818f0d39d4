// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

#include <numpact/numpact.hpp>

int main() {
  std::vector<double> numbers;
  for (int i = 0; i < 10000; ++i) numbers.push_back(0.01 * (i % 700));

  const std::vector<std::byte> bytes = numpact::compress(std::span<const double>(numbers)).value();
  const std::vector<double> back = numpact::decompress<double>(bytes).value();

  std::printf("%zu numbers in %zu bytes\n", back.size(), bytes.size());

  std::vector<std::byte> vectors;
  numpact::cvc::Writer writer = numpact::cvc::Writer::create(vectors, {}).value();
  throw_if_error(writer.append(numpact::cvc::Rows(std::span<const double>(numbers), 100)));
  writer.finish().value();
  if (numpact::cvc::Reader::create(vectors).value().read_all().value().size() != numbers.size())
    return 1;

  return back == numbers && bytes.size() < numbers.size() * sizeof(double) ? 0 : 1;
}
