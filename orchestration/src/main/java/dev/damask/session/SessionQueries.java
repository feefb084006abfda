package dev.damask.session;

import dev.damask.rule.CompiledRule;
import dev.damask.rule.EvaluationException;
import dev.damask.rule.RuleDocument;
import dev.damask.rule.RuleSource;
import dev.damask.session.ProcessInstance.Status;
import dev.damask.source.Address;
import dev.damask.step.StepScope;
import dev.damask.store.CaseRecord;
import dev.damask.store.Store;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Questions about sessions, rules and who may wake what. They change nothing.
public final class SessionQueries {
  private static final Comparator<ListedProcess> LATEST =
      Comparator.<ListedProcess>comparingLong(each -> each.process().updatedMillis())
          .thenComparingLong(each -> each.session().number())
          .thenComparingLong(each -> each.process().iteration())
          .reversed();

  private final Sessions sessions;
  private final Store store;
  private final SessionReader reader;
  private final RuleSource.Cache rules;

  SessionQueries(Sessions sessions, Store store, SessionReader reader, RuleSource.Cache rules) {
    this.reader = reader;
    this.sessions = sessions;
    this.store = store;
    this.rules = rules;
  }

  /// The processes of the sessions of an owner; the ones that changed last come first.
  /// `IllegalArgumentException` when there is no such session.
  ///
  /// @param session only those of this session; 0 for all
  /// @param parent only those that the process with this iteration has spawned; 0 for all
  public List<ListedProcess> processes(String owner, long session, long parent, int most) {
    List<ListedProcess> all = new ArrayList<>();
    for (Changed each : latest(owner, session)) {
      boolean isFull = most > 0 && all.size() >= most;
      if (isFull && all.get(most - 1).process().updatedMillis() > each.atMillis()) {
        break; // no process changed later than its session
      }
      SessionView view = sessions.view(each.key(), Integer.MAX_VALUE);
      for (ProcessInstance process : view.processes()) {
        if (parent == 0 || process.parent() == parent) {
          all.add(new ListedProcess(each.key(), view.graph(), view.graphHash(), process));
        }
      }
      all.sort(LATEST);
      all = new ArrayList<>(all.subList(0, Math.min(all.size(), most)));
    }
    return List.copyOf(all);
  }

  /// A session and when it changed last.
  private record Changed(SessionKey key, long atMillis) {}

  /// The sessions of an owner, or one of them; the ones that changed last come first.
  private List<Changed> latest(String owner, long session) {
    if (session != 0) {
      return List.of(new Changed(SessionKey.of(owner, session), Long.MAX_VALUE));
    }
    List<Changed> found = new ArrayList<>();
    for (SessionKey key : sessions.list(owner, Integer.MAX_VALUE)) {
      store
          .record(key.caseId())
          .ifPresent(record -> found.add(new Changed(key, record.changedMillis())));
    }
    found.sort(Comparator.comparingLong(Changed::atMillis).reversed());
    return found;
  }

  /// Returns the waiting processes that a caller may wake: those of their own sessions, and those
  /// at steps that a session's allow list permits. The latest sessions come first.
  public List<WakeTarget> wakeTargets(String caller, int most) {
    List<WakeTarget> targets = new ArrayList<>();
    for (SessionKey key : reader.open()) {
      WakeUpList allowed = sessions.allowList(key);
      SessionView view = reader.view(key, 0);
      for (ProcessInstance process : view.processes()) {
        boolean isWaiting = process.status() == Status.WAITING && process.fromGroup() == 0;
        if (isWaiting
            && targets.size() < most
            && (Address.same(key.owner(), caller) || allowed.allowsCall(process.step(), caller))) {
          targets.add(
              new WakeTarget(
                  key,
                  process.iteration(),
                  process.step(),
                  process.nextWakeAt(),
                  fields(view, process)));
        }
      }
    }
    return targets;
  }

  private List<WakeTarget.Field> fields(SessionView view, ProcessInstance process) {
    List<WakeTarget.Field> fields = new ArrayList<>();
    rule(view, process)
        .ifPresent(rule -> {
          for (Map.Entry<String, RuleDocument.Field> entry : rule.payload().entrySet()) {
            RuleDocument.Field field = entry.getValue();
            fields.add(
                new WakeTarget.Field(
                    entry.getKey(),
                    field.type().word(),
                    field.fallback() == null,
                    !StepScope.isMissing(process.payload().get(entry.getKey())),
                    field.fallback()));
          }
        });
    return fields;
  }

  private Optional<RuleDocument> rule(SessionView view, ProcessInstance process) {
    return sessions
        .graph(view.graphHash())
        .map(graph -> graph.steps().get(process.step()))
        .flatMap(step -> compiled(step.rule()))
        .map(CompiledRule::document);
  }

  private Optional<CompiledRule> compiled(String key) {
    try {
      return Optional.of(rules.get(key));
    } catch (EvaluationException.Hard e) {
      return Optional.empty(); // a graph that cannot be run has no facts
    }
  }

  /// Whether a process has ended, one way or the other; empty when there is no such process yet.
  public Optional<Boolean> stepExecuted(SessionKey key, long iteration) {
    return store
        .record(key.caseId())
        .flatMap(_ -> reader.processes(key).find(iteration))
        .map(process -> process.status().isTerminal());
  }

  /// Whether a session exists and has not ended.
  public boolean isAlive(SessionKey key) {
    return store.record(key.caseId()).map(CaseRecord::status).filter(s -> !s.isEnded()).isPresent();
  }

  /// What an evaluation of a rule of the registry costs; empty when there is no such rule.
  public Optional<CostEstimate> estimate(String ruleKey) {
    return compiled(ruleKey)
        .map(CompiledRule::cost)
        .map(cost ->
            new CostEstimate(cost.common(), cost.total(true, 0, 0), cost.total(false, 0, 0)));
  }
}
