// SPDX-License-Identifier: Apache-2.0
#include "support/fixtures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "support/half.hpp"

namespace numpact::testing {
namespace {

Numbers ints(std::size_t n, const auto& value) {
  std::vector<std::int32_t> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = value(static_cast<std::int32_t>(i));
  return from_values(numbers);
}

Numbers delta_float_mult() {
  std::vector<float> numbers(2000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  numbers[1337] += 1.001f;
  return from_values(numbers);
}

std::vector<std::uint16_t> half_sequence() {
  std::vector<std::uint16_t> halves(2000);
  float x = 0.1f;
  for (std::uint16_t& half : halves) {
    const float product = x * 77.7f;
    x = std::fmod(product + 0.1f, 2.0f);
    half = x < 1 ? half_bits(-1 - x) : half_bits(x);
  }
  return halves;
}

Numbers f16() {
  Numbers numbers = zeros(NumberType::kF16, 2000);
  const std::vector<std::uint16_t> halves = half_sequence();
  for (std::size_t i = 0; i < halves.size(); ++i) set_bits(numbers, i, halves[i]);
  return numbers;
}

Numbers float_quant() {
  std::vector<float> numbers;
  for (const std::uint16_t half : half_sequence()) {
    const float x = static_cast<float>(half_value(half));
    const std::uint32_t more = std::abs(x) < 1.1 ? 1 : 0;
    numbers.push_back(std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) + more));
  }
  return from_values(numbers);
}

template <class T>
Numbers repeated(const std::vector<T>& values, std::size_t times) {
  std::vector<T> numbers;
  for (std::size_t i = 0; i < times; ++i) {
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  return from_values(numbers);
}

Numbers conv1() {
  std::vector<std::int32_t> numbers;
  volatile float x1 = 0;  // volatile: rounds each operation, with any compiler
  volatile float x2 = 0;
  for (int i = 0; i < 2000; ++i) {
    volatile float x = 1.99f * x1;
    x = x - x2;
    x = x + static_cast<float>((47 * i) % 77 - 38);
    numbers.push_back(static_cast<std::int32_t>(x + 10000.0f));
    x2 = x1;
    x1 = x;
  }
  return from_values(numbers);
}

template <class T>
Numbers two_ranges(int a, int b, int c, int d) {
  std::vector<T> numbers;
  for (int i = a; i <= b; ++i) numbers.push_back(static_cast<T>(i));
  for (int i = c; i <= d; ++i) numbers.push_back(static_cast<T>(i));
  return from_values(numbers);
}

}  // namespace

const std::vector<std::string>& conformance_names() {
  static const std::vector<std::string> names = {"v0_0_0_classic",
                                                 "v0_0_0_delta_float_mult",
                                                 "v0_1_0_delta_int_mult",
                                                 kTypelessEmpty,
                                                 "v0_3_0_f16",
                                                 "v0_3_0_float_quant",
                                                 "v0_4_0_lookback_delta",
                                                 "v0_4_5_uniform_type",
                                                 "v0_4_8_minor_version",
                                                 "v1_0_0_conv1",
                                                 "v1_0_0_dict",
                                                 "v1_0_0_i8",
                                                 "v1_0_0_u8"};
  return names;
}

Numbers conformance_numbers(const std::string& name) {
  if (name == "v0_0_0_classic") {
    return ints(2000, [](std::int32_t i) { return i < 1000 ? i : i + 1000; });
  }
  if (name == "v0_0_0_delta_float_mult") return delta_float_mult();
  if (name == "v0_1_0_delta_int_mult") {
    return ints(2000, [](std::int32_t i) { return 1000 * i - (i == 1337 ? 1 : 0); });
  }
  if (name == "v0_3_0_f16") return f16();
  if (name == "v0_3_0_float_quant") return float_quant();
  if (name == "v0_4_0_lookback_delta") {
    return repeated<std::uint32_t>({1121827092, 729032807, 3968137854, 2875434067, 3775328080,
                                    431649926, 1048116090, 1906978350, 14752788, 1180462487},
                                   100);
  }
  if (name == "v0_4_5_uniform_type" || name == "v0_4_8_minor_version") {
    return from_values<std::uint32_t>({1, 2, 3, 4, 5});
  }
  if (name == "v1_0_0_conv1") return conv1();
  if (name == "v1_0_0_dict") {
    return repeated<std::uint64_t>({8924659283, 234897984367, 9827358920}, 1000);
  }
  if (name == "v1_0_0_i8") return two_ranges<std::int8_t>(-128, -64, 64, 127);
  if (name == "v1_0_0_u8") return two_ranges<std::uint8_t>(0, 64, 192, 255);
  throw std::invalid_argument(name);
}

Bytes read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot open " + path);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  Bytes bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string fixture_path(const std::string& name) {
  const bool is_unpacked = name.starts_with("made");
  return std::string(is_unpacked ? NUMPACT_UNPACKED : NUMPACT_FIXTURES) + "/pco/" + name;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(fixture_path(folder))) {
    if (entry.path().extension() == ".pco") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Numbers read_npy(const std::string& path) {
  const Bytes bytes = read_file(path);
  const auto at = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes.at(i)); };
  const std::size_t header_size = 10 + at(8) + 256 * at(9);
  const std::string header(reinterpret_cast<const char*>(bytes.data()) + 10, header_size - 10);
  const std::size_t descr = header.find("'descr': '") + 10;
  const char kind = header.at(descr + 1);
  const int size = std::stoi(header.substr(descr + 2));
  std::string name(1, kind);
  name += std::to_string(8 * size);
  Numbers numbers(number_type_of_name(name).value());
  Bytes& values = numbers.storage();
  values.assign(bytes.begin() + static_cast<std::ptrdiff_t>(header_size), bytes.end());
  swap_file_order(values, static_cast<std::size_t>(size));
  return numbers;
}

std::vector<Fixture> good_fixtures() {
  std::vector<Fixture> fixtures;
  for (const std::string& name : conformance_names()) {
    if (name == kTypelessEmpty) continue;
    fixtures.push_back({name, read_file(fixture_path(name + ".pco")), conformance_numbers(name)});
  }
  for (const std::string& stem : names_in("made")) {
    const std::string name = "made/" + stem;
    fixtures.push_back(
        {name, read_file(fixture_path(name + ".pco")), read_npy(fixture_path(name + ".npy"))});
  }
  return fixtures;
}

}  // namespace numpact::testing
