package dev.damask.cases;

import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/// Checks a whole store: first what the store checks itself, then whether every state decodes with
/// its program. A missing program is not a fault; its cases cannot be inspected.
final class Inspection {
  private static final int PAGE = 500;

  private final Store store;
  private final CaseCache reader;
  private final Programs programs;

  Inspection(Store store, Programs programs) {
    this.store = store;
    this.programs = programs;
    this.reader = new CaseCache(store, programs, new Machines(EngineOptions.defaults()), 1);
  }

  /// One sentence for each thing that does not fit.
  ///
  /// @param progress receives from time to time how many cases were checked
  List<String> run(LongConsumer progress) {
    List<String> problems = new ArrayList<>(store.verify());
    String cursor = "";
    long looked = 0;
    do {
      CasePage page = store.list(CaseQuery.ALL.withPage(cursor, PAGE));
      for (CaseRecord record : page.cases()) {
        look(record, problems);
      }
      looked += page.cases().size();
      progress.accept(looked);
      cursor = page.next();
    } while (!cursor.isEmpty());
    return problems;
  }

  private void look(CaseRecord listed, List<String> problems) {
    if (listed.status() == CaseStatus.CORRUPT) {
      return; // the store itself has named it
    }
    try {
      // Read again as a whole: since the page was read, it may have been committed or removed.
      Store.LoadedCase stored = reader.stored(listed.caseId()).orElse(null);
      LiveCase read = stored == null ? null : reader.decoded(stored);
      if (stored != null) {
        Views.history(store, stored.record(), programs, false).verify();
      }
      if (stored != null && read != null && !read.isQuarantined) {
        CaseStatus status = stored.record().status();
        if (read.status() != status) {
          problems.add(
              "case %s: its record has status %s, its state has status %s"
                  .formatted(listed.caseId(), status, read.status()));
        } else if (read.indexing.of(read) != stored.record().facts()) {
          problems.add(
              "case %s: it is indexed by %s, its data require %s"
                  .formatted(listed.caseId(), stored.record().facts(), read.indexing.of(read)));
        }
      }
    } catch (CorruptCaseException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
  }
}
