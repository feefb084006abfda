package dev.damask.cli.cases;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.Streams;
import dev.damask.effect.SleepEffect;
import dev.damask.json.JsonWriter;
import dev.damask.ops.ScheduleView;
import dev.damask.ops.Schedules;
import dev.damask.store.Store;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
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
    String done =
        switch (arguments.get(0)) {
          case "pause" -> changed(arguments, name, schedules -> shown(schedules.pause(name)));
          case "resume" -> changed(arguments, name, schedules -> shown(schedules.resume(name)));
          case "trigger" ->
              changed(arguments, name, schedules -> "started case " + schedules.trigger(name));
          case "remove" ->
              changed(
                  arguments,
                  name,
                  schedules -> {
                    schedules.remove(name);
                    return "removed schedule " + name;
                  });
          default ->
              throw new Refusal(
                  "schedules: expected pause, resume, trigger or remove, got '"
                      + arguments.get(0)
                      + "'");
        };
    print(json ? JsonWriter.line(JsonWriter.object("schedule", name, "done", done)) : done);
    return Exit.OK;
  }

  private void list(Arguments arguments) {
    try (Store store = arguments.folder().open()) {
      List<ScheduleView> all = Schedules.list(store);
      if (json) {
        print(
            JsonWriter.line(
                JsonWriter.object("schedules", all.stream().map(SchedulesCommand::json).toList())));
      } else {
        all.forEach(each -> print(shown(each)));
      }
    }
  }

  private static String changed(
      Arguments arguments, String name, Function<Schedules, String> change) {
    Store store = arguments.folder().open();
    EngineOptions options =
        EngineOptions.defaults()
            .withSources(new KeptDocuments(store, null))
            .withHandler("sleep", new SleepEffect());
    try (Engine engine = Engine.open(options, store)) {
      return change.apply(engine.schedules());
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new Refusal("schedule " + name + ": " + e.getMessage());
    }
  }

  private static String shown(ScheduleView view) {
    StringBuilder line = new StringBuilder(view.name());
    line.append(": workflow ").append(view.workflow());
    line.append(", ").append(view.schedule().timing());
    line.append(", overlap ").append(view.schedule().overlap().word());
    line.append(", catch-up ").append(view.schedule().catchUp());
    line.append(view.isPaused() ? ", paused" : "");
    view.due().ifPresent(due -> line.append(", next ").append(due));
    if (!view.lastCase().isEmpty()) {
      line.append(", last case ").append(view.lastCase());
    }
    view.queued().ifPresent(time -> line.append(", queued ").append(time));
    return line.toString();
  }

  private static Map<String, @Nullable Object> json(ScheduleView view) {
    return JsonWriter.object(
        "schedule", view.name(),
        "workflow", view.workflow(),
        "timing", view.schedule().timing().toString(),
        "overlap", view.schedule().overlap().name().toLowerCase(Locale.ROOT),
        "catchUp", view.schedule().catchUp().toString(),
        "paused", view.isPaused(),
        "next", view.due().map(Instant::toString).orElse(null),
        "lastCase", view.lastCase().isEmpty() ? null : view.lastCase(),
        "lastTime", view.lastTime().map(Instant::toString).orElse(null),
        "queued", view.queued().map(Instant::toString).orElse(null),
        "skipped", view.skipped(),
        "with", view.input().toMap());
  }
}
