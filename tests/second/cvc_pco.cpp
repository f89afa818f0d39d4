// SPDX-License-Identifier: Apache-2.0
// docs/format/cvc.md, "pco": a grid of wrapped chunks.
#include <algorithm>

#include "second/cvc_parts.hpp"
#include "second/pco_plain.hpp"

namespace numpact::second {
namespace {

constexpr std::size_t kHead = 16;

std::uint8_t type_of_dtype(const std::string& dtype) {
  if (dtype == "int32") return 3;
  if (dtype == "int64") return 4;
  return dtype == "int8" ? 11 : 10;
}

bool is_float_dtype(const std::string& dtype) {
  return dtype.empty() || dtype == "float32" || dtype == "float16";
}

struct Grid {
  std::uint8_t type = 0;
  Version version;
  std::uint64_t size_bytes = 0;
  std::uint64_t group = 0;
  std::uint64_t span = 0;
  std::uint64_t page = 0;
};

Grid read_grid(ByteSpan bytes, const Encoding& encoding) {
  Grid grid;
  grid.type = static_cast<std::uint8_t>(integer_at(bytes, 0, 1));
  grid.version.major = static_cast<unsigned>(integer_at(bytes, 1, 1));
  grid.version.minor = static_cast<unsigned>(integer_at(bytes, 2, 1));
  grid.size_bytes = integer_at(bytes, 3, 1);
  grid.group = integer_at(bytes, 4, 4);
  grid.span = integer_at(bytes, 8, 4);
  grid.page = integer_at(bytes, 12, 4);
  const bool fits = is_float_dtype(encoding.dtype) ? grid.type == 5 || grid.type == 9
                                                   : grid.type == type_of_dtype(encoding.dtype);
  refuse_if(!fits, "pco: a number type that does not fit");
  refuse_if(grid.version.major != 4, "pco: another version");
  refuse_if(grid.size_bytes < 1 || grid.size_bytes > 4, "pco: sizes of the index");
  refuse_if(grid.group == 0 || grid.span == 0 || grid.page == 0, "pco: an empty grid");
  refuse_if(grid.span % grid.page != 0, "pco: spans are not of whole pages");
  refuse_if(grid.group * grid.span > std::uint64_t{1} << 24, "pco: chunks of over 2^24 numbers");
  return grid;
}

class GridReader {
 public:
  GridReader(ByteSpan bytes, const Encoding& encoding)
      : bytes_(bytes), encoding_(encoding), grid_(read_grid(bytes, encoding)) {}

  PlainSlice read() {
    const bool is_float = is_float_dtype(encoding_.dtype);
    PlainSlice slice{encoding_.rows, is_float ? "float32" : encoding_.dtype, {}};
    const std::uint64_t n = checked_product(encoding_.rows, encoding_.dimension);
    if (n == 0) {
      refuse_if(bytes_.size() != kHead, "pco: bytes behind the head of no values");
      return slice;
    }
    find_data();
    value_bytes_ = is_float ? 4 : size_of_dtype(encoding_.dtype);
    slice.values.resize(n * value_bytes_);
    for (std::uint64_t first = 0; first < encoding_.dimension; first += grid_.group) {
      const std::uint64_t width = std::min(grid_.group, encoding_.dimension - first);
      for (std::uint64_t row = 0; row < encoding_.rows; row += grid_.span) {
        read_chunk(first, width, row, slice.values);
      }
    }
    return slice;
  }

 private:
  void find_data() {
    const std::uint64_t groups = ceil_of(encoding_.dimension, grid_.group);
    const std::uint64_t parts =
        checked_sum(ceil_of(encoding_.rows, grid_.span), ceil_of(encoding_.rows, grid_.page));
    const std::uint64_t count = checked_product(groups, parts);
    const std::uint64_t index_bytes = checked_product(count, grid_.size_bytes);
    refuse_if(index_bytes > bytes_.size() - kHead, "pco: the index passes the payload");
    data_at_ = kHead + index_bytes;
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      sum = checked_sum(sum, integer_at(bytes_, kHead + i * grid_.size_bytes, grid_.size_bytes));
    }
    refuse_if(sum != bytes_.size() - data_at_, "pco: the index does not add up to the payload");
  }

  ByteSpan next_part() {
    const std::uint64_t size = integer_at(bytes_, index_at_, grid_.size_bytes);
    index_at_ += grid_.size_bytes;
    const ByteSpan part = bytes_.subspan(data_at_, size);
    data_at_ += size;
    return part;
  }

  void read_chunk(std::uint64_t first, std::uint64_t width, std::uint64_t row,
                  std::vector<std::byte>& values) {
    const ByteSpan meta = next_part();
    const Chunk chunk = read_chunk_meta(meta, grid_.version, grid_.type);
    refuse_if(chunk.meta_bytes != meta.size(), "pco: metadata not as long as the index says");
    const std::uint64_t end = std::min(row + grid_.span, encoding_.rows);
    for (; row < end; row += grid_.page) {
      const std::uint64_t rows = std::min(grid_.page, end - row);
      const ByteSpan page = next_part();
      std::size_t used = 0;
      const std::vector<std::uint64_t> numbers = read_page(page, chunk, rows * width, used);
      refuse_if(used != page.size(), "pco: a page not as long as the index says");
      for (std::uint64_t i = 0; i < numbers.size(); ++i) {
        put(values, (row + i / width) * encoding_.dimension + first + i % width, numbers[i]);
      }
    }
  }

  void put(std::vector<std::byte>& values, std::uint64_t at, std::uint64_t number) const {
    const bool half = grid_.type == 9;
    const std::uint64_t value = half ? widened_half(static_cast<std::uint32_t>(number)) : number;
    for (std::size_t i = 0; i < value_bytes_; ++i) {
      values[at * value_bytes_ + i] = static_cast<std::byte>(value >> 8 * i);
    }
  }

  ByteSpan bytes_;
  const Encoding& encoding_;
  Grid grid_;
  std::size_t value_bytes_ = 0;
  std::size_t index_at_ = kHead;
  std::size_t data_at_ = 0;
};

}  // namespace

PlainSlice decode_pco_grid(ByteSpan bytes, const Encoding& encoding) {
  return GridReader(bytes, encoding).read();
}

}  // namespace numpact::second
