"""Packing a recording with the symbols of its binaries, and unpacking it elsewhere."""

import io
import os
import socket
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from harness.cli.outputs import check_place, write_whole
from harness.pack.options import SUFFIX, PackOptions
from harness.pack.result import PackResult, UnpackResult
from harness.recordings.kinds import PROFILE, kind_of
from stallscope.archives import extract_archive
from stallscope.errors import RecordingError, UnableError, UsageError
from stallscope.recordings import Recording, open_recording

_FOLDER = "recording"
_PROFILE = "profile.pb.gz"
_BINARIES = "binaries"
_CHUNK = 1 << 20


def pack(options: PackOptions) -> PackResult:
    """Return the archive of a recording after it was written.

    Raises UnableError if the recording is of a kind that cannot be redacted, UsageError if it is a
    file and is not redacted.
    """
    recording = open_recording(options.recording)
    check_place(options.archive)
    with tempfile.TemporaryFile() as file:
        if options.redact:
            result = _pack_redacted(recording, options, file)
        elif recording.manifest is None:
            raise UsageError(
                f"{recording.path} is a file, not the directory of a recording",
                "share the file itself, or use --redact",
            )
        else:
            result = _pack_whole(recording, options, file)
        file.seek(0)
        write_whole(options.archive, iter(lambda: file.read(_CHUNK), b""))
    return result


def unpack(archive: Path, output: Path | None) -> UnpackResult:
    """Return the recording after it was unpacked to a new directory.

    Raises RecordingError for an archive that is damaged or refused; nothing remains of it then.
    """
    name = archive.name.removesuffix(SUFFIX)
    target = output or Path(name if name != archive.name else f"{name}.unpacked")
    if target.exists():
        raise UsageError(f"{target} exists", "name another directory with -o")
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(archive.open("rb"))
        except OSError as error:
            raise UsageError(
                f"cannot read {archive}: {error.strerror}", "name an archive of stallscope pack"
            ) from error
        place = target.absolute().parent
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=place)))
        size = extract_archive(stream, folder, str(archive))
        content = folder / _FOLDER
        if not content.is_dir():
            raise RecordingError(
                f"{archive} holds no recording", "name an archive of stallscope pack"
            )
        is_profile = (content / _PROFILE).is_file()
        open_recording(content / _PROFILE if is_profile else content)
        content.rename(target)
    path = target / _PROFILE if is_profile else target
    return UnpackResult(archive=str(archive), recording=str(path), bytes=size)


def _pack_redacted(recording: Recording, options: PackOptions, file: object) -> PackResult:
    from harness.pack.redaction import redacted_profile  # noqa: PLC0415 - only with --redact
    from harness.profile.analysis import analyze  # noqa: PLC0415
    from harness.profile.options import AnalysisOptions  # noqa: PLC0415
    from topdown.stacks.formats.pprof import encode_pprof  # noqa: PLC0415
    from topdown.stacks.formats.profile_tables import tables_of  # noqa: PLC0415

    kind = kind_of(recording)
    if kind != PROFILE:
        raise UnableError(
            f"a recording of kind {kind} cannot be redacted", "pack it without --redact"
        )
    analysis = analyze(recording, AnalysisOptions(places=options.places))
    host = recording.manifest.host_name if recording.manifest is not None else ""
    names = (host, host.partition(".")[0], analysis.host_name, socket.gethostname())
    content = encode_pprof(tables_of(redacted_profile(analysis.profile, names), time_ns=0))
    with _archive(file) as archive:
        _add(archive, f"{_FOLDER}/{_PROFILE}", io.BytesIO(content), len(content))
    return PackResult(
        recording=str(recording.path),
        archive=str(options.archive),
        redacted=True,
        files=1,
        bytes=len(content),
    )


def _pack_whole(recording: Recording, options: PackOptions, file: object) -> PackResult:
    files = size = binaries = missing = 0
    packed: set[str] = set()
    with _archive(file) as archive:
        for path in sorted(recording.path.rglob("*")):
            if path.is_symlink() or not path.is_file():
                continue
            name = path.relative_to(recording.path).as_posix()
            with path.open("rb") as content:
                length = os.fstat(content.fileno()).st_size
                _add(archive, f"{_FOLDER}/{name}", content, length)
            packed.add(name)
            files, size = files + 1, size + length
        added = 0
        for name, binary in _binaries(recording):
            entry = f"{_BINARIES}/{name}"
            if entry in packed:
                continue
            packed.add(entry)
            length = 0 if binary is None else binary.stat().st_size
            if binary is None or added + length > options.max_binaries_bytes:
                missing += 1
                continue
            with binary.open("rb") as content:
                _add(archive, f"{_FOLDER}/{entry}", content, length)
            added, binaries = added + length, binaries + 1
    return PackResult(
        recording=str(recording.path),
        archive=str(options.archive),
        redacted=False,
        files=files + binaries,
        bytes=size + added,
        binaries=binaries,
        missing_binaries=missing,
    )


def _binaries(recording: Recording) -> Iterator[tuple[str, Path | None]]:
    """Yield the files of the sampled binaries by the names of their copies; None: not available."""
    from harness.recordings.captures import read_samples, symbol_sources  # noqa: PLC0415
    from topdown.stacks.symbols.binaries import Binary, copy_name, find_binary  # noqa: PLC0415
    from topdown.stacks.unwinding.tables import UnwindTables  # noqa: PLC0415

    if not recording.samples.exists():
        return
    sources = symbol_sources(recording)
    for mapped in read_samples(recording, UnwindTables(sources)).objects:
        name = copy_name(mapped)
        if name is None or mapped.kernel or not mapped.path.startswith(b"/"):
            continue
        with ExitStack() as files:
            binary = find_binary(mapped, sources, files)
            path = Path(binary.path) if isinstance(binary, Binary) else None
            yield name, path if path is not None and path.is_file() else None


def _archive(file: object) -> tarfile.TarFile:
    return tarfile.open(fileobj=file, mode="w:gz", compresslevel=6)  # type: ignore[call-overload, no-any-return]


def _add(archive: tarfile.TarFile, name: str, content: object, size: int) -> None:
    """Add a file without the owner, permissions and time of the original."""
    header = tarfile.TarInfo(name)
    header.size, header.mode = size, 0o600
    archive.addfile(header, content)  # type: ignore[arg-type]
