#!/bin/sh
# Builds every cubin from its source with nvcc, and says which differ from those in the tree.
#   cubins.sh check    build beside, compare (default)        cubins.sh write    replace      cubins.sh write STEM   only that source
# The flags are those below for all sources; the compiler was nvcc 13.0. It goes by way of PTX so that the file names
# of the line tables can be made relative: the same bytes come out wherever the tree lies.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mode=${1:-check}
nvcc=${NVCC:-nvcc}
command -v "$nvcc" >/dev/null || { echo "cubins: nvcc is not here; nothing was checked"; exit 0; }
ptxas=$(command -v ptxas || "$nvcc" --dryrun -cubin -x cu /dev/null 2>&1 | sed -n 's/^#\$ _HERE_=\(.*\)/\1\/ptxas/p')
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
for source in "$here"/*/*.cu; do
    case "${2:-}" in "" | "$(basename "$source" .cu)") ;; *) continue ;; esac
    folder=$(basename "$(dirname "$source")")
    stem=$(basename "$source" .cu)
    lines=-lineinfo ptxlines=--generate-line-info
    [ "$folder" != micro ] || lines='' ptxlines='' # long straight code: line tables would be most of the file
    for arch in sm_80 sm_90 sm_90a; do # sm_90, or sm_90a where that cubin is there; sm_80 where it is there
        if [ -e "$here/$folder/$stem.sm_90a.cubin" ]; then
            [ "$arch" = sm_90a ] || continue
        else
            [ "$arch" = sm_90 ] || [ -e "$here/$folder/$stem.$arch.cubin" ] || continue
        fi
        out="$tmp/$stem.$arch.cubin"
        (cd "$here/.." && "$nvcc" -ptx -O3 $lines -arch=$arch -o "$tmp/$stem.ptx" "workloads/$folder/$stem.cu")
        sed -i -e 's|^\(\t*\.file[^"]*"\)[^"]*/workloads/|\1workloads/|' -e 's|^\(\t*\.file[^"]*"\)/[^"]*/include/|\1include/|' "$tmp/$stem.ptx"
        (cd "$tmp" && "$ptxas" -O3 $ptxlines -arch=$arch -o "$out" "$stem.ptx")
        if [ "$mode" = write ]; then
            cp "$out" "$here/$folder/$stem.$arch.cubin"
        elif ! cmp -s "$out" "$here/$folder/$stem.$arch.cubin"; then
            echo "differs: workloads/$folder/$stem.$arch.cubin"
            bad=1
        fi
    done
done
exit $bad
