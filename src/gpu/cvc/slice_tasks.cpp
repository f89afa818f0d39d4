// SPDX-License-Identifier: Apache-2.0
#include "gpu/cvc/slice_tasks.hpp"
#include "base/internal.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cvc/compression/rotation.hpp"
#include "gpu/cvc/rotated.hpp"

namespace numpact::gpu {
namespace {

using cvc::Compression;
using cvc::Dtype;
using cvc::StoredPlane;
using cvc::StoredSlice;

constexpr std::uint64_t kAlignment = 16;  // bytes; the widest access of the kernel
// Bytes that each part of a slice may take in addition: skipped for alignment, or read behind
// codes.
constexpr std::uint64_t kMaxPartOverheadBytes = 48;

constexpr std::uint64_t aligned(std::uint64_t at) {
  return (at + kAlignment - 1) / kAlignment * kAlignment;
}

Form form_of(const StoredSlice& slice) {
  switch (slice.compression) {
    case Compression::kFp16:
      return Form::kHalf;
    case Compression::kBFloat16:
      return Form::kBFloat;
    case Compression::kInt8:
      return Form::kSteps;
    case Compression::kInt8Row:
      return Form::kRowSteps;
    case Compression::kInt8Dim:
      return Form::kDimSteps;
    case Compression::kInt4:
      return Form::kDimNibbles;
    case Compression::kLossless:
      return Form::kPlanes;
    case Compression::kRot1:
    case Compression::kRot2:
    case Compression::kRot3:
    case Compression::kRot4:
      return Form::kRotated;
    default:
      return slice.dtype == Dtype::kFloat16 ? Form::kHalf : Form::kFloat;
  }
}

// Bits of a code of kRotated.
unsigned rotated_bits(const StoredSlice& slice) {
  return static_cast<unsigned>(slice.compression) - static_cast<unsigned>(Compression::kRot1) + 1;
}

std::uint64_t row_bytes(Form form, const StoredSlice& slice) {
  if (form == Form::kPlanes) return 0;
  if (form == Form::kRotated) {
    return cvc::kScaleBytes + (slice.dimension * rotated_bits(slice) + 7) / 8;
  }
  return (slice.dimension * in_bits(form) + 7) / 8;
}

// Maximum bytes of the codes of one plane for `values` values.
std::uint64_t plane_bytes(const StoredPlane& plane, std::uint64_t values) {
  return (values * plane.width + 7) / 8 + 1;  // they may begin within a byte
}

// Bytes of the minima; the scales take the same. kRotated: bytes of the mean and the seed.
std::uint64_t range_bytes(Form form, std::uint64_t rows, std::uint64_t dimension) {
  if (form == Form::kRotated) return 4 * dimension + cvc::kSeedBytes;
  if (!has_ranges_of_rows_or_dims(form)) return 0;
  return 4 * (form == Form::kRowSteps ? rows : dimension);
}

// Number of values before the first one at which a vector can be stored.
std::uint32_t head_of(const OutputPlace& out, unsigned n, std::uint32_t values) {
  const std::uintptr_t size = n * out_bytes(out.type);
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(out.data) % size;
  const auto head = static_cast<std::uint32_t>((size - past) % size / out_bytes(out.type));
  return std::min(head, values);
}

// Whether all rows can be treated as one: no gaps in the output, no ranges of rows or dimensions.
bool is_one_row_task(Form form, const OutputPlace& out, std::uint64_t dimension) {
  if (form == Form::kRotated) return false;
  return out.stride == dimension && !has_ranges_of_rows_or_dims(form);
}

bool is_multiple(const void* at, std::uint64_t of) {
  return reinterpret_cast<std::uintptr_t>(at) % of == 0;
}

// Whether all vectors of the task are aligned in input, output and ranges.
bool has_vectors(const Task& task, const OutputPlace& out) {
  const unsigned n = vector_values(task.form, out.type);
  if (task.form != Form::kPlanes) {  // words of planes are always aligned
    const std::uint64_t head = std::uint64_t{task.head} * in_bits(task.form) / 8;
    if (!is_multiple(task.input + head, n * in_bits(task.form) / 8)) return false;
  }
  const bool has_ranges = has_ranges_of_rows_or_dims(task.form);
  // In a single row vectors follow the head, which aligns the output.
  if (task.dimension == task.values && !has_ranges) return true;
  if (task.head != 0 || task.dimension % n != 0 || out.stride % n != 0) return false;
  const unsigned range = task.form == Form::kRowSteps ? 4 : 16;
  return !has_ranges || (is_multiple(task.mins, range) && is_multiple(task.scales, range));
}

}  // namespace

bool has_tasks(const StoredSlice& slice) {
  if (slice.compression == Compression::kPco) return false;
  if (form_of(slice) == Form::kRotated) return slice.dimension <= kMaxRotatedDimension;
  return slice.compression != Compression::kNone || slice.dtype == Dtype::kFloat32 ||
         slice.dtype == Dtype::kFloat16;
}

std::uint64_t TaskList::max_buffer_bytes(const StoredSlice& slice, std::uint64_t rows) {
  const Form form = form_of(slice);
  std::uint64_t buffer_bytes =
      rows * row_bytes(form, slice) + kMaxPartOverheadBytes +
      2 * (range_bytes(form, rows, slice.dimension) + kMaxPartOverheadBytes);
  if (form == Form::kPlanes) {
    for (const StoredPlane& plane : slice.planes) {
      buffer_bytes += plane_bytes(plane, rows * slice.dimension) + kMaxPartOverheadBytes;
    }
  }
  return buffer_bytes;
}

std::uint64_t TaskList::rows_that_fit(const StoredSlice& slice, std::uint64_t buffer_bytes) {
  const std::uint64_t dimension = std::max<std::uint64_t>(1, slice.dimension);
  std::uint64_t max_rows = std::min<std::uint64_t>(slice.rows, kMaxTaskValues / dimension);
  if (max_buffer_bytes(slice, max_rows) <= buffer_bytes) return max_rows;
  std::uint64_t min_rows = 0;  // binary search: `min_rows` rows fit, `max_rows` rows do not
  while (max_rows - min_rows > 1) {
    const std::uint64_t middle = min_rows + (max_rows - min_rows) / 2;
    (max_buffer_bytes(slice, middle) <= buffer_bytes ? min_rows : max_rows) = middle;
  }
  return min_rows;
}

void TaskList::clear() {
  tasks_.clear();
  origins_.clear();
  first_block_.assign(1, 0);
  planes_.clear();
  may_be_corrupt_ = false;
  rotated_dimension_ = 0;
}

bool TaskList::takes(const StoredSlice& slice) const {
  return is_empty() || (form_of(slice) == Form::kRotated) == (rotated_dimension_ > 0);
}

void TaskList::add(const RowsOfSlice& rows, const OutputPlace& out, const std::byte* base,
                   std::uint64_t& used, std::vector<Copy>& copies) {
  const StoredSlice& slice = *rows.slice;
  const Form form = form_of(slice);
  const std::uint64_t values = rows.rows.count * slice.dimension;
  const auto put = [&](std::uint64_t from, std::uint64_t size, std::uint64_t shift) {
    const std::uint64_t to = aligned(used) + shift;
    copies.push_back(
        {slice.bytes.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(size)), to});
    used = to + size;
    return base + to;
  };
  Parts parts;
  if (form == Form::kPlanes) {
    for (std::size_t p = 0; p < cvc::kPlanes; ++p) {
      const StoredPlane& plane = slice.planes[p];
      const std::uint64_t bit = rows.rows.first * slice.dimension * plane.width;
      const std::uint64_t end = (bit + values * plane.width + 7) / 8;
      parts.planes.plane[p].words = put(plane.offset + bit / 8, end - bit / 8, 0);
      parts.planes.plane[p].first_bit = static_cast<std::uint32_t>(bit % 8);
      used += 8;
    }
  } else {
    const std::uint64_t row = row_bytes(form, slice);
    // Shift the input so that the same values are aligned in input and output.
    std::uint64_t shift = 0;
    if (is_one_row_task(form, out, slice.dimension)) {
      const unsigned n = vector_values(form, out.type);
      const std::uint64_t in = n * in_bits(form) / 8;
      shift = (in - head_of(out, n, n) * in_bits(form) / 8 % in) % in;
    }
    parts.codes = put(rows.rows.first * row, rows.rows.count * row, shift);
  }
  if (form == Form::kRotated) {
    parts.mins = put(slice.rows * row_bytes(form, slice), range_bytes(form, 0, slice.dimension), 0);
  }
  if (has_ranges_of_rows_or_dims(form)) {
    const bool by_row = form == Form::kRowSteps;
    const std::uint64_t mins = slice.rows * row_bytes(form, slice);
    const std::uint64_t size = range_bytes(form, rows.rows.count, slice.dimension);
    const std::uint64_t first = by_row ? 4 * rows.rows.first : 0;
    parts.mins = put(mins + first, size, 0);
    parts.scales = put(mins + range_bytes(form, slice.rows, slice.dimension) + first, size, 0);
  }
  add_task(rows, out, parts);
}

void TaskList::add_resident(const RowsOfSlice& rows, const OutputPlace& out,
                            const std::byte* data) {
  const StoredSlice& slice = *rows.slice;
  const Form form = form_of(slice);
  Parts parts;
  parts.codes = data + rows.rows.first * row_bytes(form, slice);
  if (form == Form::kPlanes) {
    for (std::size_t p = 0; p < cvc::kPlanes; ++p) {
      const StoredPlane& plane = slice.planes[p];
      const std::uint64_t bit = rows.rows.first * slice.dimension * plane.width;
      const std::byte* const at = data + plane.offset + bit / 8;
      const auto past = reinterpret_cast<std::uintptr_t>(at) % 4;
      parts.planes.plane[p].words = at - past;
      parts.planes.plane[p].first_bit = static_cast<std::uint32_t>(8 * past + bit % 8);
    }
  }
  if (form == Form::kRotated) parts.mins = data + slice.rows * row_bytes(form, slice);
  if (has_ranges_of_rows_or_dims(form)) {
    const std::uint64_t mins = slice.rows * row_bytes(form, slice);
    const std::uint64_t first = form == Form::kRowSteps ? 4 * rows.rows.first : 0;
    parts.mins = data + mins + first;
    parts.scales = parts.mins + range_bytes(form, slice.rows, slice.dimension);
  }
  add_task(rows, out, parts);
}

void TaskList::add_task(const RowsOfSlice& rows, const OutputPlace& out, const Parts& parts) {
  const StoredSlice& slice = *rows.slice;
  Task task;
  task.form = form_of(slice);
  task.values = static_cast<std::uint32_t>(rows.rows.count * slice.dimension);
  if (task.values == 0) return;
  const unsigned n = vector_values(task.form, out.type);
  const bool is_one_row = is_one_row_task(task.form, out, slice.dimension);
  task.dimension = is_one_row ? task.values : static_cast<std::uint32_t>(slice.dimension);
  task.row_bytes = static_cast<std::uint32_t>(row_bytes(task.form, slice));
  task.input = parts.codes;
  task.output = out.data;
  task.mins = parts.mins;
  task.scales = parts.scales;
  if (!is_one_row) task.by_dimension = divisor_of(task.dimension);
  task.stride = static_cast<std::uint32_t>(out.stride);
  task.min = slice.min;
  task.scale = slice.scale;
  task.head = head_of(out, n, task.values);
  if (task.form == Form::kPlanes) {
    task.planes = static_cast<std::uint32_t>(planes_.size());
    planes_.push_back(parts.planes);
    for (std::size_t p = 0; p < cvc::kPlanes; ++p) {
      const StoredPlane& plane = slice.planes[p];
      PlaneCodes& codes = planes_.back().plane[p];
      codes.width = static_cast<std::uint8_t>(plane.width);
      codes.entries = static_cast<std::uint16_t>(plane.entries);
      codes.is_plain = plane.is_plain ? 1 : 0;
      std::memcpy(codes.dictionary, plane.dictionary.data(), sizeof codes.dictionary);
      may_be_corrupt_ = may_be_corrupt_ || plane.may_be_corrupt();
    }
  }
  if (task.form == Form::kRotated) {
    task.rows = static_cast<std::uint32_t>(rows.rows.count);
    task.bits = static_cast<std::uint8_t>(rotated_bits(slice));
    task.part = std::bit_floor(task.dimension);
    task.scale = cvc::rotation_factor(task.part);
    rotated_dimension_ = std::max(rotated_dimension_, task.dimension);
    push(task, rows, (task.rows + kRotatedRows - 1) / kRotatedRows);
    return;
  }
  task.path = has_vectors(task, out) ? Path::kVector : Path::kScalar;
  if (task.path == Path::kScalar) task.head = 0;
  const std::uint32_t steps =
      task.path == Path::kVector ? (task.values - task.head) / n : task.values;
  push(task, rows, std::max(1u, (steps + kBlockSteps - 1) / kBlockSteps));
}

void TaskList::push(const Task& task, const RowsOfSlice& rows, std::uint32_t blocks) {
  tasks_.push_back(task);
  origins_.push_back({rows.chunk, rows.slice->offset});
  first_block_.push_back(first_block_.back() + blocks);
}

std::uint64_t TaskList::table_bytes() const {
  return aligned(tasks_.size() * sizeof(Task)) + aligned(planes_.size() * sizeof(Planes)) +
         aligned(first_block_.size() * sizeof(std::uint32_t));
}

std::uint64_t TaskList::next_table_bytes() const {
  return table_bytes() + sizeof(Task) + sizeof(Planes) + 3 * kAlignment;
}

Status TaskList::corrupt(std::uint32_t task) const {
  return Status(ErrorKind::kCorrupt, "lossless: a code is past its dictionary",
                origins_[task].offset)
      .at_chunk(origins_[task].chunk);
}

void TaskList::write_table(std::byte* to) const {
  const auto put = [&to](const auto& items) {
    const std::size_t size = items.size() * sizeof(items[0]);
    if (size > 0) std::memcpy(to, items.data(), size);
    to += aligned(size);
  };
  put(tasks_);
  put(planes_);
  put(first_block_);
}

TaskTable TaskList::table_at(const std::byte* device) const {
  TaskTable table;
  table.tasks = reinterpret_cast<const Task*>(device);
  device += aligned(tasks_.size() * sizeof(Task));
  table.planes = reinterpret_cast<const Planes*>(device);
  device += aligned(planes_.size() * sizeof(Planes));
  table.first_block = reinterpret_cast<const std::uint32_t*>(device);
  table.count = static_cast<std::uint32_t>(tasks_.size());
  table.typical_blocks = tasks_.empty() ? 1 : first_block_[1];
  table.rotated_dimension = rotated_dimension_;
  return table;
}

}  // namespace numpact::gpu
