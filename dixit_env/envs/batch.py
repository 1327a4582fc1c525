"""Thousands of games at once, as torch tensors on any device.

The games go in step: in all of them the same phase is open and the same seat is the storyteller, so phase and seats
are plain Python values and no tensor is ever read back to decide what comes next. A game that ends makes room for a
new one at the end of the turn, and the seat to the left of the last storyteller opens it.

The rules are those of the turn engine, and given the same shuffles (`dixit_env.envs.shuffles`) the games are the same
move by move; actions and observations are those of `dixit_env.envs.spaces`.

Letters in shapes: B games, P players, A seats that decide now (1 in the clue phase, else P − 1), V = P − 1 voters,
H cards in a hand, S slots.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

import torch
from torch import Tensor

from dixit_env.envs import batch_view
from dixit_env.envs.batch_state import BatchState
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.episode import Reward, check_choice
from dixit_env.envs.shuffles import RandomShuffles, Shuffles
from dixit_env.envs.spaces import PHASES, Spaces
from dixit_env.errors import DixitError
from dixit_env.game.rules import Rules, edition

CLUE, CARDS, VOTES = PHASES
BETWEEN_TURNS = ("hands", "stock", "pile", "scores", "turn")  # the tensors that are read before they are written


class Step(NamedTuple):
    """The outcome of a step."""

    rewards: Tensor  # (B, P) float32 by seat; 0 but after the votes
    over: Tensor  # (B,) bool: games that ended with this step
    scores: Tensor  # (B, P) int16 by seat, before ended games made room for new ones
    illegal: Tensor  # (B, A) bool: actions that were not legal and were replaced by the first legal one


class BatchedGame(BatchState):
    """B games. Everything by seat counts seats from 0, as the turn engine does.

        game = BatchedGame(4096, players=6, clip=clip)
        while training:
            observation, mask = game.observe(), game.masks()  # (B, A, size), (B, A, actions)
            actions = policy(observation, mask)  # (B, A), for the seats game.seats
            rewards, over, scores, illegal = game.step(actions)  # rewards (B, P), for all seats

    Args:
        games: B.
        players: 3 to 12, as the rules allow.
        rules: an edition's name, or `Rules`.
        cards: cards in the deck; with a CLIP table as many as it has.
        clip: embeddings and clue ladders.
        embeddings: put the embeddings into the observation, see `Spaces`.
        reward: `points`, `difference` or `win`, see `dixit_env.envs.episode.Reward`.
        device: where the tensors live.
        seed: of the generator that shuffles.
        shuffles: another source of chance.
    """

    def __init__(
        self,
        games: int,
        players: int = 6,
        rules: Rules | str = "odyssey",
        *,
        cards: int = 84,
        clip: ClipTable | None = None,
        embeddings: bool = False,
        reward: Reward = "points",
        device: torch.device | str = "cpu",
        seed: int = 0,
        shuffles: Shuffles | None = None,
    ) -> None:
        check_choice("reward", reward, get_args(Reward))
        if games < 1:
            raise DixitError(f"a batch has one game or more, not {games}")
        rules = edition(rules) if isinstance(rules, str) else rules
        cards = len(clip.cards) if clip else cards
        rules.check_deck(players, cards)
        super().__init__(games, Spaces(rules.seated(players), cards, clip, embeddings), torch.device(device))
        self.reward = reward
        self.generator = torch.Generator(self.device).manual_seed(seed)
        stock = cards - players * self.rules.hand + self.rules.slots
        self.shuffles = shuffles or RandomShuffles(games, cards, stock, self.rules.slots, self.generator)
        self.reset()

    def reset(self, games: Tensor | None = None, first: int = 0) -> None:
        """Begin new games: all of them, with the storyteller `first`, or those where the bool mask (B,) holds.

        Raises `DixitError` for some of the games in the middle of a turn: they would no longer be in step.
        """
        if games is None:
            games = torch.ones(self.games, dtype=torch.bool, device=self.device)
            self.clear(first)
        elif self.phase is not CLUE:
            raise DixitError("some games can only begin anew when a turn is over: reset all, or go on to the votes")
        dealt = self.players * self.rules.hand
        deck = self.shuffles.deal(games).to(torch.int16)
        row = games[:, None]
        self.hands = torch.where(row[:, None], deck[:, :dealt].view_as(self.hands), self.hands)
        self.stock = torch.where(row, deck[:, dealt:], self.stock)
        self.pile = self.pile.masked_fill(games, deck.shape[1] - dealt)
        self.scores = self.scores.masked_fill(row, 0)
        self.turn = self.turn.masked_fill(games, 1)
        self.over = self.over & ~games
        self.held = False

    def masks(self, seats: Sequence[int] | None = None) -> Tensor:
        """(B, A, actions) bool: the legal actions of the seats that decide, or of those named, in their order."""
        return batch_view.masks(self, self.seats if seats is None else seats)

    def observe(self, seats: Sequence[int] | None = None, out: Tensor | None = None) -> Tensor:
        """(B, A, size) float32: what the seats see that decide, or those named, as `Spaces.features` lays it out.

        `out`, of that shape and type, takes the result: a rollout's storage, or one tensor again and again. A new one
        of many megabytes costs about as much as filling it.
        """
        return batch_view.features(self, self.seats if seats is None else seats, out)

    def random_actions(self) -> Tensor:
        """(B, A) int64: for every seat that decides a legal action, each with the same chance."""
        table = self.tables
        shape = (self.games, len(self.seats))
        counts = {CLUE: len(self.spaces.clues), CARDS: len(self.spaces.gifts), VOTES: table.open_votes.shape[1]}
        choice = torch.randint(counts[self.phase], shape, generator=self.generator, device=self.device)
        if self.phase is VOTES:
            own = self.own.index_select(1, table.voters[self.storyteller])
            choice = table.open_votes.flatten().take(own * counts[VOTES] + choice)
        return choice + self.spaces.first[self.phase]

    def step(self, actions: Tensor, autoreset: bool = True) -> Step:
        """Make one decision of every seat that decides, `actions` int64 (B, A), and close the phase.

        With `autoreset` a game that ends makes room for a new one at once. Without, it stays to be observed until
        `reset(game.over)`, which must come before the next step.
        """
        if self.held:
            raise DixitError("some games may have ended: call reset(game.over) before the next step")
        choice = actions - self.spaces.first[self.phase]
        if self.phase is VOTES:
            return self._vote(choice, autoreset)
        choices = len(self.spaces.clues if self.phase is CLUE else self.spaces.gifts)
        legal = (choice >= 0) & (choice < choices)
        choice = torch.where(legal, choice, 0)
        if self.phase is CLUE:
            self._give_clue(choice.squeeze(1))
        else:
            self._give_cards(choice)
        rewards = torch.zeros((self.games, self.players), device=self.device)
        return Step(rewards, torch.zeros_like(self.over), self.scores, ~legal)

    def state(self) -> dict[str, Any]:
        """The games at the beginning of a turn, as tensors and plain values: what `restore` needs to go on bit for bit.

        Raises `DixitError` in the middle of a turn.
        """
        if self.phase is not CLUE or self.held:
            raise DixitError("games are saved between two turns, with all games that are over begun anew")
        tensors = {name: getattr(self, name) for name in BETWEEN_TURNS}
        return {"tensors": tensors, "storyteller": self.storyteller, "deals": self.generator.get_state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned for a batch of the same shape.

        Raises `DixitError`, and leaves the games as they are, when cards are missing or twice in a game.
        """
        tensors: dict[str, Tensor] = {name: state["tensors"][name] for name in BETWEEN_TURNS}
        deck = torch.cat((tensors["hands"].flatten(1), tensors["stock"]), dim=1).sort(dim=1).values
        if not (deck == torch.arange(deck.shape[1], device=self.device)).all():
            raise DixitError("hands and piles of a game are not the cards of its deck")
        piles, scores = tensors["pile"], tensors["scores"]
        if not ((piles >= 0) & (piles <= tensors["stock"].shape[1])).all() or (scores < 0).any():
            raise DixitError("a pile or a score of a game is out of range")
        if not 0 <= state["storyteller"] < self.players:
            raise DixitError(f"seat {state['storyteller']} can't be the storyteller of {self.players} players")
        self.clear(state["storyteller"])
        for name, value in tensors.items():
            setattr(self, name, value)
        self.generator.set_state(state["deals"].cpu())

    def _give_clue(self, choice: Tensor) -> None:
        """The storyteller's card and clue; `choice` (B,) indexes `Spaces.clues`."""
        table, seat = self.tables, self.storyteller
        position = table.clue_position.take(choice)
        self.given = torch.zeros_like(self.given)
        self.given[:, seat] = position + 1
        if table.ladder is not None:
            card = self.hands[:, seat].gather(1, position[:, None]).squeeze(1)
            rung = choice % table.ladder.shape[1]
            self.clue = table.ladder.flatten().take(card * table.ladder.shape[1] + rung)
        self.phase = CARDS

    def _give_cards(self, choice: Tensor) -> None:
        """The others' cards, and the shuffled table; `choice` (B, V) indexes `Spaces.gifts`."""
        table, seat, rules = self.tables, self.storyteller, self.rules
        of_storyteller = self.given[:, seat : seat + 1]
        self.given = _joined(choice + table.first_gift, of_storyteller, seat)
        positions = table.gifts.index_select(0, choice.flatten()).view(self.games, -1)  # (B, V · gives)
        self.played = _joined(positions, of_storyteller - 1, seat * rules.gives) + table.hand_start[seat]  # (B, S)
        order = self.shuffles.table()
        cards = self.hands.flatten(1).gather(1, self.played)
        self.slots = cards.gather(1, order)
        self.slot_of = torch.empty_like(order).scatter_(1, order, table.slot_numbers.expand_as(order))
        start = seat * rules.gives
        target = self.slot_of[:, start : start + 1]
        others = torch.cat((self.slot_of[:, :start], self.slot_of[:, start + 1 :]), dim=1)
        if rules.gives == 1:
            own = others
        else:  # the number of a set of slots: see `Tables.own_sets`
            sets = others.view(self.games, -1, rules.gives).sort(dim=2).values
            own = table.first_own_set + table.binomial[sets, table.gift_numbers].sum(dim=2)
        self.own = _joined(own, target, seat)
        self.phase = VOTES

    def _vote(self, choice: Tensor, autoreset: bool) -> Step:
        """The votes, (B, V) indices of `Spaces.votes`: score, refill, and open the next turn."""
        table, seat = self.tables, self.storyteller
        own = self.own.index_select(1, table.voters[seat])
        in_range = (choice >= 0) & (choice < len(self.spaces.votes))
        choice = torch.where(in_range, choice, 0)
        legal = in_range & table.legal.flatten().take(own * len(self.spaces.votes) + choice)
        choice = torch.where(legal, choice, table.open_votes[:, 0].take(own))
        self.votes = choice
        points = self._points(choice)
        self.scores = self.scores + points
        self._refill(autoreset)
        rewards = self._rewards(points)
        step = Step(rewards, self.over, self.scores, ~legal)
        self.turn = self.turn + 1
        self.storyteller = (seat + 1) % self.players
        self.phase = CLUE
        if autoreset:
            self.reset(self.over)
        else:
            self.held = True
        return step

    def _points(self, choice: Tensor) -> Tensor:
        """(B, P) int16 points of the turn."""
        rules, seat, table = self.rules, self.storyteller, self.tables
        dials = table.dials.index_select(0, choice.flatten()).view(*choice.shape, -1)  # (B, V, S) int8
        cast = table.cast.take(choice)  # (B, V) int16
        target = self.slot_of[:, None, seat * rules.gives, None].expand(-1, choice.shape[1], 1)
        found = dials.gather(2, target).squeeze(2).to(torch.int16)  # (B, V)
        dials_in = dials.sum(dim=1, dtype=torch.int16).gather(1, self.slot_of)  # (B, S) on each played card
        received = torch.zeros_like(self.scores).index_add_(1, table.giver[seat], dials_in)
        received[:, seat] = 0

        none = ~found.any(dim=1, keepdim=True)
        everyone = (found > 0 if rules.all_means == "voters" else found == cast).all(dim=1, keepdim=True)
        some = ~(none | everyone)
        finders = rules.dial_points * found
        alone = rules.single_dial_bonus * ((found > 0) & (cast == 1))  # 0 where no bonus is paid
        everyones = rules.all_points + (alone if rules.single_bonus_when_all else 0)
        voters = none * rules.none_points + (everyone & ~none) * everyones + some * (finders + alone)
        clue = _joined(voters, some * rules.storyteller_points, seat)
        if rules.decoy_once:
            received = received.clamp(max=1)
        decoy = rules.decoy_points * received
        if rules.decoy_cap is not None:
            decoy = decoy.clamp(max=rules.decoy_cap)
        return (clue + decoy).to(torch.int16)

    def _refill(self, autoreset: bool) -> None:
        """Discard, reshuffle where the pile runs out, refill the hands, and see which games are over."""
        rules = self.rules
        need = rules.slots
        last = rules.last_turn
        over = self.scores.amax(dim=1) >= rules.target if last is None else self.turn >= last
        stock = torch.cat((self.stock, self.slots), dim=1)
        short = (self.pile < need) & ~over
        if rules.reshuffle == "never":
            over = over | short
        else:
            keep = self.pile if rules.reshuffle == "discard" else torch.zeros_like(self.pile)
            order = self.shuffles.reshuffle(short, keep)
            stock = torch.where(short[:, None], stock.gather(1, order), stock)
            self.pile = torch.where(short, stock.shape[1], self.pile)
        hands = self.hands.flatten(1).scatter(1, self.played, stock[:, :need]).view_as(self.hands)
        self.hands = hands if autoreset else torch.where(over[:, None, None], self.hands_left(), hands)
        self.stock = stock[:, need:]
        self.pile = torch.where(over, self.pile, self.pile - need)
        if rules.reshuffle == "never":
            over = over | (self.pile == 0)
        self.over = over

    def _rewards(self, points: Tensor) -> Tensor:
        """(B, P) float32."""
        if self.reward == "points":
            return points.float()
        if self.reward == "difference":
            total = points.sum(dim=1, keepdim=True)
            return points - (total - points) / (self.players - 1)
        won = (self.scores == self.scores.amax(dim=1, keepdim=True)) & self.over[:, None]
        return won / won.sum(dim=1, keepdim=True).clamp(min=1)


def _joined(others: Tensor, storyteller: Tensor, at: int) -> Tensor:
    """Columns of the others with the storyteller's put in at its place."""
    return torch.cat((others[:, :at], storyteller, others[:, at:]), dim=1)
