package dev.damask.ops;

import dev.damask.store.RowChange;
import dev.damask.store.RowChangedException;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/// The replies to requests that callers may repeat, by the key that a caller chose for a request.
/// They are rows of the store: they survive a restart and are shared by the nodes of a cluster.
///
/// A request begins with [#begin], which reserves its key, and ends with [#keep] or [#drop]. A
/// request whose process has ended in between leaves its key reserved; see [State#INTERRUPTED].
public final class RequestKeys {
  /// The kind of the rows. The key of a row is the key of its request.
  public static final String KIND = "request";

  /// How long a reply is kept.
  public static final Duration KEPT = Duration.ofDays(1);

  /// After this time a request of another node counts as interrupted.
  static final Duration BEGUN_MAX = Duration.ofMinutes(5);

  /// How many requests begin before old rows are removed.
  static final int TRIMMED_EVERY = 64;

  private static final int FORMAT = 1;
  private static final int TRIMMED_MAX = 4 * TRIMMED_EVERY;
  private static final int LOCKS = 64;
  private static final int SECRET_BYTES = 32;

  private final Table table;
  private final Changer changer;
  private final boolean isShared;
  private final LongSupplier clock;
  private final String run;
  private final Lock[] locks = new Lock[LOCKS];
  private final AtomicInteger begun = new AtomicInteger();

  /// Changes rows if one of them is still as it was read.
  @FunctionalInterface
  public interface Changer {
    /// Writes changes if the row of a key is as expected. Completes when that is durable, or with
    /// [RowChangedException] if another node has changed the row.
    CompletableFuture<Void> change(
        String key, Optional<TableRow> expected, List<RowChange> changes);
  }

  /// @param isShared whether other nodes use the same rows
  /// @param run identifies this process among all that use the store
  public RequestKeys(
      Table table, Changer changer, boolean isShared, LongSupplier clock, String run) {
    this.table = table;
    this.changer = changer;
    this.isShared = isShared;
    this.clock = clock;
    this.run = run;
    for (int i = 0; i < LOCKS; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  /// How far the first request with a key is.
  public enum State {
    /// It is this one: no request had the key.
    NEW,
    /// It has its reply.
    DONE,
    /// It is in progress.
    OPEN,
    /// Its process ended before it had a reply. Its outcome is unknown; the key now belongs to the
    /// present request.
    INTERRUPTED
  }

  /// What is known about a key.
  ///
  /// @param content what the first request contained, such as a hash of it
  /// @param reply the reply if the request is done; else empty
  public record Known(State state, String content, String reply) {}

  private record Entry(boolean isDone, long atMillis, String run, String content, String reply) {
    TableRow row(String key) {
      Encoder out = new Encoder();
      out.octet(FORMAT);
      out.octet(isDone ? 1 : 0);
      out.whole(atMillis);
      out.text(run);
      out.text(content);
      out.text(reply);
      return new TableRow(KIND, key, 1, Bytes.of(out.toBytes()), "%019d".formatted(atMillis));
    }

    static Entry of(TableRow row) {
      Decoder in = new Decoder(row.value().toArray());
      int format = in.octet();
      if (format != FORMAT) {
        throw in.damaged("the format " + format + " of a request");
      }
      Entry entry = new Entry(in.octet() == 1, in.whole(), in.text(), in.text(), in.text());
      in.requireEnd();
      return entry;
    }
  }

  /// Reserves a key for a request, unless another request has it. Durable when it returns.
  ///
  /// @param key at most 200 characters
  public Known begin(String key, String content) {
    if (begun.getAndIncrement() % TRIMMED_EVERY == 0) {
      trim();
    }
    Lock lock = lock(key);
    lock.lock();
    try {
      while (true) {
        try {
          return tried(key, content);
        } catch (RowChangedException e) {
          // another node was faster; its row is read next
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private Known tried(String key, String content) {
    long now = clock.getAsLong();
    Optional<TableRow> row = table.find(KIND, key, 1);
    Entry known = row.map(Entry::of).orElse(null);
    boolean isOld = known != null && known.atMillis + KEPT.toMillis() < now;
    Entry own = new Entry(false, now, run, content, "");
    if (known == null || (isOld && known.isDone)) {
      put(key, row, own);
      return new Known(State.NEW, content, "");
    }
    if (known.isDone) {
      return new Known(State.DONE, known.content, known.reply);
    }
    boolean isGone =
        !known.run.equals(run) && (!isShared || known.atMillis + BEGUN_MAX.toMillis() < now);
    if (!isGone) {
      return new Known(State.OPEN, known.content, "");
    }
    if (known.content.equals(content)) {
      put(key, row, own);
    }
    return new Known(State.INTERRUPTED, known.content, "");
  }

  /// Stores the reply to the request that has reserved a key. Durable when it returns.
  public void keep(String key, String content, String reply) {
    Optional<TableRow> row = table.find(KIND, key, 1);
    long at = row.map(each -> Entry.of(each).atMillis).orElseGet(clock::getAsLong);
    put(key, row, new Entry(true, at, run, content, reply));
  }

  /// Frees a key: its request failed and may be repeated. Durable when it returns.
  public void drop(String key) {
    table
        .find(KIND, key, 1)
        .ifPresent(row -> write(key, Optional.of(row), List.of(new RowChange.Remove(row))));
  }

  /// Returns the random bytes that all servers of the store share under a name. They are created at
  /// the first call and never removed. Durable when it returns.
  public byte[] secret(String name) {
    String key = "secret " + name; // those of the HTTP API are hashes
    while (true) {
      Optional<TableRow> row = table.find(KIND, key, 1);
      if (row.isPresent()) {
        return HexFormat.of().parseHex(Entry.of(row.get()).reply);
      }
      byte[] bytes = new byte[SECRET_BYTES];
      new SecureRandom().nextBytes(bytes);
      try {
        put(key, row, new Entry(true, Long.MAX_VALUE, run, "", HexFormat.of().formatHex(bytes)));
      } catch (RowChangedException e) {
        // another node was faster; its row is read next
      }
    }
  }

  private void put(String key, Optional<TableRow> before, Entry entry) {
    TableRow row = entry.row(key);
    boolean hasOtherIndex = before.isPresent() && !before.get().indexKey().equals(row.indexKey());
    write(
        key,
        before,
        hasOtherIndex
            ? List.of(new RowChange.Remove(before.get()), new RowChange.Put(row))
            : List.of(new RowChange.Put(row)));
  }

  private void write(String key, Optional<TableRow> before, List<RowChange> changes) {
    CompletableFuture<Void> written = changer.change(key, before, changes);
    try {
      written.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : e;
    }
  }

  /// Removes the oldest rows that are old enough.
  private void trim() {
    long before = clock.getAsLong() - KEPT.toMillis();
    for (TableRow row : table.indexed(KIND, "", null, TRIMMED_MAX)) {
      if (Entry.of(row).atMillis >= before) {
        return;
      }
      try {
        write(row.key(), Optional.of(row), List.of(new RowChange.Remove(row)));
      } catch (RowChangedException e) {
        // another node has removed it
      }
    }
  }

  private Lock lock(String key) {
    return locks[Math.floorMod(key.hashCode(), LOCKS)];
  }
}
