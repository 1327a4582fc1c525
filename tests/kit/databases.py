"""A PostgreSQL server of the tests' own, where the program is installed; SQLite needs none."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

SERVER = "postgres"  # the account that runs it when the tests are root, whom PostgreSQL refuses


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of an empty database; skips the test where PostgreSQL or its driver is missing."""
    tools = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = shutil.which("initdb") or (str(tools[-1]) if tools else None)
    if initdb is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    if find_spec("psycopg") is None:
        pytest.skip("its driver is missing: pip install 'psycopg[binary]'")
    as_server = ["runuser", "-u", SERVER, "--"] if os.getuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # short: the path of a socket has 107 characters at most
    if as_server:
        shutil.chown(folder, SERVER)
    control = [*as_server, str(Path(initdb).with_name("pg_ctl")), "-D", str(folder / "data"), "-w", "-s"]
    try:
        subprocess.run([*as_server, initdb, "-D", folder / "data", "-A", "trust", "-U", SERVER], check=True, cwd=folder)
        options = f"-k {folder} -c listen_addresses=''"
        subprocess.run([*control, "-l", folder / "log", "-o", options, "start"], check=True, cwd=folder)
        yield f"postgresql+psycopg://{SERVER}@/{SERVER}?host={folder}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, cwd=folder)
        shutil.rmtree(folder)
