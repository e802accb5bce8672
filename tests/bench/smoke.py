#!/usr/bin/env python3
"""The bench runs on tiny captures, for one round; times are not judged."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tally import share  # noqa: E402  pylint: disable=wrong-import-position

CASES = share(('kernel', 'memory', 'linear', 'many', 'fields', 'aubo', 'hostile', 'live'), 4, 'cases of the bench')

out = subprocess.run([sys.executable, os.path.join(os.environ['srcdir'], 'tests', 'bench', 'run'), '--packets', '2000',
                      '--rounds', '1', '--large', '4000000', '--shape', '20000', '--shapes', 'rtde/(honest|tiny)', *CASES], check=True, text=True, stdout=subprocess.PIPE).stdout
missing = [case for case in CASES if '\n%s ' % case not in out]
print(out)
sys.exit('no row of: %s' % ' '.join(missing) if missing else 0)
