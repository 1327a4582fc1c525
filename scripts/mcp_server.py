"""A Model Context Protocol server on stdin and stdout: chat models with tools take seats at a table in the browser."""

from dataclasses import dataclass

from dixit_env.scripts.common import run
from dixit_env.web.mcp_server import mcp_server

EXAMPLES = """
dixit mcp
dixit mcp --server https://games.example
"""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Let a chat model with tools take a seat at a table in the browser. A chat client starts this command itself and
    speaks the Model Context Protocol with it."""

    server: str = "http://127.0.0.1:8000"
    """Address of the server with the tables."""


def main(args: Args) -> None:
    """Serve the tools until the client closes."""
    mcp_server(args.server).run()


if __name__ == "__main__":
    run(main, Args, EXAMPLES)
