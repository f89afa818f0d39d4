// SPDX-License-Identifier: Apache-2.0
#include "cvc/cvc_files.hpp"
#include "base/internal.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "support/fixtures.hpp"

namespace numpact::testing {
namespace {

// Where the build has unpacked the archives of tests/fixtures/cvc.
constexpr const char kFolder[] = NUMPACT_UNPACKED "/cvc/";

std::string between(const std::string& text, const std::string& before, char after) {
  const std::size_t begin = text.find(before) + before.size();
  return text.substr(begin, text.find(after, begin) - begin);
}

bool is_nan(ByteSpan bytes, cvc::Dtype dtype) {
  if (dtype == cvc::Dtype::kFloat32) {
    float value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return std::isnan(value);
  }
  return false;
}

}  // namespace

cvc::Dtype Array::dtype() const {
  const std::string kind = descr.substr(1);
  if (kind == "f4") return cvc::Dtype::kFloat32;
  if (kind == "f2" || kind == "u2") return cvc::Dtype::kFloat16;
  if (kind == "f8") return cvc::Dtype::kFloat64;
  if (kind == "i4") return cvc::Dtype::kInt32;
  if (kind == "i8") return cvc::Dtype::kInt64;
  if (kind == "i1") return cvc::Dtype::kInt8;
  if (kind == "u1") return cvc::Dtype::kUInt8;
  throw std::runtime_error("unexpected type " + descr);
}

void Array::to_int32() {
  if (descr != "<f4") return;
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    float value;
    std::memcpy(&value, bytes.data() + i, sizeof value);
    const auto whole = static_cast<std::int32_t>(value);
    std::memcpy(bytes.data() + i, &whole, sizeof whole);
  }
  descr = "<i4";
}

std::string cvc_path(const std::string& name) { return kFolder + name; }
Bytes cvc_bytes(const std::string& name) { return read_file(cvc_path(name + ".cvc")); }

bool cvc_has_array(const std::string& name) {
  return std::filesystem::exists(kFolder + name + ".npy");
}

Array cvc_array(const std::string& name) {
  const Bytes file = read_file(kFolder + name + ".npy");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(file.at(i)); };
  const std::size_t start = byte(6) == 1 ? 10 : 12;
  const std::size_t size = byte(8) | byte(9) << 8;
  const std::string header(reinterpret_cast<const char*>(file.data()) + start, size);
  Array array;
  array.descr = between(header, "'descr': '", '\'');
  const std::string shape = between(header, "'shape': (", ')');
  for (std::size_t at = 0; at < shape.size();) {
    std::size_t used = 0;
    array.shape.push_back(std::stoull(shape.substr(at), &used));
    at = std::min(shape.find_first_of("0123456789", at + used), shape.size());
  }
  array.bytes.assign(file.begin() + static_cast<std::ptrdiff_t>(start + size), file.end());
  swap_file_order(array.bytes, cvc::size_of(array.dtype()));
  return array;
}

Array cvc_input(const std::string& name) {
  return cvc_array(cvc_has_array(name + ".input") ? name + ".input" : name);
}

std::vector<std::string> cvc_names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(cvc_path(folder))) {
    if (entry.path().extension() == ".cvc") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool has_json_header(const cvc::Info& info) {
  return info.header->find("NaN") == std::string::npos &&
         info.header->find("Infinity") == std::string::npos;
}

std::string column_array(const std::string& name, const cvc::Info& info, std::size_t column) {
  if (!info.is_columnar) return name;
  if (name == "v20_names") return name + ".col" + std::to_string(column);
  return name + "." + info.columns[column].name;
}

::testing::AssertionResult same_values(ByteSpan got, ByteSpan expected, cvc::Dtype dtype,
                                       bool any_nan) {
  if (got.size() != expected.size()) {
    return ::testing::AssertionFailure() << got.size() << " bytes, not " << expected.size();
  }
  const std::size_t size = cvc::size_of(dtype);
  for (std::size_t i = 0; i + size <= got.size(); i += size) {
    const ByteSpan a = got.subspan(i, size);
    const ByteSpan b = expected.subspan(i, size);
    if (same_bytes(a, b)) continue;
    if (any_nan && is_nan(a, dtype) && is_nan(b, dtype)) continue;
    return ::testing::AssertionFailure() << "value " << i / size << " differs";
  }
  return ::testing::AssertionSuccess();
}

Bytes read_column(const cvc::Reader& reader, std::size_t column, cvc::Dtype dtype,
                  const cvc::ReadConfig& config) {
  const std::uint64_t dimension = reader.info().columns[column].dimension;
  Bytes bytes(reader.rows() * dimension * cvc::size_of(dtype));
  const cvc::RowRange all{0, reader.rows()};
  const cvc::Target target{{dtype, bytes.data(), reader.rows(), dimension}, column};
  throw_if_error(reader.read({&all, 1}, {&target, 1}, config).status());
  return bytes;
}

}  // namespace numpact::testing
