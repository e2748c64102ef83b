# Plays README and tests of the clone in a root of Debian 13, by bash: whole, or TEST...
# Source: hil/gate/README.md, "Debian 13".
set -euo pipefail

step() {
    echo "debian 13: $* ($SECONDS s)"
}

cd "$HOME/smartshoe"
echo "debian 13: Debian $(cat /etc/debian_version), $(python3 --version)"
make demo ARGS="--seed 7 --speed max"
step 'make demo passed'
make .venv/.installed-test
.venv/bin/python tests/examples/run_page.py README.md
step "README's other commands passed"
if [ "$1" = whole ]; then
    make test JOBS="$JOBS"
    step 'make test passed'
    make test-services JOBS="$JOBS"
else
    .venv/bin/python -m pytest -q -n "$JOBS" --dist worksteal "$@"
fi
step 'tests passed'
