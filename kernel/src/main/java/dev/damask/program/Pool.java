package dev.damask.program;

import dev.damask.task.EffectFunction;
import dev.damask.task.EffectTemplate;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.TaskFunction;
import dev.damask.task.TaskOptions;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Place;
import dev.damask.term.StepFunction;
import dev.damask.term.StepNode;
import dev.damask.term.Term;
import dev.damask.value.StepOutcome;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the operands of a program point to. Arrays instead of lists where the machine reads them in
/// its loop; they never change after compilation.
@SuppressWarnings("ArrayRecordComponent") // pools are compared by the program hash, never by equals
public sealed interface Pool {
  /// A task. Exactly one of function and template is present; undo is an address or -1.
  record Task(
      String name,
      String text,
      @Nullable TaskFunction function,
      @Nullable EffectTemplate template,
      @Nullable EffectFunction handler,
      TaskOptions options,
      int undo)
      implements Pool {
    /// Whether the function runs outside of the machine: it is slow, or has a timeout or retries,
    /// which nothing inside of the machine could honour.
    public boolean runsOutside() {
      return function != null
          && !(function instanceof StepFunction)
          && (function.isSlow() || options.timeout() != null || options.retry().max() > 1);
    }

    /// Whether its undo is recorded when it starts instead of when it completes.
    public boolean isUndoneFromStart() {
      return undo >= 0 && function != null && function.isUndoneFromStart();
    }
  }

  /// A fork. A null guard is always true; `otherwise` is the index of the else branch or -1. Inside
  /// a graph there is no policy and no continuation.
  record Fork(
      int[] targets,
      @Nullable Guard[] guards,
      int otherwise,
      @Nullable JoinPolicy policy,
      int continuation)
      implements Pool {
    /// Returns whether some branch has a guard.
    public boolean isGuarded() {
      for (Guard guard : guards) {
        if (guard != null) {
          return true;
        }
      }
      return false;
    }
  }

  /// An exclusive choice. Without any guard the scheduler chooses.
  record Choice(int[] targets, @Nullable Guard[] guards, int otherwise) implements Pool {
    /// Returns whether the scheduler chooses.
    public boolean isFree() {
      return guards[0] == null && otherwise != 0;
    }
  }

  /// A cancel scope. Addresses and places that are not there are -1; a timeout of 0 means none.
  ///
  /// @param listener the listener that is notified of a cancellation; null for none
  record Region(
      int name,
      int[] holds,
      int marking,
      long timeoutMillis,
      int onTimeout,
      int handler,
      boolean undo,
      @Nullable List<String> allow,
      @Nullable String listener,
      int continuation)
      implements Pool {}

  /// A set of instances.
  record Instances(int name, int unit, InstancePolicy policy, int body, int continuation)
      implements Pool {}

  /// A wait: alternatives in the order they are tried.
  record Await(List<Alternative> alternatives) implements Pool {}

  /// One alternative of a wait.
  record Alternative(AlternativeKind kind, int[] places, long millis, int target) {}

  /// What an alternative of a wait waits for.
  enum AlternativeKind {
    TAKE,
    TEST,
    AFTER,
    EXPIRED
  }

  /// What an emission addresses: a place, or a set of instances by the index of its name.
  record Emission(EmissionKind kind, int target, String[] keys, Expression[] values)
      implements Pool {}

  /// What an emission does: it puts a token on a place, adds an instance to a set, or closes a set.
  enum EmissionKind {
    PLACE,
    ADD,
    CLOSE
  }

  /// A kill; a name of -1 means the case.
  record Kill(int name, Term.Kill.Outcome outcome) implements Pool {}

  /// A definition: where it starts and which places belong to each activation.
  record Entry(String name, int unit, int address, int localPlaces) implements Pool {}

  /// A place; `definition` is -1 for places of the case, else the slot belongs to the activation.
  record PlaceSlot(Place place, int definition, int slot) implements Pool {}

  /// What a call passes and where its result goes; see [dev.damask.term.Term.Call].
  ///
  /// @param keys null when the caller's context is passed
  /// @param result null when the result is written key by key
  record Passing(String @Nullable [] keys, Expression[] values, @Nullable String result)
      implements Pool {
    /// Returns what a call passes.
    public static Passing of(Term.Call call) {
      var arguments = call.arguments();
      return arguments == null
          ? new Passing(null, new Expression[0], call.result())
          : new Passing(
              arguments.keySet().toArray(String[]::new),
              arguments.values().toArray(Expression[]::new),
              call.result());
    }

    /// Returns the same with constant arguments computed in advance.
    public Passing folded() {
      Expression[] folded = values.clone();
      java.util.Arrays.setAll(folded, i -> values[i].folded());
      return new Passing(keys, folded, result);
    }

    /// Returns it as listings show it, empty if there is none.
    public static String text(@Nullable Passing passing) {
      if (passing == null) {
        return "";
      }
      StringBuilder text = new StringBuilder();
      if (passing.keys != null) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < passing.keys.length; i++) {
          all.add(passing.keys[i] + ":=" + passing.values[i].text());
        }
        text.append(" with ").append(all);
      }
      return passing.result == null
          ? text.toString()
          : text.append(" result ").append(passing.result).toString();
    }
  }

  /// A graph: nodes and arcs by index.
  record Net(Mode mode, Merge merge, Node[] nodes, Arc[] arcs, int[] startArcs, int continuation)
      implements Pool {
    /// Returns whether settling has to check this net.
    public boolean hasWaitingJoins() {
      for (Node node : nodes) {
        if (node.kind() == JoinKind.OR || node.kind() == JoinKind.BLOCKING || node.abort()) {
          return true;
        }
      }
      return false;
    }
  }

  /// How the tokens on the incoming arcs of a node become one.
  enum JoinKind {
    MERGE,
    AND,
    OR,
    BLOCKING,
    CANCELLING
  }

  /// A node: its join over the incoming arcs in arc order, where its body starts, its way out.
  record Node(
      String id,
      JoinKind kind,
      int[] weights,
      int k,
      int[] cancels,
      boolean abort,
      int body,
      int[] outgoing)
      implements Pool {
    /// Returns the number of incoming arcs.
    public int arcs() {
      return weights.length;
    }
  }

  /// An arc; `source` is -1 at the start, `position` is its place in the target's join or -1.
  record Arc(int source, int target, int position) implements Pool {}

  /// Process instances: their steps and the joins the branches declare.
  ///
  /// @param reach for each step the steps a process at it can bring about in its own group
  /// @param free answers what data would answer where there are none; null where programs run
  record Processes(
      Step[] steps, GroupJoin[] joins, BitSet[] reach, int continuation, @Nullable FreeSteps free)
      implements Pool {}

  /// Takes the place of the data of process instances.
  interface FreeSteps {
    /// The index of the first step.
    int entry();

    /// Whether some evaluation may end all others.
    boolean canCancel();

    /// How the evaluation of a step ends.
    StepOutcome outcome(int step);
  }

  /// A step: the address of the instruction at which its processes begin, and its branches.
  record Step(String id, int gate, Branch valid, Branch invalid) implements Pool {}

  /// Steps by index; a join of -1 means none.
  record Branch(int[] spawns, int join) implements Pool {}

  /// A join of process instances; sources in the order in which they are merged.
  record GroupJoin(int target, int need, boolean kills, int[] from, StepNode.When[] when)
      implements Pool {}

  /// Optimised code only: task functions to run in a row, their addresses, and where to continue.
  record Run(int[] tasks, int[] addresses, int next) implements Pool {}
}
