"""The `corten` command: its subcommands, and the one place where an error becomes a message and an exit code.

Exit codes: 0 all well, 1 a check failed or the program is at fault, 2 wrong usage or a bad file.
"""

from __future__ import annotations

import os
import sys

import typer

from corten.cli import bench, conform, info, simulate, warmup
from corten.cli.problem import CHECK_FAILED, INTERRUPTED, Problem

app = typer.Typer(
    name="corten",
    help="A physics engine for articulated bodies in contact, written in Python.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("simulate")(simulate.simulate)
app.command("info")(info.info)
app.command("conform")(conform.conform)
app.command("bench")(bench.bench)
app.command("warmup")(warmup.warmup)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"corten {version('corten')}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", help="Print the version and leave.", callback=_version, is_eager=True
    ),
) -> None:
    """A physics engine for articulated bodies in contact, written in Python."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit code. Nothing escapes as a traceback unless CORTEN_DEBUG is set."""
    try:
        app(args=arguments, prog_name="corten")
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else int(leave.code is not None)
    except Problem as problem:
        return _complain(str(problem), problem.code)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output has gone, as in `corten info arm6 | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("CORTEN_DEBUG"):
            raise
        kind = type(error).__name__
        return _complain(f"internal error: {kind}: {error}\nSet CORTEN_DEBUG=1 for the traceback.", CHECK_FAILED)
    return 0


def _complain(message: str, code: int) -> int:
    print(f"corten: {message}", file=sys.stderr)
    return code
