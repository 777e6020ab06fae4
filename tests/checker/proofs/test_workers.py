"""Processes that ask the solver: answers come in order, and one that hangs or dies costs only its question."""

import os
import signal
import threading
import time

import pytest

from kafkacheck.checker.proofs import workers
from kafkacheck.checker.proofs.solver import Status
from kafkacheck.checker.proofs.workers import Question
from kafkacheck.checker.symbolic import terms

X = terms.variable("x", 0, 9)
POSSIBLE = Question((terms.equals(X, terms.number(7)),), 30)
IMPOSSIBLE = Question((terms.equals(X, terms.number(7)), terms.equals(X, terms.number(8))), 30)


@pytest.mark.parametrize("jobs", [0, 1, 3])
def test_answers_come_in_the_order_of_the_questions(jobs):
    asked = [POSSIBLE, IMPOSSIBLE, IMPOSSIBLE, POSSIBLE, IMPOSSIBLE]
    found = [reply.answer.status is Status.SATISFIABLE for reply in workers.replies(asked, jobs)]
    assert found == [True, False, False, True, False]


def test_no_question_needs_no_process():
    assert list(workers.replies([], 2)) == []


def test_processes_end_with_the_work():
    replies = workers.replies([POSSIBLE, hard(), hard()], 2)
    next(replies)  # and who answered it has taken a question that does not end
    processes = [each._process for each in threading.enumerate() if isinstance(each, workers._Worker)]
    assert any(processes)
    replies.close()
    assert not [each for each in threading.enumerate() if isinstance(each, workers._Worker)]
    assert all(process.poll() is not None for process in processes if process)


def test_a_process_that_dies_costs_its_question_only():
    replies = workers.replies([POSSIBLE, hard(), POSSIBLE], 1)
    assert next(replies).answer.status is Status.SATISFIABLE
    (worker,) = [each for each in threading.enumerate() if isinstance(each, workers._Worker)]
    time.sleep(1)
    os.kill(worker._process.pid, signal.SIGKILL)
    lost, after = list(replies)
    assert lost.answer.status is Status.UNKNOWN and "process ended" in lost.answer.reason
    assert after.answer.status is Status.SATISFIABLE


def hard():
    """A question that takes long: a product of two large numbers is a large prime."""
    one, other = terms.variable("one", 2, 2**31), terms.variable("other", 2, 2**31)
    return Question((terms.equals(terms.times(one, other), terms.number(2305843009213693951)),), 300)


def test_a_question_beyond_its_time_is_unknown(monkeypatch):
    slow = Question(hard().assertions, 0.2)
    (reply,) = workers.replies([slow], 1)
    assert reply.answer.status is Status.UNKNOWN and reply.answer.reason in ("timeout", "canceled")
    monkeypatch.setattr(workers, "GRACE", -0.1)  # the process is ended before it can say so itself
    (reply,) = workers.replies([Question(hard().assertions, 3.0)], 1)
    assert (reply.answer.status, reply.answer.reason) == (Status.UNKNOWN, "timeout")
