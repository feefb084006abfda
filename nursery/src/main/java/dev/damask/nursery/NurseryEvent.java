package dev.damask.nursery;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/// A Flight Recorder event for one nursery, from its opening to the end of its last child.
@Name("dev.damask.nursery.Nursery")
@Label("Nursery")
@Category({"Damask", "Nursery"})
@StackTrace(false)
final class NurseryEvent extends Event {

  @Label("Nursery")
  @Nullable String nursery;

  @Label("State")
  @Nullable String state;

  @Label("Result")
  @Nullable String result;

  @Label("Children Spawned")
  long spawned;

  static NurseryEvent begun() {
    var event = new NurseryEvent();
    event.begin();
    return event;
  }

  void ended(Nursery ended, NurseryResult how) {
    if (shouldCommit()) {
      nursery = ended.options().name();
      state = ended.state().name();
      result = how.getClass().getSimpleName();
      spawned = ended.roster().added();
      commit();
    }
  }
}
