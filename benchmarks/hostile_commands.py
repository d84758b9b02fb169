"""Run whole commands of xcg on hostile input, and check that each ends with a result or one message.

A process that has imported xcg forks for every call, because starting Python takes longer than most
commands. Every twentieth call, and every call with workers, runs in a process of its own. Each call has
a folder with samples of every kind of file, a few of which are damaged, and limits for time and memory.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import hashlib
import importlib
import io
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import click
from hostile_inputs import (
    HOSTILE_NAMES,
    NUMBERS,
    VARIABLES,
    archive,
    attack,
    hostile_field,
    hostile_yaml,
    mutated,
    replace_by_special_file,
)

from xcg.cli.main import COMMANDS, main
from xcg.documents.corpus import Corpus
from xcg.settings import loading as settings

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 20
"""Limit for the CPU time and for the elapsed time of a call, in seconds."""
MEMORY = 4 << 30
"""Limit for the address space of a call, in bytes."""
FILE_SIZE = 1 << 30
"""Limit for the size of a file that a call writes, in bytes."""
OUTPUT = "out/result"
GATES = {"gate", "place"}
"""Commands that end with status 1 if a run fails, or a passage is not found."""

_CONFIG = """\
corpus: documents
assessments: assessments/assessor1
runs: runs
user_model: kazai-lalmas-2006
measures: [MAep, nxCG@10]
topics: {unanswered: zero}
compare: {test: t, resamples: 20}
gate: {fail_under: {MAep: 0.3}, expected_topics: 2}
study: {calibrate: {campaigns: 10}, topics: {trials: 2, sizes: [1, 2]}}
"""
_JUDGE = """\
corpus: documents
topics: {files: topics.csv}
runs: runs
judge: {depth: 5, grades: inex-2004, assessors: [a, b], second_share: 0.5, store: out/judge.sqlite}
"""
_TOPICS = "id,title\n162,one\n163,two\n164,three\n"
_MODEL = """\
name: m
quantisation: {table: {"3,3": 1, "2,3": 0.8}}
ideal: {name: kazai_lalmas, tie: deeper}
relevance_value: {alpha: 0.5, normalisation: subtree}
size: words
effort: {interpolation: linear}
"""
_SWEEP = """\
name: s
quantisation: [sog, gen]
ideal: [leaves, {name: kazai_lalmas, tie: deeper}]
relevance_value: {alpha: {from: 0, to: 1, step: 0.5}}
"""
_PAGE = "<!DOCTYPE html><title>t</title><p class=x>one<br>two<script>x</script><table><tr><td>1</table>"
_NOTES = "# One\n\ntext *x*\n\n- a\n- b\n\n## Two\n\n| a |\n|---|\n| 1 |\n\n```\ncode\n```\n"
_LETOR = (
    "3 qid:162 1:0 2:0.5 #docid = a\n0 qid:162 1:1 2:0.3 #docid = b\n2 qid:163 1:1 2:0.1 #docid = a\n"
)
_QRELS = "162 Q0 a 20 99 4 5:10 50:10\n162 Q0 b 0 9\n"
_RUN = "162 Q0 a 1 3 r 5 20\n162 Q0 b 2 1 r 0 9\n"

RUN = "runs/run1.xml"
FLAT = "--assessments letor.txt --run flat.txt"
TEMPLATES = [
    "check config.yaml",
    "check --assessments highlights.jsonl --corpus documents",
    "check --levels --assessments assessments/assessor1",
    "check --levels --assessments letor.txt",
    "check --levels --assessments assessments/assessor1 --set check.other=assessments/assessor2",
    "check --review --gold gold.jsonl --corpus texts --run chunks.jsonl",
    "chunks --gold gold.jsonl --corpus texts --run chunks.jsonl",
    "chunks --gold gold.jsonl --corpus texts --run chunks.jsonl --questions",
    "compare config.yaml --measures MAep",
    "compare config.yaml --measures MAep --table overall",
    f"compare {FLAT} --run flat2.txt --measures nDCG@10,AP",
    f"convert --run {RUN} --to trec",
    "convert --run flat.txt --to jsonl",
    "convert --run spans.txt --to inex",
    "convert --assessments assessments/assessor1 --to jsonl",
    "convert --assessments letor.txt --to trec",
    "convert --assessments highlights.jsonl --to jsonl --corpus documents",
    "convert --assessments highlights.jsonl --corpus documents.zip --as elements --output out/result",
    "convert --assessments assessments/assessor1 --corpus documents --as ideal --to trec",
    f"convert --run {RUN} --strategy unique",
    "convert --run letor.txt --feature 2 --to trec",
    "curves config.yaml --set curves.depth=5",
    "curves config.yaml --measures ep --format csv",
    "evaluate config.yaml",
    "evaluate config.yaml --per-topic --format json",
    "evaluate config.yaml --user-model model.yaml --format markdown --set evaluate.ranks=true",
    "evaluate config.yaml --set record=out/result",
    "evaluate config.yaml --user-model overlap-off --measures MAep,P@5 --format latex",
    "evaluate --assessments assessments/assessor1 --run runs --corpus documents.tar.gz --measures MAep",
    "evaluate --assessments highlights.jsonl --run chunks.jsonl --corpus documents --set lenient=true",
    f"evaluate {FLAT} --format trec_eval",
    "evaluate --assessments - --run flat.txt --measures AP,nDCG@5",
    "evaluate --assessments qrels.txt --run spans.txt --measures iP@0.1,AgP --user-model spans-levels",
    f"explain config.yaml --run {RUN} --topic 162",
    "explain --run chunks.jsonl --assessments gold.jsonl --corpus texts --topic 162 --format json",
    "explain config.yaml --topic 162",
    "gate config.yaml --measures MAep --baseline run1 --max-drop 5%",
    "gate config.yaml --measures MAep --fail-under MAep=0.3",
    "inex-eval -f qrels.txt spans.txt",
    "inex-eval -t -q qrels.txt spans.txt",
    "inex-eval -r qrels.txt spans.txt spans.txt",
    "judge judge.yaml --assessor b --import highlights.jsonl",
    "judge judge.yaml --export out/result",
    "list",
    "list formats",
    "list measures ep",
    "list measures MAep nxCG@5 sog controlled --bibtex",
    "list user-models levels",
    "place passages.jsonl --corpus documents --output out/result",
    "report config.yaml --methods",
    "report config.yaml --output out/result",
    "samples out/result",
    "simulate out/result --articles 2 --elements 30 --topics 2 --runs 2 --results 5",
    "study assessors config.yaml --set study.assessors.others=assessments/assessor2",
    "study assessors config.yaml --set study.assessors.others=assessments/assessor2 "
    "--set study.assessors.agreement=true",
    "study calibrate config.yaml",
    "study calibrate config.yaml --set study.calibrate.baseline=run1 --set measures=MAep",
    "study laws --measure nxCG@3 --set study.laws.examples=3",
    "study levels --set study.levels.repetitions=1",
    "study perturb config.yaml --set study.perturb.counts=[0,1,5]",
    "study plan config.yaml --set measures=MAep",
    "study plan config.yaml --set study.plan.topics=20 --set study.plan.difference=0.1",
    "study topics config.yaml",
    "sweep config.yaml --user-model sweep.yaml --set sweep.resamples=5",
]
"""Calls that succeed on the samples."""
FOLDER_WRITERS = ("samples", "simulate")
"""Commands whose argument names a new folder."""
_WRITTEN = ("output", "plot", "record", "gate.junit", "judge.store")
KEYS = [key for key in settings.KEYS if key not in ("workers", "scheduler", *_WRITTEN)]
"""The keys that get hostile values. The others start processes or name files that are written."""
_BOUNDED = {"--workers": ("0", "-2", "1", "2", "x")}
"""Options whose values can start processes or connections. Only these values are used."""
_PATHS = {"--output", "--plot"}


def samples(folder: Path) -> None:
    """Write a small campaign with every kind of file into a folder, and archives of its documents."""
    campaign = folder / "simulated"
    size = "--articles 4 --elements 30 --topics 6 --runs 4 --results 20 --assessors 2"
    with contextlib.redirect_stderr(io.StringIO()):
        main(["simulate", str(campaign), *size.split()], prog_name="xcg", standalone_mode=False)
    for name in ("assessments", "documents"):
        (campaign / name).rename(folder / name)
    (folder / "runs").mkdir()
    for number, path in enumerate(sorted((campaign / "runs").iterdir()), 1):
        name = path.stem.encode()
        (folder / f"runs/run{number}.xml").write_bytes(
            path.read_bytes().replace(name, b"run%d" % number)
        )
    shutil.rmtree(campaign)
    (folder / "texts").mkdir()
    (folder / "out").mkdir()
    (folder / "out/old").write_bytes(b"old")
    (folder / "out/link").symlink_to("old")
    texts = {
        "texts/page.html": _PAGE,
        "texts/notes.md": _NOTES,
        "texts/plain.txt": "one two three\n\nfour",
    }
    files = {
        **{"judge.yaml": _JUDGE, "topics.csv": _TOPICS},
        **{"config.yaml": _CONFIG, "model.yaml": _MODEL, "sweep.yaml": _SWEEP, "letor.txt": _LETOR},
        **{
            "qrels.txt": _QRELS,
            "spans.txt": _RUN,
            "flat.txt": "162 Q0 a 1 2 flat\n163 Q0 b 1 1 flat\n",
        },
        "flat2.txt": "162 Q0 b 1 2 flat2\n163 Q0 a 1 1 flat2\n",
        **texts,
        "gold.jsonl": '{"topic": "162", "doc": "notes", "start": 0, "end": 6, "level": 1}\n'
        '{"topic": "163", "doc": "plain", "start": 2, "end": 9, "level": 2}\n',
        "chunks.jsonl": '{"topic": "162", "doc": "notes", "start": 0, "end": 9, "score": 1}\n'
        '{"topic": "163", "doc": "plain", "start": 1, "end": 5, "score": 2}\n',
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    corpus = Corpus(folder / "documents", cache=False)
    highlights, passages = [], []
    for topic, document in zip(("162", "163", "164"), corpus, strict=False):
        text = corpus.tree(document).text
        span = {"topic": topic, "doc": document, "start": 10, "end": 60, "exhaustivity": 2}
        highlights.append(json.dumps(span) + "\n")
        passages.append(json.dumps({"topic": topic, "doc": document, "text": text[10:60]}) + "\n")
    (folder / "highlights.jsonl").write_text("".join(highlights))
    (folder / "passages.jsonl").write_text("".join(passages))
    documents = folder / "documents"
    members = {
        str(path.relative_to(documents)): path.read_bytes() for path in sorted(documents.rglob("*.xml"))
    }
    for kind in ("zip", "tar.gz"):
        (folder / f"documents.{kind}").write_bytes(archive(kind, members))
    prepared = "judge judge.yaml --assessor a --import highlights.jsonl"
    unseen = io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(unseen),
        contextlib.redirect_stderr(unseen),
    ):
        main(prepared.split(), prog_name="xcg", standalone_mode=False)


@dataclass
class Call:
    """A command line, its environment, and what was done to its files.

    Attributes:
        arguments: The words after ``xcg``.
        variables: Environment variables to set, or to remove (None).
        streams: Redirections of the shell.
        limits: Limits of ``ulimit`` in addition to those of every call: option → value.
        damage: What was done to the files.
    """

    arguments: list[str]
    variables: dict[str, str | None] = field(default_factory=dict)
    streams: list[str] = field(default_factory=list)
    limits: dict[str, int] = field(default_factory=dict)
    damage: list[str] = field(default_factory=list)

    def script(self, folder: Path) -> str:
        """Return a shell script that repeats the call in its folder."""
        unset = "".join(f" -u {name}" for name, value in self.variables.items() if value is None)
        given = "".join(
            f" {name}={shlex.quote(value)}"
            for name, value in self.variables.items()
            if value is not None
        )
        limits = {"v": MEMORY >> 10, "t": SECONDS, "f": FILE_SIZE >> 10, **self.limits}
        return (
            f"# {'; '.join(self.damage).encode('unicode_escape').decode()}\n"
            f"cd {shlex.quote(str(folder))}\n"
            f"export PYTHONPATH={shlex.quote(str(ROOT))} TMPDIR=$PWD/tmp XCG_CACHE=$PWD/cache\n"
            + "".join(f"ulimit -{name} {value}\n" for name, value in limits.items())
            + f"env{unset}{given} {shlex.quote(sys.executable)} -m xcg "
            + " ".join(map(shlex.quote, self.arguments))
            + f" {' '.join(self.streams)}\n"
        )


def _options(words: Sequence[str]) -> list[click.Option]:
    """Return the options of the command that the words name."""
    command: Any = main
    for word in words:
        if not isinstance(command, click.Group):
            break
        command = command.get_command(click.Context(main), word)
        if command is None:
            return []
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


def _option(option: click.Option, chance: random.Random, files: Sequence[str]) -> list[str]:
    """Return an option with a legal or hostile value."""
    name = option.opts[0]
    if option.is_flag:
        return [name]
    if name in _BOUNDED:
        return [name, chance.choice(_BOUNDED[name])]
    if isinstance(option.type, click.Choice) and chance.random() < 0.8:
        return [name, chance.choice(list(option.type.choices))]
    if option.type.name.startswith(("integer", "float")) and chance.random() < 0.9:
        return [name, chance.choice(NUMBERS)]
    number = chance.choice(NUMBERS)
    usual = {
        "--measures": ["MAep", f"nxCG@{number}", f"ep({chance.choice(HOSTILE_NAMES)})@1"],
        "--user-model": ["model.yaml", "sweep.yaml", "levels", "spans-levels", "overlap-off"],
        "--topic": ["162", "999"],
        "--to": ["trec", "jsonl", "inex", "inex-passages", "qrels"],
        "--fail-under": [f"MAep={number}"],
        "--set": [f"{key}={chance.choice([number, *HOSTILE_NAMES])}" for key in chance.sample(KEYS, 5)],
    }
    return [name, chance.choice(usual.get(name, files) if chance.random() < 0.6 else HOSTILE_NAMES)]


def _damage(folder: Path, path: Path, named: bool, chance: random.Random) -> str:
    """Change a file, and return a description of the change."""
    action = chance.random()
    if action < 0.35:
        change = hostile_yaml if path.suffix == ".yaml" and chance.random() < 0.7 else mutated
        path.write_bytes(change(path.read_bytes(), chance))
        done = change.__name__
    elif action < 0.55:
        path.write_bytes(hostile_field(path.read_bytes(), chance))
        done = "hostile field"
    elif action < 0.85:
        path.write_bytes(attack(path, chance))
        done = "attack"
    else:
        done = replace_by_special_file(path, chance, named)
    return f"{path.relative_to(folder)}: {done}"


def _read_files(folder: Path, arguments: Sequence[str]) -> list[Path]:
    """Return the samples that a command reads. Samples with more influence occur several times."""
    inputs = sorted(path for path in folder.rglob("*") if path.is_file() and "out" not in path.parts)
    words = [word for word in arguments if not word.startswith("out")]
    if {"config.yaml", "judge.yaml"} & set(words):
        words += ["runs", "assessments", "documents", "topics.csv"]
    names = {path: str(path.relative_to(folder)) for path in inputs}
    read = [path for path in inputs if names[path] in words]
    within = [path for path in inputs if any(names[path].startswith(f"{word}/") for word in words)]
    return read * 3 + within or inputs


def _add_options(arguments: list[str], chance: random.Random, files: Sequence[str]) -> None:
    """Append options with legal or hostile values."""
    options = _options(arguments)
    usual = [option for option in options if not _PATHS & set(option.opts)]
    for _ in range(chance.choice((0, 0, 1, 1, 2, 3)) if usual else 0):
        arguments += _option(chance.choice(usual), chance, files)
    accepted = {name for option in options for name in option.opts}
    if "--output" in accepted and "--output" not in arguments and chance.random() < 0.4:
        outputs = [OUTPUT] * 5 + ["out", "out/no/file", "/dev/full", "/dev/null", "out/old", "out/link"]
        arguments += ["--output", chance.choice(outputs)]
    if "--plot" in accepted and chance.random() < 0.15:
        plots = ["out/plot.svg", "out/plot.png", "out/plot", "out/no/x.png"]
        arguments += ["--plot", chance.choice(plots)]


def _replace_argument(arguments: list[str], chance: random.Random) -> None:
    """Replace one word by a hostile one, unless the word names an output."""
    position = chance.randrange(len(arguments))
    written = arguments[position - 1] in _PATHS or arguments[position].startswith("out")
    if not written and arguments[0] not in FOLDER_WRITERS:
        arguments[position] = chance.choice(HOSTILE_NAMES + NUMBERS)


def prepare(folder: Path, number: int, seed: int) -> Call:
    """Damage samples in a folder, and return a call. Both depend only on the number and the seed."""
    chance = random.Random(f"{seed} {number}")
    call = Call(chance.choice(TEMPLATES).split())
    files = _read_files(folder, call.arguments)
    for _ in range(chance.choice((0, 1, 1, 1, 2))):
        path = chance.choice(files)
        if path.is_file() and not path.is_symlink():
            named = str(path.relative_to(folder)) in call.arguments or path.parent == folder
            call.damage.append(_damage(folder, path, named, chance))
    names = [str(path.relative_to(folder)) for path in files]
    _add_options(call.arguments, chance, [*names, "documents", "runs", "assessments", "texts"])
    if chance.random() < 0.1:
        _replace_argument(call.arguments, chance)
    for _ in range(chance.choice((0, 0, 1, 2))):
        call.variables |= chance.choice(VARIABLES)
    if chance.random() < 0.15:
        streams = [">/dev/full", ">&-", "2>&-", "2>/dev/full", "<&-", "</dev/zero", "<flat.txt"]
        call.streams = chance.sample(streams, chance.choice((1, 1, 2)))
        if not (folder / "flat.txt").is_file():  # the shell would not start the command
            call.streams = [stream for stream in call.streams if stream != "<flat.txt"]
    if chance.random() < 0.03:
        call.limits = chance.choice([{"n": 12}, {"n": 20}, {"v": 600_000}, {"v": 900_000}, {"f": 1}])
    return call


@dataclass
class Ended:
    """The exit status of a call (negative for a signal), and what it wrote to its streams."""

    status: int
    stdout: bytes
    stderr: bytes


def _redirect(streams: Sequence[str]) -> None:
    """Redirect the standard streams as the shell does."""
    for stream in streams:
        descriptor = 0 if stream.startswith("<") else 2 if stream.startswith("2") else 1
        target = stream.lstrip("2<>")
        if target == "&-":
            os.close(descriptor)
        else:
            opened = os.open(target, os.O_RDONLY if descriptor == 0 else os.O_WRONLY)
            os.dup2(opened, descriptor)
            os.close(opened)


def _open_streams(variables: dict[str, str | None]) -> None:
    """Open Python's standard streams on the descriptors of this process."""
    encoding = variables.get("PYTHONIOENCODING") or ("ascii" if "LC_ALL" in variables else "utf-8")
    for name, mode, descriptor in (("stdin", "r", 0), ("stdout", "w", 1), ("stderr", "w", 2)):
        try:
            os.fstat(descriptor)
        except OSError:
            stream: IO[str] | None = None
        else:
            errors = "backslashreplace" if name == "stderr" else "strict"
            stream = os.fdopen(descriptor, mode, encoding=encoding, errors=errors, closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


_LIMITS = {
    "v": (resource.RLIMIT_AS, 1024),
    "t": (resource.RLIMIT_CPU, 1),
    "f": (resource.RLIMIT_FSIZE, 1024),
    "n": (resource.RLIMIT_NOFILE, 1),
}


def _limit(limits: dict[str, int]) -> None:
    signal.alarm(SECONDS)
    for name, value in ({"v": MEMORY >> 10, "t": SECONDS, "f": FILE_SIZE >> 10} | limits).items():
        kind, unit = _LIMITS[name]
        resource.setrlimit(kind, (value * unit, value * unit))


def _call(call: Call, folder: Path) -> None:
    """Run a command in this process, which is a fork, and end it."""
    status = 1
    try:
        os.chdir(folder)
        for name, value in call.variables.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        tempfile.tempdir = None
        _redirect(call.streams)
        _open_streams(call.variables)
        _limit(call.limits)
        main(call.arguments, prog_name="xcg")
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        with contextlib.suppress(Exception):
            traceback.print_exc()
    with contextlib.suppress(BaseException):
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except OSError:
                status = 120
    os._exit(status)


def run(call: Call, folder: Path, own_process: bool) -> Ended:
    """Run a call in a folder and return how it ended."""
    output, errors = folder.parent / "stdout", folder.parent / "stderr"
    with output.open("wb") as stdout, errors.open("wb") as stderr:
        if own_process:
            script = folder.parent / "command.sh"
            process = subprocess.Popen(
                ["timeout", "-s", "ALRM", str(2 * SECONDS), "sh", script],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
            child, status = process.pid, process.wait()
            if status > 128:
                status = 128 - status
        else:
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                os.setsid()
                null = os.open(os.devnull, os.O_RDONLY)
                for descriptor, number in ((null, 0), (stdout.fileno(), 1), (stderr.fileno(), 2)):
                    os.dup2(descriptor, number)
                os.closerange(3, 100)
                os.environ |= {"TMPDIR": str(folder / "tmp"), "XCG_CACHE": str(folder / "cache")}
                _call(call, folder)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # its worker processes
    return Ended(status, output.read_bytes(), errors.read_bytes())


def snapshot(folder: Path) -> dict[str, str]:
    """Map each path in a folder, except the cache, to the kind, size and digest of the file."""
    found = {}
    for base, folders, files in os.walk(folder):
        if "cache" in folders:
            folders.remove("cache")
        for name in [*folders, *files]:
            if name.startswith("xcg-documents.sqlite"):
                continue
            path = Path(base) / name
            state = path.lstat()
            content = b""
            if path.is_file() and not path.is_symlink():
                content = path.read_bytes()
            elif path.is_symlink():
                content = os.fsencode(os.readlink(path))
            found[str(path.relative_to(folder))] = (
                f"{state.st_mode:o} {len(content)} {hashlib.sha256(content).hexdigest()}"
            )
    return found


_INVISIBLE = {
    *range(32),
    *range(127, 160),
    0x2028,
    0x2029,
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
}
_CONTROL = _INVISIBLE - set(map(ord, "\t\n\r"))
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""Colours and weights of text, which FORCE_COLOR asks for."""


def problems(call: Call, ended: Ended, before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return the rules that a call broke, or an empty list if it ended well."""
    errors = ended.stderr.decode("utf-8", "replace")
    messages = [line for line in errors.split("\n") if line.startswith(("xcg: error: ", "Error: "))]
    silent = any(stream.startswith("2>") for stream in call.streams)
    full = any(stream.startswith(">") for stream in call.streams) or "f" in call.limits
    command = call.arguments[0]
    failed = ended.status in {2, 3}
    shown = ended.stdout or "--output" in call.arguments
    listed = command == "check" or (command == "place" and "--update" in call.arguments)
    if listed and ended.status == 2 and shown and not messages:
        failed = False  # what it lists is its result, which is printed or in the file of --output
    rules = {
        f"ended by signal {-ended.status}": ended.status < 0,
        f"status {ended.status}": ended.status > 3,
        "traceback": "Traceback" in errors or "Exception ignored" in errors,
        "status 1 without a gate": ended.status == 1 and command not in GATES,
        "status 3 without a gate": ended.status == 3 and command != "gate",
        f"{len(messages)} messages with status {ended.status}": len(messages) != failed and not silent,
        "an empty message": any(not message.partition("rror:")[2].strip() for message in messages),
        "a message of more than 10,000 characters": any(len(message) > 10_000 for message in messages),
        "a control character on standard error": any(
            ord(letter) in _INVISIBLE for letter in errors if letter != "\n"
        ),
        "a control character on standard output": any(
            ord(letter) in _CONTROL
            for letter in _COLOURS.sub("", ended.stdout.decode("utf-8", "replace"))
        ),
        "output of a failed command": failed and bool(ended.stdout) and not full,
    }
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    if command == "judge":  # it creates the store, to which a damaged configuration can give any name
        changed = {path for path in changed & before.keys() if not path.startswith("out/judge.sqlite")}
    if unexpected := sorted(path for path in changed if not _may_change(path, call, failed)):
        rules[f"changed {', '.join(unexpected[:5])}"] = True
    return [rule for rule, broken in rules.items() if broken]


def _may_change(path: str, call: Call, failed: bool) -> bool:
    """Return whether a call may change a file: its output, plot, folder or cache."""
    if path in {"out/plot.svg", "out/plot.png"} or path in call.variables.values():
        return True
    if ("--junit", path) in pairwise(call.arguments) or f"record={path}" in call.arguments:
        return True
    if call.arguments[0] in FOLDER_WRITERS:
        return path.startswith(OUTPUT)
    if failed or "--output" not in call.arguments:
        return False
    output = call.arguments[len(call.arguments) - call.arguments[::-1].index("--output")]
    return path == output or path.startswith(f"{output}/") or (path, output) == ("out/old", "out/link")


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a new folder. Only this process removes it, not a fork that ends."""
    folder = Path(tempfile.mkdtemp(prefix="xcg-fuzz-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy(material: Path, folder: Path) -> None:
    """Copy the samples into the folder of a call."""
    shutil.copytree(material, folder, symlinks=True)
    (folder / "tmp").mkdir()
    (folder / "cache").mkdir(mode=0o700)


@contextlib.contextmanager
def _case_folder(material: Path) -> Iterator[Path]:
    with temporary_folder() as parent:
        folder = parent / "case"
        _copy(material, folder)
        yield folder


def _import_everything() -> None:
    for target, _ in COMMANDS.values():
        importlib.import_module(f"xcg.cli.{target.partition(':')[0]}")
    for name in (
        "scipy.stats",
        "scipy.special",
        "rich.table",
        "rich.console",
        "matplotlib.figure",
        "networkx",
    ):
        importlib.import_module(name)
    for name in (
        "matplotlib.backends.backend_agg",
        "markdown_it",
        "lxml.html",
        "hypothesis",
        "sqlite3",
        "joblib",
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def hostile_calls(
    calls: int, seed: int, keep: Path, first: int = 0, verbose: bool = False
) -> Counter[str]:
    """Run hostile calls, print those that break rules, and keep their files.

    Args:
        calls: Number of calls.
        seed: Seed of all calls.
        keep: Folder for the files of calls that break the rules.
        first: Number of the first call.
        verbose: Whether to print every call.

    Returns:
        How often calls ended with each status, ran out of memory, or broke each rule.
    """
    counts: Counter[str] = Counter()
    _import_everything()
    with temporary_folder() as parent:
        material = parent / "samples"
        material.mkdir()
        samples(material)
        gc.freeze()
        for number in range(first, first + calls):
            if number > first and (number - first) % 500 == 0:
                print(f"{number - first} calls", file=sys.stderr, flush=True)
            with _case_folder(material) as folder:
                call = prepare(folder, number, seed)
                script = call.script(folder)
                (folder.parent / "command.sh").write_bytes(script.encode("utf-8", "surrogateescape"))
                before = snapshot(folder)
                started = os.times()
                own_process = number % 20 == 19 or "--workers" in call.arguments
                ended = run(call, folder, own_process)
                seconds = sum(os.times()[2:4]) - sum(started[2:4])
                broken = problems(call, ended, before, snapshot(folder))
                counts[f"status {ended.status}"] += 1
                counts["not enough memory"] += b"not enough memory" in ended.stderr
                counts["more than 10 seconds"] += seconds > 10
                for rule in broken:
                    counts[f"broken: {rule[:50]}"] += 1
                memory = b"not enough memory" in ended.stderr and "v" not in call.limits
                if broken or verbose or memory or seconds > 10:
                    _report(number, call, ended, broken or [f"no rule, {seconds:.1f} s"])
                if broken or memory or seconds > 10:
                    target = keep / f"{seed}-{number}"
                    shutil.rmtree(target, ignore_errors=True)
                    with contextlib.suppress(shutil.Error, OSError):
                        _keep(material, target, number, seed)
    return counts


def _keep(material: Path, target: Path, number: int, seed: int) -> None:
    """Write the files and the command of a call into a folder."""
    folder = target / "case"
    _copy(material, folder)
    script = prepare(folder, number, seed).script(folder)
    (target / "command.sh").write_bytes(script.encode("utf-8", "surrogateescape"))


def _report(number: int, call: Call, ended: Ended, broken: Sequence[str]) -> None:
    words = " ".join(
        shlex.quote(word if len(word) < 60 else word[:60] + "…") for word in call.arguments
    )
    text = (
        f"call {number}: {'; '.join(broken)}\n  xcg {words} {' '.join(call.streams)}\n"
        f"  {str(call.variables)[:300]} {call.limits or ''} {'; '.join(call.damage)}\n"
        f"  status {ended.status}: {ended.stderr[-600:].decode('utf-8', 'replace').strip()}"
    )
    print(text.encode("ascii", "backslashreplace").decode(), flush=True)


def failing_templates() -> list[str]:
    """Return the templates that fail on undamaged samples, with their messages."""
    failed = []
    with temporary_folder() as parent:
        material = parent / "samples"
        material.mkdir()
        samples(material)
        for template in TEMPLATES:
            with _case_folder(material) as folder:
                ended = run(Call(template.split(), streams=["<letor.txt"]), folder, own_process=False)
            if ended.status not in {0, 1}:
                failed.append(f"{template}: {ended.status} {ended.stderr.decode()}")
    return failed
