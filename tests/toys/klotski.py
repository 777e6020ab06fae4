"""Can the large square of the sliding puzzle be brought to the middle of the lower edge?

Cells are numbered row by row. A piece is known by its upper left cell, and pieces of one shape are not told apart,
so a board is one set of cells for each shape. A step moves one piece by one cell.
"""

from enum import IntEnum
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import EnumOf, Id, IdSet, Struct, contains, excluding, including

WIDTH = 4
HEIGHT = 5
CELLS = WIDTH * HEIGHT
GOAL = 3 * WIDTH + 1


class Direction(IntEnum):
    """Where a piece slides to."""

    UP = 0
    DOWN = 1
    LEFT = 2
    RIGHT = 3


Cell = Annotated[int, Id(CELLS)]
Cells = Annotated[int, IdSet(CELLS)]


class Board(Struct):
    """The upper left cells of the pieces: two by two, one by two (upright), two by one (flat), one by one."""

    squares: Cells
    uprights: Cells
    flats: Cells
    smalls: Cells


def at(column: int, row: int) -> int:
    """The set of the one cell in that column and row."""
    return 1 << (row * WIDTH + column)


def widened(cells: int) -> int:
    """The cells of pieces two wide, given their left cells."""
    return cells | (cells << 1)


def heightened(cells: int) -> int:
    """The cells of pieces two high, given their upper cells."""
    return cells | (cells << WIDTH)


def start(board: Board) -> None:
    """The usual board."""
    board.squares = at(1, 0)
    board.uprights = at(0, 0) | at(3, 0) | at(0, 2) | at(3, 2)
    board.flats = at(1, 2)
    board.smalls = at(1, 3) | at(2, 3) | at(0, 4) | at(3, 4)


def occupied(board: Board) -> int:
    """All cells that are covered."""
    large = widened(heightened(board.squares)) | heightened(board.uprights)
    return large | widened(board.flats) | board.smalls


def is_neighbour_on_board(cell: int, direction: int, width: int, height: int) -> bool:
    """Whether a piece of that size at `cell` can be one cell further on without leaving the board."""
    column = cell % WIDTH
    row = cell // WIDTH
    if direction == Direction.UP:
        return row > 0
    if direction == Direction.DOWN:
        return row + height < HEIGHT
    if direction == Direction.LEFT:
        return column > 0
    return column + width < WIDTH


def neighbour(cell: int, direction: int) -> int:
    """The next cell in that direction."""
    if direction == Direction.UP:
        return cell - WIDTH
    if direction == Direction.DOWN:
        return cell + WIDTH
    if direction == Direction.LEFT:
        return cell - 1
    return cell + 1


def covered(cell: int, width: int, height: int) -> int:
    """The cells of a piece of that size at `cell`."""
    cells = 1 << cell
    if width == 2:
        cells = widened(cells)
    if height == 2:
        cells = heightened(cells)
    return cells


def can_slide(board: Board, cell: int, direction: int, width: int, height: int) -> bool:
    """Whether the piece of that size at `cell` has room to move."""
    if not is_neighbour_on_board(cell, direction, width, height):
        return False
    others = occupied(board) & ~covered(cell, width, height)
    return others & covered(neighbour(cell, direction), width, height) == 0


def moved(cells: int, cell: int, direction: int) -> int:
    """The set with one member moved."""
    return including(excluding(cells, cell), neighbour(cell, direction))


def slide(board: Board, cell: Cell, direction: Annotated[Direction, EnumOf(Direction)]) -> bool:
    """Move the piece whose upper left cell is `cell` by one cell."""
    if contains(board.smalls, cell) and can_slide(board, cell, direction, 1, 1):
        board.smalls = moved(board.smalls, cell, direction)
        return True
    if contains(board.uprights, cell) and can_slide(board, cell, direction, 1, 2):
        board.uprights = moved(board.uprights, cell, direction)
        return True
    if contains(board.flats, cell) and can_slide(board, cell, direction, 2, 1):
        board.flats = moved(board.flats, cell, direction)
        return True
    if contains(board.squares, cell) and can_slide(board, cell, direction, 2, 2):
        board.squares = moved(board.squares, cell, direction)
        return True
    return False


def unsolved(board: Board) -> bool:
    """The claim whose counterexample solves the puzzle."""
    return board.squares != 1 << GOAL


def is_solved(board: Board) -> bool:
    """The large square is at the way out."""
    return board.squares == 1 << GOAL


MODEL = Model(name="klotski", state=Board, initial=start, actions=[slide], sometimes=[is_solved])
UNSOLVED = Model(name="klotski_unsolved", state=Board, initial=start, actions=[slide], always=[unsolved])
