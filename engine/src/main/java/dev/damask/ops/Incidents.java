package dev.damask.ops;

import dev.damask.caller.CaseReply;
import dev.damask.store.Store;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The incidents of an engine: tasks that wait for an operator. They survive restarts. Every method
/// may be called from any thread.
///
/// A task becomes an incident when its attempts are used up and its option `onExhausted` is `park`.
/// The operator removes the cause and then retries the task, skips it with a result, or fails it.
public final class Incidents {
  /// How many incidents [#list(IncidentQuery)] returns at most.
  public static final int LIST_MAX = 10_000;

  /// Performs what an operator asks for.
  public interface Operator {
    /// Tries a task once more.
    CaseReply retry(String caseId, EffectId task);

    /// Completes a task.
    CaseReply skip(String caseId, EffectId task, Context result);

    /// Fails a task.
    CaseReply fail(String caseId, EffectId task, String reason);
  }

  private final Store store;
  private final Operator operator;

  /// Creates the view of a store's incidents; the engine does.
  public Incidents(Store store, Operator operator) {
    this.store = store;
    this.operator = operator;
  }

  /// Returns the incidents that match, the oldest first, at most [#LIST_MAX].
  public List<Incident> list(IncidentQuery query) {
    return of(store, query);
  }

  /// Returns the incidents of a store that no engine has opened, as [#list(IncidentQuery)] does.
  public static List<Incident> of(Store store, IncidentQuery query) {
    return of(store, query, LIST_MAX);
  }

  private static List<Incident> of(Store store, IncidentQuery query, int limit) {
    return query
        .caseId()
        .map(caseId -> List.copyOf(IncidentRows.listOf(store, caseId, query::matches)))
        .orElseGet(() -> List.copyOf(IncidentRows.list(store, query::matches, limit)));
  }

  /// Returns all incidents, the oldest first, at most [#LIST_MAX].
  public List<Incident> list() {
    return list(IncidentQuery.ALL);
  }

  /// Tries a task once more; if the attempt fails, the task is an incident again. A task that waits
  /// between two attempts is tried at once. Durable when it returns. The reply is `LATE` if the
  /// task is neither.
  public CaseReply retry(String caseId, EffectId task) {
    return operator.retry(caseId, task);
  }

  /// Completes a task with a result, as its handler would have. Durable when it returns. The reply
  /// is `LATE` if the task is not an incident, and `REJECTED` if it needs a decision by an
  /// approver. On behalf of an actor (`Engine.as`), the actor is the approver and `by` in the
  /// result is ignored.
  public CaseReply skip(
      String caseId, EffectId task, Map<String, ? extends @Nullable Object> result) {
    return operator.skip(caseId, task, Context.from(result));
  }

  /// Fails a task for good. Durable when it returns. The reply is `LATE` if the task is no
  /// incident, and `REJECTED` if it needs a decision and the actor of the call is not an approver.
  ///
  /// @param reason for the workflow; empty for the reason of the incident
  public CaseReply fail(String caseId, EffectId task, String reason) {
    return operator.fail(caseId, task, reason);
  }

  /// Retries all incidents that match and returns those that the call ended. An incident that ends
  /// or begins meanwhile may be left out.
  public List<Incident> retryAll(IncidentQuery query) {
    return all(query, each -> retry(each.caseId(), each.id()));
  }

  /// Completes all incidents that match with the same result and returns those that the call ended.
  public List<Incident> skipAll(
      IncidentQuery query, Map<String, ? extends @Nullable Object> result) {
    return all(query, each -> skip(each.caseId(), each.id(), result));
  }

  /// Fails all incidents that match and returns those that the call ended.
  ///
  /// @param reason for the workflow; empty for the reason of each incident
  public List<Incident> failAll(IncidentQuery query, String reason) {
    return all(query, each -> fail(each.caseId(), each.id(), reason));
  }

  private List<Incident> all(IncidentQuery query, Function<Incident, CaseReply> action) {
    List<Incident> ended = new ArrayList<>();
    each(
        query,
        incident -> {
          if (action.apply(incident).isAccepted()) {
            ended.add(incident);
          }
        });
    return List.copyOf(ended);
  }

  /// Passes all incidents that match to an action, the oldest first, however many there are. An
  /// incident that begins after the call did is left out, so an attempt that fails again is not
  /// tried twice.
  public void each(IncidentQuery query, Consumer<Incident> action) {
    of(store, query, Integer.MAX_VALUE).forEach(action);
  }
}
