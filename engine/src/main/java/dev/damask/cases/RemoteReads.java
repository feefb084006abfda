package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.cluster.SharedStore;
import dev.damask.event.StateView;
import dev.damask.intake.CorruptCases;
import dev.damask.intake.Request;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.Store;
import dev.damask.value.Context;
import java.util.List;
import java.util.Objects;

/// Reads cases of other nodes as the store has them. Reading needs no ownership.
///
/// Thread-safe: one thread decodes at a time.
final class RemoteReads {
  private final SharedStore store;
  private final CorruptCases corrupt;
  private final CaseCache cases; // keeps nothing

  RemoteReads(SharedStore store, Programs programs, CorruptCases corrupt, EngineOptions options) {
    this.store = store;
    this.corrupt = corrupt;
    this.cases = new CaseCache(store, programs, new Machines(options), 0);
  }

  /// Answers a request that changes nothing.
  void answer(Request request) {
    try {
      switch (request) {
        case Request.Look(var id, var reply) -> reply.complete(view(id));
        case Request.Inspect(var id, var reply) -> reply.complete(state(id));
        case Request.Settle(var id, var reply) -> reply.complete(isThere(id));
        case Request.Await(var id, var reply) -> reply.complete(result(id));
        default -> throw new IllegalStateException("not a question: " + request);
      }
    } catch (RuntimeException e) { // the caller receives it
      request.refuse(e);
    }
  }

  /// The status of a case.
  synchronized CaseView view(String caseId) {
    try {
      Store.LoadedCase stored = stored(caseId);
      LiveCase read = cases.decoded(stored);
      return read == null ? cases.described(stored) : Views.of(read, stored.record().status());
    } catch (CorruptCaseException e) {
      return Views.corrupt(caseId, corrupt.add(e));
    }
  }

  private synchronized StateView state(String caseId) {
    return cases.stateOf(stored(caseId));
  }

  boolean isThere(String caseId) {
    try {
      return store.record(caseId).isPresent();
    } catch (CorruptCaseException e) {
      corrupt.add(e);
      return true;
    }
  }

  /// The end of a case that will not continue without an input.
  private synchronized CaseResult<Context> result(String caseId) {
    try {
      Store.LoadedCase stored = stored(caseId);
      LiveCase read = cases.decoded(stored);
      return read == null
          ? stuck(CaseResult.Reason.PROGRAM_MISSING, Views.missing(stored.record()))
          : Objects.requireNonNull(read.result(), () -> "case " + caseId + " has not ended");
    } catch (CorruptCaseException e) {
      return stuck(CaseResult.Reason.CORRUPT, corrupt.add(e));
    }
  }

  private static CaseResult<Context> stuck(CaseResult.Reason reason, String why) {
    return new CaseResult.Stuck<>(new CaseResult.Report(reason, List.of(why)));
  }

  private Store.LoadedCase stored(String caseId) {
    return cases.stored(caseId).orElseThrow(() -> Views.unknown(caseId));
  }
}
