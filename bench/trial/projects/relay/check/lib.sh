# common part of the checks
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tpl=$here/../template
ws=$(cd "${1:?workspace}" && pwd) || exit 2
bad=0
miss() { echo "MISSING: $*"; bad=1; }
export PYTHONDONTWRITEBYTECODE=1 GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
c=$tmp/c

# common UNIT BOARD TICKET.KIND TRAIN FUNCTIONS...
common() {
    local unit=$1 board=$2 frag=$3 train=$4; shift 4
    [ "$(git -C "$ws" symbolic-ref --short HEAD)" = main ] || miss "not on main"
    [ -z "$(git -C "$ws" status --porcelain)" ] || miss "tree is not clean"
    [ "$(git -C "$ws" rev-list --count HEAD)" = 2 ] || miss "not one commit on top of the root"
    git clone -q "$ws" "$c" || { miss "no clone"; exit 1; }
    cp -r "$ws/bin" "$c/bin"
    rm -rf "$c/tools" "$c/mk" "$c/hw"
    cp -r "$tpl/tools" "$tpl/mk" "$tpl/hw" "$tpl/Makefile" "$tpl/release/trains.tab" "$tpl/release/shipped.tab" "$c/" 
    mv "$c/trains.tab" "$c/shipped.tab" "$c/release/"
    cd "$c" || exit 1
    make -s style >$tmp/o 2>&1 || miss "style: $(cat $tmp/o)"
    make -s changes >$tmp/o 2>&1 || miss "changes: $(cat $tmp/o)"
    make -s size UNIT=$unit >$tmp/o 2>&1 || miss "size: $(cat $tmp/o)"
    cp -r gen $tmp/gen
    make -s regs >$tmp/o 2>&1 || miss "regs: $(cat $tmp/o)"
    (cd aspects && for f in main yard dwarf; do python3 ../tools/aspc.py $f || exit 1; done) >$tmp/o 2>&1 || miss "aspc: $(cat $tmp/o)"
    diff -r gen $tmp/gen >/dev/null || miss "gen/ was not made anew"
    make -s test BOARD=$board >$tmp/o 2>&1 || miss "tests for $board: $(tail -3 $tmp/o)"
    for b in FN4-B HR8-C WR2-A; do [ $b = $board ] || make -s test BOARD=$b >/dev/null 2>&1; done
    git -C "$ws" log -1 --format=%B >$tmp/msg
    python3 tools/msgcheck.py $tmp/msg >$tmp/o 2>&1 || miss "message: $(cat $tmp/o)"
    head -1 "changes/$frag" 2>/dev/null | grep -qF "$train | $unit | " || miss "fragment $frag for $train and $unit"
    [ "$(cat tests/*.c | grep -c '^TEST(')" -gt "$(cat "$tpl"/tests/*.c | grep -c '^TEST(')" ] || miss "no new tests"
    for f in "$@"; do grep -q "\b$f\b" tests/*.c || miss "no test of $f"; done
    # the old tests, and the other units
    for b in FINCH HERON WREN; do
        build $b $tmp/old "$tpl"/tests/*.c && { $tmp/old >$tmp/o || miss "old tests on $b: $(cat $tmp/o)"; }
        gcc -std=gnu11 -w -DUNIT_$b -Iinclude -Igen src/*.c -o $tmp/host 2>$tmp/o || miss "host build of $b: $(head -3 $tmp/o)"
    done
    "$c/bin/imgpack" --unit $unit --seat $(awk -v u=$unit '$1==u{print $5}' hw/boards.tab) --out $tmp/img \
        $(python3 tools/size.py --tables $unit) >/dev/null || miss "image cannot be packed"
    cmp -s $tmp/img "$ws/release/out/$unit.img" || miss "release/out/$unit.img is not packed from what is committed"
}
build() {
    local u=$1 out=$2; shift 2
    gcc -std=gnu11 -w -Werror=implicit-function-declaration -DUNIT_$u -Iinclude -Igen -I"$tpl/tests" -o $out \
        $(ls src/*.c | grep -v '^src/main.c') "$@" 2>$tmp/o || { miss "build for $u: $(head -5 $tmp/o)"; return 1; }
}
# hidden UNIT  (C on stdin)
hidden() {
    cat >$tmp/hidden.c
    build $1 $tmp/hid "$tpl/tests/unit.c" $tmp/hidden.c && { timeout 20 $tmp/hid >$tmp/o || miss "behaviour: $(cat $tmp/o)"; }
}
has() { grep -qF "$2" "$1" || miss "$1: $2"; }
finish() { [ $bad = 0 ] && echo "task done"; exit $bad; }
