"""From the typed form of protocol functions to LLVM, and from LLVM to machine code.

A record or array of the state is a pointer to its first scalar; all scalars are 64-bit integers in the order of the
leaves. `checker.language.ranges` has shown that no number leaves 64 bits. An error of plain Python (an index outside
its array, a division by zero, a negative shift) is noted in the report, and the function goes on with a harmless value,
so that no memory outside the state is ever touched; the search then evaluates the same state on plain objects for the
message.
"""

import contextlib
import ctypes
import functools
import hashlib
import pkgutil
import sys
import threading
from collections.abc import Callable, Iterator

from kafkacheck.checker.compiled.text import COMPILER, Function, LineBuilder, binding, llvm
from kafkacheck.checker.language import ir
from kafkacheck.checker.language.ranges import HIGHEST_SHIFT
from kafkacheck.checker.language.removal import NOTHING
from kafkacheck.checker.language.work import loop_work
from kafkacheck.checker.process.memory import require
from kafkacheck.checker.schema.shape import ArrayOf, leaf_count

I1, I16, I32, I64 = llvm.IntType(1), llvm.IntType(16), llvm.IntType(32), llvm.IntType(64)
POINTER = I64.as_pointer()
VOID = llvm.VoidType()

AT, FAULT, FAULT_AT, DEADLOCK, STOP, FIRST_PROPERTY = range(6)
"""Where a kernel reports: the state at work; the fault, and its state; the first state without an enabled
action; then per property. STOP becomes 1, from outside, if the search must end."""

NO_FAULT, FAILED, NO_CHANGE, OUT_OF_RANGE, DIRTY_FALSE, STOPPED = range(6)
"""The faults: the code fails in plain Python, an action broke one of the clauses of its contract, or a loop was
left because of STOP."""

ROOM = 1 << 21
"""The least memory that LLVM needs, in bytes. Without it LLVM ends the process."""

ROOM_TO_COMPILE = 40
"""How many bytes it takes at most for each byte of a module's text."""

MOST_COPIES = 16
"""How many copies of a loop's body are made in place of the loop, all loops around it included."""

MOST_UNPOLLED = 100_000
"""How many statements a loop may run at most without looking whether to stop."""

REMOVED = "removed"
"""The variable of a module that says which condition is removed."""
JUDGES = "judges"
"""The variable of a module with switches that says whether steps are judged."""


def llvm_type(kind: ir.IrType) -> llvm.Type:
    """How a value of a type of the typed form is passed and kept."""
    return {ir.INT: I64, ir.SET: I64, ir.BOOL: I1, ir.NOTHING: VOID}[kind] if isinstance(kind, str) else POINTER


@functools.cache
def number(value: int) -> llvm.Constant:
    """A 64-bit constant."""
    return llvm.Constant(I64, value)


class Builder(LineBuilder):
    """An instruction builder with the few shapes that kernels are made of."""

    def at(self, pointer: llvm.Value, index: "llvm.Value | int") -> llvm.Value:
        """The address of the element `index` from a pointer on."""
        return self.gep(pointer, [number(index) if isinstance(index, int) else index])

    def get(self, pointer: llvm.Value, index: "llvm.Value | int") -> llvm.Value:
        """The element `index` from a pointer on."""
        return self.load(self.at(pointer, index))

    def put(self, pointer: llvm.Value, index: "llvm.Value | int", value: "llvm.Value | int") -> None:
        """Write the element `index` from a pointer on."""
        self.store(number(value) if isinstance(value, int) else value, self.at(pointer, index))

    @contextlib.contextmanager
    def loop(
        self, start: llvm.Value, stop: llvm.Value, step: int = 1, polled: llvm.Value | None = None
    ) -> Iterator[llvm.Value]:
        """A counted loop; inside it, the counter. If a report is `polled`, it is left as soon as that says STOP."""
        counter = self.in_entry(I64)
        self.store(start, counter)
        head, body, after = (self.append_basic_block(name) for name in ("loop", "body", "after"))
        self.branch(head)
        self.position_at_end(head)
        now = self.load(counter)
        goes_on = self.icmp_signed("<" if step > 0 else ">", now, stop)
        if polled is not None:
            goes_on = self.and_(goes_on, self.not_(self.must_stop(polled)))
        self.cbranch(goes_on, body, after)
        self.position_at_end(body)
        yield now
        if not self.block.is_terminated:
            self.store(self.add(now, number(step)), counter)
            self.branch(head)
        self.position_at_end(after)

    def in_entry(self, kind: llvm.Type, count: int = 1) -> llvm.Value:
        """Room on the stack, taken once when the function is entered."""
        with self.goto_entry_block():
            return self.alloca(kind, count)

    def must_stop(self, report: llvm.Value) -> llvm.Value:
        """Whether the report says STOP at this moment."""
        flag = self.load_atomic(self.at(report, STOP), "monotonic", align=8)
        return self.icmp_signed(">", flag, number(0))

    def note_fault(self, report: llvm.Value, kind: int) -> None:
        """Report the first fault, with the state at work."""
        with self.if_then(self.icmp_signed("==", self.get(report, FAULT), number(NO_FAULT))):
            self.put(report, FAULT, kind)
            self.put(report, FAULT_AT, self.get(report, AT))


def internal(module: llvm.Module, returns: llvm.Type, kinds: list[llvm.Type], name: str) -> llvm.Function:
    """A function that is called from inside the module only."""
    function = Function(module, llvm.FunctionType(returns, kinds), name)
    function.linkage = "internal"
    function.attributes.add("nounwind")
    return function


def apart(module: llvm.Module, returns: llvm.Type, kinds: list[llvm.Type], name: str) -> llvm.Function:
    """As `internal`, and LLVM leaves it apart: the time to compile a function grows faster than its length."""
    function = internal(module, returns, kinds, name)
    function.attributes.add("noinline")
    return function


def entry(module: llvm.Module, name: str) -> tuple[llvm.Value, Builder]:
    """A function that can be called from outside (an `Entry`): its context, and a builder at its beginning."""
    function = Function(module, llvm.FunctionType(VOID, [POINTER]), name)
    function.attributes.add("nounwind")
    return function.args[0], Builder(function.append_basic_block("entry"))


def removed(module: llvm.Module) -> llvm.Value:
    """Where a module whose functions have switches keeps the number of the condition that is removed."""
    if REMOVED not in module.globals:
        place = llvm.GlobalVariable(module, I64, REMOVED)
        place.linkage, place.initializer = "internal", number(NOTHING)
    return module.globals[REMOVED]


def judges(module: llvm.Module) -> llvm.Value:
    """Where a module whose functions have switches keeps whether steps are judged."""
    if JUDGES not in module.globals:
        place = llvm.GlobalVariable(module, I64, JUDGES)
        place.linkage, place.initializer = "internal", number(1)
    return module.globals[JUDGES]


def define(module: llvm.Module, functions: list[ir.Function], inlined: list[ir.Function]) -> dict[int, llvm.Function]:
    """Add protocol functions to a module, callees first; their LLVM functions by the id of the typed form.

    Each takes the report as its first argument. The code of the inlined ones is put wherever they are called, and so is
    that of parts of functions.
    """
    defined: dict[int, llvm.Function] = {}
    for place, function in enumerate(functions):
        name = f"protocol.{function.function.__name__}.{place}"
        kinds = [POINTER, *(llvm_type(parameter.type) for parameter in function.parameters)]
        target = internal(module, llvm_type(function.returns), kinds, name)
        if function in inlined or function.is_part:
            target.attributes.add("alwaysinline")
        defined[id(function)] = target
        _FunctionEmitter(function, target, defined).emit()
    return defined


class _FunctionEmitter:
    def __init__(self, function: ir.Function, target: llvm.Function, defined: dict[int, llvm.Function]) -> None:
        self.function = function
        self.target = target
        self.defined = defined
        self.report = target.args[0]
        self.builder = Builder(target.append_basic_block("entry"))
        self.names: dict[str, llvm.Value] = {}
        self._copies = 1

    def emit(self) -> None:
        """The whole function."""
        for parameter, argument in zip(self.function.parameters, self.target.args[1:], strict=True):
            self._bind(parameter.name, argument)
        self._run(self.function.body)
        if not self.builder.block.is_terminated:
            if self.function.returns == ir.NOTHING:
                self.builder.ret_void()
            else:
                self.builder.unreachable()

    def _bind(self, name: str, value: llvm.Value) -> None:
        if name not in self.names:
            self.names[name] = self.builder.in_entry(value.type)
        self.builder.store(value, self.names[name])

    def _run(self, body: tuple[ir.Statement, ...]) -> None:
        for statement in body:
            if self.builder.block.is_terminated:
                return
            self._statement(statement)

    def _statement(self, statement: ir.Statement) -> None:
        match statement:
            case ir.Assign(name, value):
                self._bind(name, self.value(value))
            case ir.Store(place, value, _):
                stored = self.value(value)
                if stored.type == I1:
                    stored = self.builder.zext(stored, I64)
                self.builder.store(stored, self.address(place))
            case ir.If(test, then, otherwise):
                self._if(test, then, otherwise)
            case ir.For(name, ir.Const(start), ir.Const(stop), step, body) if self._copied(range(start, stop, step)):
                self._unroll(name, range(start, stop, step), body)
            case ir.For(name, start, stop, step, body):
                polled = self.report if loop_work(self.function, statement) > MOST_UNPOLLED else None
                with self.builder.loop(self.value(start), self.value(stop), step, polled) as counter:
                    self._bind(name, counter)
                    self._run(body)
                if polled is not None:
                    with self.builder.if_then(self.builder.must_stop(polled), likely=False):
                        self.builder.note_fault(polled, STOPPED)
            case ir.Return(None):
                self.builder.ret_void()
            case ir.Return(value) if value is not None:
                self.builder.ret(self.value(value))
            case ir.Do(call):
                self.value(call)

    def _copied(self, values: range) -> bool:
        """Whether a loop gets code of its own for each value, together with the loops around it."""
        return len(values) * self._copies <= MOST_COPIES

    def _unroll(self, name: str, values: range, body: tuple[ir.Statement, ...]) -> None:
        around = self._copies
        self._copies = around * len(values)
        for value in values:
            if not self.builder.block.is_terminated:
                self._bind(name, number(value))
                self._run(body)
        self._copies = around

    def _if(self, test: ir.Expression, then: tuple[ir.Statement, ...], otherwise: tuple[ir.Statement, ...]) -> None:
        builder = self.builder
        yes, no, after = (builder.append_basic_block(name) for name in ("then", "else", "endif"))
        builder.cbranch(self.value(test), yes, no)
        for block, body in ((yes, then), (no, otherwise)):
            builder.position_at_end(block)
            self._run(body)
            if not builder.block.is_terminated:
                builder.branch(after)
        builder.position_at_end(after)

    def value(self, expression: ir.Expression) -> llvm.Value:
        """The value of an expression; a pointer for a record or array."""
        match expression:
            case ir.Const(known):
                return llvm.Constant(I1 if isinstance(known, bool) else I64, int(known))
            case ir.Local(name, _):
                return self.builder.load(self.names[name])
            case ir.Field() | ir.Element():
                return self._read(expression)
            case ir.Binary(operator, left, right):
                return self._binary(operator, self.value(left), self.value(right), right)
            case ir.Unary(operator, operand):
                return self._unary(operator, self.value(operand))
            case ir.Compare(operators, sides):
                return self._compare(operators, sides)
            case ir.Logical(operator, values):
                return self._logical(
                    operator == "and", [functools.partial(self.value, each) for each in values], values
                )
            case ir.Choose(test, then, otherwise):
                return self._choose(test, then, otherwise)
            case ir.Removed(which):
                return self.builder.icmp_signed("==", self.builder.load(removed(self.target.module)), number(which))
            case ir.Call(function, arguments):
                given = [self.value(argument) for argument in arguments]
                return self.builder.call(self.defined[id(function)], [self.report, *given])

    def _read(self, place: ir.Place) -> llvm.Value:
        address = self.address(place)
        if not isinstance(place.type, str):
            return address
        loaded = self.builder.load(address)
        return self.builder.icmp_signed("!=", loaded, number(0)) if place.type == ir.BOOL else loaded

    def address(self, place: ir.Place) -> llvm.Value:
        """Where a field or element is kept."""
        base = self.value(place.base)
        if isinstance(place, ir.Field):
            return self.builder.at(base, place.record.offsets[place.name])
        index = self._checked_index(self.value(place.index), place.array)
        size = leaf_count(place.array.element)
        return self.builder.at(base, index if size == 1 else self.builder.mul(index, number(size)))

    def _checked_index(self, index: llvm.Value, array: ArrayOf) -> llvm.Value:
        if isinstance(index, llvm.Constant) and 0 <= index.constant < array.length:
            return index
        return self._checked(self.builder.icmp_unsigned("<", index, number(array.length)), index, 0)

    def _checked(self, good: llvm.Value, value: llvm.Value, harmless: int) -> llvm.Value:
        """`value` if `good`; otherwise a fault is noted and `harmless` taken."""
        with self.builder.if_then(self.builder.not_(good), likely=False):
            self.builder.note_fault(self.report, FAILED)
        return self.builder.select(good, value, llvm.Constant(value.type, harmless))

    def _binary(self, operator: str, left: llvm.Value, right: llvm.Value, source: ir.Expression) -> llvm.Value:
        """The value of a binary expression; `source` is its right side."""
        builder = self.builder
        simple: dict[str, Callable[..., llvm.Value]] = {
            "+": builder.add, "-": builder.sub, "*": builder.mul,
            "&": builder.and_, "|": builder.or_, "^": builder.xor,
        }  # fmt: skip
        if operator in simple:
            return simple[operator](left, right)
        if operator in ("min", "max"):
            return builder.select(builder.icmp_signed("<" if operator == "min" else ">", left, right), left, right)
        if operator in ("<<", ">>"):
            return self._shift(operator, left, right, source)
        return self._divide(operator, left, right, source)

    def _shift(self, operator: str, left: llvm.Value, right: llvm.Value, source: ir.Expression) -> llvm.Value:
        builder = self.builder
        if not isinstance(source, ir.Const):
            right = self._checked(builder.icmp_signed(">=", right, number(0)), right, 0)
            most = HIGHEST_SHIFT + (operator == ">>")  # a shift to the right may be wider: nothing is left but the sign
            right = builder.select(builder.icmp_signed(">", right, number(most)), number(most), right)
        return builder.shl(left, right) if operator == "<<" else builder.ashr(left, right)

    def _divide(self, operator: str, left: llvm.Value, right: llvm.Value, source: ir.Expression) -> llvm.Value:
        """Python's // and %: the quotient is rounded down, the remainder has the divisor's sign."""
        builder = self.builder
        known = isinstance(source, ir.Const) and source.value > 0
        if not known:
            right = self._checked(builder.icmp_signed("!=", right, number(0)), right, 1)
            minus_one = builder.icmp_signed("==", right, number(-1))
            divisor = builder.select(minus_one, number(1), right)  # INT64_MIN // -1 would trap
        else:
            divisor = right
        quotient, remainder = builder.sdiv(left, divisor), builder.srem(left, divisor)
        other_sign = builder.icmp_signed("<", builder.xor(remainder, divisor), number(0))
        low = builder.and_(builder.icmp_signed("!=", remainder, number(0)), other_sign)
        if operator == "//":
            down = builder.sub(quotient, builder.zext(low, I64))
            return down if known else builder.select(minus_one, builder.neg(left), down)
        return builder.select(low, builder.add(remainder, divisor), remainder)

    def _unary(self, operator: str, operand: llvm.Value) -> llvm.Value:
        builder = self.builder
        if operator == "abs":
            return builder.select(builder.icmp_signed("<", operand, number(0)), builder.neg(operand), operand)
        return builder.neg(operand) if operator == "-" else builder.not_(operand)

    def _compare(self, operators: tuple[str, ...], sides: tuple[ir.Expression, ...]) -> llvm.Value:
        first, second = self.value(sides[0]), self.value(sides[1])
        result = self._compared(operators[0], first, second)
        if len(sides) == 2:
            return result
        if all(ir.is_harmless(side) for side in sides[2:]):
            values = [second, *(self.value(side) for side in sides[2:])]
            for operator, left, right in zip(operators[1:], values, values[1:], strict=False):
                result = self.builder.and_(result, self._compared(operator, left, right))
            return result
        rest: list[Callable[[], llvm.Value]] = [lambda: result]
        last = second
        for operator, side in zip(operators[1:], sides[2:], strict=True):

            def later(operator: str = operator, side: ir.Expression = side) -> llvm.Value:
                nonlocal last
                left, last = last, self.value(side)
                return self._compared(operator, left, last)

            rest.append(later)
        return self._logical(True, rest, None)

    def _compared(self, operator: str, left: llvm.Value, right: llvm.Value) -> llvm.Value:
        return self.builder.icmp_signed(operator, left, right)

    def _logical(
        self, is_and: bool, values: list[Callable[[], llvm.Value]], sources: tuple[ir.Expression, ...] | None
    ) -> llvm.Value:
        builder = self.builder
        if sources is not None and all(ir.is_harmless(source) for source in sources[1:]):
            combine = builder.and_ if is_and else builder.or_
            return functools.reduce(combine, [value() for value in values])
        result = builder.in_entry(I1)
        after = builder.append_basic_block("decided")
        for place, value in enumerate(values):
            now = value()
            builder.store(now, result)
            if place + 1 == len(values):
                builder.branch(after)
            else:
                further = builder.append_basic_block("further")
                builder.cbranch(now, further, after) if is_and else builder.cbranch(now, after, further)
                builder.position_at_end(further)
        builder.position_at_end(after)
        return builder.load(result)

    def _choose(self, test: ir.Expression, then: ir.Expression, otherwise: ir.Expression) -> llvm.Value:
        builder = self.builder
        if ir.is_harmless(then) and ir.is_harmless(otherwise):
            return builder.select(self.value(test), self.value(then), self.value(otherwise))
        result = builder.in_entry(llvm_type(then.type))
        with builder.if_else(self.value(test)) as (yes, no):
            with yes:
                builder.store(self.value(then), result)
            with no:
                builder.store(self.value(otherwise), result)
        return builder.load(result)


# -- machine code ----------------------------------------------------------------------------------------------

Entry = Callable[[int], None]
"""A function of a kernel: takes the address of its context."""

_engines: list[binding.ExecutionEngine] = []
_lock = threading.Lock()


@functools.cache
def _target(quick: bool = False) -> binding.TargetMachine:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=0 if quick else 3,
        reloc="pic",
        codemodel="jitdefault",
    )


def fingerprint(text: str, quick: bool = False) -> str:
    """A name for the machine code of a module's text, compiled so, on this machine by this compiler."""
    compiler = [COMPILER, _own_text()]
    machine = [binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()]
    parts = [text, *compiler, *machine, "quick" if quick else "well"]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


@functools.cache
def _own_text() -> str:
    """A hash of this file, also if it is in the package that Spark brings to its workers."""
    return hashlib.sha256(pkgutil.get_data("kafkacheck.checker.compiled", "native.py") or b"").hexdigest()


def compile_object(text: str, quick: bool = False) -> bytes:
    """The object file of a module's text. Other threads run while LLVM works. MemoryError if there is no room.

    `quick`: compiled about 9 times as fast, and runs 2 to 5 times as slow.
    """
    require(ROOM + ROOM_TO_COMPILE * len(text))
    with _lock:
        target = _target(quick)
        module = binding.parse_assembly(text)
        module.verify()
        level = 0 if quick else 1  # 2 takes longer and runs no faster
        options = binding.create_pipeline_tuning_options(speed_level=level)
        passes = binding.create_pass_builder(target, options)
        passes.getModulePassManager().run(module, passes)
        code: bytes = target.emit_object(module)
        return code


def compile_input(quick: bool) -> None:
    """Read a module's text from standard input and write its object file to standard output."""
    sys.stdout.buffer.write(compile_object(sys.stdin.read(), quick))


def load_object(code: bytes, names: list[str]) -> dict[str, Entry]:
    """The functions of an object file by name; each takes the address of its context. As `compile_object`."""
    require(ROOM + len(code))
    with _lock:
        _target()
        engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _new_target())
        engine.add_object_file(binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        _engines.append(engine)  # its code must outlive the functions
        shape = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        return {name: shape(engine.get_function_address(name)) for name in names}


def _new_target() -> binding.TargetMachine:
    return binding.Target.from_default_triple().create_target_machine(opt=0, codemodel="jitdefault")
