package dev.damask.server;

import io.helidon.common.tls.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/// Reads a certificate chain and a private key from PEM files.
final class TlsFiles {
  private TlsFiles() {}

  /// Returns the configuration of a listener. Throws `IllegalArgumentException` if a file cannot be
  /// read.
  static Tls of(Path certificate, Path key) {
    List<X509Certificate> chain = chain(certificate);
    return Tls.builder()
        .privateKey(key(key, chain.getFirst().getPublicKey().getAlgorithm()))
        .privateKeyCertChain(chain)
        .enabledProtocols(List.of("TLSv1.3", "TLSv1.2"))
        .build();
  }

  private static List<X509Certificate> chain(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      List<X509Certificate> chain =
          CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
              .map((Certificate each) -> (X509Certificate) each)
              .toList();
      if (chain.isEmpty()) {
        throw new IllegalArgumentException(file + ": contains no certificate");
      }
      return chain;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(file + ": cannot be read: " + e.getMessage(), e);
    }
  }

  private static PrivateKey key(Path file, String algorithm) {
    try {
      String text =
          Files.readString(file, StandardCharsets.US_ASCII)
              .replaceAll("-----[A-Z ]+-----", "")
              .replaceAll("\\s", "");
      return KeyFactory.getInstance(algorithm)
          .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text)));
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": not a PKCS #8 key: " + e.getMessage(), e);
    }
  }
}
