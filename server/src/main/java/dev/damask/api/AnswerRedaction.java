package dev.damask.api;

import dev.damask.json.JsonWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The one layer that writes answers: it replaces redacted values for callers that may not see
/// them. Data of cases reach an answer as [Confidential] only; any other object that is not JSON is
/// an error of ours and is not written.
public final class AnswerRedaction {
  /// What is in the place of a redacted value.
  public static final String MARKER = "\u2022\u2022\u2022";

  private final Function<String, Set<String>> keys;
  private final Function<String, Set<String>> attributes;

  /// Creates the layer.
  ///
  /// @param keys the keys that a workflow redacts
  /// @param attributes the attributes of a workflow that are computed from such a key
  public AnswerRedaction(
      Function<String, Set<String>> keys, Function<String, Set<String>> attributes) {
    this.keys = keys;
    this.attributes = attributes;
  }

  /// A value as one caller sees it.
  ///
  /// @param hasRedacted whether the value contains data that a workflow redacts, shown or not
  public record Seen(@Nullable Object value, boolean hasRedacted) {
    /// Returns the JSON text.
    public String text() {
      return JsonWriter.line(value);
    }
  }

  /// Returns a value as a caller may see it.
  public Seen seen(Caller caller, @Nullable Object value) {
    AtomicBoolean found = new AtomicBoolean();
    Object plain = new Pass(caller.seesRedacted(), found).plain(value);
    return new Seen(plain, found.get());
  }

  /// Returns whether a caller may not see the values of an attribute. Lists that are filtered by
  /// such an attribute would show them too.
  public boolean hidesAttribute(Caller caller, String workflow, String name) {
    return !caller.seesRedacted() && isRedacted(workflow, name);
  }

  /// Returns whether a caller may not see data without keys, such as details of failures.
  public boolean hidesUnstructured(Caller caller, String workflow) {
    return !caller.seesRedacted() && !keys.apply(workflow).isEmpty();
  }

  private boolean isRedacted(String workflow, String attribute) {
    return keys.apply(workflow).contains(attribute)
        || attributes.apply(workflow).contains(attribute);
  }

  private final class Pass {
    private final boolean isShown;
    private final AtomicBoolean found;

    Pass(boolean isShown, AtomicBoolean found) {
      this.isShown = isShown;
      this.found = found;
    }

    @Nullable Object plain(@Nullable Object value) {
      return switch (value) {
        case null -> null;
        case Confidential(var workflow, var key, var data) -> {
          Set<String> hidden = keys.apply(workflow);
          yield hidden.contains(key) ? hide(data) : cleared(data, hidden);
        }
        case ConfidentialAttribute(var workflow, var name, var data) ->
            isRedacted(workflow, name) ? hide(data) : cleared(data, keys.apply(workflow));
        case Unstructured(var workflow, var data) -> {
          boolean isEmpty = data == null || data.equals("");
          boolean isHidden = workflow.isEmpty() || !keys.apply(workflow).isEmpty();
          yield isHidden && !isEmpty ? hide(data) : data;
        }
        case Map<?, ?> map -> {
          Map<String, @Nullable Object> all = new LinkedHashMap<>();
          map.forEach((name, each) -> all.put(String.valueOf(name), plain(each)));
          yield all;
        }
        case List<?> list -> {
          List<@Nullable Object> all = new ArrayList<>(list.size());
          list.forEach(each -> all.add(plain(each)));
          yield all;
        }
        case String _, Number _, Boolean _ -> value;
        default ->
            throw new IllegalStateException(
                "an answer contains a " + value.getClass().getName() + ", which is not JSON");
      };
    }

    private @Nullable Object hide(@Nullable Object data) {
      found.set(true);
      return isShown ? data : MARKER;
    }

    private @Nullable Object cleared(@Nullable Object data, Set<String> hidden) {
      return switch (data) {
        case Map<?, ?> map -> {
          Map<String, @Nullable Object> all = new LinkedHashMap<>();
          map.forEach((name, each) -> {
            String key = String.valueOf(name);
            all.put(key, hidden.contains(key) ? hide(each) : cleared(each, hidden));
          });
          yield all;
        }
        case List<?> list -> {
          List<@Nullable Object> all = new ArrayList<>(list.size());
          list.forEach(each -> all.add(cleared(each, hidden)));
          yield all;
        }
        case null -> null;
        default -> data;
      };
    }
  }
}
