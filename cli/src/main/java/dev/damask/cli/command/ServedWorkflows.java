package dev.damask.cli.command;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The workflows of a server. They are named as those of a store are.
public record ServedWorkflows(ServerClient server) {
  private static final String PATH = "/v1/workflows";

  /// Returns the diagram of a workflow such as `order`, or `order@HASH` with the first characters
  /// of the program hash. Throws [Refusal] if the server has none, or several versions.
  public String svg(String name) {
    int mark = name.indexOf('@');
    String workflow = mark < 0 ? name : name.substring(0, mark);
    String version = mark < 0 ? "" : name.substring(mark + 1);
    List<String> names = new ArrayList<>();
    List<String> found = new ArrayList<>();
    for (Map<String, @Nullable Object> each : Fields.objects(server.get(PATH, Map.of()), "items")) {
      names.add(Fields.text(each, "workflow"));
      if (names.getLast().equals(workflow)) {
        for (Map<String, @Nullable Object> one : Fields.objects(each, "versions")) {
          found.add(Fields.text(one, "program"));
        }
      }
    }
    found.removeIf(each -> !each.startsWith(version));
    Collections.sort(found);
    KeptDocuments.requireOne(name, found, names);
    String path = PATH + "/" + ServerClient.segment(workflow) + "/drawing";
    return server.text(path, Map.of("program", found.getFirst()));
  }
}
