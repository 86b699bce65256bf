#!/bin/bash
# One cell of a sweep as a task of a Slurm array: slurm_task.sh PROGRAM RUNDIR WAVEDIR [ARG...].
# Slurm's USR1 comes before the time limit: the cell saves its state and is
# queued again. SIGTERM (scancel, preemption) saves the state as well: Slurm kills
# what is left 30 s after it (KillWait).
program=$1 run=$2 wave=$3
shift 3
cell=$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" "$wave/cells" 2>/dev/null)
echo "infbench-task: begin restart=${SLURM_RESTART_COUNT:-0} node=${SLURMD_NODENAME:-} gpus=${CUDA_VISIBLE_DEVICES:-none}"
if [ -z "$cell" ]; then
	echo "infbench-task: withdrawn"
	exit 0
fi

export GOMAXPROCS=${SLURM_CPUS_PER_TASK:-1}
mkdir -p "$run/logs"
"$program" trial "$run" "$cell" --grace 25s "$@" 2>>"$run/logs/$cell.log" &
child=$!
again=
# Both are passed on as USR1: Slurm sends SIGTERM to the trial as well, and a
# second one would end it before it has saved.
trap 'again=yes; kill -USR1 "$child" 2>/dev/null' USR1
trap 'again=; kill -USR1 "$child" 2>/dev/null' TERM INT
# A trapped signal ends wait early: wait until the child itself has ended.
while :; do
	wait "$child"
	code=$?
	kill -0 "$child" 2>/dev/null || break
done
wait "$child"
code=$?
echo "infbench-task: exit $code"

# Stopped for time and saved: go on in a new turn. The bound is for a cell whose
# limit is too short for it to get anywhere.
if [ "$code" = 75 ] && [ -n "$again" ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then
	scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}" && echo "infbench-task: queued again"
fi
exit "$code"
