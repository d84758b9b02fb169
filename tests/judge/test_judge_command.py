"""The command xcg judge: its server, imports and exports, and one message for each misuse."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import httpx2
import pytest
from conftest import ROOT, Command
from judge_campaign import ANNA, BEN, CONFIG, change, running_server, write_campaign

from xcg.errors import missing_extra
from xcg.judge.access import api_path, assessor_path

PASSAGE = {"topic": "1", "doc": "bees", "start": 0, "end": 10, "text": "Bees dance", "level": 2}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write_campaign(tmp_path)


@contextlib.contextmanager
def opened(url: str) -> Iterator[httpx2.Client]:
    """Return a browser that has opened a start URL."""
    origin = "/".join(url.split("/")[:3])
    with httpx2.Client(base_url=origin, headers={"origin": origin}, trust_env=False) as client:
        answer = client.get(url, follow_redirects=True)
        assert answer.status_code == 200, answer.text
        yield client


@pytest.mark.slow
@pytest.mark.posix
def test_the_server_saves_changes_and_stops_after_ctrl_c(config: Path, tmp_path: Path) -> None:
    with running_server(config) as (urls, process):
        assert list(urls) == [ANNA, BEN, "(overview)"]
        assert all(url.startswith("http://127.0.0.1:") for url in urls.values())
        with opened(urls[ANNA]) as client:
            api = api_path(ANNA, "1", "bees")
            answer = client.post(api, json=change(0, "add", start=0, end=10, grade="3"))
            assert answer.status_code == 200
            assert "server" not in answer.headers
            assert client.get("/overview/").status_code == 403
            assert client.get(assessor_path(BEN)).status_code == 403
            assert client.get("/", headers={"host": "evil.example"}).status_code == 403
        with opened(urls[BEN]), opened(urls["(overview)"]) as client:
            assert client.get("/overview/").status_code == 200
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 0
    assert stdout == ""
    assert stderr == (
        f"xcg: changes are saved in {tmp_path / 'judge.sqlite'}; stop with Ctrl-C\n"
        f"xcg: stopped; all changes are saved in {tmp_path / 'judge.sqlite'}\n"
    )


@pytest.mark.slow
@pytest.mark.posix
def test_kept_addresses_and_open_pages_outlive_a_restart(config: Path) -> None:
    config.write_text(f"{CONFIG}  keep_addresses: true\n")
    with running_server(config) as (urls, _), opened(urls[ANNA]) as client:
        port, cookies = client.base_url.port, client.cookies
    # Of two options, the last one holds.
    with running_server(config, "--port", str(port)) as (again, _), opened(again[ANNA]) as client:
        assert again == urls
        client.cookies = cookies
        assert client.get(assessor_path(ANNA)).status_code == 200


@pytest.mark.slow
@pytest.mark.posix
def test_errors_of_requests_do_not_end_the_server_or_reveal_tokens(config: Path) -> None:
    with running_server(config, "--assessor", ANNA) as (urls, process):
        assert list(urls) == [ANNA, "(overview)"]
        host, port = urls[ANNA].split("/")[2].split(":")
        for request in (b"\0\n\n", b"GET / HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\nHost: x\r\n"):
            with socket.create_connection((host, int(port)), timeout=5) as connection:
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR)
                assert b" 200 " not in connection.recv(1 << 16)
        with opened(urls[ANNA]) as client:
            answer = client.post(api_path(ANNA, "1", "bees"), content=b"x" * 100_000)
            assert answer.status_code == 413
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=20)
    assert "token" not in stderr
    assert "Traceback" not in stderr


def test_start_urls_are_printed_and_the_first_is_opened(
    config: Path, xcg_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_urls: list[str] = []
    monkeypatch.setattr("xcg.judge.server.serve", lambda *_: None)
    modes: list[int] = []

    def open_page(url: str) -> bool:
        path = Path(url2pathname(urlsplit(url).path))
        assert "token" not in url
        modes.append(stat.S_IMODE(path.parent.stat().st_mode))
        opened_urls.extend(re.findall(r'url=([^"]+)', path.read_text(encoding="utf-8")))
        pages.append(path)
        return True

    pages: list[Path] = []
    monkeypatch.setattr("webbrowser.open", open_page)
    done = xcg_command("judge", config, "--port", "0", "--open")
    assert done.returncode == 0, done.stderr
    anna, ben, overview = done.stdout.splitlines()
    assert anna.split()[0] == ANNA
    assert ben.startswith(f"{BEN}  http://127.0.0.1:")
    assert overview.startswith("(overview)  http://127.0.0.1:")
    assert opened_urls == [anna.split()[-1]]
    assert os.name != "posix" or modes == [0o700]  # other users read neither file nor arguments
    assert not pages[0].exists()
    assert len({line.partition("token=")[2] for line in (anna, ben, overview)}) == 3
    monkeypatch.setattr("webbrowser.open", lambda url: False)
    done = xcg_command("judge", config, "--port", "0", "--open")
    assert "note: no browser could be opened" in done.stderr


def test_a_port_in_use_is_named(config: Path, xcg_command: Command) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = xcg_command("judge", config, "--port", port)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"xcg: error: port {port} is in use: name another with --port, or a free one with --port 0\n"
    )
    assert not (config.parent / "judge.sqlite").exists()


@pytest.mark.parametrize("host", ["192.0.2.1", "nothing.invalid", "", "127.0.0.1:80", "a" * 300, "é\0"])
def test_a_host_that_is_not_this_machine_is_refused(
    config: Path, xcg_command: Command, host: str
) -> None:
    done = xcg_command("judge", config, "--port", "0", "--host", host)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("xcg: error: cannot use --host")
    assert "expected an address of this machine" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("change_campaign", "message"),
    [
        ("rm -r docs", "judge.yaml:1: corpus: "),
        ("rm -r docs; mkdir docs", "judge.yaml:1: corpus: "),
        ("rm topics.csv", "judge.yaml:2: topics.files: "),
        ("echo id,title > topics.csv", "topics.csv"),
        ("echo runs: nothing.xml >> judge.yaml", "judge.yaml:6: runs: "),
        ("printf 'id,title\\n1,zebra\\n' > topics.csv", "judge.yaml:2: topics.files: "),
        ("echo x > judge.sqlite", "judge.sqlite"),
        ("mkdir judge.sqlite", "judge.sqlite"),
        ("echo '  colour: red' >> judge.yaml", "judge.yaml:6: judge.colour: unknown key"),
        ("echo '<a>' > docs/bees.xml", "bees.xml"),
    ],
)
@pytest.mark.posix
def test_a_wrong_input_is_one_message(
    config: Path, xcg_command: Command, change_campaign: str, message: str
) -> None:
    subprocess.run(change_campaign, shell=True, cwd=config.parent, check=True)
    done = xcg_command("judge", config, "--port", "0")
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_the_extra_there_is_help_and_the_command_that_installs_it(config: Path) -> None:
    program = f"""
import sys
class Missing:
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in ("starlette", "jinja2", "uvicorn"):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name.partition(".")[0])
sys.meta_path.insert(0, Missing())
from xcg.cli.main import main
main(["judge", "--help"], standalone_mode=False)
main(["judge", {str(config)!r}])
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout.startswith("Usage: ")
    expected = [missing_extra("xcg judge", package, "judge") for package in ("starlette", "jinja2")]
    assert done.stderr in [f"xcg: error: {message}\n" for message in expected]


def test_judgements_are_imported_and_exported(config: Path, xcg_command: Command) -> None:
    gold, out = config.parent / "gold.jsonl", config.parent / "out"
    gold.write_text(json.dumps(PASSAGE) + "\n")
    for assessor in (ANNA, BEN):
        done = xcg_command("judge", config, "--import", gold, "--assessor", assessor)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        assert done.stderr.endswith(f"xcg: the judgements are in {config.parent / 'judge.sqlite'}\n")
    done = xcg_command("judge", config, "--export", out, "--assessor", ANNA)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in out.iterdir()] == [ANNA]
    (record,) = map(json.loads, (out / "anna" / "passages.jsonl").read_text().splitlines())
    assert (record["topic"], record["doc"], record["start"], record["end"]) == ("1", "bees", 0, 10)


def test_an_import_needs_one_assessor(config: Path, xcg_command: Command) -> None:
    gold = config.parent / "gold.jsonl"
    gold.write_text(json.dumps(PASSAGE) + "\n")
    done = xcg_command("judge", config, "--import", gold)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--import needs one --assessor NAME" in done.stderr
    config.write_text(CONFIG.replace(f', "{BEN}"', "").replace("second_share: 1", "second_share: 0"))
    assert xcg_command("judge", config, "--import", gold).returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--import", "a", "--export", "b"), "--import and --export exclude each other"),
        (("--gold", "union"), "--gold needs --export FOLDER"),
        (("--assessor", "ana"), "judge.yaml has no such assessor: did you mean 'anna'?"),
        (("--import", "a", "--assessor", BEN), "--import needs one --assessor NAME"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    config: Path, xcg_command: Command, options: tuple[str, ...], message: str
) -> None:
    done = xcg_command("judge", config, "--assessor", ANNA, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
