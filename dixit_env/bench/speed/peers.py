"""Environments of other projects, played in the same way, for comparison. Each is optional."""

from collections.abc import Callable
from random import Random
from typing import Any

import pettingzoo

from dixit_env.bench.speed.measure import Workload, rate, turn_based


def pettingzoo_hanabi(seed: int) -> Workload:
    """Two players, in PettingZoo's standard wrappers."""
    return turn_based(pettingzoo.make("aec", "classic/hanabi-v5"), seed)


def openspiel_bridge(seed: int) -> Workload:
    """The C++ engine from Python, with the observation of the player who moves."""
    import pyspiel

    return _openspiel(pyspiel.load_game("bridge(use_double_dummy_result=false)"), Random(seed))


def _openspiel(game: Any, rng: Random) -> Workload:
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.legal_actions()))
                continue
            seen = state.observation_tensor()
            state.apply_action(rng.choice(state.legal_actions()))
            yield 1, state.is_terminal(), seen


def rlcard_uno(seed: int) -> Workload:
    """Two players."""
    import rlcard

    return _rlcard(rlcard.make("uno", config={"seed": seed}), Random(seed))


def _rlcard(env: Any, rng: Random) -> Workload:
    while True:
        seen, _ = env.reset()
        while not env.is_over():
            seen, _ = env.step(rng.choice(list(seen["legal_actions"])))
            yield 1, env.is_over(), seen["obs"]


def pgx_leduc_holdem(seed: int) -> Workload:
    """A batch of 4096, compiled, with observations."""
    import jax
    import pgx

    return _pgx(jax, pgx.make("leduc_holdem"), 4096, seed)


def _pgx(jax: Any, env: Any, games: int, seed: int) -> Workload:
    from pgx.experimental.wrappers import auto_reset

    numpy = jax.numpy

    def act(state: Any, key: Any) -> Any:
        choose, step = jax.random.split(key)
        logits = numpy.where(state.legal_action_mask, 0.0, -numpy.inf)
        action = jax.random.categorical(choose, logits, axis=-1)
        return jax.vmap(auto_reset(env.step, env.init))(state, action, jax.random.split(step, games))

    act = jax.jit(act)
    key = jax.random.PRNGKey(seed)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, games))
    while True:
        key, now = jax.random.split(key)
        state = act(state, now)
        jax.block_until_ready(state)
        yield games, int(state.terminated.sum()), jax.device_get(state.observation)


PEERS: dict[str, tuple[Callable[[int], Workload], str, str]] = {
    "pettingzoo_hanabi": (pettingzoo_hanabi, "aec", "open_spiel shimmy"),
    "openspiel_bridge": (openspiel_bridge, "aec", "open_spiel"),
    "rlcard_uno": (rlcard_uno, "aec", "rlcard"),
    "pgx_leduc_holdem": (pgx_leduc_holdem, "batch.4096.observations", "pgx"),
}
"""By name: the workload, what of ours it is compared with, and the packages that it needs."""


def measure_peers(ours: dict[str, Any], seed: int, seconds: float, note: Callable[[str], None]) -> dict[str, Any]:
    """The rates of those that are installed, and how many times faster ours are; a reason for the others."""
    measured: dict[str, Any] = {}
    for name, (make, against, packages) in PEERS.items():
        note(name)
        try:
            peer = rate(make(seed), seconds)
        except ImportError as error:
            measured[name] = {"skipped": f"{error}: pip install {packages}"}
            continue
        rates = _found(ours, against)
        own = next(value for key, value in rates.items() if key.endswith("_per_second"))
        measured[name] = {
            "steps_per_second": peer["median"],
            "runs": peer["runs"],
            "compared_with": against,
            "ratio": own / peer["median"],
        }
    return measured


def _found(results: dict[str, Any], path: str) -> dict[str, Any]:
    for key in path.split("."):
        results = results[key]
    return results
