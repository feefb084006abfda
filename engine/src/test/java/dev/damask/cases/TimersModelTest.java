package dev.damask.cases;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.intake.DueCases;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store.DueCase;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The timers of a shard under the interleavings of the shard and the writer of the store: a timer
/// fires once it is durable, in order, and once.
@Timeout(120)
class TimersModelTest {
  private static final long NOW = 40;

  @Test
  void no_interleaving_of_shard_and_writer_loses_or_doubles_a_timer() {
    options().check(RealTimers.class);
  }

  @Test
  void the_checker_finds_a_writer_that_tells_before_it_writes() {
    assertThatThrownBy(() -> options().check(ToldFirst.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  private static ModelCheckingOptions options() {
    return new ModelCheckingOptions()
        .sequentialSpecification(PlainTimers.class)
        .iterations(8)
        .invocationsPerIteration(60)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(2)
        .actorsAfter(3)
        .minimizeFailedScenario(false);
  }

  record Timer(String caseId, long dueMillis) {}

  /// What the shard and the writer hand each other.
  static final class Hands {
    private final ArrayDeque<Timer> timers = new ArrayDeque<>();

    synchronized void add(Timer timer) {
      timers.addLast(timer);
    }

    synchronized @Nullable Timer poll() {
      return timers.pollFirst();
    }

    synchronized boolean has(String caseId) {
      return timers.stream().anyMatch(timer -> timer.caseId().equals(caseId));
    }
  }

  /// As much of a store as timers need.
  private static final class PlainStore {
    private final TreeSet<DueCase> cases = new TreeSet<>();

    synchronized void set(Timer timer) {
      cases.removeIf(each -> each.caseId().equals(timer.caseId()));
      if (timer.dueMillis() != CaseRecord.NEVER) {
        cases.add(new DueCase(timer.dueMillis(), timer.caseId()));
      }
    }

    synchronized List<DueCase> due(DueCase after, int limit) {
      List<DueCase> page = new ArrayList<>();
      for (DueCase each : cases) {
        if (each.compareTo(after) > 0 && page.size() < limit) {
          page.add(each);
        }
      }
      return page;
    }
  }

  /// The timers that shards use, on a store that another thread writes.
  public static class RealTimers {
    private final PlainStore store = new PlainStore();
    private final DueCases due = new DueCases(store::due, _ -> true, 1);
    private final Map<String, Long> pending = new HashMap<>();
    private final Map<String, Timer> busy = new HashMap<>();
    private final Hands toWrite = new Hands();
    final Hands written = new Hands();

    @Operation(nonParallelGroup = "shard")
    public boolean planOne() {
      return plan("one", 10);
    }

    @Operation(nonParallelGroup = "shard")
    public boolean planTwo() {
      return plan("two", 30);
    }

    /// A case that is being written is left alone.
    private boolean plan(String caseId, long dueMillis) {
      hear();
      if (pending.containsKey(caseId) || busy.containsKey(caseId)) {
        return false;
      }
      pending.put(caseId, dueMillis);
      hand(new Timer(caseId, dueMillis));
      return true;
    }

    private void hand(Timer timer) {
      busy.put(timer.caseId(), timer);
      toWrite.add(timer);
    }

    private void hear() {
      for (Timer timer = written.poll(); timer != null; timer = written.poll()) {
        busy.remove(timer.caseId(), timer);
        due.set(timer.caseId(), timer.dueMillis());
      }
    }

    @Operation(nonParallelGroup = "shard")
    public String fire() {
      return fire(NOW);
    }

    /// As a shard does: it hears what is durable, and looks again whether the case is due at all.
    private String fire(long now) {
      hear();
      for (String caseId = due.poll(now); caseId != null; caseId = due.poll(now)) {
        if (pending.getOrDefault(caseId, CaseRecord.NEVER) <= now) {
          pending.remove(caseId);
          hand(new Timer(caseId, CaseRecord.NEVER));
          return caseId;
        }
      }
      return "nothing";
    }

    @Operation(nonParallelGroup = "writer")
    public void write() {
      Timer timer = toWrite.poll();
      if (timer != null) {
        write(timer);
      }
    }

    void write(Timer timer) {
      commit(timer);
      written.add(timer);
    }

    void commit(Timer timer) {
      store.set(timer);
    }
  }

  /// Broken on purpose: the shard hears of a timer that the store does not have yet.
  public static class ToldFirst extends RealTimers {
    @Override
    void write(Timer timer) {
      written.add(timer);
      commit(timer);
    }
  }

  /// What the timers must look like from outside, written for one thread.
  public static class PlainTimers {
    private final Map<String, Long> pending = new HashMap<>();
    private final Map<String, Long> durable = new TreeMap<>();
    private final Hands toWrite = new Hands();

    public boolean planOne() {
      return plan("one", 10);
    }

    public boolean planTwo() {
      return plan("two", 30);
    }

    private boolean plan(String caseId, long dueMillis) {
      if (pending.containsKey(caseId) || toWrite.has(caseId)) {
        return false;
      }
      pending.put(caseId, dueMillis);
      toWrite.add(new Timer(caseId, dueMillis));
      return true;
    }

    public String fire() {
      return fire(NOW);
    }

    private String fire(long now) {
      String first = "nothing";
      long firstDue = now + 1;
      for (Map.Entry<String, Long> each : durable.entrySet()) {
        if (each.getValue() < firstDue && each.getValue().equals(pending.get(each.getKey()))) {
          first = each.getKey();
          firstDue = each.getValue();
        }
      }
      if (pending.remove(first) != null) {
        toWrite.add(new Timer(first, CaseRecord.NEVER));
      }
      return first;
    }

    public void write() {
      Timer timer = toWrite.poll();
      if (timer != null) {
        durable.put(timer.caseId(), timer.dueMillis());
      }
    }
  }
}
