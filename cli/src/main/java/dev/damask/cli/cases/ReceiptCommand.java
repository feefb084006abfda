package dev.damask.cli.cases;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Lines;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreCommand;
import dev.damask.cli.command.Streams;
import dev.damask.json.JsonWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Looks a receipt up.
@Command(
    name = "receipt",
    description = {
      "Prints a receipt by number (ID#NUMBER) or by idempotency key.",
      "Without a number, it prints all receipts of the case."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:found", "1:no such receipt", "2:no store, or a wrong option"})
public final class ReceiptCommand extends StoreCommand {
  @Parameters(
      paramLabel = "[ID#NUMBER]",
      arity = "0..*",
      description = "The case and the number of the receipt, as printed by 'damask show'.")
  private List<String> words = List.of();

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "The idempotency key that the workflow set; requires --type.")
  private @Nullable String key;

  @Option(names = "--type", paramLabel = "TYPE", description = "The effect type of --key.")
  private @Nullable String type;

  public ReceiptCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    if ((key == null) != (type == null)) {
      throw new Refusal("--key requires --type, and --type requires --key");
    }
    Arguments arguments = arguments(words, "[ID#NUMBER]");
    if (arguments.has(0) == (key != null)) {
      throw new Refusal("name one receipt: ID#NUMBER, or --type TYPE --key KEY");
    }
    try (CaseBook book = CaseBook.open(arguments.host(), null)) {
      return key != null && type != null ? byKey(book, type, key) : byId(book, arguments.get(0));
    }
  }

  private int byKey(CaseBook book, String effectType, String effectKey) {
    CaseBook.Keyed found = book.receiptByKey(effectType, effectKey).orElse(null);
    if (found == null) {
      streams.err().println("damask: no receipt of type " + effectType + " has this key");
      return Exit.DIFFERENT;
    }
    show(found.caseId(), found.receipt());
    return Exit.OK;
  }

  private int byId(CaseBook book, String id) {
    int mark = id.lastIndexOf('#');
    String caseId = mark < 0 ? id : id.substring(0, mark);
    List<Map<String, @Nullable Object>> receipts = book.receipts(caseId);
    List<Map<String, @Nullable Object>> found =
        mark < 0
            ? receipts
            : receipts.stream()
                .filter(each -> String.valueOf(each.get("number")).equals(id.substring(mark + 1)))
                .toList();
    if (found.isEmpty()) {
      streams
          .err()
          .println(
              "damask: case %s: none of its %d receipts is %s"
                  .formatted(caseId, receipts.size(), Lines.shown(id)));
      return Exit.DIFFERENT;
    }
    for (Map<String, @Nullable Object> each : found) {
      show(caseId, each);
    }
    return Exit.OK;
  }

  private void show(String caseId, Map<String, @Nullable Object> receipt) {
    if (json) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>(JsonWriter.object("case", caseId));
      fields.putAll(ReceiptText.json(receipt));
      print(JsonWriter.line(fields));
    } else {
      print(caseId + Lines.shown(ReceiptText.shown(receipt)));
    }
  }
}
