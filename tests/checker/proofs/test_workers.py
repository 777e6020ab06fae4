"""Processes that ask the solver: answers come in order, and one that hangs or dies costs only its question."""

import os
import signal
import threading
import time

import pytest

from kafkacheck.checker.proofs import workers
from kafkacheck.checker.proofs.solver import Status
from kafkacheck.checker.proofs.workers import Question, Solvers
from kafkacheck.checker.symbolic import terms

X = terms.variable("x", 0, 9)
POSSIBLE = Question((terms.equals(X, terms.number(7)),), 30)
IMPOSSIBLE = Question((terms.equals(X, terms.number(7)), terms.equals(X, terms.number(8))), 30)


@pytest.mark.parametrize("jobs", [0, 1, 3])
def test_answers_come_in_the_order_of_the_questions(jobs):
    asked = [POSSIBLE, IMPOSSIBLE, IMPOSSIBLE, POSSIBLE, IMPOSSIBLE]
    found = [reply.answer.status is Status.SATISFIABLE for reply in Solvers(jobs).replies(asked)]
    assert found == [True, False, False, True, False]


def test_no_question_needs_no_process():
    assert list(Solvers(2).replies([])) == []


def test_processes_end_with_the_work():
    replies = Solvers(2).replies([POSSIBLE, hard(), hard()])
    next(replies)  # and who answered it has taken a question that does not end
    processes = [each._process for each in threading.enumerate() if isinstance(each, workers._Worker)]
    assert any(processes)
    replies.close()
    assert not [each for each in threading.enumerate() if isinstance(each, workers._Worker)]
    assert all(process.poll() is not None for process in processes if process)


def test_a_process_that_dies_costs_its_question_only():
    replies = Solvers(1).replies([POSSIBLE, hard(), POSSIBLE])
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
    (reply,) = Solvers(1).replies([slow])
    assert reply.answer.status is Status.UNKNOWN and reply.answer.reason in ("timeout", "canceled")
    monkeypatch.setattr(workers, "GRACE", -0.1)  # the process is ended before it can say so itself
    (reply,) = Solvers(1).replies([Question(hard().assertions, 3.0)])
    assert (reply.answer.status, reply.answer.reason) == (Status.UNKNOWN, "timeout")


@pytest.mark.parametrize("jobs", [0, 2])
def test_a_request_to_end_leaves_what_has_no_reply_unknown(jobs):
    solvers = Solvers(jobs)
    with solvers.listening():
        replies = solvers.replies([POSSIBLE, hard(), POSSIBLE])
        assert next(replies).answer.status is Status.SATISFIABLE
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        told = [reply.answer for reply in replies]
        assert told[0].status is Status.UNKNOWN and told[0].reason == "it was interrupted"
        assert [reply.answer.status for reply in solvers.replies([POSSIBLE])] == [Status.UNKNOWN]
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert solvers.interrupted == "interrupted"


def test_a_request_to_end_that_came_meanwhile_counts():
    def meanwhile():
        raise KeyboardInterrupt

    solvers = Solvers(0)
    assert [reply.answer.status for reply in solvers.replies([POSSIBLE], meanwhile)] == [Status.UNKNOWN]
    assert solvers.interrupted
