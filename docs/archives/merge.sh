#!/bin/sh
#SBATCH --cpus-per-task=1 --mem=512M
# merge.sh: summary, diagnosis and manifest of all captures of captures.txt; fails if one of them was not exported.
set -e
# One list, split once: to append to "$@" for each capture takes time with the square of their number.
names=$(
    lacking=0
    while IFS= read -r capture; do
        name=$(basename "$capture")
        if [ -e "summaries/$name.json" ]; then
            printf '%s\n' "$name.json"
        else
            echo "$capture has not been exported" >&2
            lacking=1
        fi
    done <captures.txt
    [ $lacking -eq 0 ]
)
IFS='
'
set -f
# shellcheck disable=SC2086 # a name is a line
set -- $names

(cd summaries && armtap merge --findings-ok -- "$@") >.summary.json
(cd diagnoses && armtap merge --findings-ok -- "$@") >.diagnosis.json
# An export that was run twice left the same line twice, one that failed a line with status 2.
(cd manifests && cat -- "$@") | grep -v '"status": 2,' | sort -u >.manifest.ndjson
mv .summary.json summary.json
mv .diagnosis.json diagnosis.json
mv .manifest.ndjson manifest.ndjson
