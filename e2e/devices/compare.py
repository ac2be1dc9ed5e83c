"""Gets podium's answers to cases of devices, and selects the compared parts of two answers."""
import json
import re
import subprocess


def answers_of(podium, cases):
    """Returns a list of answers for each case, one for each node."""
    text = "".join(json.dumps(case) + "\n" for case in cases)
    lines = subprocess.run([podium], input=text, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def normal(answer):
    """Returns the answer without the parts that are not compared."""
    if "error" in answer:
        # cel-go's compiler has its own words, and podium does not copy Go's dumps of devices.
        text = re.sub(r"CEL compile error: .*", "CEL compile error", answer["error"], flags=re.DOTALL)
        text = re.sub(r"node selection for device .* in slice ", "node selection for device in slice ", text, flags=re.DOTALL)
        # The tests' lister of classes has words of its own.
        text = text.replace(':  "not found" not found', ":").removesuffix("not found").partition(': deviceclass.resource.k8s.io "')[0]
        return {"error": text.rstrip(":")}
    return answer or {"allocations": []}  # of no claims
