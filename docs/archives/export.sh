#!/bin/sh
#SBATCH --cpus-per-task=1 --mem=128M
# export.sh CAPTURE: rows, a line for the manifest and a summary of the capture, unless they are there.
# As a task of a Slurm array, without CAPTURE: those of its share of captures.txt, every N-th line if there are N tasks.
if [ $# -eq 0 ]; then
    awk "NR % $SLURM_ARRAY_TASK_COUNT == $SLURM_ARRAY_TASK_ID % $SLURM_ARRAY_TASK_COUNT" captures.txt |
        tr '\n' '\0' | xargs -0 -r -n 1 sh "$0"
    exit
fi
set -e
name=$(basename "$1")
[ ! -e "summaries/$name.json" ] || exit 0 # made last: all is there

mkdir -p manifests summaries
armtap export --threads 1 --after sidecars --findings-ok --manifest "manifests/$name.json" "$1" -f parquet -o data/
unfinished=summaries/.$name.$(uname -n).$$
armtap info --json --after sidecars --findings-ok "$1" >"$unfinished"
mv "$unfinished" "summaries/$name.json"
