# Mounts what a machine has into a root of Debian, then plays README and tests in it.
# Source: hil/README.md, "Debian 13".
#   mount ROOT COUNT FOLDER... COMMAND...   in namespaces of its own: see hil/gate/debian13.py
#   play whole | play TEST...               in the root, by bash
set -eu

mount_machine() {
    root=$1 count=$2
    shift 2
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    while [ "$count" -gt 0 ]; do
        mkdir -p "$root$1"
        mount --bind -o ro "$1" "$root$1"
        count=$((count - 1))
        shift
    done
    exec "$@"
}

step() {
    echo "debian 13: $* ($SECONDS s)"
}

play() {
    cd "$HOME/smartshoe"
    echo "debian 13: Debian $(cat /etc/debian_version), $(python3 --version)"
    make demo ARGS="--seed 7 --speed max"
    step 'make demo passed'
    make .venv/.installed-dev
    step 'the environment of the tests stands'
    .venv/bin/python tests/examples/run_page.py README.md
    step "README's other commands passed"
    case $1 in
    whole) make test ;;
    *) .venv/bin/python -m pytest -q -p no:cacheprovider -n "${JOBS:-2}" --dist worksteal "$@" ;;
    esac
    step 'tests passed'
}

case $1 in
mount) shift; mount_machine "$@" ;;
play) shift; play "$@" ;;
esac
