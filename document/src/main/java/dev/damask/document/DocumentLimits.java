package dev.damask.document;

/// How large a document may be, before anything in it is looked at.
///
/// @param documentBytes the size of the file
/// @param nesting how deep lists and objects may nest
/// @param textBytes the size of one text value
/// @param nameBytes the size of one key
/// @param numberDigits how many characters a number may have
/// @param values how many values a document may hold in all
public record DocumentLimits(
    int documentBytes, int nesting, int textBytes, int nameBytes, int numberDigits, int values) {
  public static final DocumentLimits DEFAULT =
      new DocumentLimits(16 * 1_024 * 1_024, 256, 64 * 1_024, 128, 1_000, 500_000);

  public DocumentLimits {
    if (documentBytes < 1 || nesting < 1 || textBytes < 1 || nameBytes < 1 || numberDigits < 1) {
      throw new IllegalArgumentException("every limit of a document is at least 1");
    }
  }
}
