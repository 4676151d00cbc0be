"""Compiles the core for platforms that are not at hand: all headers in one file, and the kernels of kernel_hashes.cpp.

The package ziglang brings Clang and the C libraries of these platforms; `make cross` installs it and runs this file.
Where this machine can run the result, the kernels with musl must give the same bits as with the machine's own compiler.
"""

import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "tests" / "portable" / "kernel_hashes.cpp"
TARGETS = (
    "x86_64-linux-musl",
    "aarch64-linux-musl",
    "aarch64-linux-gnu.2.28",
    "aarch64-macos.13.3",
    "x86_64-macos.13.3",
    "x86_64-windows-gnu",
    "aarch64-windows-gnu",
)
ZIG = (sys.executable, "-m", "ziglang", "c++")
FLAGS = ("-std=c++20", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", f"-I{ROOT / 'core'}")
# Not every function of a header is used here. libc++ includes more than the standard asks for; other libraries do not.
STRICT = ("-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unneeded-internal-declaration")
STRICT += ("-D_LIBCPP_REMOVE_TRANSITIVE_INCLUDES",)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    headers = sorted(path for path in ROOT.glob("core/*/*.hpp") if not path.name.startswith("bind"))
    together = folder / "every_header.cpp"
    together.write_text("".join(f'#include "{path.relative_to(ROOT / "core")}"\n' for path in headers))
    for target in TARGETS:
        for source in (together, KERNELS):
            command = (*ZIG, "-target", target, *FLAGS, *STRICT, "-c", "-o", folder / "object.o", source)
            subprocess.run(command, check=True)
        print(f"{target}: {len(headers)} headers compile", flush=True)
    if sys.platform == "linux" and platform.machine() == "x86_64":
        musl = _hashes((*ZIG, "-target", "x86_64-linux-musl", "-static"), folder / "kernels-musl")
        own = _hashes(("g++", "-pthread"), folder / "kernels")
        if musl != own:
            sys.exit(f"other bits with musl:\n{musl}instead of\n{own}")
        print(f"the same bits with musl: {len(own.splitlines())} kernels")


def _hashes(compiler: tuple[str, ...], program: Path) -> str:
    """Compile the kernels, and return what they print."""
    subprocess.run((*compiler, *FLAGS, "-O2", "-o", program, KERNELS), check=True)
    return subprocess.run((program,), check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
