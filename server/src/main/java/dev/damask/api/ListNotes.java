package dev.damask.api;

import dev.damask.ops.KeptCases;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// What a reader of a list of cases should know about it.
public final class ListNotes {
  private ListNotes() {}

  /// Returns one sentence for each workflow of listed cases that is not known.
  public static List<String> missing(List<CaseRecord> cases, Predicate<CaseRecord> isKnown) {
    Map<ProgramHash, Boolean> kept = new HashMap<>();
    Map<ProgramHash, List<CaseRecord>> found = new LinkedHashMap<>();
    for (CaseRecord record : cases) {
      boolean isCandidate =
          !record.status().isEnded()
              && record.status() != CaseStatus.CORRUPT
              && !KeptCases.isOfOrchestration(record.caseId());
      if (isCandidate && !kept.computeIfAbsent(record.program(), _ -> isKnown.test(record))) {
        found.computeIfAbsent(record.program(), _ -> new ArrayList<>()).add(record);
      }
    }
    return found.entrySet().stream()
        .map(each ->
            "the store does not contain workflow %s, program %s; cases listed: %d"
                .formatted(
                    each.getValue().getFirst().workflow(), each.getKey(), each.getValue().size()))
        .toList();
  }
}
