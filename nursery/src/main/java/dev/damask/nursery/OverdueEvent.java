package dev.damask.nursery;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/// A Flight Recorder event for a cancelled child that has not stopped within the grace period.
@Name("dev.damask.nursery.Overdue")
@Label("Nursery Child Overdue")
@Category({"Damask", "Nursery"})
@StackTrace(false)
final class OverdueEvent extends Event {

  @Label("Child")
  @Nullable String child;

  @Label("Nursery")
  @Nullable String nursery;

  @Label("Waits For")
  @Nullable String waitsFor;

  static void commit(ChildSnapshot overdue, Nursery home) {
    var event = new OverdueEvent();
    if (event.shouldCommit()) {
      event.child = overdue.name();
      event.nursery = home.options().name();
      event.waitsFor = overdue.waitsFor();
      event.commit();
    }
  }
}
