package dev.damask.nursery;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/// A Flight Recorder event for one child, from the start of its code to the end of its last
/// cleanup.
@Name("dev.damask.nursery.Child")
@Label("Nursery Child")
@Category({"Damask", "Nursery"})
@StackTrace(false)
final class ChildEvent extends Event {

  // Used only to test whether the event is enabled; otherwise no event is created per child.
  private static final ChildEvent PROTOTYPE = new ChildEvent();

  @Label("Child")
  @Nullable String child;

  @Label("Nursery")
  @Nullable String nursery;

  @Label("Result")
  @Nullable String result;

  /// Returns an event that has begun, or null when the event is disabled.
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
