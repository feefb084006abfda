package dev.damask.cli.cases;

import dev.damask.cli.command.CaseHost;
import dev.damask.history.HistoryPosition;
import dev.damask.store.CaseQuery;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What the commands that read cases need of a store or a server. Objects have the fields that
/// `--json` prints. Methods about one case throw [dev.damask.cli.command.Refusal] with similar ids
/// if it does not exist.
interface CaseBook extends AutoCloseable {
  /// Opens the cases of a host.
  ///
  /// @param document the document of a case, for a store that does not keep it; else null
  static CaseBook open(CaseHost host, @Nullable Path document) {
    return host.open(
        store -> new StoreBook(store, document), server -> new ServerBook(server, document));
  }

  /// One page of cases.
  ///
  /// @param next the cursor of the next page; empty if there is none
  /// @param missing one sentence for each workflow on the page that the store does not keep
  /// @param notIndexed one sentence for each workflow whose cases the query may miss
  record Page(
      List<Map<String, @Nullable Object>> cases,
      String next,
      List<String> missing,
      List<String> notIndexed) {
    public Page {
      cases = List.copyOf(cases);
      missing = List.copyOf(missing);
      notIndexed = List.copyOf(notIndexed);
    }
  }

  /// Lists cases.
  ///
  /// @param where the conditions of the query as text; empty if it has none
  Page cases(CaseQuery query, String where);

  /// Returns everything that is known about a case, as [dev.damask.api.CaseSummary#json] has it.
  ///
  /// @param tail how many trace events
  /// @param revision null for the last one
  Map<String, @Nullable Object> summary(String caseId, int tail, @Nullable Long revision);

  /// Returns the diagram of a case as SVG.
  ///
  /// @param revision null for the last one
  String diagram(String caseId, @Nullable Long revision);

  /// Returns the positions of a case's history.
  List<HistoryPosition> positions(String caseId);

  /// Returns a case as a scenario document.
  String scenario(String caseId, Set<String> redacted);

  /// Returns a case as a file for the test kit.
  byte[] recording(String caseId);

  /// Returns the receipts of a case, as [dev.damask.api.CaseSummary#receipt] has them.
  List<Map<String, @Nullable Object>> receipts(String caseId);

  /// A receipt and its case.
  record Keyed(String caseId, Map<String, @Nullable Object> receipt) {}

  /// Returns the receipt of an idempotency key.
  Optional<Keyed> receiptByKey(String type, String key);

  /// Checks everything and returns one sentence for each problem.
  List<String> verify();

  /// Copies the store into a new directory.
  void backup(Path target, boolean links);

  @Override
  void close();
}
