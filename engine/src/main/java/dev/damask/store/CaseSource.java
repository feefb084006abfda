package dev.damask.store;

import dev.damask.effect.Receipt;
import java.util.List;
import java.util.Optional;

/// Reads what the past of a case consists of.
public interface CaseSource extends RecordSource {
  /// Returns the record of a case; empty if the case does not exist.
  Optional<CaseRecord> record(String caseId);

  /// Returns the receipts of a case, in order.
  List<Receipt> receipts(String caseId);
}
