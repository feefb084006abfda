package dev.damask.family;

import dev.damask.intake.CaseTerms;
import dev.damask.intake.ChildRow;
import dev.damask.intake.ParentLink;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The parent and the children of a case, as they are stored.
///
/// @param parent the case and the task that started it; empty if no case did
/// @param children the cases that it has started, in the order of their ids
/// @param hasMore whether it has more children than are listed
public record CaseFamily(Optional<Parent> parent, List<Child> children, boolean hasMore) {
  /// How many children [Engine#family(String)] lists.
  public static final int CHILDREN_MAX = 1_000;

  /// No parent and no children.
  public static final CaseFamily NONE = new CaseFamily(Optional.empty(), List.of(), false);

  public CaseFamily {
    children = List.copyOf(children);
  }

  /// The case that started another one.
  ///
  /// @param task the execution that started it
  /// @param isDetached whether the parent does not wait for it
  public record Parent(String caseId, EffectId task, boolean isDetached) {}

  /// A case that another one started.
  ///
  /// @param task the execution that started it
  /// @param taskName the name of the task
  /// @param status empty if it is not started yet or was removed
  public record Child(
      String caseId,
      String workflow,
      EffectId task,
      String taskName,
      boolean isDetached,
      Optional<CaseStatus> status) {}

  /// Reads the family of a case, with at most [#CHILDREN_MAX] children. Throws
  /// `IllegalArgumentException` if the case does not exist.
  public static CaseFamily read(Store store, String caseId) {
    return of(store, caseId, CHILDREN_MAX);
  }

  private static CaseFamily of(Store store, String caseId, int childrenMax) {
    CaseRecord record =
        store
            .record(caseId)
            .orElseThrow(() -> new IllegalArgumentException("there is no case " + caseId));
    ParentLink link = CaseTerms.decode(record.terms()).parent();
    Optional<Parent> parent =
        Optional.ofNullable(link)
            .map(found -> new Parent(found.caseId(), found.task(), found.isDetached()));
    List<TableRow> rows = ChildRow.ofParent(store, caseId, childrenMax + 1);
    List<Child> children = new ArrayList<>();
    for (TableRow row : rows.subList(0, Math.min(rows.size(), childrenMax))) {
      ChildRow child = ChildRow.of(row);
      children.add(
          new Child(
              child.child(),
              child.workflow(),
              child.task(),
              child.taskName(),
              child.isDetached(),
              status(store, child.child(), caseId)));
    }
    return new CaseFamily(parent, children, rows.size() > childrenMax);
  }

  /// Empty if the id belongs to a case that this one did not start.
  private static Optional<CaseStatus> status(Store store, String child, String parent) {
    try {
      return store
          .record(child)
          .filter(record -> {
            ParentLink link = CaseTerms.decode(record.terms()).parent();
            return link != null && link.caseId().equals(parent);
          })
          .map(CaseRecord::status);
    } catch (CorruptCaseException e) {
      return Optional.of(CaseStatus.CORRUPT);
    }
  }
}
