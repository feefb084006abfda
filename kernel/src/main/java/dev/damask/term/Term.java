package dev.damask.term;

import dev.damask.task.Delivery;
import dev.damask.task.EffectFunction;
import dev.damask.task.EffectTemplate;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.task.TaskFunction;
import dev.damask.task.TaskOptions;
import dev.damask.value.EffectSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A workflow as plain data. These shapes are the whole language.
///
/// A term that exists is well formed as far as one shape can see; what needs the whole tree, such
/// as names that must exist, is found by the check before compilation.
public sealed interface Term {
  /// A named leaf: a function that runs in the machine, or an effect.
  record Task(String name, Work work, TaskOptions options, @Nullable Term undo) implements Term {
    public Task {
      Names.allow("task", name);
      if (work instanceof Work.Effect && name.isEmpty()) {
        throw new IllegalArgumentException("an effect needs a name");
      }
    }

    /// Returns this task with a term that undoes it when its scope fails or is cancelled after the
    /// task has completed.
    public Task undo(Term term) {
      return new Task(name, work, options, term);
    }

    /// Returns this task with a plain method that undoes it as a separate effect.
    public Task undo(EffectFunction function) {
      String undoName = "undo " + name;
      EffectTemplate template = context -> EffectSpec.of(undoName);
      return undo(new Task(undoName, new Work.Effect(template, function), options, null));
    }

    /// Returns this task with what happens when the attempts of its effect are used up:
    /// `onExhausted(park())` makes it an incident that waits for an operator.
    public Task onExhausted(OnExhausted value) {
      return with(options.withOnExhausted(value));
    }

    /// Returns this task with a retry policy.
    public Task retry(Retry retry) {
      return with(options.withRetry(retry));
    }

    /// Returns this task with a timeout per attempt.
    public Task timeout(Duration timeout) {
      return with(options.withTimeout(timeout));
    }

    /// Declares that the function of this task may take long: it runs outside of the machine, on a
    /// separate thread, and delays no other case. Throws `IllegalStateException` for an effect,
    /// which always does.
    public Task slow() {
      if (!(work instanceof Work.Pure(var function, var text))) {
        throw new IllegalStateException(
            "effect '" + name + "' always runs outside of the machine; remove slow()");
      }
      return new Task(name, new Work.Pure(TaskFunction.slow(function), text), options, undo);
    }

    /// Returns this task with another delivery.
    public Task delivery(Delivery delivery) {
      return with(options.withDelivery(delivery));
    }

    /// Calls the handler at most once. An unknown outcome fails the task with `unknown_outcome`.
    public Task atMostOnce() {
      return delivery(Delivery.AT_MOST_ONCE);
    }

    /// Runs the handler in the transaction that commits the case. The engine must be opened on a
    /// store whose transactions handlers can join.
    public Task exactlyOnce() {
      return delivery(Delivery.EXACTLY_ONCE);
    }

    /// Returns this task with an expression for its idempotency key.
    public Task key(Expression key) {
      return with(options.withKey(key));
    }

    /// Returns this task with the key that receives its whole result.
    public Task result(String key) {
      return with(options.withResult(key));
    }

    /// Returns this task with other options.
    public Task with(TaskOptions changed) {
      return new Task(name, work, changed, undo);
    }
  }

  /// Where the work of a task is done.
  sealed interface Work {
    /// In the machine. The text stands for the function in listings and the program hash.
    record Pure(TaskFunction function, String text) implements Work {}

    /// In a handler. The function is null when a handler is registered under the effect's type.
    record Effect(EffectTemplate template, @Nullable EffectFunction handler) implements Work {}
  }

  /// Runs the parts in order, each with the context of the one before.
  record Seq(List<Term> parts) implements Term {
    public Seq {
      parts = List.copyOf(parts);
      if (parts.isEmpty()) {
        throw new IllegalArgumentException("seq needs a part");
      }
    }
  }

  /// Runs every branch and continues when all have arrived.
  record Par(List<Term> branches, Merge merge) implements Term {
    public Par {
      branches = List.copyOf(branches);
      if (branches.size() < 2) {
        throw new IllegalArgumentException("par needs two branches, got " + branches.size());
      }
      if (merge == Merge.Standard.NEWEST) {
        throw new IllegalArgumentException("merge newest belongs to graphs");
      }
    }
  }

  /// Takes the first branch whose guard is true; without guards the scheduler chooses.
  record Xor(List<Choice> choices) implements Term {
    public Xor {
      choices = List.copyOf(choices);
      Choice.requireSound("xor", choices);
      if (choices.size() == 1 && choices.getFirst().guard() == null) {
        throw new IllegalArgumentException("xor with one branch needs a guard");
      }
      long free = choices.stream().filter(Choice::isFree).count();
      if (free != 0 && free != choices.size()) {
        throw new IllegalArgumentException(
            "xor has either a guard on every branch (and perhaps an else) or on none");
      }
    }
  }

  /// Starts the selected branches and continues when the policy is met.
  record Join(JoinPolicy policy, List<Choice> branches) implements Term {
    public Join {
      branches = List.copyOf(branches);
      Choice.requireSound("join", branches);
      policy.requireFits(branches);
    }
  }

  /// Repeats the body.
  record Loop(LoopPolicy policy, Term body) implements Term {}

  /// Waits until the first alternative is enabled and takes it.
  record Defer(List<Alternative> alternatives) implements Term {
    public Defer {
      alternatives = List.copyOf(alternatives);
      if (alternatives.isEmpty()) {
        throw new IllegalArgumentException("defer needs an alternative");
      }
      if (alternatives.stream().filter(a -> a instanceof Alternative.Expired).count() > 1) {
        throw new IllegalArgumentException("defer has at most one expired alternative");
      }
      if (alternatives.stream().allMatch(a -> a instanceof Alternative.Expired)) {
        throw new IllegalArgumentException("defer needs an alternative besides expired");
      }
    }
  }

  /// A region that can be cancelled, timed, guarded by places, undone, and made to handle failures.
  record Cancel(String name, List<String> holding, ScopeOptions options, Term body)
      implements Term {
    public Cancel {
      requireScopeName("cancel", name);
      holding = List.copyOf(holding);
      if (holding.stream().distinct().count() != holding.size()) {
        throw new IllegalArgumentException("cancel " + name + ": a place is held twice " + holding);
      }
    }
  }

  /// Runs the body once per instance.
  record Mi(String name, InstancePolicy policy, Term body) implements Term {
    public Mi {
      requireScopeName("mi", name);
    }
  }

  /// Puts one token on a place; `m.add` and `m.close` address a set of instances.
  record Emit(String place, SortedMap<String, Expression> payload) implements Term {
    public Emit {
      Names.require("emit", place);
      payload = Collections.unmodifiableSortedMap(new TreeMap<>(payload));
    }
  }

  /// Ends open activations of a scope, of a set of instances, or of the case.
  record Kill(String name, Outcome outcome) implements Term {
    /// Which activations are ended, and what leaves them.
    public enum Outcome {
      /// Every open activation in the unit of the token; nothing leaves through the exit.
      WITHDRAW,
      /// Every open activation in the unit; one token leaves each with its entry context.
      COMPLETE,
      /// The innermost activation around the token; one token leaves with the token's context.
      BREAK
    }

    public Kill {
      Names.require(outcome == Outcome.BREAK ? "break" : "kill", name);
    }
  }

  /// Runs a named definition as a sub-process.
  ///
  /// Without arguments the definition starts with the caller's context. With arguments it starts
  /// with these keys alone. Its last context is the result: with a key it is written whole under
  /// that key; without one, the keys that the definition has changed are written into the caller's
  /// context.
  ///
  /// @param arguments the keys of the definition's context; null passes the caller's context
  /// @param result the key that receives the whole result; null writes it key by key
  record Call(
      String definition, @Nullable SortedMap<String, Expression> arguments, @Nullable String result)
      implements Term {
    public Call {
      Names.require("call", definition);
      arguments =
          arguments == null ? null : Collections.unmodifiableSortedMap(new TreeMap<>(arguments));
      if (result != null) {
        Names.require("call result", result);
      }
    }

    /// A call that passes the caller's context and returns the definition's.
    public Call(String definition) {
      this(definition, null, null);
    }

    /// Returns the same call with its own context for the definition.
    public Call with(SortedMap<String, Expression> changed) {
      return new Call(definition, changed, result);
    }

    /// Returns the same call with a key for the whole result.
    public Call result(String key) {
      return new Call(definition, arguments, key);
    }

    /// Whether the definition's context is not simply the caller's.
    public boolean isSeparate() {
      return arguments != null || result != null;
    }
  }

  /// A net of nodes and arcs, for everything that is not nested.
  record Graph(Mode mode, Merge merge, Split start, List<Node> nodes) implements Term {
    public Graph {
      nodes = List.copyOf(nodes);
      if (nodes.isEmpty()) {
        throw new IllegalArgumentException("graph needs a node");
      }
      if (merge != Merge.Standard.NEWEST && merge != Merge.Standard.OVERLAY) {
        throw new IllegalArgumentException("a graph merges by newest or overlay, got " + merge);
      }
      List<String> ids = new ArrayList<>(nodes.stream().map(Node::id).toList());
      Collections.sort(ids);
      for (int i = 1; i < ids.size(); i++) {
        if (ids.get(i).equals(ids.get(i - 1))) {
          throw new IllegalArgumentException("graph has two nodes named '" + ids.get(i) + "'");
        }
      }
    }
  }

  /// Process instances: each evaluates one step and spawns the next ones, which meet again at the
  /// targets of joins. The key [StepNode#ENTRY] of the context names the first step.
  record Processes(List<StepNode> steps) implements Term {
    public Processes {
      steps = List.copyOf(steps);
      List<String> ids = steps.stream().map(StepNode::id).toList();
      if (ids.isEmpty() || ids.stream().distinct().count() != ids.size()) {
        throw new IllegalArgumentException("processes need steps with distinct names, got " + ids);
      }
      for (StepNode step : steps) {
        requireKnown(step.id(), step.onValid(), ids);
        requireKnown(step.id(), step.onInvalid(), ids);
      }
    }

    private static void requireKnown(String step, StepNode.Branch branch, List<String> ids) {
      List<String> named = new ArrayList<>(branch.spawns());
      if (branch.join() != null) {
        named.add(branch.join().target());
        branch.join().from().forEach(from -> named.add(from.step()));
      }
      named.removeAll(ids);
      if (!named.isEmpty()) {
        throw new IllegalArgumentException("step " + step + ": there is no step " + named);
      }
    }
  }

  /// One branch of an `xor` or a `join`.
  ///
  /// @param guard null when the branch is always selected, or left to the scheduler in an `xor`
  /// @param otherwise whether the branch is taken when no guard is true
  record Choice(@Nullable Guard guard, boolean otherwise, Term then) {
    public Choice {
      if (guard != null && otherwise) {
        throw new IllegalArgumentException("an else branch has no guard");
      }
    }

    boolean isFree() {
      return guard == null && !otherwise;
    }

    static void requireSound(String what, List<Choice> choices) {
      if (choices.isEmpty()) {
        throw new IllegalArgumentException(what + " needs a branch");
      }
      long others = choices.stream().filter(Choice::otherwise).count();
      if (others > 1) {
        throw new IllegalArgumentException(what + " has at most one else, got " + others);
      }
      if (others == 1 && !choices.getLast().otherwise()) {
        throw new IllegalArgumentException("the else of " + what + " must be last");
      }
      if (others == choices.size()) {
        throw new IllegalArgumentException(what + " has only an else");
      }
    }
  }

  private static void requireScopeName(String what, String name) {
    Names.require(what, name);
    if (name.equals("case")) {
      throw new IllegalArgumentException(what + ": 'case' is the name of the case itself");
    }
  }
}
