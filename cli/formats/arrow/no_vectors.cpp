// SPDX-License-Identifier: Apache-2.0
// In place of vector_file.cpp in a build without CVC: lists stay Arrow, and files of vectors are
// refused.
#include "failure.hpp"
#include "formats/arrow/vector_file.hpp"

namespace numpact::cvc {
class CollectionWriter {};
class Reader {};
}  // namespace numpact::cvc

namespace numpact::cli {
namespace {

[[noreturn]] void refuse(const std::string& place) {
  fail(place, "is a file of vectors, which this program cannot read");
}

}  // namespace

class VectorFileReader::Source {};

bool can_be_vectors(const arrow::DataType&) { return false; }
bool has_nulls(const arrow::Array& lists) { return lists.null_count() > 0; }

VectorFileWriter::VectorFileWriter(const std::shared_ptr<arrow::Field>&, table::Vectors,
                                   std::string place) {
  refuse(place);
}
VectorFileWriter::~VectorFileWriter() = default;
void VectorFileWriter::write(const arrow::Array&) { refuse(place_); }
std::uint64_t VectorFileWriter::copy(const cvc::Reader&) { refuse(place_); }
const std::string& VectorFileWriter::finish() { refuse(place_); }

VectorFileReader::VectorFileReader(std::shared_ptr<arrow::io::RandomAccessFile>, std::uint64_t,
                                   std::string place) {
  refuse(place);
}
VectorFileReader::~VectorFileReader() = default;
VectorFileReader::VectorFileReader(VectorFileReader&&) noexcept = default;
VectorFileReader& VectorFileReader::operator=(VectorFileReader&&) noexcept = default;
std::uint64_t VectorFileReader::bytes_of(std::uint64_t) const { refuse(place_); }
std::shared_ptr<arrow::Array> VectorFileReader::read(std::uint64_t, std::uint64_t) const {
  refuse(place_);
}

}  // namespace numpact::cli
