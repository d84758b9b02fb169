"""Find input files by path, folder, glob or ``-``, open them, and write output files as a whole.

An output file is either replaced as a whole or left unchanged. ``-`` is standard input. The glob
function of Python follows links to folders for ``**``, which may form loops.
"""

from __future__ import annotations

import codecs
import errno
import gzip
import math
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from glob import escape, glob
from io import BufferedIOBase, BufferedReader, BytesIO, RawIOBase
from itertools import groupby
from pathlib import Path
from typing import IO, Any, BinaryIO, NoReturn, cast
from weakref import WeakKeyDictionary

from xcg.errors import FileError, InputError, nearest_file
from xcg.lazy_modules import etree, shutil
from xcg.settings.yaml_file import open_file

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

MAX_ENTRIES = 1_000_000
"""Maximum number of files and folders that are visited for a folder or for ``**`` in a pattern."""

RETURN = ord("\r")  # Python searches bytes faster for a number than for b"\r"
_NOT_DATA = (".dtd", ".md")
_KINDS = {"p": "a FIFO", "s": "a socket", "c": "a device", "b": "a device"}
"""First letter of a file's mode → kind of file."""


def _walk(
    folder: str, what: str, onerror: Callable[[OSError], None] | None = None
) -> Iterator[tuple[str, list[str]]]:
    """Yield a folder and all folders in it with the names of their files, in order.

    Hidden files and folders and links to folders are ignored.
    """
    visited = 0
    for parent, folders, names in os.walk(folder, onerror=onerror):
        visited += len(folders) + len(names)
        if visited > MAX_ENTRIES:
            problem = f"more than {MAX_ENTRIES:,} files and folders to search for {what}"
            raise InputError(folder, f"{problem}; expected a smaller folder or a more specific pattern")
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield parent, sorted(name for name in names if not name.startswith("."))


def _files_below(folder: Path, what: str) -> Iterator[Path]:
    """Yield the files in a folder recursively and in order, or the path itself if it is a file.

    ``.dtd`` and ``.md`` files are ignored. FIFOs, sockets and devices are refused, because reading them
    could block or never end.

    Raises:
        InputError: If a folder or a file cannot be read, or there are too many.
    """

    def refuse(error: OSError) -> NoReturn:
        raise InputError(error.filename, f"cannot read the folder: {error.strerror}") from None

    found: Iterable[Path] = [folder]
    if folder.is_dir():
        found = (
            Path(parent, name) for parent, names in _walk(str(folder), what, refuse) for name in names
        )
        found = (path for path in found if not path.name.endswith(_NOT_DATA))
    for path in found:
        try:
            mode = path.stat().st_mode
        except OSError as error:
            raise InputError(path, f"cannot read: {error.strerror}") from None
        if kind := _KINDS.get(stat.filemode(mode)[0]):
            raise InputError(path, f"{kind}, not a file; expected {what}: remove it, or name the files")
        yield path


def _matching(pattern: Path, what: str) -> Iterator[Path]:
    """Yield the files that match a pattern, or are in folders that match it, in order.

    ``**`` matches any number of folders, but no links to folders.
    """
    parts = pattern.parts if pattern.name != "**" else pattern.parent.parts
    matches = {""}
    for is_recursive, group in groupby(parts, "**".__eq__):
        if is_recursive:
            matches = {parent for top in matches for parent, _ in _walk(top or ".", what)}
        else:
            rest = os.path.join(*group)
            matches = {one for top in matches for one in glob(os.path.join(escape(top), rest))}
    for match in sorted({str(Path(match)) for match in matches}):
        yield from _files_below(Path(match), what)


PathLike = str | os.PathLike[str]
STANDARD_INPUT = Path("-")
"""The name of standard input. A file of this name can only be given by its absolute path."""
INCOMPLETE_CAMPAIGN = "xcg-incomplete.txt"
"""Name of the file that marks the folder of a simulated campaign as incomplete."""

MAX_LINE_BYTES = 1 << 20
"""Maximum length of a line in a text file: 1 MB."""
MAX_GZIP_RATIO = 250
"""Maximum size of a decompressed assessment or run file, as a multiple of its compressed size."""
RATIO_FROM_BYTES = 1 << 26
"""Size of a decompressed file up to which any ratio is allowed: 64 MB."""
MAX_STANDARD_INPUT = 1 << 30
"""Maximum size of standard input, which is kept in memory: 1 GB."""
CHUNK_BYTES = 1 << 15
"""Number of bytes to read at once; larger chunks need newly allocated memory each time."""

SAFE_PARSING: dict[str, Any] = {"resolve_entities": False, "remove_comments": True, "remove_pis": True}
"""lxml's options for input that may be hostile: entities are not expanded. By default, no other file is
opened, and libxml2's limits apply: a depth of 256 elements, 10 MB for a name or a text."""


_contents: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()


def _open_standard_input() -> BufferedReader:
    """Open standard input for reading, each time from its beginning.

    Formats are detected from the beginning of a file, and some commands read their inputs twice.
    """
    stream: Any = sys.stdin
    if stream is None:
        raise InputError(STANDARD_INPUT, "there is no standard input; expected a file")
    if stream not in _contents:
        content = stream.buffer.read(MAX_STANDARD_INPUT + 1)
        if len(content) > MAX_STANDARD_INPUT:
            raise InputError(STANDARD_INPUT, "standard input of more than 1 GB; expected a file")
        _contents[stream] = content
    return BufferedReader(cast(Any, BytesIO(_contents[stream])))


def expand(patterns: PathLike | Iterable[PathLike], what: str) -> list[Path]:
    """Return the files of paths, folders (recursively) and globs, in order.

    ``-`` is standard input. Hidden, ``.dtd`` and ``.md`` files in folders are ignored. A FIFO or a
    device must be named explicitly. In a folder or among the matches of a glob, it is an error.

    Args:
        patterns: One or several paths, folders or globs.
        what: Description of the expected files, for messages.

    Raises:
        InputError: If a pattern matches no file, too many files and folders must be searched, a folder
            cannot be read or is an incomplete campaign.
    """
    if isinstance(patterns, (str, os.PathLike)):
        patterns = [patterns]
    files: dict[Path, None] = {}
    for pattern in patterns:
        if os.fspath(pattern) == "-":
            files[STANDARD_INPUT] = None
            continue
        path = Path(pattern)
        try:
            is_folder, exists = path.is_dir(), path.exists()
        except (OSError, ValueError) as error:  # illegal in file systems
            raise InputError(str(pattern)[:80], f"not a file name: {error}; expected {what}") from None
        if is_folder:
            found = list(_files_below(path, what))
        else:
            found = [path] if exists else list(_matching(path, what))
        if not found:
            problem = "the folder contains no files" if is_folder else "no such file or folder"
            raise FileError(path, f"{problem}{nearest_file(path)}; expected {what}")
        check_complete(found[0].parent)
        files.update(dict.fromkeys(found))
    return list(files)


def check_complete(folder: Path) -> None:
    """Refuse a folder that is, or is inside, an incomplete simulated campaign.

    Raises:
        InputError: If the folder or one of its parents contains the marker of an incomplete campaign.
    """
    absolute = Path(os.path.abspath(folder))
    for parent in (absolute, *absolute.parents[:2]):
        if os.path.exists(parent / INCOMPLETE_CAMPAIGN):  # False for names that are too long
            problem = "an incomplete campaign: xcg simulate is writing it, or was interrupted"
            raise InputError(parent, f"{problem}; in this case, remove the folder and write it again")


class _GzipFile(gzip.GzipFile):
    """A gzipped file whose decompressed size is limited.

    Args:
        file: The open file.
        path: Its path, for messages.
    """

    def __init__(self, file: BufferedReader, path: Path) -> None:
        super().__init__(fileobj=file)
        size = path.stat().st_size if path != STANDARD_INPUT else 0  # also 0 for a named pipe
        self._path = path
        self._limit = max(MAX_GZIP_RATIO * size, RATIO_FROM_BYTES) if size else math.inf

    def read(self, size: int | None = -1) -> bytes:
        """Return decompressed bytes.

        Raises:
            InputError: If the decompressed data exceed the limit.
        """
        data = super().read(size)
        if self.tell() > self._limit:
            problem = f"the file has more than {MAX_GZIP_RATIO} times its size when decompressed"
            raise InputError(self._path, f"{problem}; decompress it first")
        return data


@contextmanager
def open_input(path: Path) -> Iterator[BufferedReader]:
    """Open a file for reading; gzipped files, recognised by their first two bytes, are decompressed.

    The path ``-`` is standard input.

    Raises:
        InputError: If the file cannot be opened, or reading or parsing it in the block fails.
    """
    try:
        with ExitStack() as stack:
            opened = _open_standard_input() if path == STANDARD_INPUT else open_file(path)
            file: BufferedReader = stack.enter_context(opened)
            if file.peek(2).startswith(b"\x1f\x8b"):
                unpacked = stack.enter_context(_GzipFile(file, path))
                file = BufferedReader(cast(RawIOBase, unpacked))
            yield file
    except etree.XMLSyntaxError as error:
        raise xml_error(path, error) from None
    except UnicodeDecodeError:
        raise InputError(path, "not UTF-8 text; expected text or XML") from None
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(path, f"damaged gzip file: {error}") from None
    except OSError as error:
        raise InputError(path, f"cannot read: {error.strerror or error}") from None


def read_input(path: Path, most: int, what: str) -> bytes:
    """Return the content of a file.

    Args:
        path: The file.
        most: Its maximum size in bytes.
        what: Description of the expected file, for messages.

    Raises:
        InputError: If the file cannot be read, or is larger.
    """
    with open_input(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise InputError(path, f"larger than {most >> 20} MB; expected {what}")
    return data


def xml_error(where: object, error: etree.XMLSyntaxError) -> InputError:
    """Return the error for XML that is not well-formed or exceeds libxml2's limits, with its line."""
    reason = (error.msg or "unreadable").rsplit(", line ", 1)[0]
    where = f"{where}:{error.lineno or 1}"
    if "entity amplification" in reason:
        return InputError(where, "too large to parse: its entities expand to more than libxml2 allows")
    if "XML_PARSE_HUGE" in reason:  # an option of libxml2, which users of xcg cannot set
        return InputError(
            where,
            f"too large to parse: {re.split(', (?:try|use) | use ', reason)[0]}; the limits are 256 "
            "nested elements, and 10 MB for a text or an attribute",
        )
    return InputError(where, f"not well-formed XML: {reason}")


def lines(file: BufferedIOBase, path: Path, first: int = 1) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 text with their numbers.

    Args:
        file: The open file.
        path: Its path, for messages.
        first: Number of the first line.

    Raises:
        InputError: If a line is longer than 1 MB or not UTF-8.

    >>> import io
    >>> list(lines(io.BytesIO(b"1 0 d 1"), Path("qrels.txt")))
    [(1, '1 0 d 1')]
    """
    for number, line in enumerate(iter(partial(file.readline, MAX_LINE_BYTES + 1), b""), first):
        if len(line) > MAX_LINE_BYTES:
            raise InputError(f"{path}:{number}", "a line of more than 1 MB; expected text or XML")
        if RETURN in line and RETURN in line.rstrip():
            message = "a carriage return within the line; expected lines that end with LF or CRLF"
            raise InputError(f"{path}:{number}", message)
        try:
            yield number, line.removeprefix(b"\xef\xbb\xbf").decode()
        except UnicodeDecodeError:
            raise InputError(f"{path}:{number}", "not UTF-8 text; expected text or XML") from None


def chunks(file: BufferedReader) -> Iterator[bytes]:
    """Yield a text in small chunks; each ends at the end of a line, unless it is longer than 1 MB."""
    while chunk := file.read(CHUNK_BYTES):
        yield chunk + file.readline(MAX_LINE_BYTES + 1)


def is_xml(head: bytes) -> bool:
    """Return whether the first character of a file other than white space is ``<``.

    Args:
        head: The first bytes of the file.

    >>> is_xml(b" <a/>"), is_xml(b"1 0 d 1")
    (True, False)
    """
    for mark in (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        head = head.removeprefix(mark)
    return head.strip(b" \t\r\n\v\f\0").startswith(b"<")


def local_name(element: etree._Element) -> str:
    """Return the local name of an element in lower case."""
    return str(element.tag).rpartition("}")[2].lower()


_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})|/dev/std(?:out|(err))")
_LOCKED_BYTE = 1 << 30


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that appears only when the block ends without an exception.

    An existing file keeps its permissions; a symbolic link remains, and its target is replaced. A FIFO,
    a terminal or another character device, and a file descriptor such as ``/dev/stdout`` are not
    replaced: they receive the content when the block ends.

    The content is written to a temporary file ``.xcg-*.tmp`` in the same folder.

    Raises:
        InputError: If the file cannot be written.
    """
    try:
        found = _DESCRIPTOR.fullmatch(os.path.abspath(path))
        descriptor = found and int(found[1] or (2 if found[2] else 1))
        try:
            state = path.stat()
        except FileNotFoundError:
            state = None
        except ValueError as error:  # a NUL character in the name
            raise InputError(path, f"cannot write: {error}") from None
        if state is None or (stat.S_ISREG(state.st_mode) and descriptor is None):
            if state is not None and not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            target = Path(os.path.realpath(path))
            with _temporary(target.parent, 0o666 if state is None else 0o600) as (temporary, file):
                with file:
                    if state is not None:
                        temporary.chmod(stat.S_IMODE(state.st_mode) & 0o777)
                    yield cast(BinaryIO, file)
                temporary.replace(target)
            return
        if stat.S_ISDIR(state.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if descriptor is None and not (stat.S_ISFIFO(state.st_mode) or stat.S_ISCHR(state.st_mode)):
            raise InputError(path, "cannot write: neither a file nor a FIFO nor a character device")
        import tempfile

        # An open descriptor has a position, which opening its name again would lose.
        opened = path.open("wb") if descriptor is None else os.fdopen(os.dup(descriptor), "wb")
        with opened, tempfile.TemporaryFile() as complete:
            yield cast(BinaryIO, complete)
            complete.seek(0)
            shutil.copyfileobj(complete, opened)
    except OSError as error:
        raise InputError(path, f"cannot write: {error.strerror or error}") from None


@contextmanager
def new_whole_file(path: Path, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """Open a new file for writing that appears only when the block ends without an exception.

    Args:
        path: The file.
        mode: Its permissions, from which the user's mask is removed.

    Raises:
        OSError: If the file cannot be written, or already exists at the end of the block.
    """
    with _temporary(path.parent, mode) as (temporary, file):
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)


@contextmanager
def _temporary(folder: Path, mode: int = 0o666) -> Iterator[tuple[Path, IO[bytes]]]:
    """Create a temporary file that is removed at the end if it still exists."""
    path = folder / f".xcg-{os.urandom(8).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, mode), "wb") as file:
        try:
            yield path, file
        finally:
            file.close()
            with suppress(OSError):
                path.unlink()


def lock_file(file: IO[bytes]) -> bool:
    """Lock a file until it is closed; return False if another process has locked it.

    On file systems without locks, nothing is locked.
    """
    try:
        if sys.platform == "win32":
            file.seek(_LOCKED_BYTE)  # others can read the content
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return not isinstance(error, (BlockingIOError, PermissionError))
    return True
