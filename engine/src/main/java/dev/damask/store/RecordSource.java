package dev.damask.store;

import dev.damask.value.Sum;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads the records and values that states of cases consist of.
public interface RecordSource {
  /// Returns the bases and deltas of a case from one revision to another, both included, in order;
  /// empty if the case does not exist. A case that was not converted from an older format has none.
  List<Store.RevisionRecord> states(String caseId, long from, long to);

  /// Returns the inputs of the commits of a case from one revision to another, both included, in
  /// order.
  List<Store.RevisionInputs> journal(String caseId, long from, long to);

  /// Returns a value of a case by its hash; null if the case has none.
  byte @Nullable [] value(String caseId, Sum hash);
}
