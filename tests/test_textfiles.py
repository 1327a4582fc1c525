"""Text files from whatever program: read where that is sure, one line where it isn't."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dixit_env.textfiles import TextError, read_table, read_text

WESTERN = "A última canção, “até já” — naïve, Ærø, smørrebrød, l’été, œuvre, ¿qué? niño 5 €; ÀS 5ª"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "list.txt"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be", "cp1252", "iso8859-15"]
)
def test_western_text_is_read_in_every_encoding_of_it(file: Path, encoding: str) -> None:
    text = {"iso8859-15": "infância é já", "utf-16-le": "até já", "utf-16-be": "até já"}.get(encoding, WESTERN)
    file.write_bytes(text.encode(encoding))
    assert read_text(file) == text


@pytest.mark.parametrize("mark", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@given(text=st.text(st.characters(exclude_characters="\0\r\ufeff", exclude_categories=["Cs"])))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_in_unicode_is_read_back(file: Path, mark: str, text: str) -> None:
    file.write_bytes(text.encode(mark))
    assert read_text(file) == text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", "Привет, мир"),
        ("cp1251", "он и я"),
        ("koi8-r", "да, он"),
        ("cp1250", "příliš žluťoučký kůň"),
        ("cp1250", "zażółć gęślą jaźń"),
        ("cp1253", "καλημέρα"),
        ("cp1254", "güneş ığdır"),
        ("shift_jis", "こんにちは"),
        ("gbk", "中文标题"),
        ("mac_roman", "café été"),
        ("cp437", "café"),
        ("cp850", "infância"),
    ],
)
def test_what_may_be_another_encoding_is_refused_without_quoting_it(file: Path, encoding: str, text: str) -> None:
    file.write_bytes(b"secret " + text.encode(encoding))
    with pytest.raises(TextError, match="save it as UTF-8") as error:
        read_text(file)
    assert str(file) in str(error.value)
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("data", [b"a\0b", b"a list of cards\n\0\0\0\0", b"\xff\xfea\0\0\0", b"\xef\xbb\xbfa\0"])
def test_zero_bytes_are_refused(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    with pytest.raises(TextError, match="zero bytes"):
        read_text(file)


@pytest.mark.parametrize("data", [b"\xff\xfea", b"\xef\xbb\xbf\xff", b"\xff\xfe\0\xd8"])
def test_what_breaks_off_after_its_mark_is_refused(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    with pytest.raises(TextError, match="encoding"):
        read_text(file)


def test_files_that_are_not_there_are_named(file: Path) -> None:
    for path in (file, file.parent):
        with pytest.raises(TextError, match=str(path)):
            read_text(path)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_tables_are_read_whatever_separates_their_cells(file: Path, delimiter: str, end: str) -> None:
    lines = [["name", " of "], ["short"], ["long", "1", "2"], ["blank", "1", ""]]
    file.write_text(end.join(delimiter.join(line) for line in lines), newline="")
    assert read_table(file, ["of"]) == [
        {"name": "short", "of": None},
        {"name": None, "of": None},
        {"name": "blank", "of": "1"},
    ]


def test_cells_in_quotes_hold_anything(file: Path) -> None:
    file.write_text('a;b\r\n"1;\r\n2";"say ""x"", y"\r\n', newline="")
    assert read_table(file, ["a", "b"]) == [{"a": "1;\n2", "b": 'say "x", y'}]


def test_missing_columns_are_named(file: Path) -> None:
    for text in ("", "a,c\n1,2"):
        file.write_text(text)
        with pytest.raises(TextError, match=r"lacks the columns .*b"):
            read_table(file, ["a", "b"])
