package dev.damask.intake;

import dev.damask.effect.Approval;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.WaitingEffect;
import dev.damask.script.ScriptFunction;
import dev.damask.task.ChildTemplate;
import dev.damask.task.Delivery;
import dev.damask.task.EffectTemplate;
import dev.damask.task.OnExhausted;
import dev.damask.task.TaskOptions;
import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.EffectSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Finds the parts of a workflow that `Engine.call` cannot run: everything that waits for time or
/// for an external event, and everything that needs a stored case.
public final class DirectCallCheck {
  /// The configuration of effect types in an engine's options.
  ///
  /// @param isRationed whether calls of a type may have to wait for a limit
  public record Rules(
      Map<String, EffectHandler> handlers,
      Predicate<String> isApproved,
      Predicate<String> isRationed,
      Predicate<String> hasTimeLimit) {}

  private final WorkflowDefinition workflow;
  private final Rules rules;
  private final List<String> problems = new ArrayList<>();

  private DirectCallCheck(WorkflowDefinition workflow, Rules rules) {
    this.workflow = workflow;
    this.rules = rules;
  }

  /// Returns one sentence per part that cannot be called; empty if the workflow can be called.
  public static List<String> problems(WorkflowDefinition workflow, Rules rules) {
    DirectCallCheck check = new DirectCallCheck(workflow, rules);
    for (Place place : workflow.places()) {
      if (place.external() && !place.name().equals(ScriptFunction.MAILBOX)) {
        check.problems.add(
            "places." + place.name() + ": it is external; a call receives no signals");
      }
    }
    TermWalker.walk(TermPath.BODY, workflow.body(), check::inspect);
    for (Definition each : workflow.definitions()) {
      TermWalker.walk(TermPath.definition(each.name()), each.body(), check::inspect);
    }
    return List.copyOf(check.problems);
  }

  private void inspect(TermPath path, Term term) {
    switch (term) {
      case Term.Task task -> task(path, task);
      case Term.Defer(var alternatives) -> alternatives.forEach(each -> alternative(path, each));
      case Term.Cancel cancel -> {
        if (cancel.options().timeout() != null) {
          refuse(path, "scope '" + cancel.name() + "' has a timeout; a call waits for no timer");
        }
      }
      case Term.Mi(var name, var policy, _) -> {
        if (policy.open() == InstancePolicy.Open.UNTIL_CLOSED) {
          refuse(path, "set '" + name + "' waits until it is closed, which no caller can do");
        }
      }
      case Term.Seq _,
          Term.Par _,
          Term.Xor _,
          Term.Join _,
          Term.Loop _,
          Term.Emit _,
          Term.Kill _,
          Term.Call _,
          Term.Graph _,
          Term.Processes _ -> {}
    }
  }

  private void alternative(TermPath path, Alternative alternative) {
    switch (alternative) {
      case Alternative.Take(var places, var external, _) when external ->
          refuse(path, "it waits for external places " + places + "; a call receives no signals");
      case Alternative.After _ -> refuse(path, "it waits for a time; a call waits for no timer");
      case Alternative.Take _, Alternative.Test _, Alternative.Expired _ -> {}
    }
  }

  private void task(TermPath path, Term.Task task) {
    TaskOptions own = task.options();
    String name = "task '" + task.name() + "' ";
    if (own.timeout() != null) {
      refuse(path, name + "has a timeout; a call waits for no timer");
    }
    if (own.retry().max() > 1 && own.retry().delay().isPositive()) {
      refuse(path, name + "has a retry with a delay; use a retry without delay, or start a case");
    }
    if (own.onExhausted() == OnExhausted.PARK) {
      refuse(path, name + "parks when its attempts are used up; a call has no incidents");
    }
    if (own.delivery() == Delivery.EXACTLY_ONCE) {
      refuse(path, name + "is committed together with its case; start a case");
    }
    if (own.key() != null) {
      refuse(path, name + "has an idempotency key; a call stores no receipt");
    }
    if (task.work() instanceof Term.Work.Effect(var template, var handler)) {
      String type = type(task, template);
      if (template instanceof ChildTemplate) {
        refuse(path, name + "starts a child case; start a case");
      } else if (type != null) {
        effect(path, name, type, handler != null);
      }
    }
  }

  private void effect(TermPath path, String name, String type, boolean hasMethod) {
    String problem = problem(type, hasMethod, rules);
    if (problem != null) {
      refuse(path, name + problem);
    }
  }

  /// Why effects of a type cannot be performed in a call; null if they can.
  ///
  /// @param hasMethod whether the task brings the method that performs it, whatever its type is
  public static @Nullable String problem(String type, boolean hasMethod, Rules rules) {
    boolean isHandled = hasMethod || rules.handlers().containsKey(type);
    if (rules.isApproved().test(type) || (type.equals(Approval.TYPE) && !isHandled)) {
      return "waits for an approval; start a case";
    }
    if (!isHandled) {
      return "has no handler for effects of type " + type + "; register one, or start a case";
    }
    if (!hasMethod && rules.handlers().get(type) instanceof WaitingEffect) {
      return "is an effect of type " + type + ", which waits; start a case";
    }
    if (rules.isRationed().test(type)) {
      return "is an effect of type " + type + ", which has a limit per second; start a case";
    }
    if (rules.hasTimeLimit().test(type)) {
      return "is an effect of type " + type + ", which has a time limit; start a case";
    }
    return null;
  }

  /// The effect type of a task; null if it depends on the context.
  private @Nullable String type(Term.Task task, EffectTemplate template) {
    if (!template.type().isEmpty()) {
      return template.type();
    }
    try {
      EffectSpec spec = template.specFor(workflow.context());
      return spec.type().equals(task.name()) ? spec.type() : null;
    } catch (RuntimeException e) { // the template needs what only a run has
      return null;
    }
  }

  private void refuse(TermPath path, String sentence) {
    problems.add(path + ": " + sentence);
  }
}
