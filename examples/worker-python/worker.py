#!/usr/bin/env python3
"""Performs tasks of Damask cases over HTTP. Needs Python 3.8 or later and no packages.

    DAMASK_TOKEN=... python3 worker.py http://127.0.0.1:8470 ship thank

claims tasks of the types `ship` and `thank`, calls the function of each in HANDLERS, and completes
or fails the task. While a function runs, another thread extends the lease. Stop it with Ctrl-C or
SIGTERM: it finishes its task first.
"""

import argparse
import json
import os
import signal
import sys
import threading
import time
import urllib.error
import urllib.request


class Problem(Exception):
    """The server has refused a request."""

    def __init__(self, status, body):
        super().__init__("%d %s" % (status, body.get("detail", "")))
        self.status = status
        self.outcome = body.get("outcome")


class Failed(Exception):
    """The attempt of a task fails with a reason that the workflow knows."""

    def __init__(self, reason, detail=""):
        super().__init__(detail or reason)
        self.reason = reason
        self.detail = detail


class Client:
    """Sends requests with a token. A request that got no answer is sent again."""

    def __init__(self, url, token):
        self.url = url.rstrip("/")
        self.token = token

    def post(self, path, body, timeout=60):
        request = urllib.request.Request(
            self.url + path,
            data=json.dumps(body).encode(),
            headers={
                "Authorization": "Bearer " + self.token,
                "Content-Type": "application/json",
            },
            method="POST",
        )
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                text = error.read().decode(errors="replace")
            try:
                body = json.loads(text)
            except ValueError:
                body = {"detail": text[:200]}
            raise Problem(error.code, body) from None

    def claim(self, types, max_tasks, lease, wait):
        body = {"types": types, "max": max_tasks, "lease": lease, "wait": wait}
        return self.post("/v1/tasks/claim", body)["items"]


class Lease(threading.Thread):
    """Extends the lease of a claim until it is stopped. `lost` is set when the claim is gone."""

    def __init__(self, client, claim, seconds):
        super().__init__(daemon=True)
        self.client = client
        self.claim = claim
        self.seconds = seconds
        self.ended = threading.Event()
        self.lost = threading.Event()

    def run(self):
        # A third of the lease: two heartbeats may fail before another worker gets the task.
        while not self.ended.wait(self.seconds / 3):
            try:
                self.client.post(
                    "/v1/tasks/%s/heartbeat" % self.claim, {"lease": "PT%dS" % self.seconds}
                )
            except Problem as problem:
                if problem.status in (404, 409):
                    self.lost.set()
                    return
            except OSError:
                pass  # the next heartbeat may succeed

    def stop(self):
        self.ended.set()
        self.join()


class Worker:
    """Claims one task at a time and performs it."""

    def __init__(self, client, handlers, lease_seconds=30, wait="PT20S"):
        self.client = client
        self.handlers = handlers
        self.lease_seconds = lease_seconds
        self.wait = wait
        self.stopping = threading.Event()

    def run(self):
        pause = 1
        while not self.stopping.is_set():
            try:
                tasks = self.client.claim(
                    sorted(self.handlers), 1, "PT%dS" % self.lease_seconds, self.wait
                )
                pause = 1
            except Problem as problem:
                if problem.status in (401, 403):
                    raise
                print("claim: %s" % problem, file=sys.stderr, flush=True)
                tasks = []
            except OSError as error:
                print("claim: %s; again in %d s" % (error, pause), file=sys.stderr, flush=True)
                self.stopping.wait(pause)
                pause = min(pause * 2, 30)
                tasks = []
            for task in tasks:
                self.perform(task)

    def perform(self, task):
        lease = Lease(self.client, task["claim"], self.lease_seconds)
        lease.start()
        try:
            answer = ("complete", {"result": self.handlers[task["type"]](task) or {}})
        except Failed as failed:
            answer = ("fail", {"reason": failed.reason, "detail": failed.detail})
        except Exception as error:  # whatever a handler raises fails its attempt
            answer = ("fail", {"reason": "exception", "detail": repr(error)[:500]})
        finally:
            lease.stop()
        if lease.lost.is_set():
            print("%s: the claim was lost" % task["case"], file=sys.stderr, flush=True)
            return
        self.answer(task, *answer)

    def answer(self, task, word, body):
        """Answers until the server has received it: the same answer twice changes nothing."""
        while True:
            try:
                self.client.post("/v1/tasks/%s/%s" % (task["claim"], word), body)
                print("%s: %s %s" % (task["case"], word, task["task"]), flush=True)
                return
            except Problem as problem:
                if problem.status < 500:  # late, or the case has ended
                    print("%s: %s" % (task["case"], problem), file=sys.stderr, flush=True)
                    return
            except OSError:
                pass
            time.sleep(1)

    def stop(self, *_):
        self.stopping.set()


def ship(task):
    """`task["key"]` is the same in every attempt: pass it to the service that is called."""
    if task["payload"].get("address") == "unknown":
        raise Failed("address", "the parcel service does not know the address")
    time.sleep(float(os.environ.get("SHIP_SECONDS", "0")))
    return {"parcel": "P-" + task["case"]}


def thank(task):
    return {"thanked": True}


HANDLERS = {"ship": ship, "thank": thank}


def main():
    parser = argparse.ArgumentParser(description="Performs tasks of Damask cases.")
    parser.add_argument("url", help="such as http://127.0.0.1:8470")
    parser.add_argument("types", nargs="*", default=[], help="default: all that have a handler")
    parser.add_argument("--lease", type=int, default=30, help="seconds; default 30")
    options = parser.parse_args()
    token = os.environ.get("DAMASK_TOKEN", "").strip()
    if not token:
        parser.error("set DAMASK_TOKEN to a token of a worker")
    types = options.types or sorted(HANDLERS)
    unknown = [each for each in types if each not in HANDLERS]
    if unknown:
        parser.error("no handler for %s; add one to HANDLERS" % ", ".join(unknown))
    worker = Worker(Client(options.url, token), {each: HANDLERS[each] for each in types}, options.lease)
    signal.signal(signal.SIGTERM, worker.stop)
    signal.signal(signal.SIGINT, worker.stop)
    try:
        worker.run()
    except Problem as problem:
        sys.exit("%s: %s" % (options.url, problem))


if __name__ == "__main__":
    main()
