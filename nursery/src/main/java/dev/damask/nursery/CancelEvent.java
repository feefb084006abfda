package dev.damask.nursery;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

/// A Flight Recorder event for the cancellation of a nursery. The stack trace shows the caller.
@Name("dev.damask.nursery.Cancel")
@Label("Nursery Cancelled")
@Category({"Damask", "Nursery"})
final class CancelEvent extends Event {

  @Label("Nursery")
  @Nullable String nursery;

  @Label("Reason")
  @Nullable String reason;

  @Label("Children Running")
  long running;

  static void commit(Nursery cancelled, CancelReason why) {
    var event = new CancelEvent();
    if (event.shouldCommit()) {
      event.nursery = cancelled.options().name();
      event.reason = why.text();
      event.running = cancelled.running();
      event.commit();
    }
  }
}
