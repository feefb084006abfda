package dev.damask.crash;

import dev.damask.linear.CallHistory;
import dev.damask.linear.CaseCall;
import dev.damask.linear.CaseModel;
import dev.damask.nursery.Nursery;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/// Clients that go on asking while the process they ask is killed again and again. They are the
/// memory of the run: what they were told must be true for ever.
final class CrashRun implements AutoCloseable {
  private static final int ASKING_CLIENTS = 4;
  static final int PAYING_CLIENTS = 4;
  private static final int CALLS_PER_CASE = 24;
  private static final int LIFE_MIN_MILLIS = 30;
  private static final int LIFE_SPREAD_MILLIS = 900;

  final List<WorkerProcess.Recovery> recoveries = new ArrayList<>();

  /// What was asked of the cases that only clients move, and answered.
  final Map<String, CallHistory<CaseCall, String>> asked = new ConcurrentSkipListMap<>();

  /// How the cases ended whose start was acknowledged, as far as their client was told.
  final Map<String, String> ends = new ConcurrentSkipListMap<>();

  final AtomicInteger gone = new AtomicInteger();
  private final Path folder;
  private final long seed;
  final WitnessProcess witness;
  private final AtomicInteger nextAsked = new AtomicInteger();
  private final AtomicInteger nextPaid = new AtomicInteger();
  private volatile WorkerProcess worker; // written by the killer, read by every client
  private volatile boolean isOver; // written by the killer, read by every client

  /// Starts a witness and a first process on an empty store.
  CrashRun(Path folder, long seed) {
    this.folder = folder;
    this.seed = seed;
    this.witness = new WitnessProcess(folder);
    this.worker = new WorkerProcess(List.of(), folder, witness.port());
    worker.awaitReady();
  }

  /// Lets clients ask and kills the process under their hands until the time is up.
  void run(Duration time) throws InterruptedException {
    long end = System.nanoTime() + time.toNanos();
    Random random = new Random(seed);
    try (Nursery clients = Nursery.open("clients")) {
      for (int i = 0; i < ASKING_CLIENTS; i++) {
        String name = "c" + i;
        Random own = new Random(random.nextLong());
        clients.launch(name, _ -> askUntilOver(name, own));
      }
      for (int i = 0; i < PAYING_CLIENTS; i++) {
        clients.launch("payer", _ -> payUntilOver());
      }
      try {
        while (System.nanoTime() < end) {
          Thread.sleep(LIFE_MIN_MILLIS + random.nextInt(LIFE_SPREAD_MILLIS));
          int exit = worker.kill();
          if (exit != 137) {
            throw new IllegalStateException("the process ended by itself with " + exit);
          }
          reopen();
        }
      } finally {
        isOver = true;
        clients.seal();
      }
    }
  }

  /// Starts the next process on the same store and waits until it takes calls.
  void reopen() {
    WorkerProcess next = new WorkerProcess(List.of(), folder, witness.port());
    recoveries.add(next.awaitReady());
    worker = next;
  }

  WorkerProcess worker() {
    return worker;
  }

  private void askUntilOver(String name, Random random) throws InterruptedException {
    boolean hasEnded = false;
    String last = "";
    while (!isOver) {
      String caseId = "asked-" + nextAsked.getAndIncrement() / CALLS_PER_CASE;
      hasEnded &= caseId.equals(last);
      last = caseId;
      CaseCall call = CaseCall.random(random, name, hasEnded);
      WorkerProcess asks = worker;
      try {
        String answer =
            asked
                .computeIfAbsent(caseId, _ -> new CallHistory<>())
                .perform(call, () -> asks.ask("asking", caseId, call.text()));
        hasEnded |= CaseModel.tellsEnd(answer);
      } catch (WorkerProcess.Gone e) {
        awaitNext(asks);
      }
    }
  }

  private void payUntilOver() throws InterruptedException {
    while (!isOver) {
      String caseId = "paid-" + nextPaid.getAndIncrement();
      insist(caseId, "start");
      ends.put(caseId, Paying.NOT_YET);
      insist(caseId, "confirm");
      ends.put(caseId, insist(caseId, "await"));
    }
  }

  /// Asks the same again until there is an answer, of whichever process.
  private String insist(String caseId, String words) throws InterruptedException {
    while (true) {
      WorkerProcess asks = worker;
      try {
        return asks.ask("paying", caseId, words);
      } catch (WorkerProcess.Gone e) {
        awaitNext(asks);
      }
    }
  }

  /// Waits until a dead process has been replaced.
  private void awaitNext(WorkerProcess dead) throws InterruptedException {
    gone.incrementAndGet();
    long patience = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (worker == dead) {
      if (System.nanoTime() > patience) {
        throw new IllegalStateException("nobody came after a process that has gone");
      }
      Thread.sleep(5);
    }
  }

  @Override
  public void close() {
    worker.close();
    witness.close();
  }
}
