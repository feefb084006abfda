package dev.damask.intake;

import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CorruptCaseException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The cases that the engine could not read, with the reason. They stay in the store as they are
/// until they are salvaged or the store is restored; the other cases continue.
public final class CorruptCases {
  private final Map<String, String> found = new ConcurrentHashMap<>();

  /// Remembers a case, and logs it the first time.
  public String add(CorruptCaseException e) {
    String why = String.valueOf(e.getMessage());
    if (found.put(e.caseId(), why) == null) {
      System.getLogger(CorruptCases.class.getName()).log(System.Logger.Level.WARNING, why);
    }
    return why;
  }

  /// Throws `IllegalStateException` if the case is known to be corrupt.
  public void require(String caseId) {
    String why = found.get(caseId);
    if (why != null) {
      throw new IllegalStateException(why);
    }
  }

  /// It was removed, or could be read after all.
  public void remove(String caseId) {
    found.remove(caseId);
  }

  /// A page of the store, with the cases that are known to be corrupt shown as such. Their records
  /// decode, but their states do not, so the store itself does not notice.
  public CasePage shown(CasePage page, CaseQuery query) {
    if (found.isEmpty()) {
      return page;
    }
    List<CaseRecord> cases =
        page.cases().stream().map(this::shown).filter(each -> belongs(each, query)).toList();
    return new CasePage(cases, page.next());
  }

  private static boolean belongs(CaseRecord record, CaseQuery query) {
    CaseStatus wanted = query.status();
    return wanted == null || wanted == record.status();
  }

  private CaseRecord shown(CaseRecord record) {
    @Nullable String why = found.get(record.caseId());
    return why == null || record.status() == CaseStatus.CORRUPT ? record : record.asCorrupt(why);
  }
}
