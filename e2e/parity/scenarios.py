"""The oracle's generated scenarios, one directory each."""
import concurrent.futures
import pathlib
import shlex
import subprocess
import sys
import time

from e2e.support import seeds

ROOT = pathlib.Path(__file__).resolve().parents[2]
FEATURES = "all,nominated,nodefeatures,dra,draextended,draconditions,statuses,storagescoring,missingdrivers"


def parse_seeds(text):
    seeds = []
    for part in text.split(","):
        first, _, last = part.partition("..")
        seeds += range(int(first), int(last or first) + 1)
    return seeds


def draw(count):
    """Returns a range with this number of seeds that starts at a drawn one."""
    first = seeds.drawn()
    return list(range(first, first + count))


def again(seeds_to_try):
    """The command that runs these seeds again with this run's flags."""
    flags, skip = [], False
    for flag in sys.argv[1:]:
        if not skip and flag.split("=")[0] not in ("--seeds", "--draw"):
            flags.append(flag)
        skip = flag in ("--seeds", "--draw")
    return shlex.join([sys.argv[0], "--seeds", ",".join(map(str, seeds_to_try)), *flags])


def add_programs(parser):
    parser.add_argument("--podium", type=pathlib.Path, default=ROOT / "build/release/podium")
    parser.add_argument("--oracle", type=pathlib.Path, help="the oracle; without it, it is built")


def the_oracle(given):
    if given:
        return given.resolve()
    subprocess.run([ROOT / "tools/go-build.sh", "e2e/oracle", "build/oracle", "."], cwd=ROOT, check=True)
    return ROOT / "build/oracle/oracle"


def generate(oracle, seed, out, features=FEATURES, nodes=None, pods=None, pending=10, percentage=0):
    nodes = nodes or 15 + seed * 7919 % 46
    pods = pods if pods is not None else 4 * nodes
    subprocess.run([oracle, "generate", "--seed", str(seed), "--nodes", str(nodes), "--pods", str(pods), "--pending",
                    str(pending), "--features", features, "--percentage", str(percentage), "--out", str(out)], check=True)


def generate_all(oracle, seeds, directory, jobs, **settings):
    def one(seed):
        generate(oracle, seed, directory / f"{seed:06}", **settings)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, seeds))


def run_phase(name, function):
    began = time.monotonic()
    result = function()
    print(f"  {name}: {time.monotonic() - began:.1f}s", flush=True)
    return result
