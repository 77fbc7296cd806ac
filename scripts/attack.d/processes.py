"""Runs that are killed, and outputs that are closed or full."""
import json
import os
import signal
import subprocess
import time

from inputs import SCENE, last_hash
from tools import Finding


class Kills:
    """A run is killed again and again until it is done; it must end as the one that was left alone."""

    unit = "kills"
    NEWTON = 'solver = "newton"\nmax_dt = 0.002\n'

    def __init__(self, tools):
        self.tools = tools
        self.seconds, self.hash = {}, {}
        for solver in ("explicit", "newton"):
            text = SCENE.replace("FORMATS", '"bgeo"').replace("cell_size = 0.02", "cell_size = 0.012")
            if solver == "newton":
                text = text.replace("cell_size", self.NEWTON + "cell_size")
            (tools.folder / f"{solver}.toml").write_text(text)
            start = time.time()
            tools.call("run", f"{solver}.toml", "-o", f"whole-{solver}", "--quiet", "--force", allowed=(0,))
            self.seconds[solver] = time.time() - start
            self.hash[solver] = last_hash(tools.folder / f"whole-{solver}")
        self.solver = None

    def attack(self, random):
        try:
            return self.kill(random)
        except Finding:
            self.solver = None  # the next attack starts a new run
            raise

    def kill(self, random):
        run = self.tools.folder / "killed"
        if self.solver is None:
            self.tools.fresh("killed")
            self.solver = random.choice(list(self.hash))
        for most in (1.0, 0.7, 0.4, 0.2, 0.1, 0.05):  # until one is shorter than what is left
            arguments = ["resume", "killed"] if (run / "scene.toml").exists() else ["run", f"{self.solver}.toml", "-o", "killed"]
            process = subprocess.Popen([self.tools.program, *arguments, "--quiet"], cwd=self.tools.folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(random.uniform(0, most * self.seconds[self.solver]))
            process.send_signal(signal.SIGKILL)
            errors = process.communicate()[1]
            if process.returncode == -signal.SIGKILL:
                self.check_files(run)
                return 1
            if process.returncode != 0:
                raise Finding(f"{arguments}: exit status {process.returncode}: {errors[-600:]}", run)
            if last_hash(run) != self.hash[self.solver]:
                raise Finding(f"a run with {self.solver} that was killed ends otherwise", run)
            self.tools.fresh("killed")
            self.solver = random.choice(list(self.hash))
        return 0

    def check_files(self, run):
        """What is there under its own name is whole."""
        whole = self.tools.folder / f"whole-{self.solver}"
        for frame in (run / "frames").glob("particles.*"):
            if frame.read_bytes() != (whole / "frames" / frame.name).read_bytes():
                raise Finding(f"{frame.name} is not that of a run left alone", run)


class Outputs:
    unit = "closed or full outputs"
    STREAMS = ("open", "closed", "full", "broken")
    COMMANDS = (["check", "scene.toml"], ["check", "bad.toml"], ["materials"], ["schema"], ["doctor"], ["plot", "whole"],
                ["rheometer", "shaving-cream"], ["surface", "whole", "-o", "out", "--frames", "1"], ["run"], ["run"], ["limit"])

    def __init__(self, tools):
        self.tools = tools
        (tools.folder / "scene.toml").write_text(SCENE.replace("FORMATS", '"bgeo"'))
        (tools.folder / "bad.toml").write_text(SCENE.replace("FORMATS", '"bgoe"'))
        tools.call("run", "scene.toml", "-o", "whole", "--quiet", "--force", allowed=(0,))
        self.hash = last_hash(tools.folder / "whole")

    def limited_files(self, random):
        """A limit of the size of files, as a full disk."""
        run = self.tools.fresh("run")
        result = self.tools.call("run", "scene.toml", "-o", "run", "--quiet", file_size=random.randrange(200, 120000),
                                 allowed=(0, 2, 3))
        if result.returncode != 0:
            again = ["resume", "run"] if (run / "scene.toml").exists() else ["run", "scene.toml", "-o", "run"]
            self.tools.call(*again, "--quiet", allowed=(0,))
        if last_hash(run) != self.hash:
            raise Finding("a run on a disk that was full ends otherwise", run)

    def attack(self, random):
        command = random.choice(self.COMMANDS)
        if command == ["limit"]:
            self.limited_files(random)
            return 1
        if command == ["run"]:
            self.tools.fresh("run")
            command = ["run", "scene.toml", "-o", "run", *random.choice(([], ["--json"], ["--quiet"]))]
        kinds = [random.choice(self.STREAMS) for _ in range(2)]
        opened = []
        for kind in kinds:
            if kind == "full":
                opened.append(open("/dev/full", "wb"))
            elif kind == "broken":
                reader, writer = os.pipe()
                os.close(reader)
                opened.append(os.fdopen(writer, "wb"))
            else:
                opened.append(open(os.devnull, "wb"))

        def close():
            for descriptor, kind in zip((1, 2), kinds):
                if kind == "closed":
                    os.close(descriptor)

        process = subprocess.Popen([self.tools.program, *command], cwd=self.tools.folder, stdin=subprocess.DEVNULL,
                                   stdout=opened[0], stderr=opened[1], preexec_fn=close)
        status = process.wait(timeout=120)
        for file in opened:
            file.close()
        text = f"{' '.join(command)} with stdout {kinds[0]}, stderr {kinds[1]}: exit status {status}"
        ended_as_others = status == -signal.SIGPIPE and "broken" in kinds and command[0] != "run"
        if status < 0 and not ended_as_others:
            raise Finding(text, self.tools.folder)
        if command[0] == "run" and last_hash(self.tools.folder / "run") != self.hash:
            raise Finding(text + ", and the run ended otherwise", self.tools.folder)
        if command == ["check", "bad.toml"] and status != 2:
            raise Finding(text, self.tools.folder)
        if kinds[0] == "full" and status == 0 and command[0] in ("check", "materials", "schema", "doctor", "rheometer"):
            raise Finding(text + ", though nothing was printed", self.tools.folder)
        return 1
