package dev.damask.nursery;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/// The life of a child, from the first line of its code to the end of its last cleanup.
@Name("dev.damask.nursery.Child")
@Label("Nursery Child")
@Category({"Damask", "Nursery"})
@StackTrace(false)
final class ChildEvent extends Event {

  // Only asked whether anybody records; an event per child is made only then.
  private static final ChildEvent PROTOTYPE = new ChildEvent();

  @Label("Child")
  @Nullable String child;

  @Label("Nursery")
  @Nullable String nursery;

  @Label("Result")
  @Nullable String result;

  /// An event that has begun, or null when nobody records.
  static @Nullable ChildEvent begun() {
    if (!PROTOTYPE.isEnabled()) {
      return null;
    }
    var event = new ChildEvent();
    event.begin();
    return event;
  }

  static void ended(@Nullable ChildEvent event, RunningChild<?> child, Nursery nursery) {
    if (event == null || !event.shouldCommit()) {
      return;
    }
    event.child = child.name();
    event.nursery = nursery.options().name();
    event.result =
        child.tryResult().map(result -> result.getClass().getSimpleName()).orElse("none");
    event.commit();
  }
}
