package dev.damask.ops;

import dev.damask.caller.MigrationResult;
import dev.damask.event.Mapping;
import dev.damask.exec.Migration;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;

/// How the cases of one version of a workflow get to another: what becomes of each part, which
/// cases can go, and the migration itself.
public final class MigrationPlan {
  private static final List<CaseStatus> VISITED =
      List.of(
          CaseStatus.RUNNING,
          CaseStatus.WAITING,
          CaseStatus.DEADLOCKED,
          CaseStatus.PAUSED,
          CaseStatus.QUARANTINED);

  private final Store store;
  private final Migrations.Mover mover;
  private final Program from;
  private final Program to;
  private final Mapping mapping;
  private final List<Part> parts;

  /// What becomes of one part of the workflow.
  ///
  /// @param what the kind and name of the part, such as `task ship`
  /// @param path where the old version has it; empty for a part that is new
  /// @param partner where the new version has it; empty if it has none
  /// @param why why it has none, or that it is new; empty if it has a partner
  public record Part(String what, String path, String partner, String why) {
    /// Returns whether the old version has the part and the new version does not: a case that is at
    /// this part is refused.
    public boolean isLost() {
      return partner.isEmpty();
    }

    @Override
    public String toString() {
      if (isLost()) {
        return "%s at %s: refused; the new version %s".formatted(what, path, why);
      }
      return path.isEmpty()
          ? "%s at %s: new".formatted(what, partner)
          : "%s at %s: becomes %s".formatted(what, path, partner);
    }
  }

  MigrationPlan(Store store, Migrations.Mover mover, Program from, Program to, Mapping mapping) {
    if (from.hash().equals(to.hash())) {
      throw new IllegalArgumentException(
          "workflow %s: both versions have the program %s; nothing is to be moved"
              .formatted(from.name(), from.hash()));
    }
    this.store = store;
    this.mover = mover;
    this.from = from;
    this.to = to;
    this.mapping = mapping;
    this.parts =
        Migration.parts(from, to, mapping).stream()
            .map(each -> new Part(each.what(), each.path(), each.partner(), each.why()))
            .toList();
  }

  /// Returns the program of the old version.
  public ProgramHash from() {
    return from.hash();
  }

  /// Returns the program of the new version.
  public ProgramHash to() {
    return to.hash();
  }

  /// Returns what becomes of each part that a case can be at, in the order of the old version, then
  /// the parts that are new. A part without a partner concerns only the cases that are at it.
  public List<Part> parts() {
    return parts;
  }

  /// Tries the migration of every case of the old version and changes nothing. A case that runs is
  /// refused here, and waited for by [#run(int)]. A case that is paused or quarantined is refused.
  public MigrationProgress dryRun() {
    return visit(CaseQuery.LIMIT_MAX, caseId -> mover.attempt(caseId, to, mapping), _ -> true);
  }

  /// Moves every case of the old version that can go. A case that cannot stays as it is. It may be
  /// called again: cases that were moved are not visited any more. Throws `IllegalStateException`
  /// if the engine does not have the code of the new version.
  ///
  /// @param batch how many cases are moved at a time, from 1 to [CaseQuery#LIMIT_MAX]
  public MigrationProgress run(int batch) {
    return run(batch, _ -> true);
  }

  /// Throws `IllegalStateException` if the engine does not have the code of the new version, so
  /// that no case could be moved to it.
  public void requireCode() {
    var _ = Migrations.runnable(mover, to.hash());
  }

  /// Moves every case of the old version that can go, until a listener stops it.
  ///
  /// @param goesOn receives the progress after each batch; the migration stops when it returns
  ///   false. What was moved until then stays moved
  public MigrationProgress run(int batch, Predicate<MigrationProgress> goesOn) {
    Program target = Migrations.runnable(mover, to.hash());
    return visit(batch, caseId -> mover.move(caseId, target, mapping), goesOn);
  }

  /// Starts the visit of one case.
  private interface Visit {
    CompletableFuture<MigrationResult> begin(String caseId);
  }

  private MigrationProgress visit(int batch, Visit visit, Predicate<MigrationProgress> goesOn) {
    MigrationProgress progress = MigrationProgress.NONE;
    for (CaseStatus status : VISITED) {
      CaseQuery query = CaseQuery.ALL.withWorkflow(from.name()).withStatus(status);
      String cursor = "";
      do {
        CasePage page = store.list(query.withPage(cursor, batch));
        int before = count(progress);
        progress = visit(page, visit, progress);
        cursor = page.next();
        boolean isChanged = count(progress) > before;
        if (isChanged && !goesOn.test(progress)) {
          return progress;
        }
      } while (!cursor.isEmpty());
    }
    return progress.complete();
  }

  private static int count(MigrationProgress progress) {
    return (int) (progress.moved() + progress.refused());
  }

  private MigrationProgress visit(CasePage page, Visit visit, MigrationProgress before) {
    List<String> ids = new ArrayList<>();
    List<CompletableFuture<MigrationResult>> results = new ArrayList<>();
    for (CaseRecord record : page.cases()) {
      if (record.program().equals(from.hash())) {
        String still = still(record.status());
        ids.add(record.caseId());
        results.add(
            still.isEmpty()
                ? visit.begin(record.caseId())
                : CompletableFuture.completedFuture(
                    new MigrationResult.Refused(List.of(still), record.revision())));
      }
    }
    MigrationProgress progress = before;
    for (int i = 0; i < ids.size(); i++) {
      progress = note(progress, ids.get(i), results.get(i));
    }
    return progress;
  }

  /// Returns why a case of a status cannot be moved whatever its program is; empty if it can.
  public static String still(CaseStatus status) {
    return switch (status) {
      case PAUSED -> "the case is paused; resume it first";
      case QUARANTINED -> "the case is quarantined; retry it first";
      case RUNNING, WAITING, DEADLOCKED, COMPLETED, FAILED, CANCELLED, CORRUPT -> "";
    };
  }

  private static MigrationProgress note(
      MigrationProgress progress, String caseId, CompletableFuture<MigrationResult> result) {
    try {
      return switch (result.join()) {
        case MigrationResult.Moved _ -> progress.withMoved();
        case MigrationResult.Refused(var reasons, _) -> progress.withRefused(caseId, reasons);
      };
    } catch (CompletionException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      boolean isRefusal =
          cause instanceof IllegalArgumentException || cause instanceof IllegalStateException;
      if (!isRefusal) {
        throw cause instanceof RuntimeException broken ? broken : e;
      }
      return progress.withRefused(caseId, List.of(String.valueOf(cause.getMessage())));
    }
  }

  /// Returns one line per part.
  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder(
            "workflow %s: program %s to %s".formatted(from.name(), from.hash(), to.hash()));
    parts.forEach(part -> text.append('\n').append("  ").append(part));
    return text.toString();
  }
}
