package dev.damask.scenario;

import dev.damask.document.DocumentReader;
import dev.damask.document.DocumentSource;
import dev.damask.document.FieldReader;
import dev.damask.document.FieldReader.Entry;
import dev.damask.document.WorkflowDocument;
import dev.damask.json.Json;
import dev.damask.json.Json.Fields;
import dev.damask.json.Json.Items;
import dev.damask.json.Json.Numeral;
import dev.damask.json.Json.Text;
import dev.damask.scenario.ScenarioStep.Reply;
import dev.damask.task.TaskAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Reads scenario documents and lists of events in the same notation.
public final class ScenarioReader {
  private static final Map<String, String> COMPANIONS =
      Map.of("reason", "fail", "item", "add", "set", "done or signal");

  private final DocumentReader workflows;

  /// Creates a reader with the default limits.
  public ScenarioReader() {
    this(new DocumentReader());
  }

  /// Creates a reader that reads the workflows of scenarios with another reader.
  public ScenarioReader(DocumentReader workflows) {
    this.workflows = workflows;
  }

  /// Reads a file.
  public ScenarioDocument read(Path file) {
    return read(workflows.parse(file), file);
  }

  /// Interprets a parsed scenario.
  ///
  /// @param file its file; the path of a workflow is relative to it
  public ScenarioDocument read(DocumentSource source, Path file) {
    return scenario(source, file.toAbsolutePath().getParent());
  }

  /// Reads a string. The path of a workflow is relative to `folder`.
  public ScenarioDocument read(String name, String text, Path folder) {
    return scenario(workflows.parse(name, text), folder);
  }

  /// Reads a list of events, as the command line accepts it.
  public List<ScenarioStep> readEvents(Path file) {
    return events(workflows.parse(file));
  }

  /// Reads a list of events from a string.
  public List<ScenarioStep> readEvents(String name, String text) {
    return events(workflows.parse(name, text));
  }

  private static List<ScenarioStep> events(DocumentSource source) {
    List<ScenarioStep> steps = new ArrayList<>();
    for (FieldReader fields : FieldReader.ofEvents(source)) {
      if (fields.has("choices")) {
        throw fields.problem("choices", "'choices' is allowed only in a scenario");
      }
      steps.add(step(fields));
    }
    return steps;
  }

  private ScenarioDocument scenario(DocumentSource source, @Nullable Path folder) {
    FieldReader fields = FieldReader.ofScenario(source);
    return new ScenarioDocument(
        fields.text("scenario"),
        fields.text("title"),
        workflow(fields, folder),
        fields.context("with"),
        fields.has("order"),
        fields.list("steps", entry -> step(fields.object(entry))),
        end(fields.objectOrEmpty("end")));
  }

  private WorkflowDocument workflow(FieldReader fields, @Nullable Path folder) {
    if (fields.node("workflow") instanceof Fields) {
      return workflows.readNested(fields, "workflow");
    }
    Path file = relative(fields);
    return workflows.read(folder == null ? file : folder.resolve(file));
  }

  /// Returns the path from the scenario to its workflow. Absolute paths are rejected, because they
  /// differ between machines.
  private static Path relative(FieldReader fields) {
    try {
      Path file = Path.of(fields.text("workflow"));
      if (!file.isAbsolute()) {
        return file;
      }
    } catch (InvalidPathException e) {
      throw fields.problem("workflow", "not a valid path: " + e.getReason());
    }
    throw fields.problem("workflow", "the path of a workflow must be relative to the scenario");
  }

  private static ScenarioStep step(FieldReader fields) {
    ScenarioEvent event = event(fields);
    for (Map.Entry<String, String> companion : COMPANIONS.entrySet()) {
      boolean belongs =
          switch (event) {
            case ScenarioEvent.Fail fail -> companion.getKey().equals("reason");
            case ScenarioEvent.Add add -> companion.getKey().equals("item");
            case ScenarioEvent.Done done -> companion.getKey().equals("set");
            case ScenarioEvent.Signal signal -> companion.getKey().equals("set");
            default -> false;
          };
      if (fields.has(companion.getKey()) && !belongs) {
        throw fields.problem(
            companion.getKey(), "'" + companion.getKey() + "' requires " + companion.getValue());
      }
    }
    List<Observation> see =
        fields.has("see") ? fields.list("see", entry -> observation(fields, entry)) : null;
    Reply reply = Reply.of(fields.text("reply", Reply.ACCEPTED.text()));
    List<List<Integer>> choices = fields.list("choices", ScenarioReader::choice);
    return new ScenarioStep(event, choices, see, reply, fields.position());
  }

  private static List<Integer> choice(Entry entry) {
    return ((Items) entry.node())
        .items().stream().map(each -> ((Numeral) each).number().intValue()).toList();
  }

  private static ScenarioEvent event(FieldReader fields) {
    if (fields.has("start")) {
      return new ScenarioEvent.Start();
    }
    if (fields.has("done")) {
      return new ScenarioEvent.Done(address(fields, "done"), fields.context("set"));
    }
    if (fields.has("fail")) {
      return new ScenarioEvent.Fail(address(fields, "fail"), fields.text("reason", "failed"));
    }
    if (fields.has("retry")) {
      return new ScenarioEvent.Retry(address(fields, "retry"));
    }
    if (fields.has("signal")) {
      return new ScenarioEvent.Signal(fields.text("signal"), fields.context("set"));
    }
    if (fields.has("cancel")) {
      return new ScenarioEvent.Cancel(fields.text("cancel"));
    }
    if (fields.has("complete")) {
      return new ScenarioEvent.Complete(fields.text("complete"));
    }
    if (fields.has("cancelTask")) {
      return new ScenarioEvent.CancelTask(address(fields, "cancelTask"));
    }
    if (fields.has("add")) {
      Json item = fields.node("item");
      return new ScenarioEvent.Add(
          fields.text("add"), item != null, item == null ? null : FieldReader.value(item));
    }
    return fields.has("close")
        ? new ScenarioEvent.Close(fields.text("close"))
        : new ScenarioEvent.Advance(Objects.requireNonNull(fields.duration("advance")));
  }

  private static TaskAddress address(FieldReader fields, String key) {
    return TaskAddress.parse(fields.text(key))
        .orElseThrow(() ->
            fields.problem(
                key,
                "expected a task such as A, A#2, A[2] or A[2.1]#1, found '"
                    + FieldReader.excerpt(fields.text(key))
                    + "'"));
  }

  private static Observation observation(FieldReader fields, Entry entry) {
    String text = ((Text) entry.node()).value();
    return Observation.parse(text)
        .orElseThrow(() ->
            fields.problem(
                entry,
                "expected an observation such as A#1+, A#1-, A#1×, A#1!, A#1?, a#1 or join⊘,"
                    + " found '"
                    + FieldReader.excerpt(text)
                    + "'"));
  }

  private static ScenarioEnd end(FieldReader fields) {
    Map<String, Integer> count = new TreeMap<>();
    fields
        .entries("count")
        .forEach((task, entry) -> count.put(task, ((Numeral) entry.node()).number().intValue()));
    String status = fields.text("status");
    return new ScenarioEnd(
        status.isEmpty() ? null : ScenarioEnd.Status.valueOf(status.toUpperCase(Locale.ROOT)),
        fields.textOrNull("reason"),
        fields.names("never"),
        count,
        fields.context("context"),
        fields.context("attributes"));
  }
}
