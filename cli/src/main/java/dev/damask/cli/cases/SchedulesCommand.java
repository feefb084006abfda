package dev.damask.cli.cases;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Fields;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.Streams;
import dev.damask.json.JsonWriter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Lists the schedules of a store, or changes one of them.
@Command(
    name = "schedules",
    description = "Lists the schedules of a store, or pauses, resumes, triggers or removes one.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:listed or done", "2:no store, no such schedule, or a wrong argument"})
public final class SchedulesCommand extends StoreCommand {
  @Parameters(
      paramLabel = "ACTION NAME",
      arity = "0..*",
      description =
          "What to do (pause, resume, trigger, remove) and the name of a schedule. Default: lists"
              + " all. To trigger starts a case, and also what is due; 'damask run --store DIR'"
              + " continues the cases. "
              + ARGUMENTS_NOTE)
  private List<String> words = List.of();

  public SchedulesCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    Arguments arguments = arguments(words, "[ACTION]", "[NAME]");
    if (!arguments.has(0)) {
      list(arguments);
      return Exit.OK;
    }
    if (!arguments.has(1)) {
      throw new Refusal("schedules: " + arguments.get(0) + " requires the name of a schedule");
    }
    String name = arguments.get(1);
    String done = done(arguments, arguments.get(0), name);
    print(json ? JsonWriter.line(JsonWriter.object("schedule", name, "done", done)) : done);
    return Exit.OK;
  }

  private static String done(Arguments arguments, String action, String name) {
    if (!List.of("pause", "resume", "trigger", "remove").contains(action)) {
      throw new Refusal(
          "schedules: expected pause, resume, trigger or remove, got '" + action + "'");
    }
    try (ScheduleBook book = ScheduleBook.open(arguments.host())) {
      return switch (action) {
        case "pause" -> shown(book.pause(name));
        case "resume" -> shown(book.resume(name));
        case "trigger" -> "started case " + book.trigger(name);
        default -> {
          book.remove(name);
          yield "removed schedule " + name;
        }
      };
    }
  }

  private void list(Arguments arguments) {
    try (ScheduleBook book = ScheduleBook.open(arguments.host())) {
      List<Map<String, @Nullable Object>> all = book.list();
      if (json) {
        print(
            JsonWriter.line(
                JsonWriter.object("schedules", all.stream().map(SchedulesCommand::json).toList())));
      } else {
        for (Map<String, @Nullable Object> each : all) {
          print(shown(each));
        }
      }
    }
  }

  private static String shown(Map<String, @Nullable Object> schedule) {
    StringBuilder line = new StringBuilder(Fields.text(schedule, "name"));
    if (schedule.get("corrupt") != null) {
      return line.append(": corrupt: ").append(schedule.get("corrupt")).toString();
    }
    line.append(": workflow ").append(schedule.get("workflow"));
    line.append(", ").append(schedule.get("timing"));
    line.append(", overlap ").append(schedule.get("overlap"));
    line.append(", catch-up ").append(schedule.get("catchUp"));
    line.append(Fields.flag(schedule, "paused") ? ", paused" : "");
    append(line, ", next ", schedule.get("next"));
    append(line, ", last case ", schedule.get("lastCase"));
    append(line, ", queued ", schedule.get("queued"));
    return line.toString();
  }

  private static void append(StringBuilder line, String what, @Nullable Object value) {
    if (value != null) {
      line.append(what).append(value);
    }
  }

  private static Map<String, @Nullable Object> json(Map<String, @Nullable Object> schedule) {
    if (schedule.get("corrupt") != null) {
      return JsonWriter.object(
          "schedule", schedule.get("name"), "corrupt", schedule.get("corrupt"));
    }
    return JsonWriter.object(
        "schedule", schedule.get("name"),
        "workflow", schedule.get("workflow"),
        "timing", schedule.get("timing"),
        "overlap", schedule.get("overlap"),
        "catchUp", schedule.get("catchUp"),
        "paused", schedule.get("paused"),
        "next", schedule.get("next"),
        "lastCase", schedule.get("lastCase"),
        "lastTime", schedule.get("last"),
        "queued", schedule.get("queued"),
        "skipped", schedule.get("missed"),
        "with", schedule.get("input"));
  }
}
