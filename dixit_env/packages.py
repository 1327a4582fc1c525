"""Pictures and words that come in packages of npm and Debian, fetched by the user's own clients into the cache.

Packages keep the licences and the checksums of what they hold, and their clients know the user's mirrors and proxies;
NOTICE names each package that is used. `Npm` and `Debian` name a package, `fetch` brings the missing ones.
"""

import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tqdm import tqdm

from dixit_env.errors import DixitError
from dixit_env.paths import cache_dir

SAYS_WHY = re.compile(r"npm \S+ (?!code|errno|syscall)|[EW]:")
"""the lines of what npm and apt-get print that say why something failed"""


class MissingSource(DixitError):
    """A package that pictures or words are read from isn't in the cache and can't be fetched."""


@dataclass(frozen=True)
class Npm:
    """A package of the npm registry at a fixed version."""

    name: str
    version: str

    client: ClassVar[str] = "npm"

    @property
    def pattern(self) -> str:
        """The file name of its archive."""
        return f"{self.name.lstrip('@').replace('/', '-')}-{self.version}.tgz"

    @property
    def command(self) -> list[str]:
        """What brings its archive into the working folder; one quick retry, so that being offline shows soon."""
        retries = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=1000"]
        return ["npm", "pack", "--loglevel=error", *retries, f"{self.name}@{self.version}"]


@dataclass(frozen=True)
class Debian:
    """A package of Debian or Ubuntu, at the version that the user's system offers."""

    name: str

    client: ClassVar[str] = "apt-get"

    @property
    def pattern(self) -> str:
        """What the file name of its archive looks like."""
        return f"{self.name}_*.deb"

    @property
    def command(self) -> list[str]:
        """What brings its archive into the working folder; needs no root."""
        return ["apt-get", "download", "--quiet", self.name]


def source_folder() -> Path:
    """The folder of the packages, in the cache."""
    return cache_dir() / "sources"


def archive(package: Npm | Debian, folder: Path) -> Path | None:
    """A package's newest archive in a folder, if there is one."""
    return max(folder.glob(package.pattern), default=None)


def fetch(packages: Sequence[Npm | Debian], folder: Path) -> None:
    """Brings the packages that a folder lacks, with a progress bar on a terminal; each is there whole or not at all.

    Raises `MissingSource` that says what to do when a client is missing or can't fetch.
    """
    missing = [package for package in packages if not archive(package, folder)]
    if not missing:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for package in tqdm(missing, desc=f"fetching packages into {folder}", unit="package", disable=None):
            _fetch(package, folder)
    except OSError as error:
        raise MissingSource(f"can't write packages into {folder}: {error.strerror or error}") from error


def _fetch(package: Npm | Debian, folder: Path) -> None:
    if not shutil.which(package.client):
        raise MissingSource(
            f"fetching {package.name} needs {package.client}, which isn't installed: install it, or bring "
            f"{package.pattern} from another machine into {folder}"
        )
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetching-") as partial:
        done = subprocess.run(package.command, cwd=partial, capture_output=True, text=True, check=False)
        found = archive(package, Path(partial))
        if done.returncode or not found:
            raise MissingSource(_reason(package, done.stderr + done.stdout))
        found.rename(folder / found.name)


def _reason(package: Npm | Debian, output: str) -> str:
    if isinstance(package, Debian) and "Unable to locate package" in output:
        update = "apt-get update" if os.geteuid() == 0 else "sudo apt-get update"  # needs root; downloading doesn't
        return f"apt-get knows no package {package.name}, its lists may be empty: run  {update}  and then this again"
    said = next((line.strip() for line in output.splitlines() if SAYS_WHY.match(line)), "it doesn't say why")
    return f"{package.client} couldn't fetch {package.name} (offline?): {said}"


def read_npm(package: Npm, members: Sequence[str], folder: Path) -> list[bytes]:
    """Files of a package of npm, fetched when missing. Raises `MissingSource`."""
    with tarfile.open(_found(package, folder)) as tar:
        files = [tar.extractfile(f"package/{member}") for member in members]
        return [file.read() for file in files if file]


def unpack_debian(package: Debian, part: str, folder: Path) -> Path:
    """The folder that holds all files below the folder `part` of a package of Debian, side by side; made once.

    The package is fetched when it's missing. Raises `MissingSource`.
    """
    target = folder / package.name
    if target.exists():
        return target
    found = _found(package, folder)
    if not shutil.which("dpkg-deb"):
        raise MissingSource(f"unpacking {found.name} needs dpkg-deb: install the package dpkg")
    with tempfile.TemporaryDirectory(dir=folder, prefix=".unpacking-") as partial:
        whole = Path(partial, "whole")
        whole.mkdir()
        command = ["dpkg-deb", "--fsys-tarfile", str(found)]
        with (
            subprocess.Popen(command, stdout=subprocess.PIPE) as process,
            tarfile.open(fileobj=process.stdout, mode="r|") as tar,
        ):
            for member in tar:
                file = tar.extractfile(member) if member.isfile() and f"/{part}/" in member.name else None
                if file:
                    (whole / Path(member.name).name).write_bytes(file.read())
        if not target.exists():  # another process may have been faster
            whole.rename(target)
    return target


def _found(package: Npm | Debian, folder: Path) -> Path:
    fetch([package], folder)
    found = archive(package, folder)
    assert found is not None  # or fetch has raised
    return found
