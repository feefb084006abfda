package dev.damask.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Every stored field of a state is written by a setter of its own class, which marks the part. A
/// write from elsewhere would be missing in the next delta.
final class MarksTest {

  private static final Set<String> STATE =
      Set.of(
          "Token",
          "Token$Wait",
          "Frame",
          "Frame$Scope",
          "JoinCounter",
          "InstanceSet",
          "PlaceState",
          "NetState",
          "NetState$Arcs",
          "GroupState",
          "Undoing");

  /// Build a state of which nothing is stored yet: the first record of its log is a base.
  private static final Set<String> BUILDERS =
      Set.of(
          "StateReader",
          "StateIndex",
          "GroupReader",
          "StateTail",
          "StateMigrator",
          "StateAssembly",
          "Migration",
          "ExecutionCounts");

  /// Follow from other fields, and are not stored.
  private static final Set<String> DERIVED =
      Set.of(
          "Token.next",
          "Token.previous",
          "Token$Wait.external",
          "Token$Wait.mixed",
          "Token$Wait.expires",
          "Frame.order",
          "Frame.activeAt",
          "PlaceState.marks",
          "GroupState.running",
          "GroupState.sending",
          "GroupState.window",
          "GroupState.common");

  /// What is kept beside the state for its log.
  private static final Set<String> LOG =
      Set.of(
          "isTouched", "isListed", "owner", "high", "low", "size", "contextNumber", "stampsNumber");

  /// The name of a class of the state or the machine; empty for any other.
  private static String nameOf(JavaClass each) {
    String owner = each.getPackageName();
    boolean isMeant = owner.equals("dev.damask.state") || owner.equals("dev.damask.exec");
    return isMeant ? each.getName().substring(owner.length() + 1) : "";
  }

  private static List<String> writes(Iterable<JavaClass> classes) {
    List<String> writes = new ArrayList<>();
    for (JavaClass each : classes) {
      for (JavaFieldAccess access : each.getFieldAccessesFromSelf()) {
        boolean isSet = access.getAccessType() == JavaFieldAccess.AccessType.SET;
        String name = nameOf(access.getTargetOwner());
        String from = nameOf(each);
        String field = name + "." + access.getName();
        if (isSet
            && STATE.contains(name)
            && !from.equals(name)
            && !BUILDERS.contains(from)
            && !DERIVED.contains(field)
            && !LOG.contains(access.getName())) {
          writes.add(access.getDescription());
        }
      }
    }
    return writes;
  }

  @Test
  void no_stored_field_of_a_state_is_written_outside_of_its_class() {
    assertThat(writes(Classes.kernel())).isEmpty();
  }

  @Test
  void the_rule_notices_a_write_from_elsewhere() {
    List<String> found = writes(Classes.unmarked());

    assertThat(found).singleElement().asString().contains("Token.ip");
  }

  @Test
  void every_field_that_is_named_exists() {
    TreeSet<String> known = new TreeSet<>();
    for (JavaClass each : Classes.kernel()) {
      String name = nameOf(each);
      each.getFields().forEach(field -> known.add(name + "." + field.getName()));
    }

    assertThat(known).containsAll(DERIVED);
  }
}
