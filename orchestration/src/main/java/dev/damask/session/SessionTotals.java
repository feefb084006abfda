package dev.damask.session;

import dev.damask.history.TraceRows;
import dev.damask.ops.KeptCases;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The sums over the processes of a session, stored as version 0 of the rows of its processes. Only
/// the collector of a commit changes one, before it hands the totals on.
final class SessionTotals implements TraceRows.Memory {
  /// How many wake messages are remembered. Callers read the count right after they have sent one.
  static final int WOKEN_MAX = 16;

  private static final int FORMAT = 1;

  /// What all evaluations have cost.
  long cost;

  /// How many processes there have been.
  long made;

  long done;
  long aborted;

  /// The time of the last commit with a trace.
  long lastMillis;

  /// The frame of the outermost group; -1 before the first process.
  int root = -1;

  /// The step whose rule cancelled the session; empty if none did.
  String cancelledBy = "";

  /// How many processes the last wake messages woke, by their tags.
  final Map<String, Integer> woken = new LinkedHashMap<>();

  SessionTotals copy() {
    SessionTotals copy = new SessionTotals();
    copy.cost = cost;
    copy.made = made;
    copy.done = done;
    copy.aborted = aborted;
    copy.lastMillis = lastMillis;
    copy.root = root;
    copy.cancelledBy = cancelledBy;
    copy.woken.putAll(woken);
    return copy;
  }

  /// The join group of a process whose token is in a frame; 0 for the outermost.
  int group(int frame) {
    root = root < 0 ? frame : root; // the first process is in the outermost group
    return frame == root ? 0 : frame;
  }

  void received(String tag, int count) {
    woken.put(tag, count);
    if (woken.size() > WOKEN_MAX) {
      woken.remove(woken.keySet().iterator().next());
    }
  }

  TableRow row(String caseId) {
    Encoder out = new Encoder();
    out.natural(FORMAT);
    out.whole(cost);
    out.natural(made);
    out.natural(done);
    out.natural(aborted);
    out.whole(lastMillis);
    out.whole(root);
    out.text(cancelledBy);
    out.natural(woken.size());
    woken.forEach((tag, count) -> {
      out.text(tag);
      out.natural(count);
    });
    return new TableRow(KeptCases.PROCESS_ROW, caseId, 0, Bytes.of(out.toBytes()));
  }

  /// Returns the totals of a session; empty if no version with rows of processes has moved it.
  static Optional<SessionTotals> find(Table table, String caseId) {
    return table.find(KeptCases.PROCESS_ROW, caseId, 0).map(SessionTotals::read);
  }

  private static SessionTotals read(TableRow row) {
    Decoder in = new Decoder(row.value().toArray());
    long format = in.natural();
    if (format != FORMAT) {
      throw in.damaged("the totals of a session have format " + FORMAT + ", found " + format);
    }
    SessionTotals read = new SessionTotals();
    read.cost = in.whole();
    read.made = in.natural();
    read.done = in.natural();
    read.aborted = in.natural();
    read.lastMillis = in.whole();
    read.root = (int) in.whole();
    read.cancelledBy = in.text();
    for (int left = in.count(); left > 0; left--) {
      read.woken.put(in.text(), (int) in.natural());
    }
    return read;
  }
}
