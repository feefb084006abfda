package dev.damask.cli.run;

import dev.damask.caller.PendingTask;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.SecretArguments;
import dev.damask.document.DocumentCheck;
import dev.damask.document.LoadedDocument;
import dev.damask.effect.Approval;
import dev.damask.effect.EffectIntent.Held;
import dev.damask.program.Pool;
import dev.damask.scenario.ScenarioEvent;
import dev.damask.scenario.ScenarioStep;
import dev.damask.store.Store;
import dev.damask.task.ChildTemplate;
import dev.damask.task.EffectTemplate;
import dev.damask.task.TaskAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Whether every task that a case reaches has a handler or an event. A case is not started if every
/// way leads to a task without both; in memory any other such task is an error when it is reached.
final class Coverage {
  private static final String HTTP = "http";

  private final String file;
  private final LoadedDocument loaded;
  private final List<ScenarioStep> events;
  private final Set<String> answered;
  private final boolean isAllowed;
  private final Set<String> workflows = new HashSet<>();

  /// @param file the name of the document
  /// @param allow the hosts that may be called
  Coverage(String file, LoadedDocument loaded, List<ScenarioStep> events, List<String> allow) {
    this.file = file;
    this.loaded = loaded;
    this.events = events;
    this.answered = answered(events);
    this.isAllowed = !allow.isEmpty();
    workflows.add(loaded.workflow().name());
  }

  /// Knows the workflows that cases start as children.
  Coverage withChildren(List<LoadedDocument> children) {
    children.forEach(each -> workflows.add(each.workflow().name()));
    return this;
  }

  /// Refuses a case before its start.
  ///
  /// @param isKept whether it is on a store, where its tasks can be answered at any time
  void require(boolean isKept, SecretArguments secrets) {
    requireEffects();
    requireUnavoidable(isKept);
    requireSecrets(secrets);
  }

  /// Refuses a case before its start on a store, and closes the store then. The process that holds
  /// a store has its own effects, so that only who has opened it knows what to check.
  void requireOrClose(Store store, SecretArguments secrets) {
    boolean isRight = false;
    try {
      require(true, secrets);
      isRight = true;
    } finally {
      if (!isRight) {
        store.close();
      }
    }
  }

  /// Effect types and payloads must be right before anything runs; tasks that events answer may
  /// have any type.
  private void requireEffects() {
    List<String> sentences =
        DocumentCheck.checkEffects(loaded.document(), Set.of(), answered).stream()
            .map(diagnostic -> loaded.document().located(file, diagnostic).toString())
            .toList();
    if (!sentences.isEmpty()) {
      throw new Refusal(String.join("; ", sentences));
    }
  }

  /// Every way must not lead to a task that nothing performs.
  private void requireUnavoidable(boolean isKept) {
    Set<String> certain = Unavoidable.tasks(loaded.workflow(), events);
    Set<String> open = new TreeSet<>();
    Set<String> calling = new TreeSet<>();
    for (Pool.Task task : unanswered()) {
      if (!certain.contains(task.name()) || isPerformed(type(task))) {
        continue;
      }
      if (task.template() instanceof ChildTemplate child) {
        if (!isKept && !workflows.contains(child.workflow())) {
          throw new Refusal(file + ": " + withoutChild(task.name(), child.workflow()));
        }
      } else if (type(task).equals(HTTP)) {
        calling.add(task.name());
      } else if (!isKept) {
        open.add(task.name());
      }
    }
    List<String> sentences = new ArrayList<>();
    if (!open.isEmpty()) {
      sentences.add(open(open));
    }
    calling.forEach(task -> sentences.add(withoutHost(task)));
    if (!sentences.isEmpty()) {
      throw new Refusal(file + ": " + String.join("; ", sentences));
    }
  }

  /// Refuses the rest of a case in memory that has reached a task which nothing will end.
  void requireReached(List<PendingTask> tasks) {
    for (PendingTask task : tasks) {
      String child = ChildProgress.workflow(task);
      if (child != null && workflows.contains(child)) {
        continue;
      }
      if (task.held() == Held.NOT && !isPerformed(task.type()) && !answered.contains(task.task())) {
        String sentence =
            child != null
                ? withoutChild(task.task(), child)
                : task.type().equals(HTTP) ? withoutHost(task.task()) : open(Set.of(task.task()));
        throw new Refusal(
            file + ": the case has reached task " + task.address() + ", but " + sentence);
      }
    }
  }

  private boolean isPerformed(String type) {
    return switch (type) {
      case Approval.TYPE, "log", "sleep" -> true;
      case HTTP -> isAllowed;
      default -> false;
    };
  }

  private static String open(Set<String> tasks) {
    String first = tasks.iterator().next();
    return "%s no handler and no event; add events such as 'done: %s' in a file with --events"
        .formatted(
            tasks.size() == 1
                ? "task " + first + " has"
                : "the tasks " + String.join(", ", tasks) + " have",
            first);
  }

  private static String withoutChild(String task, String workflow) {
    return "task %s starts a child case of workflow %s, which is not known; add --child DOC"
        .formatted(task, workflow);
  }

  private static String withoutHost(String task) {
    return "task %s uses http, and no host is allowed; add --allow HOST".formatted(task);
  }

  /// Refuses a workflow with a call that needs a secret which is not named.
  private void requireSecrets(SecretArguments secrets) {
    for (Pool.Task task : unanswered()) {
      if (type(task).equals(HTTP)) {
        secrets.requireAll(file, task);
      }
    }
  }

  private static String type(Pool.Task task) {
    EffectTemplate template = task.template();
    return template == null ? "" : template.type();
  }

  /// The effects for which no event has a result.
  private List<Pool.Task> unanswered() {
    List<Pool.Task> tasks = new ArrayList<>();
    for (Pool.Task task : loaded.program().pools().tasks()) {
      if (task.template() != null && !answered.contains(task.name())) {
        tasks.add(task);
      }
    }
    return tasks;
  }

  private static Set<String> answered(List<ScenarioStep> events) {
    Set<String> names = new HashSet<>();
    for (ScenarioStep step : events) {
      switch (step.event()) {
        case ScenarioEvent.Done(TaskAddress task, var data) -> names.add(task.task());
        case ScenarioEvent.Fail(TaskAddress task, var reason) -> names.add(task.task());
        case ScenarioEvent.CancelTask(TaskAddress task) -> names.add(task.task());
        default -> {}
      }
    }
    return names;
  }
}
