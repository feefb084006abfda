package dev.damask.typed;

import dev.damask.effect.Approval;
import dev.damask.term.ExternalTask;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A task with a result: of a handler, a person, another program, or an approver.
///
/// @param <R> the result
public final class TypedTask<R> extends TypedLeaf<TypedTask<R>> {
  private final @Nullable BoundKey<?> result;

  private TypedTask(Parts parts, @Nullable BoundKey<?> result) {
    super(parts);
    this.result = result;
  }

  static <R> TypedTask<R> effect(String name, List<BoundKey<?>> reads, Invocation invocation) {
    return new TypedTask<>(Parts.of(name, reads, invocation), null);
  }

  static <R> TypedTask<R> transaction(
      String name, List<BoundKey<?>> reads, TransactionInvocation handler) {
    return new TypedTask<>(Parts.of(name, reads, new Performer.Transaction(handler)), null);
  }

  static <R> TypedTask<R> external(ExternalTask<R> task, Key<?>... inputs) {
    List<BoundKey<?>> reads = new ArrayList<>();
    for (Key<?> each : inputs) {
      if (each.isView()) {
        throw new IllegalArgumentException(
            "external %s: the view '%s' has no entry to send; name the key that it reads"
                .formatted(task.name(), each.name()));
      }
      reads.add(BoundKey.of(each));
    }
    Performer outside = new Performer.Outside(context -> payload(reads, context));
    return new TypedTask<>(Parts.of(task.name(), reads, outside), BoundKey.toWrite(task.result()));
  }

  private static Context payload(List<BoundKey<?>> reads, Context context) {
    Context payload = Context.empty();
    for (BoundKey<?> each : reads) {
      Object _ = each.read(context);
      payload = payload.with(each.entry(), context.get(each.entry()));
    }
    return payload;
  }

  /// Its result always has a key: the entries of a decision must not reach the others of the case.
  static TypedTask<ApprovalDecision> approval(
      String name, List<BoundKey<?>> reads, Function<Context, Approval> approval) {
    Key<ApprovalDecision> unread = Key.of("decision of " + name, ApprovalDecision.class);
    return new TypedTask<>(
        Parts.of(name, reads, new Performer.Approvers(approval)), BoundKey.of(unread));
  }

  /// Writes the result to a key. A record under one key never changes another key.
  public TypedTask<R> as(Key<? super R> key) {
    if (result != null && parts.performer() instanceof Performer.Outside) {
      throw new IllegalArgumentException(
          "external %s: its result is written to '%s', as the task declares; leave as(…) out"
              .formatted(parts.name(), result.entry()));
    }
    return new TypedTask<>(parts, BoundKey.toWrite(key));
  }

  @Override
  TypedTask<R> with(Parts changed) {
    return new TypedTask<>(changed, result);
  }

  @Override
  public Term term() {
    return parts.term(result);
  }
}
