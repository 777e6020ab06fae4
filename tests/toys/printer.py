"""Can a printer that jams twice at most lose more than two pages?"""

from typing import Annotated

from kafkacheck.checker.model import Family
from kafkacheck.checker.schema import Budget, Count, Struct


class Printer(Struct):
    """Pages in the tray, on paper and lost."""

    waiting: Annotated[int, Count("pages")]
    printed: Annotated[int, Count("pages")]
    lost: Annotated[int, Count("pages")]
    budget: Budget


def start(printer: Printer, pages: Annotated[int, Count("pages")]) -> bool:
    """Some pages wait."""
    if pages == 0:
        return False
    printer.waiting = pages
    return True


def page_is_printed(printer: Printer) -> bool:
    """A page is printed."""
    if printer.waiting == 0:
        return False
    printer.waiting -= 1
    printer.printed += 1
    return True


def printer_jams(printer: Printer, pages: Annotated[int, Count("pages")]) -> bool:
    """A page or none is lost."""
    if pages > 1:
        return False
    if printer.waiting < pages:
        return False
    printer.waiting -= pages
    printer.lost += pages
    return True


def few_are_lost(printer: Printer) -> bool:
    """Each lost page is charged."""
    return printer.lost + printer.budget.jams <= 2


def losses_are_charged(before: Printer, after: Printer) -> bool:
    """A step that loses a page is charged."""
    return before.lost == after.lost or after.budget.jams == before.budget.jams - 1


def all_is_used_up(printer: Printer) -> bool:
    """Two pages are lost, and no jam is left."""
    return printer.lost == 2 and printer.budget.jams == 0


def nothing_waits(printer: Printer) -> bool:
    """Every page is printed or lost."""
    return printer.waiting == 0


PRINTING = Family(state=Printer, initial=start, bounds={"pages": 3, "jams": 2}, charges={printer_jams: "jams"})
MODEL = PRINTING.model(
    actions=[page_is_printed, printer_jams],
    always=[few_are_lost, losses_are_charged],
    sometimes=[all_is_used_up],
    eventually=[nothing_waits],
    weakly_fair=[page_is_printed],
)
