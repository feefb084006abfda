package dev.damask.linear;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Writes down what several clients call at the same time, and what they are told.
///
/// A stamp is taken before a call is made and another one after it has returned, so a call that
/// stands wholly before another one in the history did so in truth.
public final class CallHistory<C, A> {
  private final AtomicLong stamps = new AtomicLong();
  private final Queue<Entry<C, A>> entries = new ConcurrentLinkedQueue<>();

  /// Makes a call and records it. If the action throws, it is unknown whether the call happened: it
  /// stays pending.
  public A perform(C call, Supplier<A> action) {
    Entry<C, A> entry = new Entry<>(call, stamps.incrementAndGet());
    entries.add(entry);
    A answer = action.get();
    entry.end(answer, stamps.incrementAndGet());
    return answer;
  }

  /// Everything so far, in the order in which the calls were made.
  public List<Operation<C, A>> operations() {
    List<Operation<C, A>> operations = new ArrayList<>();
    for (Entry<C, A> entry : entries) {
      operations.add(entry.operation());
    }
    return operations;
  }

  private static final class Entry<C, A> {
    private final C call;
    private final long invoked;
    private @Nullable A answer; // null until the call has returned
    private long returned = Operation.NEVER;

    Entry(C call, long invoked) {
      this.call = call;
      this.invoked = invoked;
    }

    synchronized void end(A told, long stamp) {
      answer = told;
      returned = stamp;
    }

    synchronized Operation<C, A> operation() {
      return new Operation<>(call, answer, invoked, returned);
    }
  }
}
