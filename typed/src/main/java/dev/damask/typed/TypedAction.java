package dev.damask.typed;

import dev.damask.task.Delivery;
import dev.damask.task.TaskOptions;
import dev.damask.term.Term;
import java.util.List;

/// A task whose handler returns nothing.
public final class TypedAction extends TypedLeaf<TypedAction> {
  private TypedAction(Parts parts) {
    super(parts);
  }

  static TypedAction of(String name, List<BoundKey<?>> reads, ActionInvocation handler) {
    return new TypedAction(
        Parts.of(
            name,
            reads,
            (context, call) -> {
              handler.call(context, call);
              return null;
            }));
  }

  static TypedAction transaction(String name, List<BoundKey<?>> reads, TransactionAction handler) {
    TransactionInvocation invocation =
        (context, call, connection) -> {
          handler.call(context, call, connection);
          return null;
        };
    return new TypedAction(Parts.of(name, reads, new Performer.Transaction(invocation)));
  }

  /// An undo is delivered and retried as its task; a key of the user stays with the task. A handler
  /// without a connection cannot be delivered exactly once.
  TypedAction withOptions(TaskOptions options) {
    Delivery delivery =
        options.delivery() == Delivery.EXACTLY_ONCE ? Delivery.KEYED : options.delivery();
    TaskOptions own =
        TaskOptions.DEFAULT
            .withDelivery(delivery)
            .withRetry(options.retry())
            .withLine(parts.options().line());
    return with(parts.with(options.timeout() == null ? own : own.withTimeout(options.timeout())));
  }

  @Override
  TypedAction with(Parts changed) {
    return new TypedAction(changed);
  }

  @Override
  public Term term() {
    return parts.term(null);
  }
}
