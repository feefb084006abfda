package dev.damask.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Answers byte by byte, also those no honest server gives.
final class HttpResponseTest {
  private static final int MAX = 1_000;

  private static HttpResponse read(String text) throws IOException {
    return HttpResponse.read(
        new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)), MAX);
  }

  private static String body(String text) throws IOException {
    return new String(read(text).body(), StandardCharsets.ISO_8859_1);
  }

  @Test
  void a_body_ends_by_length_by_chunks_or_by_the_end() throws IOException {
    assertThat(body("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc")).isEqualTo("ab");
    assertThat(body("HTTP/1.0 200\r\n\r\nabc")).isEqualTo("abc");
    assertThat(
            body(
                "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\n"))
        .isEqualTo("abc");
    assertThat(body("HTTP/1.1 204 None\r\nContent-Length: 2\r\n\r\nab")).isEmpty();
  }

  @Test
  void interim_answers_are_passed_over() throws IOException {
    assertThat(read("HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 201 Made\r\n\r\n").status()).isEqualTo(201);
    assertThatThrownBy(() -> read("HTTP/1.1 100 Go on\r\n\r\n".repeat(9)))
        .hasMessageContaining("interim");
  }

  @Test
  void headers_of_one_name_are_joined() throws IOException {
    assertThat(read("HTTP/1.1 200 OK\r\nA: 1\r\na:  2 \r\n\r\n").headers())
        .containsEntry("a", "1, 2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SMTP ready\r\n\r\n",
        "HTTP/2 200\r\n\r\n",
        "HTTP/1.1 20\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: 1\r\n folded\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\na",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nabc",
      })
  void what_is_not_well_formed_or_too_large_is_unusable(String text) {
    assertThatThrownBy(() -> read(text)).isInstanceOf(HttpResponse.Unusable.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nA: 1",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"
      })
  void what_is_cut_off_is_no_answer(String text) {
    assertThatThrownBy(() -> read(text)).isInstanceOf(java.io.EOFException.class);
  }

  @Test
  void a_head_or_a_body_without_end_is_given_up() {
    assertThatThrownBy(() -> HttpResponse.read(endless("HTTP/1.1 200 OK\r\n", "a: b\r\n"), MAX))
        .hasMessageContaining("the header section is larger than 65536 bytes");
    assertThatThrownBy(() -> HttpResponse.read(endless("HTTP/1.1 200 OK\r\nx: ", "y"), MAX))
        .hasMessageContaining("the header section is larger");
    assertThatThrownBy(() -> HttpResponse.read(endless("HTTP/1.1 200 OK\r\n\r\n", "y"), MAX))
        .hasMessageContaining("the body is larger than 1000 bytes");
    String chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    assertThatThrownBy(() -> HttpResponse.read(endless(chunked, "2\r\nab\r\n"), MAX))
        .hasMessageContaining("the body is larger than 1000 bytes");
    assertThatThrownBy(() -> HttpResponse.read(endless(chunked, "1"), MAX))
        .hasMessageContaining("a chunk header is too long");
  }

  @Test
  void chunks_that_are_always_there_do_not_hide_that_the_time_is_up() {
    String chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> HttpResponse.read(endless(chunked, "1\r\na\r\n"), MAX))
          .isInstanceOf(java.io.InterruptedIOException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @SuppressWarnings("InputStreamSlowMultibyteRead") // a few thousand bytes are read
  private static InputStream endless(String begin, String then) {
    return new InputStream() {
      private int at;

      @Override
      public int read() {
        int index = at++;
        return index < begin.length()
            ? begin.charAt(index)
            : then.charAt((index - begin.length()) % then.length());
      }
    };
  }
}
