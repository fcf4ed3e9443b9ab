"""What runs where on an Ascend 910B, read from cupy_backends/ascend/rows.def and the plans of cupy_backends/backend/plan.cpp."""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NATIVE, COMPOSED, SLOW, FALLBACK = 'native', 'composed', 'AI CPU', 'fallback'
STATES = (NATIVE, COMPOSED, SLOW, FALLBACK)
# Forms that make one operator's call of the whole operation, and the dtypes for which they do (None: all that the row names). The others
# put the answer together from several. tests/ascend/test_native_table.py holds this against the calls that are made.
PLAIN = {**dict.fromkeys('unary binary alpha identity square isnan copy fill part extreme cumsum mask_get where matmul fft'.split()),
         'sum': 'filIL', 'truth': '?', 'nonzero': '?bBef', 'fmax': 'il', 'fmod': 'ef', 'sign': 'i', 'logarithm': 'ef'}
SEVERAL = ('irfft',)  # scales its result
KINDS = {'BOOL': '?', 'UNSIGNED': 'BHIL', 'SIGNED': 'bhil', 'FLOAT': 'efd', 'COMPLEX': 'FD', 'INTS': '?bBhHiIlL', 'REAL': '?bBhHiIlLefd',
         'ANY': '?bBhHiIlLefdFD'}
METHODS = ('CALL', 'REDUCE', 'ACCUMULATE')
TWO_OPERATORS = ('PAIR', 'CHAIN')


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return f.read()


def rows():
    """{(op, method): {'form', 'operator', 'core', 'cpu'}} of rows.def."""
    found = {}
    pattern = r'^ASCEND_ROW\((\w+), (\w+), (\w+), (\w+), "([^"]*)", "([^"]*)"\)'
    for op, method, form, operator, core, cpu in re.findall(pattern, read('cupy_backends/ascend/rows.def'), re.M):
        found[op, method] = {'form': form, 'operator': operator, 'core': core, 'cpu': cpu}
    return found


def plans():
    """[(op, dtypes of its first input, how, target op, second op or None)] of plan.cpp."""
    table = read('cupy_backends/backend/plan.cpp').split('const Composed table[] = {', 1)[1].split('};', 1)[0]
    found = []
    for op, kinds, how, target, second in re.findall(r'\{XPU_OP_(\w+), ([\w |]+), (\w+), XPU_OP_(\w+), (\w+)\}', table):
        chars = ''.join(KINDS[kind.strip()] for kind in kinds.split('|'))
        found.append((op, chars, how, target, second[len('XPU_OP_'):] if second.startswith('XPU_OP_') else None))
    return found


class Table:
    """Answers where an op runs; `ops` are the rows of the op table (cupy_backends.backend._runtime.ops())."""

    def __init__(self, ops):
        self.ops = {row['name']: row for row in ops}
        self.rows, self.plans = rows(), plans()
        for op in ('count_nonzero', 'argmax', 'argmin'):  # one method by its nature
            self.rows[op, 'CALL'] = self.rows[op, 'REDUCE']

    def own(self, op, method, char):
        """The state by the op's row alone, or None."""
        row = self.rows.get((op, method))
        if row and char in row['core']:
            one = row['form'] in PLAIN and char in (PLAIN[row['form']] or row['core']) and op not in SEVERAL
            return NATIVE if one else COMPOSED
        return SLOW if row and char in row['cpu'] else None

    def state(self, op, method, char):
        """Where an op runs for the loop whose first input with data is of a dtype: one of STATES."""
        found = self.own(op, method, char)
        if found:
            return found
        for name, chars, how, target, second in self.plans:
            if name != op or char not in chars or (method != 'CALL' and how != 'SAME'):
                continue
            parts = [p for p in (target, second) if p and (p == target or how in TWO_OPERATORS)]
            data = {'F': 'f', 'D': 'd'}[char] if how == 'PART' else char
            if all(self.own(p, method, data) in (NATIVE, COMPOSED) for p in parts):
                return COMPOSED
        return FALLBACK

    def loops(self, op):
        """Type characters of the inputs that carry data, of all loops, in their order."""
        position = -1 if op == 'where' else 0
        return list(dict.fromkeys(text.split('->')[0][position] for text in self.ops[op]['loops'].split()))

    def cell(self, op, method, char):
        """(state, whether operands are cast to another dtype first), or None where NumPy refuses the dtype."""
        import numpy
        loops = self.loops(op)
        if char in loops:
            return self.state(op, method, char), False
        if self.ops[op]['kind'] not in ('ELEMENTWISE', 'GUFUNC'):
            return None
        wide = next((c for c in loops if numpy.can_cast(char, c, 'safe')), None)
        return (self.state(op, method, wide), True) if wide else None

    def has(self, op, method):
        """Whether an op has a method at all."""
        row = self.ops[op]
        return method == 'CALL' or (row['kind'] == 'ELEMENTWISE' and row['nin'] == 2 and row['nout'] == 1)

    def entries(self, method):
        """(op, type character, state) of all loops."""
        return [(op, char, self.state(op, method, char)) for op in self.ops if self.has(op, method) for char in self.loops(op)]

    def counts(self, method):
        """{state: number of loops}."""
        states = [state for _, _, state in self.entries(method)]
        return {state: states.count(state) for state in STATES}
