package dev.damask.session;

import dev.damask.cluster.SharedStore;
import dev.damask.ops.KeptCases;
import dev.damask.source.Address;
import dev.damask.store.CommitBatch;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The rows of sessions and owners in the store's table.
///
/// A session has one row, written in the same commit as its case. The greatest version of an
/// owner's rows is the last session number. The row of a session is removed with its case, except
/// the last one of its owner, so numbers are never reused. The index orders the sessions of all
/// owners by their start, the latest first. An owner that is an address has a row under its
/// lower-case form, which contains the spelling of the first session.
///
/// Every method may be called from any thread.
final class SessionRows {
  private static final String OWNER_ROW = "owner";
  private static final int PAGE = 500;

  private final Store store;

  // The last numbers that were given, by the keys of the rows, and the spellings of addresses.
  private final Map<String, Long> last = new HashMap<>();
  private final Map<String, String> spellings = new HashMap<>();

  SessionRows(Store store) {
    this.store = store;
  }

  /// Returns the number of an owner's next session.
  ///
  /// @param owner as the store spells it
  synchronized long next(String owner) {
    String key = SessionKey.of(owner, 0).rowKey();
    if (store instanceof SharedStore) {
      return 1 + Math.max(stored(key), last.getOrDefault(key, 0L)); // other nodes do so, too
    }
    return 1 + last.computeIfAbsent(key, this::stored);
  }

  private long stored(String rowKey) {
    return store.table().latest(KeptCases.SESSION_ROW, rowKey).map(TableRow::version).orElse(0L);
  }

  /// Returns an owner as the store spells it: addresses compare case-insensitively.
  synchronized String spelled(String owner) {
    if (!Address.is(owner)) {
      return owner;
    }
    String lower = owner.toLowerCase(Locale.ROOT);
    String known = spellings.get(lower);
    if (known == null) {
      known = store.table().latest(OWNER_ROW, lower).map(SessionRows::owner).orElse(owner);
    }
    return known;
  }

  /// Records that a session is being started, before its row is durable.
  synchronized void given(SessionKey key) {
    last.merge(key.rowKey(), key.number(), Math::max);
    if (Address.is(key.owner())) {
      spellings.putIfAbsent(key.owner().toLowerCase(Locale.ROOT), key.owner());
    }
  }

  /// Returns the rows that the first commit of a session writes.
  static List<RowChange> rows(SessionKey key, long startedMillis) {
    Encoder out = new Encoder();
    out.text(key.owner());
    Bytes owner = Bytes.of(out.toBytes());
    List<RowChange> rows = new ArrayList<>();
    rows.add(
        new RowChange.Put(
            new TableRow(
                KeptCases.SESSION_ROW,
                key.rowKey(),
                key.number(),
                owner,
                "%016x".formatted(Long.MAX_VALUE - startedMillis))));
    if (Address.is(key.owner())) {
      String lower = key.owner().toLowerCase(Locale.ROOT);
      rows.add(new RowChange.Put(new TableRow(OWNER_ROW, lower, 1, owner)));
    }
    return rows;
  }

  private static String owner(TableRow row) {
    return new Decoder(row.value().toArray()).text();
  }

  private static SessionKey key(TableRow row) {
    return SessionKey.of(owner(row), row.version());
  }

  /// Returns the sessions of an owner, the latest first, without reading a case.
  ///
  /// @param owner as the store spells it
  List<SessionKey> list(String owner, int most) {
    String rowKey = SessionKey.of(owner, 0).rowKey();
    int limit = most == Integer.MAX_VALUE ? most : most + 1;
    List<SessionKey> keys = new ArrayList<>();
    for (TableRow row : store.table().versions(KeptCases.SESSION_ROW, rowKey, limit)) {
      SessionKey key = key(row);
      // The case of the last row may have been removed because it was corrupt.
      if (!keys.isEmpty() || store.ids(key.caseId()).contains(key.caseId())) {
        keys.add(key);
      }
    }
    return keys.subList(0, Math.min(most, keys.size()));
  }

  /// Returns the sessions of all owners, the latest first.
  List<SessionKey> list(int most) {
    List<SessionKey> keys = new ArrayList<>();
    TableRow after = null;
    List<TableRow> page;
    do {
      page = store.table().indexed(KeptCases.SESSION_ROW, "", after, PAGE);
      for (TableRow row : page) {
        after = row;
        SessionKey key = key(row);
        if (keys.size() < most && isThere(key)) {
          keys.add(key);
        }
      }
    } while (page.size() == PAGE && keys.size() < most);
    return keys;
  }

  private boolean isThere(SessionKey key) {
    try {
      return store.record(key.caseId()).isPresent();
    } catch (CorruptCaseException e) {
      return true;
    }
  }

  /// Writes the rows of the sessions of a store of format 4 and removes its registry cases, which
  /// the registry has copied before. Does nothing if the store has no registry cases.
  void convert(SessionStates states) {
    List<String> registryCases = store.ids(KeptCases.REGISTRY);
    if (registryCases.isEmpty()) {
      return;
    }
    List<RowChange> rows = new ArrayList<>();
    for (String id : store.ids(KeptCases.SESSION)) {
      rows.addAll(converted(id, states));
    }
    store.commit(new CommitBatch(List.of(), List.of(), registryCases, rows)).join();
  }

  private List<RowChange> converted(String caseId, SessionStates states) {
    try {
      return store
          .record(caseId)
          .map(record -> rows(states.key(record), record.startedMillis()))
          .orElse(List.of());
    } catch (CorruptCaseException e) { // its owner is known only from its id
      return SessionKey.ofCase(caseId).map(key -> rows(key, 0)).orElse(List.of());
    }
  }
}
