package dev.damask.cli.command;

import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.JsonProblem;
import dev.damask.json.JsonReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// JSON that Damask itself or a service wrote: recordings and the bodies of responses.
public final class JsonFiles {
  /// A context nests 256 deep, and a recording has a few levels around it.
  private static final JsonReader READER =
      new JsonReader(JsonLimits.ofNumbers(1_200, 2_000, 1_000));

  private JsonFiles() {}

  /// Reads a string. Throws [JsonProblem] if it is not valid JSON.
  public static Json read(String text) {
    return READER.read(text);
  }

  /// Reads a file. Throws [Refusal] if it cannot be read or is not valid JSON.
  public static Json read(Path file) {
    try {
      return READER.read(JsonReader.decode(Files.readAllBytes(file)));
    } catch (JsonProblem e) {
      throw new Refusal(file + ":" + e.at() + ": " + e.sentence());
    } catch (IOException e) {
      throw new Refusal(file + ": " + RecordingFile.unreadable(file, e));
    }
  }
}
