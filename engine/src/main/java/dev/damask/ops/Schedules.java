package dev.damask.ops;

import dev.damask.store.RowChange;
import dev.damask.store.RowChangedException;
import dev.damask.store.Store;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import dev.damask.term.Schedule;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The schedules of a store: they start cases at times.
///
/// A schedule is a row of the store's table. The commit that starts a case also writes the
/// schedule's next time, and the id of the case is derived from the schedule and the time. So each
/// time starts one case, whatever crashes and however the clock jumps.
///
/// Every method may be called from any thread. Changes are durable when a method returns. Throws
/// `IllegalArgumentException` if there is no schedule of a name.
public final class Schedules {
  private static final System.Logger LOG = System.getLogger(Schedules.class.getName());
  private static final int PAGE = 256;
  private static final int NAME_MAX = 64;
  private static final long RETRY_MILLIS = 1_000;

  /// A change of a schedule that has completed.
  ///
  /// @param after null if it failed
  private record Ended(String name, @Nullable ScheduleRow after, @Nullable Throwable thrown) {}

  /// A jump of the clock is noticed after this time.
  private static final long WAIT_MAX = TimeUnit.MINUTES.toMillis(1);

  private final Store store;
  private final ScheduledStarts starts;
  private final ScheduleFiring firing;
  private final CorruptRows corrupt = new CorruptRows();
  private final ReentrantLock lock = new ReentrantLock();

  /// What completed, for the next thread that holds the lock. A thread that publishes commits must
  /// not wait for the lock: the thread that holds it may wait for a place in a full inbox.
  private final Queue<Ended> ended = new ConcurrentLinkedQueue<>();

  private final Semaphore woken = new Semaphore(0);
  private volatile boolean isStale; // written by any thread: workflows and ends are looked at again

  // All guarded by the lock.
  private final Map<String, String> waiting = new HashMap<>();
  private final Set<String> missing = new HashSet<>();
  private final Map<String, CompletableFuture<Boolean>> busy = new HashMap<>();
  private final Map<String, Long> notBefore = new HashMap<>();
  private long next = Long.MIN_VALUE; // unknown: the store must be read
  private boolean hasLooked; // whether the starts that wait are known

  public Schedules(Store store, ScheduledStarts starts) {
    this.store = store;
    this.starts = starts;
    this.firing = new ScheduleFiring(starts);
  }

  /// Creates a schedule, or changes the one of this name. The same definition changes nothing, so a
  /// program may put its schedules whenever it starts. A changed definition counts from now on; the
  /// schedule stays paused if it was. Throws `IllegalArgumentException` if the name is malformed or
  /// the workflow does not accept the input.
  public <I> ScheduleView put(String name, Schedule schedule, Workflow<I, ?> workflow, I input) {
    return joined(putAsync(name, schedule, workflow, input));
  }

  /// Creates or changes a schedule as [#put] does. Completes when that is durable.
  public <I> CompletableFuture<ScheduleView> putAsync(
      String name, Schedule schedule, Workflow<I, ?> workflow, I input) {
    requireName(name);
    Context context = workflow.encode(input);
    starts.requireInput(name, workflow, context);
    starts.register(workflow);
    return alone(
        name,
        () -> {
          TableRow old = find(name).orElse(null);
          ScheduleRow before = old == null ? null : ScheduleRow.of(old);
          if (before != null && before.isSame(workflow.name(), context, schedule)) {
            return CompletableFuture.completedFuture(before.view());
          }
          long now = starts.now();
          return write(
              old,
              before == null
                  ? ScheduleRow.of(name, workflow.name(), context, schedule, now)
                  : before.withDefinition(workflow.name(), context, schedule, now));
        });
  }

  /// Starts nothing until [#resume] is called. Times that pass meanwhile are not missed times.
  public ScheduleView pause(String name) {
    return change(name, row -> row.isPaused() ? row : row.withPaused(true, ScheduleRow.NEVER));
  }

  /// Continues with the next time from now on.
  public ScheduleView resume(String name) {
    return change(
        name, row -> row.isPaused() ? row.withPaused(false, row.nextAfter(starts.now())) : row);
  }

  /// Starts a case now, also if the schedule is paused or a case is running. Returns its id.
  public String trigger(String name) {
    return joined(triggerAsync(name));
  }

  /// Starts a case now, as [#trigger] does. Completes when the case is durable.
  public CompletableFuture<String> triggerAsync(String name) {
    return alone(
        name,
        () -> {
          TableRow old = require(name);
          ScheduleRow row = ScheduleRow.of(old);
          if (!starts.isKnown(row.workflow())) {
            throw new IllegalStateException(
                "schedule %s: workflow %s is not registered; register it"
                    .formatted(name, row.workflow()));
          }
          String caseId = row.triggeredId();
          return begin(
                  name, firing.begin(old, row, caseId, row.withTriggered(caseId, starts.now())))
              .thenApply(_ -> caseId);
        });
  }

  /// Removes a schedule. Its cases stay.
  public void remove(String name) {
    joined(
        alone(
            name,
            () -> {
              waiting.remove(name);
              TableRow old = require(name);
              return starts
                  .write(name, old, List.of(new RowChange.Remove(old)))
                  .thenApply(_ -> name);
            }));
  }

  /// Returns a schedule; empty if there is none of this name.
  public Optional<ScheduleView> get(String name) {
    return find(name).map(ScheduleRow::of).map(ScheduleRow::view);
  }

  /// Returns all schedules in the order of their names.
  public List<ScheduleView> list() {
    return list(store);
  }

  /// Returns all schedules of a store in the order of their names, without the [#corrupt] ones.
  public static List<ScheduleView> list(Store store) {
    return ScheduleRows.list(store);
  }

  /// Returns the schedules of a store that cannot be read, by name, with the reasons. They start no
  /// case; [#remove] removes them.
  public static NavigableMap<String, String> corrupt(Store store) {
    return ScheduleRows.corrupt(store);
  }

  /// Starts everything that is due. Returns whether something was started or changed.
  public boolean turn() {
    lock.lock();
    try {
      return look();
    } finally {
      lock.unlock();
    }
  }

  /// When the next schedule is due, in milliseconds; `Long.MAX_VALUE` for never. One that is being
  /// started, or waits for its workflow, does not count.
  public long nextDue() {
    lock.lock();
    try {
      settle();
      if (next == Long.MIN_VALUE) {
        next = readNext();
      }
      return next;
    } finally {
      lock.unlock();
    }
  }

  private long readNext() {
    TableRow after = null;
    List<TableRow> page;
    do {
      page = store.table().indexed(ScheduleRow.KIND, "", after, PAGE);
      for (TableRow each : page) {
        boolean isOpen = !busy.containsKey(each.key()) && !missing.contains(each.key());
        ScheduleRow row = isOpen ? corrupt.read(each, ScheduleRow::of) : null;
        if (row != null) {
          return Math.max(row.due(), notBefore.getOrDefault(each.key(), row.due()));
        }
        after = each;
      }
    } while (page.size() == PAGE);
    return ScheduleRow.NEVER;
  }

  /// Looks at all schedules again, also at starts that wait: this engine has got schedules of
  /// another node.
  public void reload() {
    lock.lock();
    try {
      hasLooked = false;
    } finally {
      lock.unlock();
    }
    wake();
  }

  /// Looks at all schedules again: the clock was moved, or a workflow has become known.
  public void wake() {
    isStale = true;
    woken.release();
  }

  /// Starts what is due until the engine is closed. A failure is logged, once as long as it stays
  /// the same, and everything is tried again.
  public void run(CountDownLatch closed) throws InterruptedException {
    String reported = "";
    while (closed.getCount() > 0) {
      long left = RETRY_MILLIS;
      try {
        turn();
        left = Math.min(nextDue() - starts.now(), WAIT_MAX);
        reported = "";
      } catch (RuntimeException e) { // whatever the store throws
        if (closed.getCount() == 0) {
          return;
        }
        boolean isNew = !reported.equals(e.toString());
        reported = e.toString();
        LOG.log(
            isNew ? System.Logger.Level.ERROR : System.Logger.Level.DEBUG,
            "schedules: a start failed; it is tried again",
            e);
      }
      if (left > 0 && closed.getCount() > 0) {
        var _ = woken.tryAcquire(left, TimeUnit.MILLISECONDS);
      }
      woken.drainPermits();
    }
  }

  private boolean look() {
    settle();
    boolean hasChanged = false;
    if (!hasLooked) {
      list().forEach(view -> view.queued().ifPresent(_ -> await(view.name(), view.lastCase())));
      hasLooked = true;
    }
    for (Map.Entry<String, String> each : List.copyOf(waiting.entrySet())) {
      if (!busy.containsKey(each.getKey())
          && starts.owns(each.getKey())
          && starts.hasEnded(each.getValue())) {
        waiting.remove(each.getKey());
        hasChanged |= startQueued(each.getKey());
      }
    }
    long now = starts.now();
    if (nextDue() > now) {
      return hasChanged;
    }
    return due(now) || hasChanged;
  }

  /// Looks at the schedules in the order of their due times.
  private boolean due(long now) {
    boolean hasChanged = false;
    Table table = store.table();
    next = ScheduleRow.NEVER;
    TableRow after = null;
    while (true) {
      List<TableRow> page = table.indexed(ScheduleRow.KIND, "", after, PAGE);
      for (TableRow each : page) {
        ScheduleRow row = corrupt.read(each, ScheduleRow::of);
        if (row != null && row.due() > now) {
          next = Math.min(next, row.due());
          return hasChanged;
        }
        hasChanged |= row != null && fire(each, row, now);
        after = each;
      }
      if (page.size() < PAGE) {
        return hasChanged;
      }
    }
  }

  private boolean fire(TableRow old, ScheduleRow row, long now) {
    if (busy.containsKey(row.name())) {
      return false; // its end is awaited
    }
    if (!starts.owns(row.name())) {
      notBefore.put(row.name(), now + RETRY_MILLIS); // it may become ours
    }
    long allowed = notBefore.getOrDefault(row.name(), Long.MIN_VALUE);
    if (allowed > now) {
      next = Math.min(next, allowed);
      return false;
    }
    notBefore.remove(row.name());
    if (!starts.isKnown(row.workflow())) {
      if (missing.add(row.name())) {
        LOG.log(
            System.Logger.Level.WARNING,
            "schedule {0} is due, but workflow {1} is not registered; register it",
            row.name(),
            row.workflow());
      }
      return false;
    }
    var _ = begin(row.name(), attempt(() -> firing.fire(old, row, now)));
    return true;
  }

  /// A schedule whose start fails at once must not keep the others from starting.
  private static CompletableFuture<ScheduleRow> attempt(
      Supplier<CompletableFuture<ScheduleRow>> start) {
    try {
      return start.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /// Notes that a schedule is being changed until a future completes.
  private CompletableFuture<ScheduleRow> begin(
      String name, CompletableFuture<ScheduleRow> changing) {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    busy.put(name, done);
    return changing.whenComplete((after, thrown) -> {
      ended.add(new Ended(name, after, thrown));
      woken.release();
      done.complete(true);
    });
  }

  /// Takes note of what has completed. The caller holds the lock.
  private void settle() {
    if (isStale) {
      isStale = false;
      missing.clear();
      next = Long.MIN_VALUE;
    }
    for (Ended each = ended.poll(); each != null; each = ended.poll()) {
      String name = each.name;
      busy.remove(name);
      if (each.after == null && isChanged(each.thrown)) {
        LOG.log(System.Logger.Level.DEBUG, "schedule {0} was changed by another node", name);
      } else if (each.after == null) {
        LOG.log(System.Logger.Level.ERROR, "schedule " + name + ": it is tried again", each.thrown);
        notBefore.put(name, starts.now() + RETRY_MILLIS);
      } else if (each.after.queued() != ScheduleRow.NEVER) {
        await(name, each.after.lastCase());
      }
      next = Long.MIN_VALUE;
    }
  }

  private void await(String name, String caseId) {
    waiting.put(name, caseId);
    starts.whenEnded(caseId, this::wake);
  }

  private boolean startQueued(String name) {
    TableRow old = find(name).orElse(null);
    ScheduleRow row = old == null ? null : corrupt.read(old, ScheduleRow::of);
    if (old == null
        || row == null
        || row.queued() == ScheduleRow.NEVER
        || !starts.isKnown(row.workflow())) {
      return false;
    }
    String caseId = row.caseId(row.queued());
    ScheduleRow after = row.withStarted(caseId, row.queued(), row.due());
    var _ = begin(name, attempt(() -> firing.begin(old, row, caseId, after)));
    return true;
  }

  private Optional<TableRow> find(String name) {
    return store.table().find(ScheduleRow.KIND, name, 0);
  }

  private TableRow require(String name) {
    return find(name)
        .orElseThrow(() -> new IllegalArgumentException("there is no schedule " + name));
  }

  private ScheduleView change(String name, UnaryOperator<ScheduleRow> change) {
    return joined(
        alone(
            name,
            () -> {
              TableRow old = require(name);
              ScheduleRow before = ScheduleRow.of(old);
              ScheduleRow after = change.apply(before);
              if (after.queued() == ScheduleRow.NEVER) {
                waiting.remove(name);
              }
              return after.equals(before)
                  ? CompletableFuture.completedFuture(after.view())
                  : write(old, after);
            }));
  }

  private CompletableFuture<ScheduleView> write(@Nullable TableRow old, ScheduleRow after) {
    CompletableFuture<ScheduleRow> written =
        starts.write(after.name(), old, ScheduleFiring.replaced(old, after)).thenApply(_ -> after);
    return begin(after.name(), written).thenApply(ScheduleRow::view);
  }

  private static <T> T joined(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private static boolean isChanged(@Nullable Throwable thrown) {
    return thrown instanceof RowChangedException
        || (thrown instanceof CompletionException
            && thrown.getCause() instanceof RowChangedException);
  }

  /// Changes a schedule. If another node of a cluster has changed it meanwhile, the schedule is
  /// read again.
  private <T> CompletableFuture<T> alone(String name, Supplier<CompletableFuture<T>> action) {
    return inTurn(name, action)
        .exceptionallyCompose(thrown ->
            isChanged(thrown) ? alone(name, action) : CompletableFuture.<T>failedFuture(thrown));
  }

  /// Changes a schedule that this engine does not change meanwhile.
  private <T> CompletableFuture<T> inTurn(String name, Supplier<CompletableFuture<T>> action) {
    CompletableFuture<Boolean> before;
    lock.lock();
    try {
      settle();
      before = busy.get(name);
      if (before == null) {
        return action.get();
      }
    } finally {
      next = Long.MIN_VALUE;
      lock.unlock();
      woken.release();
    }
    return before.thenCompose(_ -> inTurn(name, action));
  }

  private static void requireName(String name) {
    boolean isFit =
        !name.isEmpty()
            && name.length() <= NAME_MAX
            && name.chars()
                .allMatch(c -> c < 128 && (Character.isLetterOrDigit(c) || "._-".indexOf(c) >= 0));
    if (!isFit) {
      throw new IllegalArgumentException(
          "a schedule's name has from 1 to %d letters, digits, '.', '_' and '-', got '%s'"
              .formatted(NAME_MAX, name));
    }
    if (KeptCases.isOfOrchestration(name + ":")) { // the ids of its cases begin with the name
      throw new IllegalArgumentException("the schedule name '" + name + "' is reserved");
    }
  }
}
