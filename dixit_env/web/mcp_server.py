"""A Model Context Protocol server over the seat API: chat models with tools play with people.

One process plays one seat: it remembers the seat's token, so that the model never sees it. Views are told in words
beside the pictures of the cards; moves have the form of records.
"""

import asyncio
import time
from typing import Annotated, Any

from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from dixit_env.errors import DixitError
from dixit_env.version import VERSION
from dixit_env.web.seat_client import Answer, Seat, Tables

WAIT = 40.0  # seconds that see_view waits for the seat's turn; chosen: chat clients give a call of a tool a minute
NEWS = 20  # seconds of one request for news

INSTRUCTIONS = """
You play Dixit, a game of pictures and clues, with people. Call list_tables, or ask the user for a table's code, and
then sit_down. After that, call see_view again and again: it waits for your turn, shows you your cards, and says what to
do; then call move. In each turn one player, the storyteller, gives a clue for a card of their hand: neither so plain
that everybody finds the card, nor so remote that nobody does. The others each give a card that fits the clue, and then
vote for the card that they think is the storyteller's. You see what a player at the table sees, and nothing else. The
rules with all points are the resource dixit://rules/EDITION/PLAYERS.
""".strip()

Card = Annotated[str | None, Field(description="The storyteller's move: the id of a card of your hand.")]
Clue = Annotated[str | None, Field(description="The storyteller's move: the clue, one line of 1 to 300 characters.")]
Cards = Annotated[
    list[str] | None, Field(description="The others' move after the clue: ids of as many of your cards as asked for.")
]
Slots = Annotated[
    list[int] | None,
    Field(description="The vote: the slot that each of your dials shows, from 0; the same slot twice is legal."),
]


class Player:
    """The tools' memory: the seat that is played, what it has been shown last, and the pictures that it has seen."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._seat: Seat | None = None
        self._seen: Answer = {}
        self._pictures: dict[str, bytes] = {}

    @property
    def seat(self) -> Seat:
        if self._seat is None:
            raise ToolError("You have no seat: call sit_down first.")
        return self._seat

    def sit(self, table: str, name: str, consent: bool) -> Seat:
        """Take a seat; raises `ToolError` where one is taken already."""
        if self._seat is not None:
            raise ToolError("You have a seat already: call leave_table first.")
        self._seat, self._seen = self.tables.sit(table, name, consent), {}
        return self._seat

    def leave(self) -> None:
        """Give the seat up."""
        self.seat.ask("DELETE", "/seat")
        self._seat = None

    def next_view(self) -> Answer:
        """The view as soon as the seat must act or no game is on; the newest after `WAIT` seconds."""
        end = time.monotonic() + WAIT
        seen = self.seat.view()
        while not seen["acts"] and seen["phase"] not in ("lobby", "over") and time.monotonic() < end:
            seen = self.seat.view(after=seen["revision"], wait=NEWS)
        self._seen = seen
        return seen

    def move(self, move: Answer) -> None:
        """Move at the moment that was shown last."""
        seat = self.seat
        if not self._seen:
            raise ToolError("Call see_view first.")
        seat.move(self._seen, move)

    def shown(self, seen: Answer) -> list[str | Image]:
        """A view as a chat model gets it: words, and each card that it chooses from with its picture."""
        content: list[str | Image] = [told(seen)]
        for label, card in choices(seen) if seen["acts"] else []:
            if card not in self._pictures:
                self._pictures[card] = self.seat.picture(card)
            words = seen["words"].get(card, {})
            content.append(f"{label}{': ' + words['en'] if 'en' in words else ''}")
            content.append(Image(data=self._pictures[card], format="webp"))
        return content


def choices(seen: Answer) -> list[tuple[str, str]]:
    """The cards that a seat chooses from now, each with what it is called: slots in the vote, else the hand."""
    view = seen["view"]
    if seen["phase"] != "votes":
        return [(f"Card {card} of your hand", card) for card in view["hand"]]
    own = dict.fromkeys(view["own_slots"], " (your own: no vote)")
    return [(f"Slot {slot}{own.get(slot, '')}", card) for slot, card in enumerate(view["slots"])]


def told(seen: Answer) -> str:
    """A view in words: where the game stands, the last turn, and what the seat is to do."""
    view = seen["view"]
    names = [f"{player['name'] or 'bot'} (seat {player['seat']})" for player in seen["players"]]
    if view is None:
        start = "You may start the game: call start_game." if seen["host"] else "The host starts the game."
        return f"The game has not begun. At the table: {', '.join(names)}. You are seat {seen['seat']}. {start}"
    standing = ", ".join(f"{name} {points}" for name, points in zip(names, view["scores"], strict=True))
    lines = [f"Turn {seen['turn']}. You are seat {seen['seat']}. Points: {standing}."]
    if view["history"] and seen["phase"] in ("clue", "reveal", "over"):
        last = view["history"][-1]
        slot = last["owners"].index(last["storyteller"])
        votes = "; ".join(f"{names[seat]} {slots}" for seat, slots in enumerate(last["votes"]) if slots)
        lines.append(
            f"Last turn: {names[last['storyteller']]} said “{last['clue']}” for slot {slot}. Owners of the slots: "
            f"{last['owners']}. Votes: {votes}. Points of the turn by seat: {last['points']}."
        )
    if seen["phase"] == "over":
        return "\n".join([*lines, f"The game is over. Won by: {', '.join(names[seat] for seat in view['winners'])}."])
    if view["clue"]:
        lines.append(f"{names[view['storyteller']]} is the storyteller and said “{view['clue']}”.")
    return "\n".join([*lines, _task(seen)])


def _task(seen: Answer) -> str:
    rules = seen["view"]["rules"]
    if not seen["acts"]:
        return "It is not your turn to act: call see_view again."
    if seen["phase"] == "clue":
        return "You are the storyteller: call move with card and clue."
    if seen["phase"] == "cards":
        return f"Call move with cards: {rules['gives']} of your hand, the closest to the clue."
    least, most = rules["dials_least"], rules["dials_most"]
    dials = f"{most}" if least == most else f"{least} or {most}"
    both = " All dials may show the same slot." if rules["may_stack"] and most > 1 else ""
    return f"Which card is the storyteller's? Call move with slots: {dials} of them, not your own.{both}"


def mcp_server(server: str) -> MCPServer[Any]:
    """The tools and resources over the tables of a server; raises `DixitError` when its address is none."""
    player = Player(Tables(server))
    mcp: MCPServer[Any] = MCPServer("dixit", title="Dixit", instructions=INSTRUCTIONS, version=VERSION)

    async def ask(work: Any, *values: Any) -> Any:
        """Have something done in a thread; what the server refuses is the tool's error."""
        try:
            return await asyncio.to_thread(work, *values)
        except DixitError as error:
            raise ToolError(str(error)) from error

    @mcp.tool(structured_output=False)
    async def list_tables() -> str:
        """The tables that programs may find, where somebody is now: code, phase, free seats, rules, bots' language.

        A table that isn't listed can be joined by its code, which a user can tell you.
        """
        tables = await ask(player.tables.listed)
        lines = [
            f"{table['table']}: {table['phase']}, {table['free']} of {table['seats']} seats free, rules "
            f"{table['rules']}, clues in {table['lang']}"
            for table in tables
        ]
        return "\n".join(lines) or "No table is listed. Ask the user for the code of theirs."

    @mcp.tool(structured_output=False)
    async def sit_down(
        table: Annotated[str, Field(description="The table's code, ten letters and digits.")],
        name: Annotated[str, Field(description="Your name at the table; people see that you are a program.")],
        consent: Annotated[
            bool, Field(description="True only if your user agrees that the game may be kept for research.")
        ] = False,
    ) -> str:
        """Take a free seat at a table. Afterwards call see_view."""
        seat = await ask(player.sit, table, name, consent)
        return f"You have seat {seat.number}. Call see_view."

    @mcp.tool(structured_output=False)
    async def see_view() -> list[Any]:
        """What you see now: points, the last turn, the clue, what you are to do, and the cards with their pictures.

        Waits up to 40 seconds for your turn; when it isn't your turn by then, call it again.
        """
        seen = await ask(player.next_view)
        return list(await ask(player.shown, seen))

    @mcp.tool(structured_output=False)
    async def move(card: Card = None, clue: Clue = None, cards: Cards = None, slots: Slots = None) -> str:
        """Make your move, as see_view asks for it: card and clue together, or cards, or slots."""
        given = {"card": card, "clue": clue, "cards": cards, "slots": slots}
        await ask(player.move, {name: value for name, value in given.items() if value is not None})
        return "Done. Call see_view."

    @mcp.tool(structured_output=False)
    async def start_game() -> str:
        """Start the game, where only programs are at the table; otherwise a person does."""
        await ask(player.seat.ask, "POST", "/start", {})
        return "The game has begun. Call see_view."

    @mcp.tool(structured_output=False)
    async def leave_table() -> str:
        """Leave the table; a bot plays on in your seat."""
        await ask(player.leave)
        return "You have left."

    @mcp.resource("dixit://rules/{edition}/{players}", mime_type="text/plain")
    async def rules(edition: str, players: str) -> str:
        """The rules of an edition (odyssey, dixit, odyssey-2011, dixit-2008) for that many players, with all points."""
        sections = await ask(player.tables.get, f"/api/rules/{edition}/{players}/en")
        return "\n\n".join(_rules_text(section) for section in sections)

    return mcp


def _rules_text(section: Answer) -> str:
    cases = [f"{case['title']}: {' '.join(part['text'] for part in case['sentences'])}" for case in section["cases"]]
    return "\n".join([section["title"], *[part["text"] for part in section["sentences"]], *cases])
