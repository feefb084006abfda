package dev.damask.history;

import dev.damask.event.TraceEvent;
import dev.damask.store.RowChange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Derives rows of the store's table from the traces of cases. The rows are written in the same
/// commit as the events that they come from. The threads of the shards call it.
public interface TraceRows {
  /// Writes no rows.
  TraceRows NONE = (_, before) -> new Written(List.of(), before);

  /// Returns the rows of one part of a trace. Must not change anything: the commit may fail.
  ///
  /// @param before the memory that the commit before left; null if the engine has just started or
  ///   read the case
  Written written(CommittedPart part, @Nullable Memory before);

  /// What an implementation keeps of a case in memory, so that it need not read it at each commit.
  interface Memory {}

  /// The rows of a part and the memory for the next one.
  record Written(List<RowChange> rows, @Nullable Memory memory) {}

  /// What was traced between two commits of a case.
  ///
  /// @param revision of the commit that makes it durable; 1 for the first of a case
  /// @param atMillis the time of that commit
  record CommittedPart(String caseId, long revision, long atMillis, List<TraceEvent> events) {}
}
