#!/bin/sh
#SBATCH --cpus-per-task=1 --mem=128M
# index.sh CAPTURE: makes the capture's sidecar, unless it is there.
# As a task of a Slurm array, without CAPTURE: those of its share of captures.txt, every N-th line if there are N tasks.
if [ $# -eq 0 ]; then
    awk "NR % $SLURM_ARRAY_TASK_COUNT == $SLURM_ARRAY_TASK_ID % $SLURM_ARRAY_TASK_COUNT" captures.txt |
        tr '\n' '\0' | xargs -0 -r -n 1 sh "$0"
    exit
fi
[ -e "sidecars/$(basename "$1").armtap.json" ] || exec armtap index -o sidecars "$1"
