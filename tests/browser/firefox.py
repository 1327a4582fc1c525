#!/usr/bin/env python3
"""Stands between Playwright and an installed Firefox, which it starts with its own arguments.

Playwright steers such a Firefox by WebDriver BiDi (its channel `moz-firefox`). It sets media features in every context
and gives up on a Firefox that doesn't know that command, as Debian's 153 doesn't. All messages pass unchanged but that
one error, which becomes a success. Colours and motion are then those of the browser's preferences.
"""

import asyncio
import json
import re
import shutil
import sys
from functools import partial

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
NOT_KNOWN = "emulation.setMediaFeaturesOverride"


async def main() -> int:
    """Run Firefox, and say where to reach it as it says it itself; returns its exit status."""
    assert FIREFOX is not None, "needs Firefox"
    firefox = await asyncio.create_subprocess_exec(FIREFOX, *sys.argv[1:], stderr=asyncio.subprocess.PIPE)
    assert firefox.stderr is not None

    async for line in firefox.stderr:
        if found := re.match(r"WebDriver BiDi listening on (\S+)", line.decode()):
            async with serve(partial(_relay, f"{found[1]}/session"), "127.0.0.1", 0, max_size=None) as server:
                port = server.sockets[0].getsockname()[1]
                print(f"WebDriver BiDi listening on ws://127.0.0.1:{port}", flush=True)
                await firefox.communicate()
    return await firefox.wait()


async def _relay(address: str, playwright: ServerConnection) -> None:
    async with connect(address, max_size=None) as browser, asyncio.TaskGroup() as both:
        both.create_task(_answers(browser, playwright))
        async for order in playwright:
            await browser.send(order)


async def _answers(browser: ClientConnection, playwright: ServerConnection) -> None:
    async for message in browser:
        told = json.loads(message)
        if told.get("error") == "unknown command" and NOT_KNOWN in told["message"]:
            message = json.dumps({"type": "success", "id": told["id"], "result": {}})
        await playwright.send(message)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
