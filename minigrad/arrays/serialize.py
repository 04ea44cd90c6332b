"""Save and load arrays, and what is to be known about them, without pickle.

A file is NumPy's `.npz`, with one more entry that holds a text in JSON. Reading one never runs code.
"""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from ..engine.kinds import checked, named
from ..errors import ArgumentError, CheckpointError, ConfigError
from ..system.disk import other_kind, write_whole

_ABOUT = "about.json"
_FORMAT = "minigrad 1"
_VERSION = (1, 0)  # of the format of an array


@named
def save(
    path: str | os.PathLike | Mapping, arrays: Mapping | str | os.PathLike, about: object = None
) -> None:
    """Write `arrays` by name, and `about` (anything that JSON can hold), to one file.

    The path may come second, as in PyTorch.

    The file is written beside its final name and renamed, so that it is whole or not there, and one
    that was there before stays until then. The same contents give the same bytes.

    Raises:
        ConfigError: if `path` is a device, a pipe or a folder.
        OSError: if it cannot be written.
        ArgumentError: if JSON cannot hold `about`, an array is of Python objects, or arrays have no
            names.
        ConfigError: if a name is no text, has a "\\0" in it, or is the one under which `about` is kept.
    """
    if isinstance(path, Mapping):
        path, arrays = arrays, path
    if not (isinstance(path, (str, os.PathLike)) and isinstance(arrays, Mapping)):
        model = any(hasattr(one, "state_dict") for one in (path, arrays))
        example = "model.state_dict()" if model else "{'w': w}"
        raise ArgumentError(f"save takes a path, and arrays by name: mg.save('w.npz', {example})")
    for name, value in arrays.items():
        if isinstance(value, Mapping):
            raise ArgumentError(
                f"{name} is a dict, and a file holds arrays by name: save it to a file of its own, or "
                f"give its arrays names such as {f'{name}.{next(iter(value), 0)}'!r}"
            )
    by_name = {name: np.asarray(array) for name, array in arrays.items()}
    text = _header(by_name, about)

    def write(file: IO[bytes]) -> None:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(zipfile.ZipInfo(_ABOUT), text)  # a ZipInfo has a fixed time
            for name, array in by_name.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, array, _VERSION, allow_pickle=False)

    write_whole(path, write)


def _header(by_name: Mapping[str, np.ndarray], about: object) -> str:
    """The text that stands first in a file, for arrays that can be saved by these names."""
    try:
        text = json.dumps({"format": _FORMAT, "arrays": list(by_name), "about": about})
    except (TypeError, ValueError) as problem:
        raise ArgumentError(
            f"about is what JSON can hold (dicts, lists, texts and numbers): {problem}"
        ) from None
    for name, array in by_name.items():
        if array.dtype.hasobject:
            raise ArgumentError(
                f"{name} is an array of Python objects, which only pickle could save"
            )
        if not isinstance(name, str) or "\0" in name or name == _ABOUT:
            raise ConfigError(
                f"no array can be called {name!r}: give a text without \\0, not {_ABOUT}"
            )
    return text


@checked
def load(path: str | os.PathLike) -> tuple[dict[str, np.ndarray], Any]:
    """Read what `save` wrote: the arrays by name, and what was said about them.

    A file holds no model: make one as it was made before it was saved, and give it the arrays.

        model.load_state_dict(mg.load("w.npz")[0])

    The size that an entry promises is checked before it is read. So reading needs no more memory than
    the file has bytes, whoever wrote it.

    Raises:
        CheckpointError: if there is no such file, or it is no regular one, or is truncated, or was not
            written by `save`.
    """
    if kind := other_kind(path):
        raise CheckpointError(
            f"there is no checkpoint {os.fspath(path)}, which is {kind}: give "
            + ("a file in it" if kind == "a folder" else "the regular file as it was saved")
        )
    if not os.path.exists(path):
        raise CheckpointError(f"there is no checkpoint {os.fspath(path)}")
    try:
        with open(path, "rb") as file:
            return _contents(file)
    except CheckpointError as error:
        raise CheckpointError(f"{os.fspath(path)} {error}") from None
    except PermissionError:
        raise CheckpointError(f"{os.fspath(path)} may not be read: permission denied") from None
    except MemoryError:
        raise MemoryError(f"{os.fspath(path)} does not fit into memory") from None
    except Exception as problem:  # there is no telling what the parsers make of a damaged file
        raise CheckpointError(
            f"{os.fspath(path)} is truncated, or is not a checkpoint of minigrad "
            f"({type(problem).__name__}: {problem}): give the file as it was saved"
        ) from None


def _contents(file: IO[bytes]) -> tuple[dict[str, np.ndarray], Any]:
    """The arrays by name, and what was said about them, of an open file."""
    if not zipfile.is_zipfile(file):
        raise ValueError("no zip archive")
    with zipfile.ZipFile(file) as archive:
        if any(name.endswith("/data.pkl") for name in archive.namelist()):
            raise ValueError("PyTorch's: write model.load_state_dict(torch.load(path))")
        infos = _stored(archive, os.fstat(file.fileno()).st_size)
        header = json.loads(archive.read(_ABOUT))
        form, names, about = header["format"], header["arrays"], header["about"]
        if form != _FORMAT:
            raise CheckpointError(f"is of the format {form!r}; this version reads {_FORMAT!r}")
        return {name: _array(archive, infos[name]) for name in _complete(names, infos)}, about


def _stored(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """The entries of arrays by name, if all entries are stored as they are, each in bytes of its own."""
    infos = archive.infolist()
    for info in infos:
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
            raise ValueError(f"{info.filename} is compressed")
    if sum(info.file_size for info in infos) > size:
        raise ValueError("its entries are larger than the file")
    return {info.filename.removesuffix(".npy"): info for info in infos if info.filename != _ABOUT}


def _complete(names: list[str], infos: Mapping[str, zipfile.ZipInfo]) -> list[str]:
    """`names`, if there is an entry for each, and none for another."""
    listed = set(names)
    missing = [name for name in names if name not in infos]
    strange = [n for n, i in infos.items() if n not in listed or not i.filename.endswith(".npy")]
    if missing:
        raise ValueError(f"without {_first_few(missing)} of its {len(names)} arrays")
    if strange:
        raise ValueError(f"with {_first_few(strange)}, which are no arrays of it")
    return names


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> np.ndarray:
    """Read an array that has as many bytes as its shape and dtype promise."""
    with archive.open(info) as entry:
        if np.lib.format.read_magic(entry) != _VERSION:
            raise ValueError(f"{info.filename} is of another version of NumPy's format")
        shape, _, dtype = np.lib.format.read_array_header_1_0(entry)
        if dtype.hasobject:
            raise ValueError(f"{info.filename} has Python objects")
        promised, there = math.prod(shape) * dtype.itemsize, info.file_size - entry.tell()
        if promised != there:
            raise ValueError(f"{info.filename} promises {promised} bytes and has {there}")
    with archive.open(info) as entry:
        return np.lib.format.read_array(entry, allow_pickle=False)


def _first_few(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
