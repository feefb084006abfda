package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.history.TraceRows;
import dev.damask.history.TraceRows.CommittedPart;
import dev.damask.history.TraceRows.Written;
import dev.damask.store.CaseCommit;
import dev.damask.value.Context;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The commit of a case that has moved, with the rows that [TraceRows] derives from its trace.
final class TracedCommit {
  private TracedCommit() {}

  static CaseCommit of(Shard shard, LiveCase each, @Nullable CaseResult<Context> result, long now) {
    shard.options.watch().traced(each.id, each.trace);
    Written written = written(shard.options.traceRows, each, now);
    Children.ending(each, result);
    CaseCommit commit = each.commit(shard.inFlight.commitAt(now));
    if (!written.rows().isEmpty()) {
      each.rows.addAll(written.rows());
    }
    each.traceMemory = written.memory();
    return commit;
  }

  private static Written written(TraceRows rows, LiveCase each, long now) {
    if (each.trace.isEmpty()) {
      return new Written(List.of(), each.traceMemory);
    }
    long millis = Math.max(now, each.startedMillis);
    return rows.written(
        new CommittedPart(each.id, each.revision() + 1, millis, each.trace), each.traceMemory);
  }
}
