"""A chat model's tools, as the SDK's own client calls them."""

import asyncio
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from test_web_projection import live, states
from web_kit import Person, go_home, running, start

pytest.importorskip("mcp", reason="needs the extra mcp: pip install 'dixit-env[mcp]'")

from mcp import Client, StdioServerParameters

from dixit_env.web.events import Stage
from dixit_env.web.mcp_server import mcp_server, told
from dixit_env.web.projection import view_frame


async def call(client: Client, tool: str, **values: object) -> tuple[str, list[str]]:
    """What a tool says, and the kinds of pictures with it."""
    result = await client.call_tool(tool, values)
    texts = [part.text for part in result.content if part.type == "text"]
    assert not result.is_error, texts
    return "\n".join(texts), [part.mime_type for part in result.content if part.type == "image"]


async def refused(client: Client, tool: str, **values: object) -> str:
    result = await client.call_tool(tool, values)
    assert result.is_error
    return str(getattr(result.content[0], "text", ""))


def move_for(text: str) -> dict[str, Any]:
    """The move that a model would read out of the words."""
    cards = re.findall(r"^Card (\w+) of your hand", text, re.MULTILINE)
    if "with card and clue" in text:
        return {"card": cards[0], "clue": "I <3 rain"}
    if "with cards" in text:
        return {"cards": cards[: int(re.findall(r"with cards: (\d)", text)[0])]}
    return {"slots": [int(re.findall(r"^Slot (\d+)$", text, re.MULTILINE)[0])] * 2}


def test_a_model_plays_with_what_the_tools_tell_it(tmp_path: Path) -> None:
    with running(tmp_path) as up:
        table = up.open(seats=3)

        async def game() -> None:
            async with Client(mcp_server(f"http://{up.address}")) as client:
                tools = {tool.name: tool for tool in (await client.list_tools()).tools}
                assert {"list_tables", "sit_down", "see_view", "move", "start_game", "leave_table"} == set(tools)
                assert all(tool.description for tool in tools.values())
                assert "No table is listed" in (await call(client, "list_tables"))[0]
                assert "sit_down" in await refused(client, "see_view")
                assert "no such table" in await refused(client, "sit_down", table="NOTHERE222", name="GPT")
                await call(client, "sit_down", table=table, name="Chatty")
                assert "already" in await refused(client, "sit_down", table=table, name="Chatty")
                assert "call start_game" in (await call(client, "see_view"))[0]
                await call(client, "start_game")
                asked: set[str] = set()
                text = ""
                while len(asked) < 3 or "Last turn: " not in text:  # everybody is asked for all within three turns
                    text, pictures = await call(client, "see_view")
                    asked.add(re.findall("card and clue|with cards|with slots", text)[0])
                    assert len(pictures) >= 5
                    assert set(pictures) == {"image/webp"}
                    await call(client, "move", **move_for(text))
                rules = await client.read_resource("dixit://rules/odyssey/3")
                assert "riddle" in getattr(rules.contents[0], "text", "")

        asyncio.run(game())


def test_a_model_sits_with_people_and_mistakes_are_said_in_words(tmp_path: Path) -> None:
    with running(tmp_path) as up:
        ana = Person(up.address, up.open(seats=3, listed=True)).join("Ana")

        async def evening() -> None:
            async with Client(mcp_server(f"http://{up.address}")) as client:
                listed, _ = await call(client, "list_tables")
                assert f"{ana.table}: lobby, 2 of 3 seats free" in listed
                await call(client, "sit_down", table=ana.table, name="Chatty")
                assert "The host starts" in (await call(client, "see_view"))[0]
                assert "host" in await refused(client, "start_game")
                start([ana])
                if ana.may_act():
                    ana.act()
                text, _ = await call(client, "see_view")
                assert "Ana (seat 0)" in text
                assert "a move has" in await refused(client, "move", cards=["x"])
                await call(client, "leave_table")
                ana.wait(lambda state: state["seats"][1]["status"] == "left")

        asyncio.run(evening())
        go_home()


@pytest.mark.slow  # it imports torch
def test_the_command_speaks_the_protocol_on_its_own_streams() -> None:
    async def hello() -> None:
        command = StdioServerParameters(command=sys.executable, args=["-m", "dixit_env", "mcp"], env=dict(os.environ))
        async with Client(command) as client:
            assert len((await client.list_tools()).tools) == 6

    asyncio.run(hello())


def test_the_end_of_a_game_is_told_in_words() -> None:
    end = next(state for state in states(3, "odyssey", 2) if state.stage is Stage.OVER)
    text = told(view_frame("T", end, live(end), "person0"))
    assert end.play is not None
    assert all(f"(seat {seat})" in text.partition("Won by:")[2] for seat in end.play.winners)
    assert [f"“{end.play.history[-1].clue}”" in text, "Votes: " in text] == [True, True]
