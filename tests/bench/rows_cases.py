"""Rows of the sample scenes, played longer, against std::to_chars of the same numbers; and what pandas and DuckDB take to read
exports."""
import json
import os
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import node_readers  # noqa: E402

SCENES = {'cb2-812': 125, 'cb3-1060': 125, 'e-series-1220': 500, 'rtde-v2': 125}  # rows a second
LONGEST = 100000  # rows
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
DEBIAN = '/usr/bin/python3'
READ = '''
import sys, time
import pandas
begin = time.process_time()
try:
    frame = pandas.read_parquet(sys.argv[1]) if sys.argv[1].endswith('.parquet') else \\
        pandas.read_csv(sys.argv[1], float_precision=sys.argv[2] or None)
except ImportError:
    sys.exit(3)
print(time.process_time() - begin, *frame.shape)
'''


def play(bench, name, rate):
    """A capture of a scene in which the arm goes on moving and its clients go on reading, as long as it takes."""
    with open(os.path.join(TOP, 'captures', name + '.scene')) as scene:
        lines = [line for line in scene if not re.match(r'(until|close|pause)\b', line)]
    path, capture = bench.path(name + '.scene'), bench.path(name + '.pcap')
    with open(path, 'w') as scene:
        scene.write(re.sub(r'(?m)^duration .*', 'duration %d' % (min(bench.packets, LONGEST) // rate),
                           ''.join(lines)))
    subprocess.run([os.path.join(bench.tools, '..', '..', 'captures', 'synth'), path, capture], check=True,
                   stdout=subprocess.DEVNULL)
    return capture


def scene_rows(bench, measure, name):
    capture, table = play(bench, name, SCENES[name]), bench.path(name + '.csv')
    command = {kind: [bench.armtap, 'export', capture, '-o', '-', '-f', kind, '--threads', '1']
               for kind in ('csv', 'ndjson')}
    with open(table, 'wb') as out:
        subprocess.run(command['csv'], stdout=out, stderr=subprocess.DEVNULL, check=True)
    ours = {kind: [] for kind in command}
    theirs, peak = [], 0
    for _ in range(bench.rounds):
        for kind, words in command.items():
            result = measure(bench, words)
            ours[kind].append(result['cpu'])
            peak = max(peak, result['peak'])
        theirs.append(float(subprocess.run([bench.tool('shortest'), '--cells', table], check=True, text=True,
                                           stdout=subprocess.PIPE).stdout))
    csv, ndjson, other = (statistics.median(found) for found in (ours['csv'], ours['ndjson'], theirs))
    bench.row('rows', 'CSV : to_chars, %s, cpu' % name, '%.3f s' % csv, '%.3f s' % other, csv / other, 0.8, peak)
    bench.row('rows', 'ndjson : CSV, %s, cpu' % name, '%.3f s' % ndjson, '%.3f s' % csv, ndjson / csv, 1.1)
    os.unlink(capture)
    os.unlink(table)


def read(path, precision=''):
    """CPU seconds of pandas, without its start; None where this Python lacks what it needs."""
    for python in dict.fromkeys((sys.executable, DEBIAN)):
        if not os.path.exists(python):
            continue
        found = subprocess.run([python, '-c', READ, path, precision], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, check=False)
        if found.returncode == 0:
            return float(found.stdout.split()[0])
    return None


def pandas_times(bench, kind, files):
    """CSV against Parquet, if this pandas reads it."""
    exact, fast, parquet = [], [], []
    for _ in range(bench.rounds):
        exact.append(read(files['csv'], 'round_trip'))
        fast.append(read(files['csv']))
        parquet.append(read(files['parquet']))
    if None in exact:
        bench.row('read_back', 'pandas not measured: it is not installed', '-', '-')
        return
    other = None if None in parquet else statistics.median(parquet)
    for what, times in (('every bit', exact), ('default', fast)):
        time = statistics.median(times)
        bench.row('read_back', 'pandas: CSV, %s : Parquet, %s, cpu' % (what, kind), '%.3f s' % time,
                  '-' if other is None else '%.3f s' % other, None if other is None else time / other)
    if other is None:
        bench.row('read_back', 'Parquet not measured in pandas: no pyarrow, no fastparquet', '-', '-')


def duckdb_times(bench, kind, files):
    """The same engine on both, which is no measure of pandas."""
    lacking = node_readers.missing('@duckdb')
    if lacking:
        bench.row('read_back', 'DuckDB not measured: ' + lacking, '-', '-')
        return
    done = node_readers.ask('read_times.mjs', {'rounds': bench.rounds, 'column': 'timestamp', 'files': {
        'csv': "read_csv('%s')" % files['csv'], 'parquet': "read_parquet('%s')" % files['parquet']}})
    if done.returncode != 0:
        sys.exit('read_times.mjs: ' + done.stderr)
    found = json.loads(done.stdout)
    if found['csv']['rows'] != found['parquet']['rows'] or found['csv']['columns'] > found['parquet']['columns']:
        sys.exit('read_back: DuckDB reads tables of different sizes: %s' % found)
    for what, column in (('all columns', 'all'), ('one column', 'one')):
        csv, parquet = (statistics.median(found[name][column]) for name in ('csv', 'parquet'))
        bench.row('read_back', 'DuckDB: CSV : Parquet, %s, %s, cpu' % (what, kind), '%.3f s' % csv, '%.3f s' % parquet,
                  csv / parquet)


def read_back(bench):
    """reading back: CSV against Parquet, in pandas where pyarrow or fastparquet is installed, and in DuckDB"""
    files = {}
    for kind in 'legacy', 'rtde':
        capture = bench.capture(kind, min(bench.packets, 20000))
        for ending in 'csv', 'parquet':
            files[ending] = bench.path('back.' + ending)
            subprocess.run([bench.armtap, 'export', capture, '-o', files[ending]], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pandas_times(bench, kind, files)
        duckdb_times(bench, kind, files)
        for path in files.values():
            os.unlink(path)
