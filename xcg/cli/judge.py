"""The command ``xcg judge``."""

from __future__ import annotations

import html
import importlib
import sys
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import click

from xcg.cli.command import ANY_PATH, Whole, command, complete_paths, set_option
from xcg.cli.main import print_status
from xcg.errors import Notes, XcgError, missing_extra, nearest
from xcg.judge.agreement import RULES
from xcg.judge.exchange import export, import_assessments, write_export
from xcg.judge.settings import Settings, load_settings
from xcg.judge.store import Store
from xcg.judge.workspace import open_corpus, open_workspace
from xcg.settings.loading import stated

_PACKAGES = ("jinja2", "starlette", "uvicorn")


@command(example="xcg judge configs/judge-handbook.yaml --open")
@click.argument("config", type=ANY_PATH)
@click.option(
    "--assessor",
    "assessors",
    multiple=True,
    metavar="NAME",
    help="Serve, import or export only this assessor of CONFIG. May be repeated.",
)
@click.option(
    "--port",
    type=Whole(0, 65535),
    default=8765,
    help="Listen on this port; 0 for any free port.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    help="Listen on this address. Any but the default can be reached over the network, without "
    "encryption.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the first start URL in the browser.")
@click.option(
    "--import",
    "imported",
    multiple=True,
    metavar="PATH",
    shell_complete=complete_paths,
    help="Add the assessments in this file to those of one --assessor, instead of serving pages.",
)
@click.option(
    "--export",
    "exported",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write the judgements of finished documents into this new folder, instead of serving pages.",
)
@click.option(
    "--gold",
    "rule",
    type=click.Choice(RULES),
    help="With --export: write one gold set instead of the judgements of each assessor.",
)
@set_option
def judge(
    config: Path,
    assessors: Sequence[str],
    port: int,
    host: str,
    open_browser: bool,
    imported: Sequence[str],
    exported: Path | None,
    rule: str | None,
    set: Sequence[str],
) -> None:
    """Judge the relevance of documents in the browser.

    The section judge of CONFIG states the grades and the assessors; corpus, topics.files and runs
    state what is judged. The command prints a start URL for each assessor and serves their pages until
    Ctrl-C. Every change is saved at once in one file, judge.store.
    """
    settings = load_settings(stated(config, set))
    _check_assessors(settings, assessors)
    if imported and exported is not None:
        raise XcgError("--import and --export exclude each other: call the command twice")
    if rule and exported is None:
        raise XcgError("--gold needs --export FOLDER, where the gold is written")
    if imported:
        _import(settings, imported, assessors)
    elif exported is not None:
        _export(settings, exported, assessors, rule)
    else:
        _serve(settings, assessors or settings.assessors, host, port, open_browser)


def _check_assessors(settings: Settings, assessors: Sequence[str]) -> None:
    for name in assessors:
        if name not in settings.assessors:
            hint = nearest(name, settings.assessors)
            raise XcgError(f"--assessor {name}: {settings.path} has no such assessor: {hint}")


def _import(settings: Settings, files: Sequence[str], assessors: Sequence[str]) -> None:
    names = assessors or (settings.assessors if len(settings.assessors) == 1 else ())
    if len(names) != 1:
        raise XcgError("--import needs one --assessor NAME, to whom the judgements belong")
    workspace = open_workspace(settings)
    with closing(workspace.store):
        _print_notes(workspace.notes.lines())
        print_status(
            import_assessments(
                files, workspace.store, names[0], workspace.corpus, settings.grades, workspace.topics
            )
        )
    print_status(f"the judgements are in {settings.store}")


def _export(settings: Settings, folder: Path, assessors: Sequence[str], rule: str | None) -> None:
    corpus = open_corpus(settings)
    with closing(Store.snapshot(settings.store, corpus)) as store:
        judged = [one for one in store.judgements() if not assessors or one.assessor in assessors]
        notes = Notes()
        store.add_notes(notes)
        found = export(judged, corpus, settings.grades, rule, store.decisions())
        write_export(folder, found)
        _print_notes([*notes.lines(), *found.notes])
    print_status(f"the judgements are in {folder}")


def _print_notes(notes: Sequence[str]) -> None:
    for note in notes:
        print_status(note)


def _serve(
    settings: Settings, assessors: Sequence[str], host: str, port: int, open_browser: bool
) -> None:
    try:
        application, access, server = (
            importlib.import_module(f"xcg.judge.{name}") for name in ("application", "access", "server")
        )
    except ModuleNotFoundError as error:
        if error.name not in _PACKAGES:
            raise
        raise missing_extra("xcg judge", error.name, "judge") from None
    with closing(server.listen(host, port)) as listening:  # first, because preparing pools takes longer
        port = listening.getsockname()[1]
        workspace = open_workspace(settings)
        with closing(workspace.store):
            _print_notes(workspace.notes.lines())
            if not access.is_loopback(host):
                print_status(
                    f"warning: --host {host} can be reached over the network: texts, judgements and "
                    "start URLs travel unencrypted"
                )
            keys = access.Access(assessors, workspace.store.secret(keep=settings.keep_addresses))
            pages = application.create_application(workspace, keys, host, port)
            start = access.origin(access.shown_host(host), port)
            urls = {name: start + keys.start_path(name) for name in assessors}
            urls["(overview)"] = start + keys.start_path()
            for name, url in urls.items():
                click.echo(f"{name:<{max(map(len, urls))}}  {url}")
            sys.stdout.flush()  # a program that starts the server reads the URLs
            print_status(f"changes are saved in {settings.store}; stop with Ctrl-C")
            with (
                suppress(KeyboardInterrupt),
                _opened_page(urls[assessors[0]] if open_browser else None),
            ):
                server.serve(pages, listening)
            print_status(f"stopped; all changes are saved in {settings.store}")


@contextmanager
def _opened_page(url: str | None) -> Iterator[None]:
    """Open a URL in the browser during a ``with`` block.

    Other users see the arguments of the browser, so it gets a private file that contains the URL.
    """
    if url is None:
        yield
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="xcg-judge-", ignore_cleanup_errors=True) as folder:
        page = Path(folder, "start.html")
        target = html.escape(url)
        page.write_text(
            '<!DOCTYPE html><meta charset="utf-8">'
            f'<meta http-equiv="refresh" content="0; url={target}">'
            f'<title>xcg judge</title><a href="{target}">Start</a>',
            encoding="utf-8",
        )
        if not webbrowser.open(page.as_uri()):
            print_status("note: no browser could be opened: open a start URL yourself")
        yield
