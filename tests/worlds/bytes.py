"""Files in memory: archives, matrices and tables of a few members."""

import io
import tarfile
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def zipped(*members: tuple[str, bytes]) -> bytes:
    """A zip of (name, bytes)."""
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = 0, zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return file.getvalue()


def tarred(*members: tuple, mode: str = "w") -> bytes:
    """A tar of (name, bytes) or (name, type, what it links to)."""
    with tarfile.open(fileobj=(file := io.BytesIO()), mode=mode) as archive:
        for name, *content in members:
            member = tarfile.TarInfo(name)
            member.mode = 0o4777
            if len(content) == 2:
                member.type, member.linkname = content
            else:
                member.size = len(content[0])
            archive.addfile(member, io.BytesIO(content[0] if len(content) == 1 else b""))
    return file.getvalue()


def wheel(*members: tuple[str, bytes], name: str = "demo", version: str = "1.0") -> bytes:
    """A wheel that pip accepts."""
    about = f"{name.replace('-', '_')}-{version}.dist-info"
    return zipped(
        (f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"),
        (f"{about}/WHEEL", b"Wheel-Version: 1.0\nTag: py3-none-any\n"),
        (f"{about}/RECORD", b""),
        *members,
    )


def npy(matrix: object) -> bytes:
    np.save(file := io.BytesIO(), matrix, allow_pickle=True)
    return file.getvalue()


def parquet(**columns) -> bytes:
    pq.write_table(pa.table(columns), file := io.BytesIO())
    return file.getvalue()
