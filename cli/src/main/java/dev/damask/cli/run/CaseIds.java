package dev.damask.cli.run;

import dev.damask.cli.command.Refusal;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Which case a run without an id means: the open one of its workflow, else a new one.
///
/// @param open the cases of the workflow that have not ended
/// @param isTaken whether a case of any workflow has an id
record CaseIds(String workflow, List<String> open, Predicate<String> isTaken) {
  private static final int SHOWN_MAX = 5;

  CaseIds {
    open = List.copyOf(open);
  }

  static CaseIds of(Store store, String workflow) {
    return new CaseIds(workflow, open(store, workflow), caseId -> store.record(caseId).isPresent());
  }

  String choose() {
    if (open.size() > 1) {
      String more = open.size() > SHOWN_MAX ? ", …" : "";
      throw new Refusal(
          "several cases of workflow %s are open (%s%s); select one, or a new id, with --id"
              .formatted(
                  workflow, String.join(", ", open.stream().limit(SHOWN_MAX).toList()), more));
    }
    return open.isEmpty() ? next() : open.getFirst();
  }

  /// The first free number. Numbers double until one is free, then the gap is halved: finding the
  /// millionth case costs forty looks.
  private String next() {
    String stem = stem();
    long taken = 0;
    long free = 1;
    while (isTaken.test(stem + free)) {
      taken = free;
      free *= 2;
    }
    while (free - taken > 1) {
      long middle = (taken + free) / 2;
      if (isTaken.test(stem + middle)) {
        taken = middle;
      } else {
        free = middle;
      }
    }
    return stem + free;
  }

  /// A name may hold what an id may not.
  private String stem() {
    String plain = workflow.replaceAll("[^A-Za-z0-9._:-]", "-");
    return (plain.length() > 100 ? plain.substring(0, 100) : plain) + "-";
  }

  /// The cases that have not ended.
  ///
  /// @param workflow null for all workflows
  static List<String> open(Store store, @Nullable String workflow) {
    List<String> ids = new ArrayList<>();
    for (CaseStatus status : CaseStatus.values()) {
      String cursor = "";
      while (!status.isEnded()) {
        CaseQuery query = CaseQuery.ALL.withStatus(status).withPage(cursor, CaseQuery.LIMIT_MAX);
        CasePage page = store.list(workflow == null ? query : query.withWorkflow(workflow));
        page.cases().stream().map(CaseRecord::caseId).forEach(ids::add);
        cursor = page.next();
        if (cursor.isEmpty()) {
          break;
        }
      }
    }
    return ids;
  }
}
