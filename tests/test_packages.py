"""Packages of pictures and words: fetched when missing, whole or not at all, with an error that says what to do."""

import io
import tarfile
from pathlib import Path

import pytest

from dixit_env.packages import Debian, MissingSource, Npm, fetch, read_npm, unpack_debian

SCOPED = Npm("@somebody/pictures", "1.2.3")


def put_npm(folder: Path, package: Npm, files: dict[str, bytes]) -> Path:
    """An archive as npm makes it."""
    with tarfile.open(folder / package.pattern, "w:gz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return folder / package.pattern


def test_what_is_there_is_read_and_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = put_npm(tmp_path, SCOPED, {"a.txt": b"A", "deep/b.txt": b"B"})
    monkeypatch.setenv("PATH", "")
    assert archive.name == "somebody-pictures-1.2.3.tgz"
    assert read_npm(SCOPED, ["deep/b.txt", "a.txt"], tmp_path) == [b"B", b"A"]


@pytest.mark.parametrize(("package", "client"), [(SCOPED, "npm"), (Debian("some-pictures"), "apt-get")])
def test_a_missing_client_is_named(
    package: Npm | Debian, client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingSource, match=f"needs {client}, which isn't installed: install it, or bring ") as caught:
        fetch([package], tmp_path / "sources")
    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "sources").iterdir())


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which a test puts the programs that are found."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return programs


def program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("package", "script", "answer"),
    [
        (
            SCOPED,
            "echo 'npm error code ENOTFOUND' >&2; echo 'npm error network is down' >&2; exit 1",
            "network is down",
        ),
        (SCOPED, "exit 3", "couldn't fetch @somebody/pictures .offline.*"),
        (SCOPED, "exit 0", "couldn't fetch @somebody/pictures"),
        (
            Debian("some-pictures"),
            "echo 'E: Unable to locate package some-pictures' >&2; exit 100",
            "run .*apt-get update",
        ),
        (
            Debian("some-pictures"),
            "echo 'E: Could not resolve' >&2; exit 100",
            "couldn't fetch some-pictures .*resolve",
        ),
    ],
)
def test_a_client_that_fails_leaves_nothing_and_its_reason_in_one_line(
    package: Npm | Debian, script: str, answer: str, client: Path, tmp_path: Path
) -> None:
    program(client / package.client, f"echo half > half.tgz; {script}")
    with pytest.raises(MissingSource, match=answer) as caught:
        fetch([package], tmp_path / "sources")
    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "sources").iterdir())


def test_only_what_is_missing_is_fetched(client: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    there, missing = SCOPED, Npm("others", "1.0.0")
    kept = put_npm(folder, there, {"a.txt": b"A"}).stat().st_mtime_ns
    program(client / "npm", 'for last; do :; done; [ "$last" = others@1.0.0 ] && echo archive > others-1.0.0.tgz')
    fetch([there, missing], folder)
    assert sorted(path.name for path in folder.iterdir()) == ["others-1.0.0.tgz", "somebody-pictures-1.2.3.tgz"]
    assert (folder / there.pattern).stat().st_mtime_ns == kept


def test_the_wanted_files_of_a_debian_package_are_unpacked_once(client: Path, tmp_path: Path) -> None:
    package = Debian("some-pictures")
    (tmp_path / "some-pictures_1_all.deb").write_bytes(b"made of what the next line packs")
    for name, content in {"usr/share/pictures/a.jpg": b"A", "usr/share/doc/readme": b"R"}.items():
        (tmp_path / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / name).write_bytes(content)
    program(client / "dpkg-deb", f"tar -C {tmp_path}/root -cf - .")
    folder = unpack_debian(package, "pictures", tmp_path)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"a.jpg": b"A"}
    program(client / "dpkg-deb", "exit 1")
    assert unpack_debian(package, "pictures", tmp_path) == folder
