package dev.damask.typed;

import dev.damask.effect.Approval;
import dev.damask.effect.EffectCall;
import dev.damask.task.Delivery;
import dev.damask.task.EffectFunction;
import dev.damask.task.EffectTemplate;
import dev.damask.task.Expression;
import dev.damask.task.OnExhausted;
import dev.damask.task.ResultCheck;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.Key;
import java.math.BigDecimal;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What tasks outside of the machine have in common: how they are delivered, retried and undone.
///
/// @param <S> the type of the task itself
public abstract sealed class TypedLeaf<S extends TypedLeaf<S>> implements Step
    permits TypedTask, TypedAction {
  final Parts parts;

  TypedLeaf(Parts parts) {
    this.parts = parts;
  }

  /// Reads the values of a handler and calls it.
  @FunctionalInterface
  interface Invocation {
    @Nullable Object call(Context context, EffectCall call) throws Exception;
  }

  /// Calls a handler that returns nothing.
  @FunctionalInterface
  interface ActionInvocation {
    void call(Context context, EffectCall call) throws Exception;
  }

  /// Calls a handler in a transaction.
  @FunctionalInterface
  interface TransactionInvocation {
    @Nullable Object call(Context context, EffectCall call, Connection connection) throws Exception;
  }

  /// Calls a handler in a transaction that returns nothing.
  @FunctionalInterface
  interface TransactionAction {
    void call(Context context, EffectCall call, Connection connection) throws Exception;
  }

  /// Who performs a task.
  sealed interface Performer {
    /// A handler of the workflow.
    record Handler(Invocation invocation, boolean isCpuBound) implements Performer {}

    /// A handler of the workflow that commits together with its case.
    record Transaction(TransactionInvocation invocation) implements Performer {}

    /// A person, another program, or a handler that is registered for the type.
    record Outside(Function<Context, Context> payload) implements Performer {}

    /// The approvers.
    record Approvers(Function<Context, Approval> approval) implements Performer {}
  }

  /// Everything but the result.
  record Parts(
      String name,
      List<BoundKey<?>> reads,
      Performer performer,
      TaskOptions options,
      @Nullable Term undo) {
    Parts {
      if (name.isBlank()) {
        throw new IllegalArgumentException("a task needs a name; it is part of its cases");
      }
      reads = List.copyOf(reads);
    }

    static Parts of(String name, List<BoundKey<?>> reads, Invocation invocation) {
      return of(name, reads, new Performer.Handler(invocation, false));
    }

    static Parts of(String name, List<BoundKey<?>> reads, Performer performer) {
      TaskOptions written = Written.here();
      TaskOptions options =
          performer instanceof Performer.Transaction
              ? written.withDelivery(Delivery.EXACTLY_ONCE)
              : written;
      return new Parts(name, reads, performer, options, null);
    }

    Parts with(TaskOptions changed) {
      return new Parts(name, reads, performer, changed, undo);
    }

    Parts with(@Nullable Term changed) {
      return new Parts(name, reads, performer, options, changed);
    }

    Parts with(Performer changed) {
      return new Parts(name, reads, changed, options, undo);
    }

    Term.Task term(@Nullable BoundKey<?> result) {
      List<BoundKey<?>> writes = result == null ? List.of() : List.of(result);
      Template template = new Template(performer, name, reads, writes);
      TaskOptions used =
          performer instanceof Performer.Approvers && result != null
              ? options.withResult(result.entry())
              : options;
      return new Term.Task(name, new Term.Work.Effect(template, handler(result)), used, undo);
    }

    private @Nullable EffectFunction handler(@Nullable BoundKey<?> result) {
      List<String> except = options.retry().except();
      return switch (performer) {
        case Performer.Handler(var invocation, var isCpuBound) ->
            new TypedHandler(invocation, result, except, isCpuBound);
        case Performer.Transaction(var invocation) ->
            new TypedHandler.InTransaction(invocation, result, except);
        case Performer.Outside _, Performer.Approvers _ -> null;
      };
    }
  }

  /// The request of a typed task. That of a handler of the workflow is its name, without a payload.
  record Template(
      Performer performer, String label, List<BoundKey<?>> reads, List<BoundKey<?>> writes)
      implements EffectTemplate, ResultCheck, Access {
    private static final BoundKey<Boolean> APPROVED =
        BoundKey.of(Key.of("approved", Boolean.class));

    @Override
    public EffectSpec specFor(Context context) {
      return switch (performer) {
        case Performer.Handler _, Performer.Transaction _ -> EffectSpec.of(label);
        case Performer.Outside(var payload) -> new EffectSpec(label, payload.apply(context), null);
        case Performer.Approvers(var approval) ->
            new EffectSpec(Approval.TYPE, approval.apply(context).payload(), null);
      };
    }

    @Override
    public String type() {
      return performer instanceof Performer.Approvers ? Approval.TYPE : label;
    }

    @Override
    public String text() {
      String word =
          switch (performer) {
            case Performer.Handler _ -> "typed";
            case Performer.Transaction _ -> "typed transaction";
            case Performer.Outside _ -> "typed external";
            case Performer.Approvers _ -> "typed approval";
          };
      return Access.text(word, reads, writes);
    }

    @Override
    public String signature() {
      return Access.signature(reads, writes);
    }

    @Override
    public List<String> problems(Context result) {
      if (writes.isEmpty()) {
        return List.of();
      }
      BoundKey<?> key = writes.getFirst();
      if (!(performer instanceof Performer.Approvers)) {
        return key.problems(result);
      }
      List<String> problems = APPROVED.problems(result);
      return problems.isEmpty() ? key.problems(Context.of(key.entry(), result.toMap())) : problems;
    }
  }

  abstract S with(Parts changed);

  /// Tries again after failures; see [Retry#except(Class[])] for those that are final.
  public S retry(Retry retry) {
    return with(parts.with(parts.options().withRetry(retry)));
  }

  /// Sets what happens when the attempts are used up; see [dev.damask.term.Flow#park].
  public S onExhausted(OnExhausted value) {
    return with(parts.with(parts.options().withOnExhausted(value)));
  }

  /// Gives an attempt up after a time.
  public S timeout(Duration timeout) {
    return with(parts.with(parts.options().withTimeout(timeout)));
  }

  /// Calls the handler at most once. An unknown outcome fails the task with `unknown_outcome`.
  public S atMostOnce() {
    return delivered(Delivery.AT_MOST_ONCE);
  }

  /// Declares that the handler only reads, so it may be called any number of times.
  public S readOnly() {
    return delivered(Delivery.READ);
  }

  private S delivered(Delivery delivery) {
    if (parts.performer() instanceof Performer.Transaction) {
      throw new IllegalStateException(
          "transaction '%s' is always delivered exactly once".formatted(parts.name()));
    }
    return with(parts.with(parts.options().withDelivery(delivery)));
  }

  /// The idempotency key. Two effects of one type with the same key run once.
  public S key(Key<?> key) {
    BoundKey<?> bound = BoundKey.of(key);
    Expression expression =
        new TypedExpression(List.of(bound), context -> String.valueOf(bound.read(context)));
    return with(parts.with(parts.options().withKey(expression)));
  }

  /// What an execution costs; counts towards the budget of the case.
  public S cost(BigDecimal cost) {
    return with(parts.with(parts.options().withCost(cost)));
  }

  /// Describes the task for people.
  public S describedAs(String description) {
    return with(parts.with(parts.options().withDescription(description)));
  }

  /// Declares that the handler computes for long without waiting; see
  /// [dev.damask.effect.EffectHandler#isCpuBound].
  public S cpuBound() {
    if (!(parts.performer() instanceof Performer.Handler(var invocation, _))) {
      throw new IllegalStateException(
          "task '%s': only a handler of the workflow can be declared to compute for long"
              .formatted(parts.name()));
    }
    return with(parts.with(new Performer.Handler(invocation, true)));
  }

  /// The compensation: runs once the task has completed and its scope fails or is cancelled.
  public S undo(Step step) {
    return with(parts.with(step.term()));
  }

  /// Undoes the task with a handler.
  public <A> S undo(Key<A> a, Handlers.Acts1<? super A> handler) {
    return undo(EffectSteps.action(undoName(), a, handler).withOptions(parts.options()));
  }

  /// Undoes the task with a handler that accepts the call.
  public <A> S undo(Key<A> a, Handlers.ActsWithCall1<? super A> handler) {
    return undo(EffectSteps.action(undoName(), a, handler).withOptions(parts.options()));
  }

  /// Undoes the task with a handler of two values.
  public <A, B> S undo(Key<A> a, Key<B> b, Handlers.Acts2<? super A, ? super B> handler) {
    return undo(EffectSteps.action(undoName(), a, b, handler).withOptions(parts.options()));
  }

  /// Undoes the task with a handler that accepts two values and the call.
  public <A, B> S undo(Key<A> a, Key<B> b, Handlers.ActsWithCall2<? super A, ? super B> handler) {
    return undo(EffectSteps.action(undoName(), a, b, handler).withOptions(parts.options()));
  }

  private String undoName() {
    return "undo " + parts.name();
  }
}
