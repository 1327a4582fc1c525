"""The names by which Gymnasium and PettingZoo know the environments. Nothing is loaded before it is made."""

import gymnasium
import pettingzoo

EDITION_OF = {
    "Dixit/Odyssey-v0": "odyssey",
    "Dixit/Classic-v0": "dixit",
    "Dixit/Odyssey2011-v0": "odyssey-2011",
    "Dixit/Classic2008-v0": "dixit-2008",
}


def register() -> None:
    """Make every id known to `gymnasium.make`, `gymnasium.make_vec` and `pettingzoo.make`."""
    for name, rules in EDITION_OF.items():
        kwargs = {"rules": rules}
        gymnasium.register(
            name,
            entry_point="dixit_env.envs.solo:DixitSolo",
            vector_entry_point="dixit_env.envs.vector:DixitVector",
            kwargs=kwargs,
        )
        pettingzoo.register("aec", name, "dixit_env.envs.aec:env", kwargs=kwargs)
        pettingzoo.register("parallel", name, "dixit_env.envs.aec:parallel_env", kwargs=kwargs)
