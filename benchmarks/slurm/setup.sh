#!/bin/bash
# One node of SLURM on this machine, from Debian's packages, without systemd: for trying `gatefield sweep --cluster slurm`.
#
#   sudo benchmarks/slurm/setup.sh          installs and starts munged, slurmctld and slurmd
#   sudo benchmarks/slurm/setup.sh stop     ends them
#
# It is for a machine or a container of your own: it writes /etc/slurm/slurm.conf. Any user of the machine may then submit jobs to
# the partition `debug`, which has all cores. Jobs keep to the cores they asked for, by affinity; nothing confines their memory,
# since containers rarely have cgroups.
set -euo pipefail

CONF=/etc/slurm/slurm.conf
MARK="# written by gatefield's benchmarks/slurm/setup.sh"

say() { echo "slurm setup: $*" >&2; }

stop() {
    for program in slurmd slurmctld munged; do
        file="/run/gatefield-slurm/$program.pid"
        if [ -s "$file" ]; then kill "$(cat "$file")" 2>/dev/null || true; fi
    done
}

packages() {
    if command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v munged >/dev/null; then return; fi
    say "installing slurmctld, slurmd, slurm-client and munge"
    apt-get update -qq || say "package lists could not be fetched; trying with those that are here"
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends slurmctld slurmd slurm-client munge >/dev/null
}

configuration() {
    if [ -e $CONF ] && ! grep -qF "$MARK" $CONF; then
        say "$CONF is there already and is not of this script: move it away first"
        exit 2
    fi
    mkdir -p /etc/slurm /run/gatefield-slurm /var/log/gatefield-slurm
    local memory
    memory=$(awk '/MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
    # proctrack and task plugins that need no cgroups; a short KillWait makes a test of preemption short; without DefMemPerCPU a job
    # that names no memory gets all of it, and the others wait
    cat >$CONF <<END
$MARK
ClusterName=gatefield
SlurmctldHost=$(hostname)
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=$((memory / $(nproc)))
ReturnToService=2
KillWait=15
MpiDefault=none
StateSaveLocation=/var/lib/gatefield-slurm/ctld
SlurmdSpoolDir=/var/lib/gatefield-slurm/d
SlurmctldPidFile=/run/gatefield-slurm/slurmctld.pid
SlurmdPidFile=/run/gatefield-slurm/slurmd.pid
SlurmctldLogFile=/var/log/gatefield-slurm/slurmctld.log
SlurmdLogFile=/var/log/gatefield-slurm/slurmd.log
NodeName=$(hostname) CPUs=$(nproc) RealMemory=$memory State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    mkdir -p /var/lib/gatefield-slurm/ctld /var/lib/gatefield-slurm/d
}

start() {
    if ! munge -n </dev/null >/dev/null 2>&1; then
        [ -s /etc/munge/munge.key ] || /usr/sbin/mungekey --create
        mkdir -p /run/munge /var/log/munge
        chown munge: /etc/munge/munge.key /run/munge /var/log/munge /var/lib/munge
        setpriv --reuid munge --regid munge --init-groups /usr/sbin/munged --pid-file=/run/munge/munged.pid
        cp /run/munge/munged.pid /run/gatefield-slurm/munged.pid
    fi
    slurmctld
    slurmd
}

wait_for_node() {
    for _ in $(seq 60); do
        if sinfo -h -o %T 2>/dev/null | grep -qE "^(idle|mixed|allocated)"; then
            sinfo
            return
        fi
        sleep 1
    done
    say "the node does not come up; see /var/log/gatefield-slurm"
    exit 1
}

if [ "$(id -u)" != 0 ]; then
    say "this has to be run as root"
    exit 2
fi
if [ "${1:-}" = stop ]; then
    stop
    exit 0
fi
packages
configuration
stop
start
wait_for_node
