"""A finished turn in words, for terminals and logs. Seats and slots are counted from 1, as people count."""

from collections.abc import Sequence

from dixit_env.decks.deck import Card, Deck
from dixit_env.game.engine import PlayedTurn
from dixit_env.game.scoring import Outcome

OUTCOMES = {
    Outcome.ALL: "everybody found it",
    Outcome.SOME: "some found it",
    Outcome.NONE: "nobody found it",
}


def turn_lines(turn: PlayedTurn, scores: Sequence[int], names: Sequence[str], deck: Deck, target: int) -> list[str]:
    """The turn as lines: clue, slots with owners and votes, points with reasons, score track to `target`."""
    lines = [f"Turn {turn.number} · {_name(turn.storyteller, names)} tells: “{turn.clue}”"]
    for slot, (card, owner) in enumerate(zip(turn.slots, turn.owners, strict=True)):
        dials = [str(seat + 1) for seat, vote in enumerate(turn.votes) for voted in vote if voted == slot]
        votes = f"  ← {', '.join(dials)}" if dials else ""
        star = "★" if slot == turn.target else " "
        lines.append(f"  {slot + 1:2} {star} {_title(deck.cards[card]):<34.34} {_name(owner, names)}{votes}")
    lines.append(f"  {OUTCOMES[turn.score.outcome]}: {', '.join(points_with_reasons(turn, names)) or 'no points'}")
    width = max(len(_name(seat, names)) for seat in range(len(names)))
    for seat, points in enumerate(scores):
        lines.append(f"  {_name(seat, names):<{width}} {_track(points, target)} {points}")
    return lines


def points_with_reasons(turn: PlayedTurn, names: Sequence[str]) -> list[str]:
    """One entry for each seat that scored, such as `3 clip +8 (found it with 2 dials 6, decoy 2)`."""
    told = []
    for seat, points in enumerate(turn.score.points):
        if not points:
            continue
        reasons = []
        if clue := turn.score.clue[seat]:
            reasons.append(f"{_reason(turn, seat)} {clue}")
        if decoy := turn.score.decoy[seat]:
            reasons.append(f"decoy {decoy}")
        told.append(f"{_name(seat, names)} +{points} ({', '.join(reasons)})")
    return told


def _reason(turn: PlayedTurn, seat: int) -> str:
    if turn.score.outcome is not Outcome.SOME:
        return "all found" if turn.score.outcome is Outcome.ALL else "none found"
    if seat == turn.storyteller:
        return "storyteller"
    dials = turn.votes[seat].count(turn.target)
    return "found it with 2 dials" if dials == 2 else "found it"


def _name(seat: int, names: Sequence[str]) -> str:
    return f"{seat + 1} {names[seat]}"


def _title(card: Card) -> str:
    title = card.title.get("en")
    return f"{card.name} {title}" if title else card.name


def _track(points: int, target: int) -> str:
    """A rabbit on its way, one column a point."""
    place = min(points, target)
    return "·" * place + "♟" + "·" * (target - place)
