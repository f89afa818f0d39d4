// SPDX-License-Identifier: Apache-2.0
// How a storage engine uses the wrapped format: header, metadata and pages are stored apart, and
// one page is read without the others.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

#include "numpact/wrapped.hpp"

namespace {

// What the engine keeps of a column, wherever it likes.
struct StoredColumn {
  std::vector<std::byte> header;
  numpact::NumberType type = numpact::NumberType::kI32;
  std::vector<std::byte> meta;
  std::vector<std::vector<std::byte>> pages;
  std::vector<std::size_t> page_counts;  // Pco does not store them
};

StoredColumn store(std::span<const std::int32_t> numbers) {
  numpact::EncodeConfig config;
  config.paging = numpact::PagingSpec::equal_pages_up_to(1000);
  const auto encoder = numpact::wrapped::ChunkEncoder::create(numbers, config).value();
  StoredColumn column;
  column.header = numpact::wrapped::encode_file_header();
  column.meta = encoder.meta().value();
  for (std::size_t page = 0; page < encoder.page_count(); ++page) {
    column.pages.push_back(encoder.page(page).value());
    column.page_counts.push_back(encoder.page_n(page));
  }
  return column;
}

std::vector<std::int32_t> load_page(const StoredColumn& column, std::size_t page) {
  const auto version = numpact::wrapped::decode_file_header(column.header).value().version;
  const auto decoder =
      numpact::wrapped::ChunkDecoder::create(column.meta, column.type, version).value();
  std::vector<std::int32_t> numbers(column.page_counts[page]);
  decoder.decode_page(column.pages[page], numbers.size(), numbers).value();
  return numbers;
}

}  // namespace

int main() {
  std::vector<std::int32_t> numbers(10'000);
  std::iota(numbers.begin(), numbers.end(), -5000);

  const StoredColumn column = store(numbers);
  const std::vector<std::int32_t> page = load_page(column, 7);

  std::cout << "page 7 of " << column.pages.size() << ": " << page.size() << " numbers from "
            << page.front() << " in " << column.pages[7].size() << " bytes\n";
  const bool is_right = column.pages.size() == 10 && page.size() == 1000 &&
                        std::equal(page.begin(), page.end(), numbers.begin() + 7000);
  return is_right ? 0 : 1;
}
