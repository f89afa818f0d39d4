// SPDX-License-Identifier: Apache-2.0
// Writes columns of texts whose values repeat: the texts, and their places as numbers.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "table/reader/column_file.hpp"
#include "table/writer/state.hpp"

namespace numpact::table {

using internal::TextCodes;

namespace {

// Rows whose places are converted to the type of the column at once.
constexpr std::size_t kBlockRows = std::size_t{1} << 16;

NumberType type_for(std::size_t texts) {
  if (texts <= std::size_t{1} << 8) return NumberType::kU8;
  return texts <= std::size_t{1} << 16 ? NumberType::kU16 : NumberType::kU32;
}

template <class T>
void store(std::span<const std::uint32_t> codes, void* out) {
  auto* at = static_cast<std::byte*>(out);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto code = static_cast<T>(codes[i]);
    std::memcpy(at + i * sizeof(T), &code, sizeof(T));
  }
}

void store(std::span<const std::uint32_t> codes, NumberType type, void* out) {
  if (type == NumberType::kU8) return store<std::uint8_t>(codes, out);
  if (type == NumberType::kU16) return store<std::uint16_t>(codes, out);
  store<std::uint32_t>(codes, out);
}

bool is_in_order(const TextRows& rows) {
  return rows.begin <= (rows.ends.empty() ? rows.bytes.size() : rows.ends[0]) &&
         std::is_sorted(rows.ends.begin(), rows.ends.end()) &&
         (rows.ends.empty() || rows.ends.back() <= rows.bytes.size()) &&
         (rows.valid.empty() || rows.valid.size() == rows.ends.size());
}

}  // namespace

// A column of texts as it will be, but for its files.
Column* TableWriter::State::texts_column(std::size_t column) {
  if (column >= entries.size()) return nullptr;
  if (entries[column].numbers == nullptr) {
    return columns[column].coded ? &*columns[column].coded : nullptr;
  }
  const std::ptrdiff_t at = entries[column].numbers - plan.after.columns.data();
  Column& found = plan.after.columns[static_cast<std::size_t>(at)];
  return found.kind == Kind::kText ? &found : nullptr;
}

Status TableWriter::State::begin_texts(std::size_t column, const Column& like, Failure* failure) {
  if (column >= entries.size() || is_left(column) || columns[column].texts != nullptr) {
    return refuse(failure, column, "is no column that can get texts");
  }
  State::Written& to = columns[column];
  const ColumnPlan& planned = plan.columns[column];
  const bool is_other = entries[column].other != nullptr;
  if (is_other) {
    const bool is_free = to.other == nullptr && planned.kept == 0 && planned.others.empty();
    if (!is_free || like.kind != Kind::kText || like.text.size() != 1) {
      return refuse(failure, column, "is no column that can get texts");
    }
    to.coded.emplace();
    to.coded->name = entries[column].name();
    to.coded->kind = Kind::kText;
    to.coded->nullable = like.nullable || planned.null_rows > 0;
    to.coded->metadata = like.metadata;
    to.coded->text.push_back(like.text[0].without_file());
  }
  const Column* const described = texts_column(column);
  if (described == nullptr) return refuse(failure, column, "is no column of texts of the table");
  const TextFile& file = described->text.at(0);
  std::shared_ptr<const TextValues> before = std::make_shared<const TextValues>();
  if (!file.file.empty()) {
    Failure inside;
    std::unique_ptr<RangeSource> source;
    Status status = old->open(file.file, inside.text).into(source);
    if (status.ok()) {
      status = internal::read_texts(*source, file, DecodeConfig(), before);
    }
    if (!status.ok()) return fail(failure, status, file.file, described->name, inside.text);
  }
  to.texts = std::make_unique<TextCodes>(*before, is_bytes(file.type), is_other,
                                         file.index_type.has_value());
  return {};
}

// Checks what is added to a column of texts, which begins with its first ones. `valid`: of rows.
Status TableWriter::State::texts_to_add_to(std::size_t column, const TextRows& texts,
                                           std::span<const std::uint8_t> valid,
                                           const Column*& described, Failure* failure) {
  described = texts_column(column);
  if (described == nullptr) return refuse(failure, column, "is no column of texts of the table");
  if (columns[column].texts == nullptr) NUMPACT_TRY(begin_texts(column, *described, failure));
  State::Written& to = columns[column];
  if (to.has_failed) return refuse(failure, column, "an earlier write has failed");
  if (to.is_finished) return refuse(failure, column, "was finished already");
  if (!is_in_order(texts)) return refuse(failure, column, "has texts whose ends are not in order");
  const auto nulls = std::count(valid.begin(), valid.end(), std::uint8_t{0});
  if (nulls > 0 && !described->nullable && !is_new()) {
    return refuse(failure, column, std::to_string(nulls) + " nulls, but its field is not nullable");
  }
  return {};
}

// Another column that is not taken is written otherwise; a column of texts has no other way.
Status TableWriter::State::tell_added(std::size_t column, const Column& described,
                                      TextCodes::Added added, Failure* failure) const {
  if (added == TextCodes::Added::kAll || entries[column].other != nullptr) return {};
  const Status status = added == TextCodes::Added::kNotText
                            ? Status(ErrorKind::kInvalidArgument, "a text is not UTF-8")
                            : Status(ErrorKind::kLimitExceeded, "too many different texts");
  return fail(failure, status, "", described.name);
}

Status TableWriter::State::add_texts(std::size_t column, const TextRows& rows, bool& is_taken,
                                     Failure* failure) {
  const Column* described = nullptr;
  NUMPACT_TRY(texts_to_add_to(column, rows, rows.valid, described, failure));
  State::Written& to = columns[column];
  const TextCodes::Added added = to.texts->add(rows);
  is_taken = added == TextCodes::Added::kAll;
  if (is_taken) to.new_rows += rows.ends.size();
  return tell_added(column, *described, added, failure);
}

Status TableWriter::State::add_categories(std::size_t column, const TextRows& texts,
                                          std::span<const std::uint32_t> places,
                                          std::span<const std::uint8_t> valid, bool& is_taken,
                                          Failure* failure) {
  const Column* described = nullptr;
  NUMPACT_TRY(texts_to_add_to(column, texts, valid, described, failure));
  if (!described->text.at(0).index_type) return refuse(failure, column, "has no categories");
  if (!valid.empty() && valid.size() != places.size()) {
    return refuse(failure, column, "has not as many bytes for nulls as rows");
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < texts.ends.size() || (!valid.empty() && valid[i] == 0)) continue;
    return refuse(failure, column, "has a row whose place is none of the categories");
  }
  State::Written& to = columns[column];
  const TextCodes::Added added = to.texts->add_categories(texts, places, valid);
  is_taken = added == TextCodes::Added::kAll;
  if (is_taken) to.new_rows += places.size();
  return tell_added(column, *described, added, failure);
}

Status TableWriter::State::finish_texts(std::size_t column, bool& is_taken, Failure* failure) {
  is_taken = false;
  Column* const described = texts_column(column);
  if (described == nullptr) return refuse(failure, column, "is no column of texts of the table");
  if (columns[column].texts == nullptr) NUMPACT_TRY(begin_texts(column, *described, failure));
  State::Written& to = columns[column];
  if (to.has_failed) return refuse(failure, column, "an earlier write has failed");
  if (to.is_finished) return refuse(failure, column, "was finished already");
  if (entries[column].other != nullptr && !to.texts->repeat()) return {};
  is_taken = true;
  to.texts->sort();
  to.has_failed = true;
  NUMPACT_TRY(write_codes(column, *described, failure));
  NUMPACT_TRY(write_text_file(column, *described, failure));
  to.is_finished = true;
  to.has_failed = false;
  to.texts.reset();
  return {};
}

Status TableWriter::State::write_codes(std::size_t column, Column& described, Failure* failure) {
  State::Written& to = columns[column];
  ColumnPlan& planned = plan.columns[column];
  const NumberType type = type_for(to.texts->texts().size());
  // A column that comes new with an append has no file of texts yet.
  const bool has_old =
      entries[column].numbers != nullptr && !is_new() && !described.text.at(0).file.empty();
  if (entries[column].other != nullptr) {
    planned.file.resize(planned.file.rfind('.'));
    planned.file += ".pco";
    planned.null_file = null_file_name(planned.file);
  }
  if (!has_old) {
    described.type = type;
  } else if (size_of(type) > size_of(described.type)) {
    // All rows are written anew, as of any column that becomes wider.
    planned.copied_type = internal::value_type_of(described);
    described.type = type;
    planned.kept = 0;
    planned.numbers = described.all_parts();
  }
  const std::span<const std::uint32_t> codes = to.texts->codes();
  const std::span<const std::uint8_t> valid = to.texts->valid();
  to.expected_rows = codes.size();
  NUMPACT_TRY(begin(column, failure));
  Status status;
  std::vector<std::uint64_t> block;
  for (std::size_t first = 0; first < codes.size() && status.ok(); first += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, codes.size() - first);
    block.resize((count * size_of(described.type) + 7) / 8);
    store(codes.subspan(first, count), described.type, block.data());
    status = to.numbers->add(NumberView(described.type, block.data(), count),
                             valid.empty() ? valid : valid.subspan(first, count));
  }
  if (status.ok()) status = to.numbers->finish(to.number_part);
  return status.ok() ? status : fail(failure, status, planned.file, described.name);
}

// The texts that were there, and the new ones.
Status TableWriter::State::write_text_file(std::size_t column, const Column& described,
                                           Failure* failure) {
  State::Written& to = columns[column];
  to.text = described.text.at(0);
  if (!to.text->file.empty() && !to.texts->has_new_texts()) return {};
  const TextValues& texts = to.texts->texts();
  // Wider indices if these cannot number all.
  constexpr NumberType kSigned[] = {NumberType::kI16, NumberType::kI32, NumberType::kI64};
  constexpr NumberType kUnsigned[] = {NumberType::kU16, NumberType::kU32, NumberType::kU64};
  std::optional<NumberType>& index_type = to.text->index_type;
  for (const bool is_signed = index_type && kind_of(*index_type) == NumberKind::kSigned;
       const NumberType wider : is_signed ? kSigned : kUnsigned) {
    if (!index_type || max_categories(*index_type) >= texts.size()) break;
    if (size_of(wider) > size_of(*index_type)) index_type = wider;
  }
  to.text->file = text_file_name(plan.columns[column].file);
  to.text->count = texts.size();
  to.text_file = std::make_unique<NewFile>();
  const std::string bytes = texts.file();
  Status status = to.text_file->create(folder + "/" + to.text->file,
                                       plan.kind != WritePlan::Kind::kCreate, stays_open());
  if (status.ok()) status = to.text_file->write(std::as_bytes(std::span(bytes)));
  if (status.ok()) status = to.text_file->close();
  to.text->sum = to.text_file->sum();
  return status.ok() ? status : fail(failure, status, to.text->file, described.name);
}

Result<bool> TableWriter::add_texts(std::size_t column, const TextRows& rows,
                                    Failure* failure) noexcept {
  return internal::guarded_value<bool>(
      [&](bool& is_taken) { return state_->add_texts(column, rows, is_taken, failure); });
}

Result<bool> TableWriter::add_categories(std::size_t column, const TextRows& texts,
                                         std::span<const std::uint32_t> places,
                                         std::span<const std::uint8_t> valid,
                                         Failure* failure) noexcept {
  return internal::guarded_value<bool>([&](bool& is_taken) {
    return state_->add_categories(column, texts, places, valid, is_taken, failure);
  });
}

Status TableWriter::begin_texts(std::size_t column, const Column& like, Failure* failure) noexcept {
  return internal::guarded([&] { return state_->begin_texts(column, like, failure); });
}

Result<bool> TableWriter::finish_texts(std::size_t column, Failure* failure) noexcept {
  return internal::guarded_value<bool>(
      [&](bool& is_taken) { return state_->finish_texts(column, is_taken, failure); });
}

Result<TakenTexts> TableWriter::take_texts(std::size_t column, Failure* failure) noexcept {
  return internal::guarded_value<TakenTexts>([&](TakenTexts& made) -> Status {
    State& state = *state_;
    const bool is_other = column < state.entries.size() && state.entries[column].other != nullptr;
    if (!is_other || state.columns[column].texts == nullptr) {
      return state.refuse(failure, column, "has no texts that can be taken back");
    }
    const TextCodes& texts = *state.columns[column].texts;
    made.texts = texts.texts();
    made.codes.assign(texts.codes().begin(), texts.codes().end());
    made.valid.assign(texts.valid().begin(), texts.valid().end());
    state.columns[column] = {};
    return {};
  });
}

}  // namespace numpact::table
