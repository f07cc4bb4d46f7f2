#!/bin/bash
# The modes of many folders of recordings, such as sites, each in a workspace of its own, as one
# SLURM job array. On a login node:
#
#     sbatch --array=0-$(($(ls -d /project/sites/*/ | wc -l) - 1)) slurm_array.sh /project/sites /project/workspaces
#
# A job that was stopped goes on where it was when the same line is given again. `birdmodes` must be
# in the PATH: activate its environment before sbatch, which takes that over.
#SBATCH --job-name=birdmodes
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --time=08:00:00
set -euo pipefail

sites=("$1"/*/)
site=${sites[$SLURM_ARRAY_TASK_ID]%/}
workspace=$2/$(basename "$site")

# exit code 1: some recordings could not be read, errors.csv says which; the others are done
birdmodes segment "$site" --workspace "$workspace" --workers "${SLURM_CPUS_PER_TASK:-1}" || test $? = 1
birdmodes cluster --workspace "$workspace"
birdmodes export --workspace "$workspace" --format csv --overwrite
