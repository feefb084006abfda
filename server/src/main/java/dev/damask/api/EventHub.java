package dev.damask.api;

import dev.damask.cases.Engine;
import dev.damask.ops.CaseEvent;
import dev.damask.ops.CaseListeners;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The newest events of all cases, numbered in the order in which the engine reported them. Readers
/// wait here; the engine only appends, so a slow reader delays nothing but itself.
final class EventHub implements EventFeed {
  /// How many events are kept.
  static final int KEPT_MAX = 16_384;

  private final CursorSeal seal = CursorSeal.random();
  private final String epoch = UUID.randomUUID().toString().substring(0, 8);
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition added = lock.newCondition();
  private final @Nullable CaseEvent[] ring = new CaseEvent[KEPT_MAX]; // with the lock
  private final @Nullable Event[] sealed = new Event[KEPT_MAX]; // those read before; with the lock
  private long next = 1; // with the lock
  private boolean isClosed; // with the lock
  private CaseListeners.@Nullable Subscription subscription; // written by open

  private EventHub() {}

  static EventHub open(Engine engine) {
    EventHub hub = new EventHub();
    hub.subscription = engine.listen(hub::add);
    return hub;
  }

  private void add(CaseEvent event) {
    lock.lock();
    try {
      ring[(int) (next % KEPT_MAX)] = event;
      sealed[(int) (next % KEPT_MAX)] = null;
      next++;
      added.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String start() {
    lock.lock();
    try {
      return cursor(next - 1);
    } finally {
      lock.unlock();
    }
  }

  /// The number counts the events of all cases, so a client receives it sealed.
  private String cursor(long number) {
    return String.valueOf(Cursor.of(epoch, seal.seal(String.valueOf(number))));
  }

  /// A cursor of an earlier start of the server is too old.
  @Override
  public void require(String cursor) {
    long number = number(cursor);
    if (number < 0 || !isKept(number)) {
      throw EventFeed.gone();
    }
  }

  /// Returns the number of a cursor; -1 if it is of an earlier start of the server.
  private long number(String cursor) {
    List<String> parts = Cursor.parts(cursor, 2);
    if (!parts.getFirst().equals(epoch)) {
      return -1;
    }
    return seal.open(parts.getLast())
        .map(Long::parseLong)
        .orElseThrow(() -> Problem.bad("the cursor is malformed; start without it"));
  }

  private boolean isKept(long number) {
    lock.lock();
    try {
      return number < next && number >= next - KEPT_MAX - 1 + 1;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable List<Event> after(String cursor, int max, long millis)
      throws InterruptedException {
    long number = number(cursor);
    lock.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(millis);
      while (next <= number + 1 && left > 0 && !isClosed) {
        left = added.awaitNanos(left);
      }
      if (number + 1 < next - KEPT_MAX) {
        return null;
      }
      List<Event> found = new ArrayList<>();
      for (long each = number + 1; each < next && found.size() < max; each++) {
        Event event = shown(each);
        if (event != null) {
          found.add(event);
        }
      }
      return found;
    } finally {
      lock.unlock();
    }
  }

  /// An event with its cursor, which is computed for the first reader. Called with the lock.
  private @Nullable Event shown(long number) {
    int at = (int) (number % KEPT_MAX);
    CaseEvent event = ring[at];
    Event known = sealed[at];
    if (known == null && event != null) {
      known = new Event(cursor(number), event);
      sealed[at] = known;
    }
    return known;
  }

  @Override
  public boolean isClosed() {
    lock.lock();
    try {
      return isClosed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    CaseListeners.Subscription open = subscription;
    if (open != null) {
      open.close();
    }
    lock.lock();
    try {
      isClosed = true;
      added.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
