#!/bin/sh
# Builds every cubin from its source with nvcc, and says which differ from those in the tree.
#   cubins.sh check    build beside, compare (default)        cubins.sh write    replace      ..  STEM..   only these sources
# A cubin that Triton made is rebuilt by the triton.py beside it, on a machine with Triton and a GPU: named, not checked.
# The flags are those below for all sources; the compiler was nvcc 13.0. It goes by way of PTX so that the file names
# of the line tables can be made relative, and names that hold a hash of the path be free of it: the same bytes come out
# wherever the tree lies.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mode=${1:-check}
[ $# -eq 0 ] || shift
nvcc=${NVCC:-nvcc}
command -v "$nvcc" >/dev/null || { echo "cubins: nvcc is not here; nothing was checked"; exit 0; }
ptxas=$(command -v ptxas || "$nvcc" --dryrun -cubin -x cu /dev/null 2>&1 | sed -n 's/^#\$ _HERE_=\(.*\)/\1\/ptxas/p')
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 same=0
wanted() { # STEM, names that were given
    stem=$1
    shift
    [ $# -gt 0 ] || return 0
    for name; do [ "$name" != "$stem" ] || return 0; done
    return 1
}
by_ptx() {
    (cd "$root" && "$nvcc" -ptx -O3 $lines -arch=$arch -o "$tmp/$stem.ptx" "$folder/$stem.cu")
    sed -i -e 's@^\(\t*\.file[^"]*"\)[^"]*/\(workloads\|tests\)/@\1\2/@' -e 's|^\(\t*\.file[^"]*"\)/[^"]*/include/|\1include/|' "$tmp/$stem.ptx"
    (cd "$tmp" && "$ptxas" -O3 $ptxlines -arch=$arch -o "$out" "$stem.ptx" 2>&1 | grep -v C7519 || true) # (what it injects is no fault)
}
for source in "$root"/workloads/*/*.cu "$root"/workloads/micro/*/*.cu "$root"/tests/cubins/*.cu; do
    stem=$(basename "$source" .cu)
    wanted "$stem" "$@" || continue
    folder=$(dirname "${source#"$root"/}") # from the root
    straight=
    case $folder in
    workloads/micro/*) straight=1 ;; # conformance kernels: straight from the compiler
    tests/*) [ "$stem" = questions ] || straight=1 ;; # (messages about those name their lines)
    esac
    [ -z "$straight" ] || ls "$root/$folder/$stem".sm_*.cubin >/dev/null 2>&1 || continue # a recorder for the GPU
    lines=-lineinfo ptxlines=--generate-line-info
    [ "$folder" != workloads/micro ] || lines='' ptxlines='' # long straight code: line tables would be most of the file
    for arch in sm_80 sm_90 sm_90a; do # sm_90, or sm_90a where that cubin is there; sm_80 where it is there
        if [ -e "$root/$folder/$stem.sm_90a.cubin" ]; then
            [ "$arch" = sm_90a ] || continue
        else
            [ "$arch" = sm_90 ] || [ -e "$root/$folder/$stem.$arch.cubin" ] || continue
        fi
        out="$tmp/$stem.$arch.cubin"
        if grep -q '^//.*-rdc=true' "$source"; then # compiled apart and linked
            "$nvcc" -rdc=true -cubin -arch=$arch -o "$tmp/$stem.o.cubin" "$source"
            "$(dirname "$ptxas")/nvlink" -arch=$arch -o "$out" "$tmp/$stem.o.cubin"
        elif [ -n "$straight" ]; then
            "$nvcc" -cubin -arch=$arch -o "$out" "$source"
        else
            by_ptx
        fi
        LC_ALL=C sed -i "s/_[0-9a-f]\{8\}_\([0-9]*_${stem}_cu_\)/_00000000_\1/g" "$out"
        if [ "$mode" = write ]; then
            cp "$out" "$root/$folder/$stem.$arch.cubin"
        elif ! cmp -s "$out" "$root/$folder/$stem.$arch.cubin"; then
            echo "differs: $folder/$stem.$arch.cubin"
            bad=$((bad + 1))
        else
            same=$((same + 1))
        fi
    done
done
[ "$mode" = write ] || echo "cubins: $same equal what nvcc makes of their sources, $bad differ; by Triton:" \
    "$(cd "$root" && echo workloads/*/triton*.cubin)"
[ "$bad" = 0 ]
