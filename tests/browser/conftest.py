"""The browser tests drive Debian's Chromium, and the slow ones its Firefox, through Playwright against a real server
with bots that draw lots."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from firefox import FIREFOX
from player import Player, open_table

ROOT = Path(__file__).parents[2]
AXE = ROOT / "build" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = shutil.which("chromium")
PATIENCE = 40_000  # milliseconds; a busy machine is no fault of the page
SIZES = {"phone": (360, 640), "tall phone": (390, 844), "narrow phone": (320, 568), "desktop": (1366, 768)}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server."""
    command = [sys.executable, str(Path(__file__).with_name("serve.py"))]
    command += ["--study", str(ROOT / "examples" / "study.toml")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


@pytest.fixture(scope="module")
def playwright() -> Iterator[Any]:
    """Closed with each module: while Playwright's event loop runs, tests with asyncio can't."""
    api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
    with api.sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="module")
def chromium(playwright: Any) -> Iterator[Any]:
    """The browser."""
    if CHROMIUM is None:
        pytest.skip("needs chromium: apt-get install chromium")
    with playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as browser:
        yield browser


@pytest.fixture(scope="module")
def firefox(playwright: Any) -> Iterator[Any]:
    """The other browser, with scrollbars that take no room, as on a phone."""
    if FIREFOX is None:
        pytest.skip("needs Firefox: apt-get install firefox-esr")
    with playwright.firefox.launch(
        channel="moz-firefox",
        executable_path=Path(__file__).with_name("firefox.py"),
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},  # its Python is this one
        firefox_user_prefs={"ui.useOverlayScrollbars": 1},
        timeout=3 * PATIENCE,
    ) as browser:
        yield browser


@pytest.fixture(scope="module")
def browser(chromium: Any) -> Any:
    """The one that `visit` opens pages in."""
    return chromium


@pytest.fixture
def visit(browser: Any, server: str) -> Iterator[Callable[..., Player]]:
    """Open a page as somebody new; whatever its console complains about fails the test."""
    contexts = []
    complaints: list[str] = []

    def open_page(path: str = "/", size: str = "desktop", **options: Any) -> Player:
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height}, has_touch="phone" in size, **{"locale": "en", **options}
        )
        contexts.append(context)
        return new_page(context, path)

    def hear(message: Any) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    def new_page(context: Any, path: str) -> Player:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", hear)
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.goto(server + path)
        page.wait_for_selector("#page main, #page .table")
        return Player(page, new_page)

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def new_table(server: str) -> Callable[..., str]:
    """Open a table over HTTP; returns its path."""

    return partial(open_table, server)


@pytest.fixture(scope="module")
def axe() -> Callable[[Player], list[str]]:
    """What axe finds wrong with a page as it stands."""

    def check(player: Player) -> list[str]:
        if not AXE.exists():
            pytest.skip("needs axe: npm install --prefix build axe-core")
        page = player.page
        player.until("document.getAnimations().every((one) => one.playState !== 'running')")
        page.evaluate(AXE.read_text(encoding="utf-8") + ";0")
        found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
        return [f"{fault['id']}: {node['html'][:160]}" for fault in found for node in fault["nodes"]]

    return check
