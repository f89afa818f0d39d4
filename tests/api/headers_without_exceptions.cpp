// SPDX-License-Identifier: Apache-2.0
// The public headers compile without exceptions and RTTI, including the functions they define.
static_assert(
#ifdef __cpp_exceptions
    false
#else
    true
#endif
);

namespace {

[[maybe_unused]] std::size_t use(std::span<const std::byte> file, const std::string& path) {
  const std::vector<float> numbers(3);
  const std::vector<std::byte> packed = numpact::compress(numbers).value();
  std::size_t sum = numpact::decompress<float>(file).value().size();
  sum += numpact::decompress_any(file).value().as<float>().value().size();
  numpact::throw_if_error(numpact::append_to_file(path, numbers));
  const numpact::Result<numpact::FileReader> reader = numpact::FileReader::create(packed);
  if (reader) sum += (*reader).read<float>(0, 2).value().size() + reader.value().count();
  const numpact::cvc::Reader vectors = numpact::cvc::Reader::create(file).value();
  sum += vectors.read_all().value().size() + vectors.read_chunk(0).value().size();
  numpact::throw_if_error(numpact::Status());
  return sum;
}

}  // namespace
