// SPDX-License-Identifier: Apache-2.0
// Files and folders: what they hold, how calls fail, and names that systems find hard.
#include "platform/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "numpact/cvc.hpp"
#include "numpact/file_access.hpp"
#include "numpact/pco.hpp"
#include "numpact/stream.hpp"
#include "platform/environment.hpp"
#include "platform/file_tests.hpp"
#include "platform/folders.hpp"
#include "platform/mapped_files.hpp"
#include "platform/paths.hpp"
#include "platform/temporary.hpp"

namespace numpact::testing {
namespace {

using platform::Access;
using platform::FileInfo;
using platform::FileKind;

// Bytes that text mode would change: line ends, and the character that ends a text.
const std::string kHardText = "a\r\nb\nc\x1a\r\0d\n\n"s + std::string(3, '\r');

class Files : public FileTest {};

TEST_F(Files, AreOfBytes) {
  put("some", kHardText);
  EXPECT_EQ(get("some"), kHardText);
  FileInfo info;
  ASSERT_TRUE(platform::look_at(path("some"), info));
  EXPECT_TRUE(info.is_regular());
  EXPECT_EQ(info.bytes, kHardText.size());
}

TEST_F(Files, ReadingAtAnOffsetKeepsThePosition) {
  const int file = platform::create_file(path("f"), Access::kReadWrite, false);
  ASSERT_GE(file, 0);
  EXPECT_EQ(platform::write_some(file, bytes_of("0123456789")), 10);
  EXPECT_EQ(platform::write_some_at(file, 2, bytes_of("ab")), 2);
  EXPECT_EQ(platform::position_of(file), 10);
  EXPECT_EQ(platform::write_some(file, bytes_of("!")), 1);
  std::vector<std::byte> out(4);
  EXPECT_EQ(platform::read_some_at(file, 1, out), 4);
  EXPECT_EQ(text_of(out), "1ab4");
  EXPECT_EQ(platform::read_some_at(file, 11, out), 0);
  EXPECT_EQ(platform::read_some_at(file, 1000, out), 0);
  EXPECT_EQ(platform::position_of(file), 11);
  EXPECT_TRUE(platform::sync_file(file));
  EXPECT_TRUE(platform::resize_file(file, 3));
  EXPECT_TRUE(platform::close_file(file));
  EXPECT_EQ(get("f"), "01a");
  EXPECT_TRUE(platform::sync_file(path("f")));
}

TEST_F(Files, DuplicatesShareThePosition) {
  put("f", "abc");
  const int file = platform::open_file(path("f"), Access::kRead);
  const int copy = platform::duplicate(file);
  ASSERT_GE(copy, 0);
  std::vector<std::byte> out(2);
  EXPECT_EQ(platform::read_some(file, out), 2);
  platform::close_file(file);
  EXPECT_EQ(platform::read_some(copy, out), 1);
  EXPECT_EQ(out[0], std::byte{'c'});
  platform::close_file(copy);
}

TEST_F(Files, FailWithErrorNumbers) {
  put("f", "abc");
  ASSERT_TRUE(platform::make_folder(path("folder"), false));
  const auto expect_error = [](bool failed, int error) {
    const int got = errno;
    EXPECT_TRUE(failed);
    EXPECT_EQ(got, error);
  };
  FileInfo info;
  expect_error(!platform::look_at(path("none"), info), ENOENT);
  expect_error(platform::open_file(path("none"), Access::kRead) < 0, ENOENT);
  expect_error(platform::open_file(path("no/f"), Access::kRead) < 0, ENOENT);
  expect_error(platform::create_file(path("f"), Access::kWrite, false) < 0, EEXIST);
  expect_error(platform::create_file(path("no/f"), Access::kWrite, false) < 0, ENOENT);
  expect_error(!platform::make_folder(path("folder"), false), EEXIST);
  expect_error(!platform::remove_file(path("none")), ENOENT);
  expect_error(platform::open_folder(path("f")) < 0, ENOTDIR);
  expect_error(platform::open_folder(path("none")) < 0, ENOENT);
  expect_error(!platform::look_at(-1, info), EBADF);
  put("folder/inside", "x");
  EXPECT_FALSE(platform::remove_folder(path("folder")));
  EXPECT_LT(platform::open_file(path("folder"), Access::kWrite), 0);
  const int folder = platform::open_file(path("folder"), Access::kRead);
  ASSERT_GE(folder, 0);  // so that an error can say what it is
  EXPECT_TRUE(platform::look_at(folder, info) && info.is_folder());
  platform::close_file(folder);
}

TEST_F(Files, AreTheSameOrNot) {
  put("a", "x");
  put("b", "x");
  FileInfo a;
  FileInfo again;
  FileInfo b;
  ASSERT_TRUE(platform::look_at(path("a"), a) && platform::look_at(path("b"), b));
  const int file = platform::open_file(path("a"), Access::kRead);
  ASSERT_TRUE(platform::look_at(file, again));
  platform::close_file(file);
  EXPECT_TRUE(a.is_same_file(again));
  EXPECT_FALSE(a.is_same_file(b));
}

TEST_F(Files, FoldersAreListedAndRemoved) {
  ASSERT_TRUE(platform::make_folder(path("in"), false));
  ASSERT_TRUE(platform::make_folder(path("in/deep"), false));
  put("in/f", "x");
  put("in/deep/g", "x");
  std::vector<platform::FolderEntry> entries;
  ASSERT_TRUE(platform::list_folder(path("in"), entries));
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "deep");
  EXPECT_EQ(entries[0].kind, FileKind::kFolder);
  EXPECT_EQ(entries[1].name, "f");
  EXPECT_EQ(entries[1].kind, FileKind::kRegular);
  const int folder = platform::open_folder(path("in"));
  ASSERT_GE(folder, 0);
  FileInfo info;
  EXPECT_TRUE(platform::look_in(folder, "f", info) && info.is_regular());
  EXPECT_TRUE(platform::look_in(folder, "deep", info) && info.is_folder());
  EXPECT_FALSE(platform::look_in(folder, "none", info));
  const int file = platform::open_in(folder, "f");
  ASSERT_GE(file, 0);
  std::vector<std::byte> out(3);
  EXPECT_EQ(platform::read_some(file, out), 1);
  platform::close_file(file);
  platform::close_file(folder);
  platform::remove_all(path("in"));
  EXPECT_FALSE(platform::look_at(path("in"), info));
  EXPECT_FALSE(platform::list_folder(path("in"), entries));
}

TEST_F(Files, WithoutANameVanish) {
  std::string name;
  const int file = platform::open_unnamed_file(name);
  ASSERT_GE(file, 0) << name;
  EXPECT_EQ(platform::write_some_at(file, 5, bytes_of("abc")), 3);
  std::vector<std::byte> out(3);
  EXPECT_EQ(platform::read_some_at(file, 5, out), 3);
  EXPECT_EQ(text_of(out), "abc");
  platform::close_file(file);
  FileInfo info;
  EXPECT_FALSE(platform::look_at(name, info));
}

TEST_F(Files, AreMapped) {
  const std::string text = some_text(300000);
  put("f", text);
  const int file = platform::open_file(path("f"), Access::kRead);
  const std::byte* const map = platform::map_file(file, text.size());
  platform::close_file(file);
  ASSERT_NE(map, nullptr);
  const std::span<const std::byte> bytes(map, text.size());
  EXPECT_EQ(text_of(bytes), text);
  platform::release_pages(bytes);
  EXPECT_EQ(text_of(bytes), text);
  platform::unmap_file(bytes);
}

// Longer than Windows takes without a mark (260 characters), in several alphabets.
TEST_F(Files, LongAndUnicodePaths) {
  std::string folder = path("");
  folder.pop_back();
  for (int i = 0; i < 8; ++i) {
    folder += "/" + std::to_string(i) + "_числа_数字_Zahlen_für_😀_" + std::string(20, 'x');
    ASSERT_TRUE(platform::make_folder(folder, false)) << folder;
  }
  ASSERT_GT(folder.size(), 400u);
  const std::string file = folder + "/größe.pco";
  const std::vector<std::int64_t> numbers(1000, 7);
  const Bytes packed = compress(std::span(numbers)).value();
  const int made = platform::create_file(file, Access::kWrite, false);
  ASSERT_GE(made, 0) << errno;
  EXPECT_EQ(platform::write_some(made, packed), static_cast<std::int64_t>(packed.size()));
  platform::close_file(made);
  ASSERT_OK(append_to_file(file, NumberView(std::span(numbers))));
  ASSERT_OK(append_in_place(file, NumberView(std::span(numbers))));
  EXPECT_EQ(decompress<std::int64_t>(MappedFile::open(file).value().bytes()).value().size(), 3000u);
  FileRangeSource source = FileRangeSource::open(file).value();
  EXPECT_GT(source.size(), packed.size());

  const std::vector<float> row = {1, 2, 3};
  const std::string vectors = folder + "/向量.cvc";
  cvc::Writer writer = cvc::Writer::create(vectors, {}).value();
  ASSERT_OK(writer.append(cvc::Rows(std::span(row), 3)));
  ASSERT_OK(writer.finish().status());
  EXPECT_EQ(cvc::Reader::open(vectors).value().rows(), 1u);

  std::string target;
  ASSERT_TRUE(platform::follow_links(file, target));
  FileInfo info;
  EXPECT_TRUE(platform::look_at(target, info)) << target;
  std::vector<platform::FolderEntry> entries;
  ASSERT_TRUE(platform::list_folder(folder, entries));
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_TRUE(entries[0].name == "größe.pco" || entries[1].name == "größe.pco");
}

TEST(Paths, AreTakenApart) {
  EXPECT_EQ(platform::name_start("a/b.c"), 2u);
  EXPECT_EQ(platform::name_start("b.c"), 0u);
  EXPECT_EQ(platform::folder_part("a/b/c.d"), "a/b");
  EXPECT_EQ(platform::folder_part("c.d"), "");
  EXPECT_EQ(platform::name_part("a/größe.pco.b"), "größe.pco.b");
  EXPECT_EQ(platform::stem_part("a/größe.pco"), "größe");
  EXPECT_EQ(platform::extension_part("a/größe.pco"), ".pco");
  EXPECT_EQ(platform::without_end_separators("a/b//"), "a/b");
  EXPECT_EQ(platform::without_end_separators("/"), "/");
}

TEST(TemporaryNames, AreShortAndWhole) {
  EXPECT_EQ(platform::hidden_name("x/", "name", 0xab12u).find("x/.name."), 0u);
  EXPECT_TRUE(platform::hidden_name("", "name", 0xab12u).ends_with("-0000ab12.tmp"));
  std::string name;
  for (int i = 0; i < 100; ++i) name += "字";
  const std::string hidden = platform::hidden_name("", name, 1);
  EXPECT_LT(hidden.size(), 255u);
  EXPECT_EQ(hidden.find(name.substr(0, 180)), 1u);  // whole characters of three bytes
  EXPECT_EQ(platform::hidden_name("", "ab" + name, 1).find("ab" + name.substr(0, 177) + "."), 1u);
}

}  // namespace
}  // namespace numpact::testing
