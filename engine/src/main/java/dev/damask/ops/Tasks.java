package dev.damask.ops;

import dev.damask.caller.CaseReply;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectIntent.Held;
import dev.damask.event.Reply;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The tasks that wait for a person or a program, and the claims of workers.
///
/// An effect whose type has no handler in the engine waits for an answer from outside. A worker
/// claims tasks by their types and holds each until it answers, releases it or its lease ends. Then
/// another worker may claim the task; an at-most-once task fails with `unknown_outcome` instead. A
/// claim is durable when [#claim] returns and does not change its case.
public final class Tasks {
  /// How many tasks a claim asks for at most.
  public static final int CLAIM_MAX = 1_000;

  private static final int SCAN_MAX = 10_000;
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final Duration FORGOTTEN = Duration.ofMinutes(5);

  /// The way to the cases.
  public interface Desk {
    /// Answers a task for the holder of a claim.
    CaseReply complete(TaskClaim claim, Context result);

    /// Fails an attempt of a task for the holder of a claim.
    CaseReply fail(TaskClaim claim, String reason, String detail);

    /// The holder of an at-most-once task has not answered in time.
    void lose(TaskClaim claim);

    /// Whether this engine moves a case.
    boolean owns(String caseId);
  }

  private final Store store;
  private final TaskClaims claims;
  private final Desk desk;
  private final LongSupplier clock;
  private final Predicate<WaitingTask> allowed;
  private final Map<String, TaskWorker> workers;
  private final Semaphore changes;

  public Tasks(Store store, TaskClaims claims, Desk desk, LongSupplier clock) {
    this.store = store;
    this.claims = claims;
    this.desk = desk;
    this.clock = clock;
    this.allowed = _ -> true;
    this.workers = new ConcurrentSkipListMap<>();
    this.changes = new Semaphore(0);
  }

  private Tasks(Tasks all, Predicate<WaitingTask> allowed) {
    this.store = all.store;
    this.claims = all.claims;
    this.desk = all.desk;
    this.clock = all.clock;
    this.allowed = allowed;
    this.workers = all.workers;
    this.changes = all.changes;
  }

  /// Returns the same tasks for a caller that may list and claim some of them only.
  public Tasks only(Predicate<WaitingTask> visible) {
    return new Tasks(this, visible);
  }

  /// Returns one page of the waiting tasks that match. The cursor names the last task of the page.
  /// Throws `IllegalArgumentException` if the query has a cursor that is none.
  public TaskPage list(TaskQuery query) {
    return TaskRows.list(store, query, allowed);
  }

  /// Claims up to `max` tasks of some types, the oldest of each type first, for a worker. Waits up
  /// to `wait` until there is one; the list is empty if there was none. Tasks that wait for a
  /// decision and tasks of paused cases are left out. Throws `IllegalArgumentException` if a bound
  /// is broken.
  public List<ClaimedTask> claim(
      String worker, List<String> types, int max, Duration lease, Duration wait)
      throws InterruptedException {
    require(worker, types, max, lease);
    long end = System.nanoTime() + Math.min(wait.toNanos(), Long.MAX_VALUE / 2);
    while (true) {
      seen(worker, types);
      List<ClaimedTask> claimed = attempt(worker, types, max, lease);
      long left = end - System.nanoTime();
      if (!claimed.isEmpty() || left <= 0) {
        return claimed;
      }
      // Another node may add a task, so the wait is short; a task of this one ends it at once.
      boolean _ = changes.tryAcquire(Math.min(left, POLL_NANOS), TimeUnit.NANOSECONDS);
    }
  }

  private static void require(String worker, List<String> types, int max, Duration lease) {
    if (worker.isBlank() || types.isEmpty()) {
      throw new IllegalArgumentException("a worker must have a name and at least one effect type");
    }
    if (max < 1 || max > CLAIM_MAX) {
      throw new IllegalArgumentException(
          "max must be between 1 and %d, got %d".formatted(CLAIM_MAX, max));
    }
    if (lease.isNegative() || lease.isZero()) {
      throw new IllegalArgumentException("lease must be positive, got " + lease);
    }
  }

  /// Some tasks have begun to wait: wakes the workers that wait for one.
  public void added() {
    changes.release(Math.max(0, workers.size() - changes.availablePermits()));
  }

  private List<ClaimedTask> attempt(String worker, List<String> types, int max, Duration lease) {
    long now = clock.getAsLong();
    List<ClaimedTask> claimed = new ArrayList<>();
    for (String type : types) {
      String cursor = "";
      int looked = 0;
      do {
        TaskPage page = list(TaskQuery.ALL.withType(type).withPage(cursor, TaskQuery.LIMIT_MAX));
        List<WaitingTask> free = page.tasks().stream().filter(each -> isFree(each, now)).toList();
        claimed.addAll(take(worker, free, max - claimed.size(), now, lease));
        cursor = page.next();
        looked += page.tasks().size();
      } while (!cursor.isEmpty() && claimed.size() < max && looked < SCAN_MAX);
    }
    return claimed;
  }

  private boolean isFree(WaitingTask task, long now) {
    return claims
        .find(task.caseId(), task.id())
        .filter(each -> each.isLiving(now) || each.isOnce())
        .isEmpty();
  }

  private List<ClaimedTask> take(
      String worker, List<WaitingTask> free, int max, long now, Duration lease) {
    List<TaskClaim> wanted = new ArrayList<>();
    for (WaitingTask task : free) {
      EffectIntent intent = wanted.size() < max ? open(task).orElse(null) : null;
      if (intent != null) {
        wanted.add(
            new TaskClaim(
                task.caseId(),
                task.id(),
                UUID.randomUUID().toString(),
                worker,
                task.type(),
                intent.attempt(),
                intent.delivery() == Delivery.AT_MOST_ONCE,
                now,
                plus(now, lease)));
      }
    }
    List<ClaimedTask> claimed = new ArrayList<>();
    for (TaskClaim claim : claims.take(wanted, now)) {
      WaitingTask task =
          free.stream()
              .filter(e -> e.id().equals(claim.effect()) && e.caseId().equals(claim.caseId()))
              .findFirst()
              .orElseThrow();
      // It may have ended since it was read.
      EffectIntent intent = open(task).filter(e -> e.attempt() == claim.attempt()).orElse(null);
      if (intent == null) {
        claims.remove(claim);
      } else {
        claimed.add(
            new ClaimedTask(
                name(claim),
                task,
                intent.attempt(),
                intent.key(),
                intent.delivery(),
                intent.with(),
                Instant.ofEpochMilli(claim.untilMillis())));
      }
    }
    return claimed;
  }

  private static long plus(long now, Duration lease) {
    long sum = now + Math.min(lease.toMillis(), Long.MAX_VALUE / 4);
    return sum < now ? Long.MAX_VALUE : sum;
  }

  /// The intent of a task that can be claimed; empty if it cannot.
  private Optional<EffectIntent> open(WaitingTask task) {
    Store.LoadedCase loaded = store.load(task.caseId()).orElse(null);
    if (loaded == null || loaded.record().status() != CaseStatus.WAITING) {
      return Optional.empty();
    }
    return loaded.intents().stream()
        .filter(each -> each.id().equals(task.id()))
        .filter(each -> TaskRows.isOutside(each) && each.held() != Held.FOR_DECISION)
        .findFirst();
  }

  /// Moves the end of a claim's lease. Returns when it ends now; empty if the claim was lost or has
  /// ended.
  public Optional<Instant> heartbeat(String claim, Duration lease) {
    TaskClaim held = held(claim).orElse(null);
    long now = clock.getAsLong();
    if (held == null || !claims.extend(held, plus(now, lease), now)) {
      return Optional.empty();
    }
    seen(held.worker(), List.of());
    return Optional.of(Instant.ofEpochMilli(plus(now, lease)));
  }

  /// Completes a claimed task. The reply is `LATE` if the claim was lost, has ended, or the task
  /// has ended. Durable when it returns.
  public CaseReply complete(String claim, Map<String, ? extends @Nullable Object> result) {
    return answer(claim, held -> desk.complete(held, Context.from(result)));
  }

  /// Fails the attempt of a claimed task; the retries of the task follow. The reply is as for
  /// [#complete]. Durable when it returns.
  public CaseReply fail(String claim, String reason, String detail) {
    return answer(claim, held -> desk.fail(held, reason, detail));
  }

  private CaseReply answer(String claim, Function<TaskClaim, CaseReply> action) {
    TaskClaim held = held(claim).orElse(null);
    if (held == null) {
      return new CaseReply(Reply.LATE, 0);
    }
    seen(held.worker(), List.of());
    return action.apply(held);
  }

  /// Gives a claimed task back, so that another worker can claim it. Returns false if the claim was
  /// lost or has ended.
  public boolean release(String claim) {
    return held(claim).filter(claims::remove).isPresent();
  }

  /// Returns the workers that have asked this engine for tasks in the last five minutes. On a
  /// cluster, each node knows its own.
  public List<TaskWorker> workers() {
    Instant oldest = Instant.ofEpochMilli(clock.getAsLong()).minus(FORGOTTEN);
    workers.values().removeIf(each -> each.seen().isBefore(oldest));
    return List.copyOf(workers.values());
  }

  private void seen(String worker, List<String> types) {
    Instant now = Instant.ofEpochMilli(clock.getAsLong());
    workers.compute(
        worker,
        (name, known) -> {
          boolean isKnown = known != null;
          TreeSet<String> asked = new TreeSet<>(types.isEmpty() && isKnown ? known.types() : types);
          return new TaskWorker(name, asked, isKnown ? known.since() : now, now);
        });
  }

  /// Gives back the tasks whose leases have ended.
  public void sweep() {
    for (TaskClaim each : claims.expired(clock.getAsLong(), CLAIM_MAX)) {
      if (desk.owns(each.caseId())) {
        if (each.isOnce()) {
          desk.lose(each);
        } else {
          claims.remove(each);
          added();
        }
      }
    }
  }

  private static String name(TaskClaim claim) {
    return claim.id() + "/" + claim.effect() + "/" + claim.caseId();
  }

  /// The stored claim of a name; empty if another claim holds the task or none does.
  private Optional<TaskClaim> held(String claim) {
    String[] parts = claim.split("/", 3);
    if (parts.length != 3 || !parts[1].matches("[0-9a-f]{16}")) {
      throw new IllegalArgumentException("not a claim: '" + claim + "'");
    }
    EffectId effect = new EffectId(HexFormat.fromHexDigitsToLong(parts[1]));
    return claims.find(parts[2], effect).filter(each -> each.id().equals(parts[0]));
  }
}
