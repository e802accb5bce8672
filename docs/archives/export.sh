#!/bin/sh
#SBATCH --cpus-per-task=1 --mem=512M
# export.sh CAPTURE: rows, a line for the manifest, findings and a summary of the capture, unless they are there.
# As a task of a Slurm array, without CAPTURE: those of its share of captures.txt, every N-th line if there are N tasks.
if [ $# -eq 0 ]; then
    awk "NR % $SLURM_ARRAY_TASK_COUNT == $SLURM_ARRAY_TASK_ID % $SLURM_ARRAY_TASK_COUNT" captures.txt |
        tr '\n' '\0' | xargs -0 -r -n 1 sh "$0"
    exit
fi
set -e
name=$(basename "$1")
[ ! -e "summaries/$name.json" ] || exit 0 # made last: all is there

# report COMMAND FOLDER: what a command says of the capture; the file appears when it is whole.
report()
{
    unfinished=$2/.$name.armtap-$(uname -n)-$$
    armtap "$1" --json --after sidecars --findings-ok "$capture" >"$unfinished"
    mv "$unfinished" "$2/$name.json"
}

capture=$1
mkdir -p manifests diagnoses summaries
armtap export --threads 1 --after sidecars --findings-ok --manifest "manifests/$name.json" "$capture" -f parquet -o data/
report diagnose diagnoses
report info summaries
