"""Every property on twenty times as many examples as `make test` has time for; exits 1 when one of them fails."""

from __future__ import annotations

import subprocess
import sys

if __name__ == "__main__":
    pytest = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-m", "hypothesis", "--hypothesis-profile", "thorough"]
    sys.exit(subprocess.run([*pytest, *sys.argv[1:]], check=False).returncode)
