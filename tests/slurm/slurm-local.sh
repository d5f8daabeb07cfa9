#!/usr/bin/env bash
# A real Slurm of two nodes on this machine, for the tests: munged, slurmctld and two slurmd, without
# systemd, cgroups or accounting. The second node has what passes for a GPU, an empty file. Jobs of
# the partition `urgent` take the place of others. A job that takes more memory than it asked for is
# killed.
#
#   slurm-local.sh run COMMAND...  run a command with a Slurm at hand: the one that answers already,
#                                  or else one that is installed, started and stopped again. Where
#                                  none can be had, it says so and ends well.
#   slurm-local.sh install         apt-get the packages (as root, on Debian and its kin)
#   slurm-local.sh up              write the configuration, start, wait until jobs can run
#   slurm-local.sh down            cancel what is left, stop what `up` started, remove its folder
#   slurm-local.sh lose NODE       kill a node (one or two) with all that runs there, as power does
#   slurm-local.sh mend NODE       start it again, and wait until Slurm knows
#
# BASE is the folder for everything that it writes; its path should be short, for it holds a socket.
# The one thing outside is a link in /etc/slurm: Snakemake's job steps drop SLURM_CONF, so that
# the configuration has to be found at its usual place.
set -euo pipefail

BASE=${BASE:-/tmp/socialbias-slurm}
LINK=/etc/slurm/slurm.conf
PORT=${PORT:-16817} # slurmctld's; the nodes take the next two
DAEMONS=(munged slurmctld slurmd)
NODES=(one two)
HOST=$(hostname -s)

say() { printf 'slurm-local: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

wait_for() { # SECONDS WHAT COMMAND...
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS >= end)); then
      tail -n 5 "$BASE"/log/* >&2
      die "$what does not get ready; above is what the daemons say"
    fi
    sleep 0.1
  done
}

start() { # NAME COMMAND...: in a session of its own, with its process id written down
  local name=$1
  shift
  setsid "$@" >>"$BASE/log/$name.out" 2>&1 </dev/null &
  echo $! >"$BASE/$name.pid"
}

# NAME PID: that program still runs under that number. A number that another process has got since
# is left alone, and a dead process that nobody has collected yet has no program.
runs() { [ "$(readlink "/proc/$2/exe")" = "$(readlink -f "$(command -v "$1")")" ]; }

stop() { # NAME [SIGNAL]: ask, wait up to ten seconds, then insist
  local pid file=$BASE/$1.pid program=${1%.*}
  [ -s "$file" ] || return 0
  pid=$(<"$file")
  kill_if_it_runs() { ! runs "$program" "$pid" || kill "-$1" "$pid"; }
  kill_if_it_runs "${2:-TERM}"
  for _ in $(seq 100); do
    runs "$program" "$pid" || break
    sleep 0.1
  done
  kill_if_it_runs KILL
  rm -f "$file"
}

answers() { timeout 10 sinfo --noheader; }

# The file itself is named, for that of GPUs is looked for beside it.
start_node() { start "slurmd.$1" slurmd -D -f "$BASE/slurm.conf" -N "$1"; }

state_of() { sinfo --noheader --Node --nodes="$1" --partition=main --format=%T; }

is_idle() { [ "$(state_of "$1")" = idle ]; }

# Slurm clears away for a minute or two what a lost node had.
is_back() { [[ $(state_of "$1") =~ ^(idle|completing|mixed|allocated)$ ]]; }

munge_works() { munge -S "$BASE/munge.socket" -n | unmunge -S "$BASE/munge.socket"; }

installed() {
  local name
  for name in "${DAEMONS[@]}"; do command -v "$name" >/dev/null || return; done
}

install() (
  [ "$(id -u)" = 0 ] || die "installing needs root"
  command -v apt-get >/dev/null || die "installing needs apt-get"
  export DEBIAN_FRONTEND=noninteractive
  # Debian's own hook: the packages must not start their daemons.
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
    chmod 755 /usr/sbin/policy-rc.d
  fi
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client munge >/dev/null
)

configure() {
  if [ -e "$LINK" ] || [ -L "$LINK" ]; then die "$LINK is there already, and somebody else's"; fi
  mkdir -p "$BASE"/{log,state,spool.one,spool.two} "${LINK%/*}"
  chmod 755 "$BASE"
  (umask 077 && head -c 128 /dev/urandom >"$BASE/munge.key")
  # What this machine has, as Slurm sees it: `CPUs=2 Boards=1 ... RealMemory=7955`. Each node has all
  # of its cores and half of its memory.
  local hardware
  hardware=$(slurmd -C | grep -oE '(CPUs|RealMemory)=[0-9]+' |
    awk -F= '{ print $1 "=" ($1 == "CPUs" ? $2 : int($2 / 2)) }' | tr '\n' ' ')
  touch "$BASE/gpu"
  echo "NodeName=two Name=gpu Type=small File=$BASE/gpu" >"$BASE/gres.conf"
  cat >"$BASE/slurm.conf" <<CONF
ClusterName=local
SlurmctldHost=$HOST(127.0.0.1)
SlurmctldPort=$PORT
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$BASE/munge.socket
StateSaveLocation=$BASE/state
SlurmdSpoolDir=$BASE/spool.%n
SlurmctldPidFile=$BASE/slurmctld.self.pid
SlurmdPidFile=$BASE/slurmd.%n.self.pid
SlurmctldLogFile=$BASE/log/slurmctld.log
SlurmdLogFile=$BASE/log/slurmd.%n.log
MailProg=/bin/true
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
# Start what can start at once, and free a cancelled job's place soon.
SchedulerParameters=sched_interval=2,batch_sched_delay=0
KillWait=3
# A node that says nothing is down after so many seconds, and some more.
SlurmdTimeout=6
ReturnToService=2
GresTypes=gpu
NodeName=one NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$((PORT + 1)) $hardware
NodeName=two NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$((PORT + 2)) Gres=gpu:small:1 Feature=roomy $hardware
# An urgent job ends those whose place it takes; Slurm begins them again.
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=main Nodes=ALL Default=YES MaxTime=UNLIMITED DefaultTime=5
PartitionName=urgent Nodes=ALL PriorityTier=10 MaxTime=UNLIMITED DefaultTime=5
PartitionName=gpu Nodes=two MaxTime=UNLIMITED DefaultTime=5
CONF
  ln -sfn "$BASE/slurm.conf" "$LINK"
}

must_be_free() {
  [ ! -e "$BASE" ] || die "$BASE is left from another run: 'slurm-local.sh down' clears it away"
}

up() {
  must_be_free
  configure
  # As root on a key and a socket of our own; --force turns munged's objections into warnings.
  start munged munged --foreground --force --num-threads=2 --key-file="$BASE/munge.key" \
    --socket="$BASE/munge.socket" --pid-file="$BASE/munged.self.pid" \
    --log-file="$BASE/log/munged.log" --seed-file="$BASE/munged.seed"
  wait_for 10 munged munge_works
  start slurmctld slurmctld -D -i
  local node
  for node in "${NODES[@]}"; do start_node "$node"; done
  for node in "${NODES[@]}"; do wait_for 60 "node $node" is_idle "$node"; done
  say "up: $(sinfo --noheader --partition=main --format='%D nodes, %c CPUs and %m MB each')"
}

family() { # PID: the process and all that it has started
  echo "$1"
  local child
  for child in $(pgrep --parent "$1"); do family "$child"; done
}

lose() { # NODE
  local job step
  stop "slurmd.$1" KILL
  for job in $(squeue --noheader --nodelist="$1" --format=%A); do
    for step in $(pgrep --full "^slurmstepd: \[$job\."); do
      # shellcheck disable=SC2046
      kill -KILL $(family "$step") 2>/dev/null || true
    done
  done
}

mend() { # NODE
  start_node "$1"
  wait_for 90 "node $1" is_back "$1"
}

down() {
  [ -d "$BASE" ] || return 0
  if [ "$(readlink "$LINK")" = "$BASE/slurm.conf" ]; then
    scancel --user="$(id -un)" 2>/dev/null || true
    for _ in $(seq 50); do
      [ -n "$(squeue --noheader 2>/dev/null)" ] || break
      sleep 0.2
    done
    rm -f "$LINK"
  fi
  local name
  for name in "${NODES[@]/#/slurmd.}" slurmctld munged; do stop "$name"; done
  rm -rf "$BASE"
}

run() {
  # What a cluster wants of Snakemake, such as its account; the tests run where this is set.
  export SOCIALBIAS_SLURM=${SOCIALBIAS_SLURM-}
  if command -v sinfo >/dev/null && answers >/dev/null 2>&1; then
    say "using the Slurm that answers"
    "$@"
    return
  fi
  # Programs of their own, so that an error in them ends them.
  if ! installed && ! "${BASH_SOURCE[0]}" install; then
    say "no Slurm answers here and none can be installed: nothing is tested"
    return 0
  fi
  must_be_free
  trap down EXIT
  if ! "${BASH_SOURCE[0]}" up; then
    say "Slurm does not start on this machine: nothing is tested"
    return 0
  fi
  # Nodes of this one may be lost.
  SOCIALBIAS_SLURM_NODES=$(realpath "${BASH_SOURCE[0]}") "$@"
}

case ${1:-} in
  install | up | down) "$1" ;;
  lose | mend) "$1" "$2" ;;
  run)
    shift
    run "$@"
    ;;
  *)
    sed -n '2,19{s/^# \{0,1\}//;p}' "$0"
    exit 2
    ;;
esac
