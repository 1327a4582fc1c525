"""Games that are over: kept by their table, opened by number, followed by another one; nothing leaks before."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from web_kit import Running, play_until, running, sit, start

from dixit_env.decks.deck import Deck
from dixit_env.game.engine import legal_moves, waiting_for
from dixit_env.web.events import AnyEvent, Joined, Moved, Opened, RoomState, Shown, Stage, advance, move_fields
from dixit_env.web.orders import Offer, plan
from dixit_env.web.projection import Live, state_frame
from dixit_env.web.protocol import Again, Refused, Settings, Start
from dixit_env.web.replay import table_replay

OFFER = Offer(Deck.blank(100), ("random",))
HERE = Live({"ana": "here", "ben": "here"})


class Table:
    """A table of four where everybody makes the first legal move: Ana, Ben and two bots."""

    def __init__(self, rounds: int) -> None:
        self.events: list[AnyEvent] = []
        self.state: RoomState | None = None
        self.add(Opened(key="00" * 32, settings=Settings(seats=4, rounds=rounds)))
        for person in ("ana", "ben"):
            self.add(Joined(person=person, name=person.title(), consent=True))

    def add(self, *events: AnyEvent) -> None:
        for event in events:
            self.state = advance(self.state, event)
            self.events.append(event)

    @property
    def now(self) -> RoomState:
        assert self.state is not None
        return self.state

    def order(self, order: Start | Again) -> None:
        self.add(*plan(self.now, HERE, "ana", order, OFFER))

    def play(self) -> None:
        while self.now.stage is not Stage.OVER:
            if self.now.stage is Stage.REVEAL:
                self.add(Shown())
                continue
            assert self.now.play is not None
            seat = waiting_for(self.now.play)[0]
            bot, why = ("random", {"belief": [0.25] * 4, "hand": [3]}) if seat > 1 else ("", {})
            self.add(Moved(seat=seat, bot=bot, why=why, **move_fields(legal_moves(self.now.play, seat)[0])))


@pytest.fixture(scope="module")
def table() -> Table:
    table = Table(rounds=2)
    table.order(Start(id="1", table="T"))
    table.play()
    return table


def test_a_game_by_rounds_ends_when_everybody_has_told_twice(table: Table) -> None:
    assert table.now.play is not None
    told = [turn.storyteller for turn in table.now.play.history]
    assert sorted(told) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_table_keeps_its_finished_games_under_the_names_of_then(table: Table) -> None:
    play, (done,) = table.now.play, table.now.finished
    assert play is not None
    assert (done.number, done.names, done.scores) == (1, ("Ana", "Ben", "", ""), play.scores)
    assert done.winners == play.winners
    frame = state_frame("T", table.now, HERE, "")
    told = {"number": 1, "names": done.names, "bots": done.bots, "scores": play.scores, "winners": play.winners}
    assert frame["games"] == [told]


def test_a_past_game_names_the_personas_that_played(table: Table) -> None:
    done = replace(table.now.finished[0], bots=("", "", "ida", "random"))
    seats = table_replay(table.events, done, {"ida": "Ida"})["seats"]
    assert [seat["name"] for seat in seats] == ["Ana", "Ben", "Ida", ""], "a plain bot goes by its symbol"


def test_a_finished_game_shows_every_hand_as_its_owner_saw_it(table: Table) -> None:
    play, frame = table.now.play, table_replay(table.events, table.now.finished[0], {})
    assert play is not None
    cards = [card.id for card in OFFER.deck.cards]
    assert [seat["name"] for seat in frame["seats"]] == ["Ana", "Ben", "", ""]
    assert frame["winners"] == list(play.winners)
    for turn, played in zip(frame["turns"], play.history, strict=True):
        assert [card["id"] for card in turn["slots"]] == [cards[number] for number in played.slots]
        assert all(len(hand) == 6 for hand in turn["hands"])
        for hand, given in zip(turn["hands"], turn["given"], strict=True):
            assert set(given) <= {card["id"] for card in hand}
        voters = {seat for seat in (2, 3) if seat != played.storyteller}
        assert turn["why"] == {str(seat): {"belief": [0.25] * 4} for seat in voters}, "beliefs, and no other reasons"
    assert frame["turns"][-1]["scores"] == list(play.scores)


def test_a_rematch_deals_at_once_to_those_who_are_still_there(table: Table) -> None:
    live = Live({"ana": "here", "ben": "left"})
    after = table.now
    for event in plan(after, live, "ana", Again(id="2", table="T", deal=True), OFFER):
        after = advance(after, event)
    assert (after.stage, after.game, after.seats) == (Stage.CLUE, 2, ("ana", "", "", ""))
    assert after.finished == table.now.finished
    assert state_frame("T", after, live, "ana")["games"] == [], "the list is for between the games"


def test_a_rematch_waits_for_the_end_of_the_game() -> None:
    begun = Table(rounds=1)
    begun.order(Start(id="1", table="T"))
    with pytest.raises(Refused, match="not over"):
        begun.order(Again(id="2", table="T", deal=True))


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("web")) as server:
        yield server


def test_only_what_is_over_is_handed_out(up: Running) -> None:
    code = up.open(seats=3, rounds=1)
    people = sit(up, code, 1)
    start(people)
    game = f"/api/tables/{code}/games/1"
    seen = []

    def over(state: dict[str, object]) -> bool:
        status = up.http.get(game).status_code
        (table,) = up.http.get(f"/api/tables/{code}").json()  # after it: the last reveal closes by itself
        seen.append((table["phase"], status))
        return state["phase"] == "over"

    play_until(people, over)
    assert {status for phase, status in seen if phase != "over"} == {404}, "not even while the last reveal is open"
    past = up.http.get(game)
    assert past.status_code == 200
    assert len(past.json()["turns"]) == 3
    card = past.json()["turns"][0]["hands"][1][0]["id"]
    assert up.http.get(f"/cards/{card}/small.webp").headers["content-type"] == "image/webp"
    assert people[0].do("again", deal=True)["type"] == "done"
    assert people[0].wait(lambda state: state["phase"] == "clue")["game"] == 2
    for number in ("2", "0", "-1", "x", "9" * 400):
        assert up.http.get(f"/api/tables/{code}/games/{number}").status_code == 404
    assert up.http.get(f"/t/{code}/games/1").headers["content-type"].startswith("text/html")
