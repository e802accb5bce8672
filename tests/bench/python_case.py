"""The case `python`: from a capture to a pandas.DataFrame. Each process counts with the processes that it waited for."""
import os
import shutil
import subprocess
import sys

DEBIAN = '/usr/bin/python3'
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'python')
# By the package; the sum reads each value once, since mapped memory that is never read costs nothing.
MADE = """import sys, armtap
frame = armtap.open(sys.argv[1]).to_pandas()
"""
READ = MADE + 'frame.sum()\n'
BY_CSV = """import os, subprocess, sys, pandas
export = subprocess.Popen([os.environ["ARMTAP"], "export", sys.argv[1], "--threads", "1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
frame = pandas.read_csv(export.stdout, float_precision="round_trip")
export.wait()
"""
EMPTY = 'import pandas, numpy\n'


def interpreter():
    """A Python with pandas, or None."""
    for python in sys.executable, DEBIAN:
        if shutil.which(python) and subprocess.run([python, '-c', 'import pandas'], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    return None


def python(bench, turns):
    """a capture in a DataFrame, against Parquet's CPU time and against the way by CSV"""
    interpreted = interpreter()
    if not interpreted:
        sys.stderr.write('python: no pandas\n')
        return
    file = bench.capture('legacy')
    os.environ.update(ARMTAP=bench.armtap, PYTHONPATH=PACKAGE, PYTHONDONTWRITEBYTECODE='1', OPENBLAS_NUM_THREADS='1')
    ways = {name: [interpreted, '-c', text, file] for name, text in (('made', MADE), ('read', READ), ('csv', BY_CSV), ('empty', EMPTY))}
    ways['parquet'] = [bench.armtap, 'export', file, '-f', 'parquet', '--threads', '1', '-o', bench.path('python.parquet')]
    found = turns(bench, ways, 'cpu')
    begin = found['empty'][0]  # of Python, numpy and pandas themselves
    made, read, by_csv = (found[name][0] - begin for name in ('made', 'read', 'csv'))
    parquet = found['parquet'][0]
    for what, value, held, limit in (('a DataFrame : -f parquet, cpu', made, parquet, 1.5), ('and each value read once : -f parquet, cpu', read, parquet, None),
                                     ('a DataFrame : by CSV, cpu', made, by_csv, 0.2), ('and each value read once : by CSV, cpu', read, by_csv, None)):
        bench.row('python', what, '%.3f s' % value, '%.3f s' % held, value / held, limit, found['made'][1])
