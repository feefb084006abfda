package dev.damask.event;

import dev.damask.value.Context;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;

/// The state of a case as immutable data: for people and tools. Ids are those of the trace.
///
/// @param context the result of an ended case, else its present context: what its tokens and
///   finished branches have written so far, the later token winning
/// @param scopes every open frame, parents first; the first is the case
/// @param joins what the joins of blocks, sets of instances, graphs and groups have received
/// @param places how many tokens lie on each place of the case
/// @param cancelled the names of scopes whose last activation was cancelled
/// @param lateFailures of leftovers after the case had its result, the first 100; they change
///   nothing
/// @param undo the completed tasks that would be undone if the case were cancelled now, and those
///   that are being undone; the next one first
public record StateView(
    Status status,
    long steps,
    long clockMillis,
    Context context,
    List<Token> tokens,
    List<Scope> scopes,
    List<Branch> branches,
    List<Join> joins,
    SortedMap<String, Integer> places,
    List<String> cancelled,
    List<Failure> lateFailures,
    List<Undo> undo) {
  public StateView {
    tokens = List.copyOf(tokens);
    scopes = List.copyOf(scopes);
    branches = List.copyOf(branches);
    joins = List.copyOf(joins);
    places = java.util.Collections.unmodifiableSortedMap(new java.util.TreeMap<>(places));
    cancelled = List.copyOf(cancelled);
    lateFailures = List.copyOf(lateFailures);
    undo = List.copyOf(undo);
  }

  /// One logical thread.
  ///
  /// @param address of the instruction it is at
  /// @param instruction its name, such as `AWAIT`
  /// @param place the path of the term
  /// @param scope the id of its frame
  /// @param label the instances around it, such as `2.1`
  /// @param task the execution that waits for its effect, such as `A[2]#1`; else empty
  public record Token(
      int id,
      int address,
      String instruction,
      String place,
      int scope,
      String label,
      String task,
      Activity activity,
      Context context) {}

  /// What a token does.
  public enum Activity {
    READY,
    /// Waits for the result of an effect.
    EFFECT,
    /// Waits for places or a time.
    AWAIT,
    /// Waits at the join of a graph.
    QUEUED,
    /// A process that waits at the gate of its step.
    HELD
  }

  /// One open activation: of the case, a scope, a call, a block and its branches, a set and its
  /// instances, a graph, or a join group.
  ///
  /// @param parent 0 for the case
  /// @param kind such as `region`
  /// @param name of a scope, a definition or a set of instances; empty for the others
  /// @param context it was entered with
  /// @param dueMillis when its timeout fires
  public record Scope(
      int id,
      int parent,
      String kind,
      String name,
      Progress progress,
      Context context,
      OptionalLong dueMillis) {
    boolean isCancelling() {
      return progress == Progress.CANCELLING;
    }
  }

  /// How far an activation is.
  public enum Progress {
    ACTIVE,
    /// Its main token has left it; something in it still drains.
    DELIVERED,
    /// It is being cancelled and its completed tasks are being undone.
    CANCELLING
  }

  /// One branch of a block or one instance of a set.
  ///
  /// @param join the id of the block or set
  /// @param number of the branch from 0, of the instance from 1
  /// @param tokens the tokens in it, directly and in nested activations
  public record Branch(int id, int join, int number, boolean isDelivered, List<Integer> tokens) {
    public Branch {
      tokens = List.copyOf(tokens);
    }
  }

  /// What a join has received.
  ///
  /// @param scope the id of the block, set, graph or group
  /// @param place the path of the term: of the block or set, or of the node of a graph; empty for a
  ///   group
  /// @param name the node of a graph, the set of instances; empty for a block
  /// @param policy as listings print it
  /// @param required how many must arrive
  /// @param results the contexts that have arrived, in order
  public record Join(
      int scope,
      String place,
      String name,
      String policy,
      int completed,
      int required,
      List<Context> results) {
    public Join {
      results = List.copyOf(results);
    }
  }

  /// A completed task that a scope undoes when it is cancelled or fails.
  ///
  /// @param task its name
  /// @param label the instances around it, such as `2.1`
  /// @param place the path of the task
  /// @param scope the id of the scope that undoes it
  /// @param isBegun whether the scope is undoing its tasks
  public record Undo(String task, String label, String place, int scope, boolean isBegun) {}

  /// Whether the last activation of a scope was cancelled, or is being cancelled; for `case`
  /// whether the case was.
  public boolean isCancelled(String scope) {
    return scope.equals("case")
        ? status == Status.CANCELLED
            || scopes.stream().anyMatch(each -> each.parent == 0 && each.isCancelling())
        : cancelled.contains(scope);
  }

  /// Whether the activation of an id is being cancelled.
  public boolean isCancelled(int scope) {
    return scopes.stream().anyMatch(each -> each.id == scope && each.isCancelling());
  }
}
