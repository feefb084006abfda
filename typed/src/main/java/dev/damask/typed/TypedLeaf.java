package dev.damask.typed;

import dev.damask.task.Delivery;
import dev.damask.task.EffectFunction;
import dev.damask.task.EffectTemplate;
import dev.damask.task.Expression;
import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.Key;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What tasks with a handler have in common: how they are delivered, retried and undone.
///
/// @param <S> the type of the task itself
public abstract sealed class TypedLeaf<S extends TypedLeaf<S>> implements Step
    permits TypedTask, TypedAction {
  final Parts parts;

  TypedLeaf(Parts parts) {
    this.parts = parts;
  }

  /// Everything but the result.
  ///
  /// @param invocation calls the handler; null for a transaction
  /// @param transaction calls a handler with a connection; null for any other
  record Parts(
      String word,
      String name,
      List<BoundKey<?>> reads,
      @Nullable Invocation invocation,
      Invocation.@Nullable OfTransaction transaction,
      TaskOptions options,
      @Nullable Term undo,
      boolean isCpuBound) {
    Parts {
      if (name.isBlank()) {
        throw new IllegalArgumentException("a task needs a name; it is part of its cases");
      }
      reads = List.copyOf(reads);
    }

    static Parts of(String word, String name, List<BoundKey<?>> reads, Invocation invocation) {
      return new Parts(word, name, reads, invocation, null, Written.here(), null, false);
    }

    static Parts of(String name, List<BoundKey<?>> reads, Invocation.OfTransaction transaction) {
      String word = TypedTask.TRANSACTION;
      TaskOptions once = Written.here().withDelivery(Delivery.EXACTLY_ONCE);
      return new Parts(word, name, reads, null, transaction, once, null, false);
    }

    Parts with(TaskOptions changed) {
      return new Parts(word, name, reads, invocation, transaction, changed, undo, isCpuBound);
    }

    Parts with(@Nullable Term changed) {
      return new Parts(word, name, reads, invocation, transaction, options, changed, isCpuBound);
    }

    Parts cpuBound() {
      return new Parts(word, name, reads, invocation, transaction, options, undo, true);
    }

    Term.Task term(@Nullable BoundKey<?> result) {
      List<BoundKey<?>> writes = result == null ? List.of() : List.of(result);
      Template template = new Template(word, name, reads, writes);
      return new Term.Task(name, new Term.Work.Effect(template, handler(result)), options, undo);
    }

    private EffectFunction handler(@Nullable BoundKey<?> result) {
      List<String> except = options.retry().except();
      if (transaction != null) {
        return new TransactionHandler(transaction, result, except);
      }
      return new TypedHandler(Objects.requireNonNull(invocation), result, except, isCpuBound);
    }
  }

  /// The request of a typed task: its name, without a payload.
  record Template(String word, String label, List<BoundKey<?>> reads, List<BoundKey<?>> writes)
      implements EffectTemplate, Access {
    @Override
    public EffectSpec specFor(Context context) {
      return EffectSpec.of(label);
    }

    @Override
    public String type() {
      return label;
    }

    @Override
    public String text() {
      return Access.text(word, reads, writes);
    }

    @Override
    public String signature() {
      return "(" + typed(reads) + ") -> (" + typed(writes) + ")";
    }

    private static String typed(List<BoundKey<?>> keys) {
      return String.join(", ", keys.stream().map(key -> key.entry() + ": " + key.type()).toList());
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
    if (parts.transaction() != null) {
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
    return with(parts.cpuBound());
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
