"""Gathers a wheelhouse: everything pip needs to install Moot on a machine without network.

Run on a machine with network and with the same system, processor and Python minor version as the target:

    python packaging/wheelhouse.py [--llm] [--to wheelhouse]
    python packaging/wheelhouse.py --check wheelhouse

The folder then holds the wheels of Moot and of the exact versions in constraints.txt, INSTALL.txt, and SHA256SUMS
over all of them (the format of `sha256sum -c`). Sizes are in megabytes of 10^6 bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUMS = "SHA256SUMS"
PORTABLE = {
    "x86_64": "-DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON",
    "AMD64": "-DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON",
}
"""Machine -> processor features that llama.cpp may use: those of laptops since 2013, not those of the building
machine."""

INSTALL = """\
Moot 模拟法庭评测台: installing without network
Made for {system} {machine}, Python {python}.

1. Check the files (optional):
       sha256sum -c SHA256SUMS            macOS: shasum -a 256 -c SHA256SUMS
2. Make an environment and install into it:
       python3 -m venv moot
       moot/bin/python -m pip install --no-index --find-links . "mootbench{extra}"
   Windows:
       py -m venv moot
       moot\\Scripts\\python -m pip install --no-index --find-links . "mootbench{extra}"
3. Start:
       moot/bin/moot doctor               Windows: moot\\Scripts\\moot doctor
"""


class WheelhouseError(Exception):
    """The wheelhouse cannot be made or is not what its sums say."""


def digest(path: Path) -> str:
    """SHA-256 of a file in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_sums(folder: Path) -> int:
    """Write SHA256SUMS over every file of the folder; returns how many."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != SUMS)
    lines = [f"{digest(path)}  {path.name}\n" for path in files]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")
    return len(files)


def check_sums(folder: Path) -> list[str]:
    """What is wrong with a wheelhouse: files changed, missing or not listed; empty when nothing is."""
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise WheelhouseError(f"{folder / SUMS} cannot be read: {error}") from error
    listed = {}
    for number, line in enumerate(lines, 1):
        expected, separator, name = line.partition("  ")
        if not separator or len(expected) != 64 or Path(name).name != name:
            raise WheelhouseError(f"{folder / SUMS}, line {number} is no line of sums")
        listed[name] = expected
    present = {path.name for path in folder.iterdir() if path.is_file() and path.name != SUMS}
    troubles = [f"missing: {name}" for name in sorted(listed.keys() - present)]
    troubles += [f"not listed: {name}" for name in sorted(present - listed.keys())]
    troubles += [
        f"changed: {name}" for name in sorted(present & listed.keys()) if digest(folder / name) != listed[name]
    ]
    return troubles


def wheel_command(target: Path, llm: bool) -> list[str]:
    """The pip call that gathers the wheels of Moot and all it needs."""
    wanted = f"{ROOT}[llm]" if llm else str(ROOT)
    constraints = str(ROOT / "constraints.txt")
    return [sys.executable, "-m", "pip", "wheel", "-q", "-c", constraints, "--wheel-dir", str(target), wanted]


def gather(destination: Path, *, llm: bool) -> None:
    """Build the wheelhouse in a temporary folder beside its place and move it in whole."""
    if destination.exists() and not (destination / SUMS).is_file():
        raise WheelhouseError(f"{destination} exists and is no wheelhouse; name another folder with --to")
    destination.parent.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ)
    if llm:
        features = PORTABLE.get(platform.machine(), "")
        environment["CMAKE_ARGS"] = f"-DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF {features}".strip()
    with tempfile.TemporaryDirectory(prefix=".wheelhouse-", dir=destination.parent) as scratch:
        folder = Path(scratch) / "wheels"
        folder.mkdir()
        done = subprocess.run(wheel_command(folder, llm), env=environment, check=False)
        if done.returncode:
            raise WheelhouseError("pip could not gather the wheels; its own message stands above")
        text = INSTALL.format(
            system=platform.system(),
            machine=platform.machine(),
            python=".".join(platform.python_version_tuple()[:2]),
            extra="[llm]" if llm else "",
        )
        (folder / "INSTALL.txt").write_text(text, encoding="utf-8")
        write_sums(folder)
        if destination.exists():
            shutil.rmtree(destination)
        folder.replace(destination)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line of this script."""
    parser = argparse.ArgumentParser(description="Gather the wheels of Moot for a machine without network.")
    parser.add_argument(
        "--to", type=Path, default=ROOT / "wheelhouse", help="the folder to make (default: wheelhouse)"
    )
    parser.add_argument("--llm", action="store_true", help="add llama-cpp-python, built for any processor since 2013")
    parser.add_argument("--check", type=Path, metavar="FOLDER", help="verify the sums of a wheelhouse and stop")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: made, or verified whole; 1: not."""
    options = parse(arguments)
    try:
        if options.check:
            troubles = check_sums(options.check)
            print("\n".join(troubles) if troubles else f"{options.check}: every file is as listed")
            return 1 if troubles else 0
        gather(options.to, llm=options.llm)
    except (WheelhouseError, OSError) as error:
        print(f"wheelhouse: {error}", file=sys.stderr)
        return 1
    files = list(options.to.iterdir())
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"{options.to}: {sum(path.suffix == '.whl' for path in files)} wheels, {size:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
