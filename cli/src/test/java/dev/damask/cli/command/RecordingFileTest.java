package dev.damask.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The reasons why a file can be neither read nor written.
final class RecordingFileTest {
  @TempDir Path folder;

  @Test
  void a_file_that_cannot_be_written_has_a_reason() {
    Path file = folder.resolve("x.svg");
    Path far = folder.resolve("none/x.svg");

    assertThat(RecordingFile.why(file, new AccessDeniedException("x"))).isEqualTo("access denied");
    assertThat(RecordingFile.why(file, new IOException("disk full"))).isEqualTo("disk full");
    assertThat(RecordingFile.why(folder, new IOException("x"))).isEqualTo("it is a directory");
    assertThat(RecordingFile.why(far, new NoSuchFileException("x")))
        .isEqualTo("the directory " + folder.resolve("none") + " does not exist");
  }

  @Test
  void a_file_that_cannot_be_read_has_a_reason() {
    Path file = folder.resolve("x.json");

    assertThat(RecordingFile.unreadable(file, new NoSuchFileException("x")))
        .isEqualTo("the file does not exist");
    assertThat(RecordingFile.unreadable(file, new AccessDeniedException("x")))
        .isEqualTo("the file cannot be read: access denied");
    assertThat(RecordingFile.unreadable(folder, new IOException("x")))
        .isEqualTo("the file is a directory");
    assertThat(RecordingFile.unreadable(file, new IOException("x")))
        .isEqualTo("the file cannot be read");
  }
}
