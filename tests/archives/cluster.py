"""Slurm on this machine alone, as root or as anyone else, without systemd: munged, slurmctld and slurmd as children of this
process, on free ports, with all their files in one folder."""
import ctypes
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time

from tally import free_ports

CONFIGURATION = """\
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthInfo=socket={folder}/munge,cred_expire=5
StateSaveLocation={folder}/controller
SlurmdSpoolDir={folder}/node
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/node.pid
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/node.log
ProctrackType=proctrack/pgid
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1
SlurmdParameters=config_overrides
KillWait=1
MinJobAge=2
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=8000
PartitionName=all Nodes=ALL Default=YES OverSubscribe=FORCE:4
"""
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"


def missing():
    """Programs of Slurm that are not installed."""
    return [name for name in PROGRAMS if not shutil.which(name, path=PATH)]


def _die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Cluster:
    """With Cluster(folder) as one: one.environment is what sbatch and the like need."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": folder + "/slurm.conf"}
        os.chmod(folder, 0o700)
        os.mkdir(folder + "/controller")
        os.mkdir(folder + "/node")
        with open(os.open(folder + "/key", os.O_WRONLY | os.O_CREAT, 0o400), "wb") as key:
            key.write(os.urandom(1024))
        with open(folder + "/slurm.conf", "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(host=socket.gethostname().split(".")[0], user=getpass.getuser(), folder=folder,
                                            ports=free_ports(2), cpus=max(2, os.cpu_count())))

    def start(self, *command):
        with open("%s/%s.out" % (self.folder, command[0]), "wb") as out:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                                 preexec_fn=_die_with_parent))

    def ask(self, *command, **more):
        return subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              timeout=60, **more).stdout.strip()

    def wait(self, what, truth, patience=60):
        limit = time.monotonic() + patience
        while not truth():
            died = [one.args[0] for one in self.daemons if one.poll() is not None]
            if died or time.monotonic() > limit:
                raise RuntimeError("%s: %s\n%s\n%s" % (what, "%s ended" % died if died else "not within %d s" % patience, self.ask("squeue", "-l"), self.logs()))
            time.sleep(0.05)

    def logs(self):
        said = []
        for name in ("munged.out", "munge.log", "slurmctld.out", "slurmd.out", "controller.log", "node.log"):
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    said.append("---- %s\n%s" % (name, "".join(file.readlines()[-20:])))
        return "\n".join(said)

    def jobs(self):
        return self.ask("squeue", "-h", "-r", "-o", "%i %T").splitlines()

    def __enter__(self):
        folder = self.folder
        try:
            self.start("munged", "--foreground", "--force", "--key-file=%s/key" % folder, "--socket=%s/munge" % folder,
                       "--pid-file=%s/munge.pid" % folder, "--log-file=%s/munge.log" % folder, "--seed-file=%s/seed" % folder)
            self.wait("munged", lambda: os.path.exists(folder + "/munge"))
            self.start("slurmctld", "-D", "-c")
            self.start("slurmd", "-D")
            self.wait("a node", lambda: self.ask("sinfo", "-h", "-o", "%T") == "idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        """Ends every job, then the daemons, and waits for them."""
        if len(self.daemons) == 3 and all(one.poll() is None for one in self.daemons):
            self.ask("scancel", "--user=" + getpass.getuser())
            limit = time.monotonic() + 20
            while self.jobs() and time.monotonic() < limit:
                time.sleep(0.1)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
